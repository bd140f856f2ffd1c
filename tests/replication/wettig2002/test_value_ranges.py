"""Value ranges, cycles and insiders of spec/tables-wettig.md 18.3 and 18.7, in their corrected form."""

import numpy as np
import pytest

from reference.flat import cell, flat_table, suppressing
from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.relations import relations_of
from tarnkappe.errors.tables import NotAdditive
from tarnkappe.risk.table_audit import TableAudit

INNER = [(str(i), str(j)) for i in (1, 2) for j in (1, 2)]


def ranges(table, cells, low=None, high=None):
    pattern = suppressing(table, cells)
    everything = Asked(np.full(len(table), np.inf), np.full(len(table), np.inf))
    low = pattern.low if low is None else low
    high = pattern.high if high is None else high
    found = intervals(relations_of(table), table.value, pattern.suppressed, low, high, everything)
    return {codes: (found.low[cell(table, *codes)], found.high[cell(table, *codes)]) for codes in cells}


def close(found, expected):
    return (
        all(found[c] == pytest.approx(e, abs=1e-7) for c, e in expected.items())
        and found.keys() == expected.keys()
    )


def test_tv_08_value_ranges():
    """L517-543; X11 printed as [3, 6]."""
    found = ranges(flat_table([[4, 3], [2, 1], [3, 3]]), INNER)
    assert close(found, {("1", "1"): (3, 6), ("1", "2"): (1, 4), ("2", "1"): (0, 3), ("2", "2"): (0, 3)})


def test_tv_09_two_patterns():
    """L683-721; ranges of pattern 2b."""
    table = flat_table([[4, 3], [2, 1], [3, 3]])
    found = ranges(table, [("1", "1"), ("1", "2"), ("3", "1"), ("3", "2")])
    assert close(found, {("1", "1"): (1, 7), ("1", "2"): (0, 6), ("3", "1"): (0, 6), ("3", "2"): (0, 6)})
    alone = TableAudit().audit(suppressing(table, [("1", "1")]))
    assert alone.disclosed[cell(table, "1", "1")]


TV_10 = [[2, 3, 6, 2], [2, 2, 2, 7], [3, 2, 8, 1], [4, 3, 3, 8]]
CROSSES = [
    ("1", "1"),
    ("1", "2"),
    ("1", "3"),
    ("2", "1"),
    ("2", "3"),
    ("3", "2"),
    ("3", "4"),
    ("4", "2"),
    ("4", "4"),
]


def test_tv_10_two_per_line_is_not_enough():
    """L473-492; X12 = 3 exactly, everything else open."""
    table = flat_table(TV_10)
    found = ranges(table, CROSSES)
    expected = [(0, 4), (3, 3), (4, 8), (0, 4), (0, 4), (0, 3), (0, 3), (2, 5), (6, 9)]
    assert close(found, dict(zip(CROSSES, expected, strict=True)))
    audit = TableAudit().audit(suppressing(table, CROSSES))
    assert np.flatnonzero(audit.disclosed).tolist() == [cell(table, "1", "2")]
    assert not audit.holds


def test_tv_11_the_cycle_as_corrected():
    """L500-511; no cell determined."""
    cycle = [("1", "1"), ("1", "2"), ("2", "2"), ("2", "3"), ("4", "1"), ("4", "3")]
    found = ranges(flat_table(TV_10), cycle)
    expected = [(0, 4), (1, 5), (0, 4), (0, 4), (2, 6), (1, 5)]
    assert close(found, dict(zip(cycle, expected, strict=True)))


def test_tv_11_the_cycle_as_printed_is_refused():
    """Column 4 sums to 13, printed 18."""
    right = flat_table(TV_10)
    printed = right.value.copy()
    for codes, value in ((("1", "3"), 2), (("4", "2"), 2), (("4", "4"), 3)):
        printed[cell(right, *codes)] = value
    with pytest.raises(NotAdditive, match=r"T × 4"):
        type(right)("t", right.dimensions, right.cells, printed)


