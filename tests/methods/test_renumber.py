from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.renumber import Renumber
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data
from tarnkappe.vocab import Kind, Role


def renumbered(column, secret="s"):
    data = Microdata({"g": column})
    return apply_step(Renumber(columns=("g",)), data, stream(secret)).column("g")


@given(texts=st.lists(st.none() | st.sampled_from("abcde")), secret=st.text())
def test_partition_is_kept_exactly(texts, secret):
    got = renumbered(Column.texts_of(texts), secret).texts()
    known = [i for i, t in enumerate(texts) if t is not None]
    assert [i for i, t in enumerate(got) if t is not None] == known
    for i in known:
        for j in known:
            assert (texts[i] == texts[j]) == (got[i] == got[j])
    assert sorted({int(got[i]) for i in known}) == list(range(1, len({texts[i] for i in known}) + 1))


def test_whole_numbers_whatever_it_was():
    for column in (Column.texts_of(["b", "a"]), Column.numbers_of(np.array([1e300, -0.5]))):
        got = renumbered(column)
        assert got.kind is Kind.INTEGER and sorted(got.values) == [1, 2]


def test_categories_nobody_has_take_no_number():
    column = Column.coded(np.array([2, 0, 2]), np.array(["a", "unused", "c"], dtype=object))
    assert sorted(set(renumbered(column).values)) == [1, 2]


def test_order_is_random_and_every_order_is_possible():
    seen = {tuple(renumbered(Column.texts_of(["a", "b", "c"]), f"secret {i}").values) for i in range(200)}
    assert len(seen) == 6


def test_numbers_do_not_follow_the_codes():
    codes = Column.texts_of([f"{i:05d}" for i in range(2000)])
    assert abs(np.corrcoef(np.arange(2000), renumbered(codes).values)[0, 1]) < 0.1


def test_suppressed_keeps_a_number_below():
    got = renumbered(Column.texts_of(["a", "b", "a"]).suppress(np.array([True, False, False])))
    assert got.suppressed.tolist() == [True, False, False]
    assert got.values[0] == got.values[2] != got.values[1]


def test_roles():
    after = apply_step(Renumber(columns=("name", "household")), example_data(), stream("s"))
    assert after.role(Role.IDENTIFIER) == ()
    assert after.role(Role.HOUSEHOLD) == ("household",)
    assert after.column("household").hierarchy is None


@pytest.mark.parametrize("wrong", [[1, 1, 1], [1, 2, 3], [2, 3, 2], [0, 1, 0]])
def test_claims_see_wrong_numbers(wrong):
    data = Microdata({"g": Column.texts_of(["a", "b", "a"])})
    after = data.with_columns({"g": Column.numbers_of(np.array(wrong))})
    assert broken_claims(Renumber(columns=("g",)), data, after)
