"""Mondrian: the kernel beside the book's recursion, the labels, the example of the report."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import mondrian as reference
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_digits, from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.kernels.mondrian import blocks
from tarnkappe.methods.microdata.mondrian import Mondrian
from tarnkappe.randomness import stream
from tarnkappe.spec.step import apply_step


def done(data, **parameters):
    method = Mondrian(**parameters)
    return apply_step(method, data, stream("s" * 32, method.id))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=50),
    st.integers(2, 4),
    st.integers(1, 2),
)
@settings(max_examples=150, deadline=None)
def test_the_kernel_gives_the_blocks_of_the_recursion(rows, k, variety):
    places = np.array([row[:2] for row in rows])
    kinds = np.array([row[2] for row in rows])
    label = blocks(places, np.zeros(len(rows), np.int64), k, kinds, variety)
    found = {frozenset(np.flatnonzero(label == b).tolist()) for b in range(label.max() + 1)}
    assert found == reference.blocks([row[:2] for row in rows], k, kinds.tolist(), variety)


def patients():
    """The table of the report (DAV 2025, L304-317)."""
    plz = [
        "13053",
        "13068",
        "13068",
        "13053",
        "14853",
        "14853",
        "14850",
        "14850",
        "13053",
        "13053",
        "13068",
        "13068",
    ]
    postcode = Column.texts_of(plz)
    jobs = ["K", "L", "A", "L", "M", "K", "L", "L", "L", "M", "A", "L"]
    return Microdata(
        {
            "plz": Column.coded(
                postcode.values,
                postcode.categories,
                hierarchy=from_digits("plz", postcode.distinct(), (1, 2, 3, 4, 5)),
            ),
            "age": Column.numbers_of(np.array([28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35])),
            "job": Column.texts_of(jobs),
        }
    )


def test_the_report_s_table_is_recoded_locally():
    """Postcodes of different length side by side, as in the report (6.2); halving twelve records gives two classes of six."""
    after = done(patients(), keys=("age", "plz", "job"), k=4)
    shown = list(zip(*(after.column(n).texts().tolist() for n in ("plz", "age")), strict=True))
    assert {(p, a): shown.count((p, a)) for p, a in shown} == {("130", "21 – 35"): 6, ("1", "36 – 55"): 6}


def test_values_that_agree_are_shown_as_they_are():
    data = Microdata({"a": Column.texts_of(["x"] * 6), "n": Column.numbers_of(np.array([1, 1, 1, 5, 5, 5]))})
    after = done(data, keys=("a", "n"), k=3)
    assert after.column("a").texts().tolist() == ["x"] * 6
    assert after.column("n").texts().tolist() == ["1"] * 3 + ["5"] * 3


def test_categories_without_hierarchy_become_lists_and_with_one_the_code_above():
    texts = ["p", "q", "p", "r", "r", "s"]
    plain = Column.texts_of(texts)
    tree = Column.coded(
        plain.values, plain.categories, hierarchy=from_tree("t", {"low": ["p", "q"], "high": ["r", "s"]})
    )
    after = done(Microdata({"c": plain}), keys=("c",), k=3)
    assert after.column("c").texts().tolist() == ["p | q", "p | q", "p | q", "r | s", "r | s", "r | s"]
    after = done(Microdata({"c": tree}), keys=("c",), k=3)
    assert after.column("c").texts().tolist() == ["low"] * 3 + ["high"] * 3


def test_gaps_are_treated_together_or_refused():
    n = Column.numbers_of(np.array([1.0, 2.0, 3.0, np.nan, np.nan, np.nan]))
    after = done(Microdata({"n": n}), keys=("n",), k=3)
    assert after.column("n").texts().tolist() == ["1.0 – 3.0"] * 3 + [None] * 3
    lone = Column.numbers_of(np.array([1.0, 2.0, 3.0, np.nan]))
    m = Column.texts_of(["a", "a", "a", "b"])
    with pytest.raises(TooFewRecords):
        done(Microdata({"n": lone, "m": m}), keys=("n", "m"), k=3)
    after = done(Microdata({"n": lone, "m": m}), keys=("n", "m"), k=3, too_small="suppress")
    assert after.column("m").texts().tolist() == ["a", "a", "a", None]


def test_variety_of_the_sensitive_column():
    data = Microdata(
        {
            "n": Column.numbers_of(np.arange(8)),
            "s": Column.texts_of(["x", "x", "x", "x", "x", "y", "x", "y"]),
        }
    )
    assert set(done(data, keys=("n",), k=2).column("n").texts()) == {"0 – 1", "2 – 3", "4 – 5", "6 – 7"}
    after = done(data, keys=("n",), k=2, sensitive="s", variety=2)
    assert set(after.column("n").texts()) == {"0 – 5", "6 – 7"} or len(set(after.column("n").texts())) == 1
    with pytest.raises(ParameterWrong, match="variety"):
        Mondrian(keys=("n",), variety=2)


def test_values_that_hold_a_bar_are_still_true():
    given = Microdata({"k": Column.texts_of(["a | b", "a", "c", "b"])}, {"key": ("k",)})
    after = apply_step(Mondrian(k=2), given, stream("s" * 32))
    assert set(after.column("k").texts()) == {"a | a | b", "b | c"}