def test_tv_12_prior_knowledge():
    """L581-635; the span of the secret 100 falls from 81 to 1."""
    table = flat_table([[100, 80], [90, 1]])
    assert close(
        ranges(table, INNER),
        {("1", "1"): (99, 180), ("1", "2"): (0, 81), ("2", "1"): (10, 91), ("2", "2"): (0, 81)},
    )
    found = ranges(table, INNER, table.value * 0.5, table.value * 1.5)
    assert close(
        found,
        {
            ("1", "1"): (99.5, 100.5),
            ("1", "2"): (79.5, 80.5),
            ("2", "1"): (89.5, 90.5),
            ("2", "2"): (0.5, 1.5),
        },
    )
    wide, narrow = suppressing(table, INNER, 0.6, 0.6), suppressing(table, INNER, 0.5, 0.5)
    assert not TableAudit(prior=50).audit(wide).holds
    assert TableAudit(prior=50).audit(narrow).holds


TV_20 = [[10, 20, 40], [20, 30, 10], [30, 10, 50]]


@pytest.mark.parametrize(
    ("cells", "leaking"),
    [
        ("11 12 21 22", "11 12 21 22"),
        ("11 12 21 22 13 31 33", "12 13 21 22 31 33"),
        ("11 12 13 21 22 23 31 32 33", ""),
    ],
)
def test_tv_20_single_respondents(cells, leaking):
    """L1111-1123; one cuboid leaks everything to the owners, two protect the pivot 1A, all nine protect all."""
    table = flat_table(TV_20, np.ones((3, 3), dtype=int))
    pattern = suppressing(table, [tuple(c) for c in cells.split()])
    found = {b.cell for b in TableAudit().audit(pattern).breaches}
    assert found == {cell(table, *c) for c in leaking.split()}
    assert TableAudit(insiders="none").audit(pattern).holds


TV_24 = [[7760, 240, 57, 4154], [240, 187, 184, 1782], [1723, 316, 115, 258], [842, 448, 439, 86]]
RESPONDENTS = [[11, 8, 4, 117], [3, 2, 33, 67], [322, 3, 18, 8], [116, 87, 21, 4]]


@pytest.mark.parametrize(
    ("cells", "values", "respondents", "of_2b", "of_3d"),
    [
        ("22 23 33 34 44 42", 1278, 152, (101, 371), (74, 344)),
        ("11 13 21 22 32 34 43 44", 9343, 56, (0, 244), (71, 315)),
        ("22 24 32 34", 2543, 80, (0, 503), (71, 574)),
    ],
)
def test_tv_24_ranges_of_the_optimal_patterns(cells, values, respondents, of_2b, of_3d):
    """One table, three patterns, each the cheapest by its loss; the search for optima is not part of this."""
    table, where = flat_table(TV_24), [(c[0], c[1]) for c in cells.split()]
    assert sum(TV_24[int(r) - 1][int(c) - 1] for r, c in where) == values
    assert sum(RESPONDENTS[int(r) - 1][int(c) - 1] for r, c in where) == respondents
    found = ranges(table, where)
    assert close({k: found[k] for k in (("2", "2"), ("3", "4"))}, {("2", "2"): of_2b, ("3", "4"): of_3d})
    need = [0.2 * table.value[cell(table, *c)] for c in (("2", "2"), ("3", "4"))]
    for (low, high), value, least in zip((of_2b, of_3d), (187, 258), need, strict=True):
        assert value - low >= least and high - value >= least


@pytest.mark.parametrize(("levels", "dimensions"), [((7, 4), 9), ((3, 3), 4)])
def test_tv_23b_dimensions_of_the_complete_table(levels, dimensions):
    """L1279: as many as there are levels below the totals; our cuboids have an edge for each of them."""
    chains = [
        Hierarchy("h", np.array([str(i) for i in range(depth)], dtype=object), np.arange(depth) - 1)
        for depth in levels
    ]
    assert sum(len(np.unique(tree.level)) for tree in chains) - len(chains) == dimensions
