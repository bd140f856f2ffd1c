"""Formulas: what is read, and where what cannot be read is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.formula import Formula, Term, parse_formula
from tarnkappe.errors.correct import FormulaWrong

X, Y = Term("x"), Term("y")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("y ~ x", Formula(Y, (X,))),
        ("y~x+z", Formula(Y, (X, Term("z")))),
        ("log(y) ~ log(x)", Formula(Term("y", "log"), (Term("x", "log"),))),
        ("y ~ x + I(x**2)", Formula(Y, (X, Term("x", "square")))),
        ("y ~ x^2 - 1", Formula(Y, (Term("x", "square"),), constant=False)),
        ("y ~ 0 + x", Formula(Y, (X,), constant=False)),
        ("y ~ -1 + x + 1", Formula(Y, (X,))),
        ("y ~ 1", Formula(Y, ())),
        ("`my y` ~ C(`a b`)", Formula(Term("my y"), (Term("a b", "category"),))),
        ("umsatz ~ beschäftigte + größe.klasse", Formula(Term("umsatz"), (Term("beschäftigte"), Term("größe.klasse")))),
        ("y ~ log", Formula(Y, (Term("log"),))),
    ],
)  # fmt: skip
def test_read(words, expected):
    assert parse_formula(words) == expected
    assert parse_formula(str(expected)) == expected


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("", 1), ("y", 2), ("y ~", 4), ("~ x", 1), ("y ~ x +", 8), ("y ~ x z", 7), ("y ~ x*z", 6), ("y ~ x:z", 6), ("y ~ x & z", 7),
        ("y ~ y", 6), ("y ~ x + x", 9), ("y ~ 2", 5), ("y ~ 0", 6), ("y ~ x - z", 9), ("y ~ x**3", 8), ("y ~ log(x", 10),
        ("y ~ log(x**2)", 13), ("y**2 ~ x", 4), ("C(y) ~ x", 4), ("y ~ `x", 5), ("y ~ 2x", 5), ("y ~ log(log(x))", 12), ("((((y", 1),
    ],
)  # fmt: skip
def test_not_read(words, place):
    with pytest.raises(FormulaWrong) as problem:
        parse_formula(words)
    assert problem.value.facts["place"] == place


@given(st.text(alphabet="yxz01~+-*^()`:. logCI", max_size=30))
def test_anything_is_read_or_refused(words):
    try:
        found = parse_formula(words)
    except FormulaWrong:
        return
    assert parse_formula(str(found)) == found


def test_a_formula_without_end():
    with pytest.raises(FormulaWrong):
        parse_formula("y ~ " + "x + " * 10_000 + "x")
