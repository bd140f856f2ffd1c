"""Strata: who is treated together."""

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of


def data(**columns):
    return Microdata(columns)


def test_blocks_follow_their_first_record_and_keep_the_order_of_the_file():
    given = data(a=Column.texts_of(["x", "y", "x", None, "y", None]))
    found = strata_of(given, ["a"])
    assert [block.tolist() for block in found.blocks()] == [[0, 2], [1, 4], [3, 5]]
    assert found.starts.tolist() == [0, 2, 4, 6]
    assert len(found) == 3


def test_without_columns_all_records_are_one_block_and_no_records_none():
    given = data(a=Column.numbers_of(np.arange(3.0)))
    assert [block.tolist() for block in strata_of(given, []).blocks()] == [[0, 1, 2]]
    empty = data(a=Column.numbers_of(np.zeros(0)))
    assert list(strata_of(empty, ["a"]).blocks()) == []


def test_missing_and_suppressed_are_different_gaps():
    value = Column.numbers_of(np.array([1.0, np.nan, 3.0, 4.0])).suppress(
        np.array([False, False, True, False])
    )
    assert [b.tolist() for b in strata_of(data(v=value), [], ["v"]).blocks()] == [[0, 3], [1], [2]]
