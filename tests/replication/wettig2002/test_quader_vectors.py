"""Test vectors of Wettig (2002) for the Quader method: spec/tables-wettig.md 18.2, 18.3, 18.7; L: lines of the source."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from reference.quader import attack, cuboids, is_even, vertices
from tables.quader_tables import at, grid, names, primary
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import Contributions, Table
from tarnkappe.errors.tables import NotAdditive
from tarnkappe.errors.unsafe_tables import PriorTooNarrow
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.risk.table_audit import TableAudit

ROWS, COLUMNS = ["1", "2", "3", "4", "district"], ["A", "B", "C", "D", "total"]


def hidden_of(pattern, **parameters):
    return Quader(**parameters).run(pattern).hidden


def interval(table, hidden, cell, low=None, high=None):
    low = np.zeros(len(table)) if low is None else low
    high = np.full(len(table), np.inf) if high is None else high
    found = attack(table, hidden, low, high)
    return pytest.approx((found[0][cell], found[1][cell]))


def mask(table, cells):
    out = np.zeros(len(table), dtype=bool)
    out[[at(table, *c) for c in cells]] = True
    return out


# -- TV-09, L683-721 ------------------------------------------------------------------------------------------------


def small():
    return grid(["1", "2", "3", "T"], ["1", "2", "T"], [[4, 3, 7], [2, 1, 3], [3, 3, 6], [9, 7, 16]])


@pytest.mark.parametrize(("lower", "upper", "cost"), [(1, 1, 10), (1, 2, 10), (1, 3, 13), (2, 2, 13)])
def test_tv09_the_smaller_sum_unless_it_protects_too_little(lower, upper, cost):
    table = small()
    hidden = hidden_of(primary(table, [at(table, "1", "1")], lower=lower, upper=upper))
    assert table.value[hidden].sum() == cost
    assert hidden.sum() == 4


def test_tv09_both_patterns_together_where_neither_is_enough():
    table = small()
    hidden = hidden_of(primary(table, [at(table, "1", "1")], lower=4, upper=3))
    assert table.value[hidden].sum() == 16


def test_tv09_the_range_of_the_second_pattern():
    table = small()
    hidden = mask(table, [("1", "1"), ("1", "2"), ("3", "1"), ("3", "2")])
    assert interval(table, hidden, at(table, "1", "1")) == (1, 7)


# -- TV-10, L473-492: two per line are not enough -------------------------------------------------------------------


def test_tv10_is_repaired():
    values = [[2, 3, 6, 2, 13], [2, 2, 2, 7, 13], [3, 2, 8, 1, 14], [4, 3, 3, 8, 18], [11, 10, 19, 18, 58]]
    table = grid([*"1234", "T"], [*"1234", "T"], values)
    crossed = [
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
    hidden = mask(table, crossed)
    assert interval(table, hidden, at(table, "1", "2")) == (3, 3)
    status = np.where(hidden, np.uint8(Status.SECONDARY), np.uint8(Status.OPEN))
    status[at(table, "1", "2")] = Status.PRIMARY
    done = hidden_of(Pattern(table, status=status))
    low, high = attack(table, done, np.zeros(len(table)), np.full(len(table), np.inf))
    cell = at(table, "1", "2")
    assert high[cell] - low[cell] >= 1.18 * 3
    assert np.all(high[hidden] > low[hidden])


# -- TV-11, L500-511 ------------------------------------------------------------------------------------------------


def test_tv11_as_printed_does_not_add_up():
    printed = [[2, 3, 2, 2, 13], [2, 2, 2, 7, 13], [3, 2, 8, 1, 14], [4, 2, 3, 3, 18], [11, 10, 19, 18, 58]]
    with pytest.raises(NotAdditive):
        grid([*"1234", "T"], [*"1234", "T"], printed)


def test_tv11_corrected_is_safe_as_it_stands():
    values = [[2, 3, 6, 2, 13], [2, 2, 2, 7, 13], [3, 2, 8, 1, 14], [4, 3, 3, 8, 18], [11, 10, 19, 18, 58]]
    table = grid([*"1234", "T"], [*"1234", "T"], values)
    hidden = mask(table, [("1", "1"), ("1", "2"), ("2", "2"), ("2", "3"), ("4", "1"), ("4", "3")])
    assert interval(table, hidden, at(table, "1", "1")) == (0, 4)
    status = np.where(hidden, np.uint8(Status.SECONDARY), np.uint8(Status.OPEN))
    assert np.array_equal(hidden_of(Pattern(table, status=status)), hidden)


# -- TV-12, L581-635: prior knowledge -------------------------------------------------------------------------------


def tv12():
    return grid(["1", "2", "T"], ["1", "2", "T"], [[100, 80, 180], [90, 1, 91], [190, 81, 271]])


def test_tv12_without_prior_knowledge():
    table = tv12()
    done = Quader(span=80).run(primary(table, [at(table, "1", "1")]))
    assert names(table, done.hidden) == {"1 × 1", "1 × 2", "2 × 1", "2 × 2"}
    assert (done.down[0], done.up[0]) == (1, 80)


@pytest.mark.parametrize(("level", "cost"), [(0.5, 271), (0.6, 451), (40, 451)])
def test_tv12_with_prior_knowledge_of_half(level, cost):
    table = tv12()
    pattern = primary(
        table, [at(table, "1", "1")], lower=level, upper=level, low=0.5 * table.value, high=1.5 * table.value
    )
    assert table.value[hidden_of(pattern)].sum() == cost


def test_tv12_nothing_protects_beyond_prior_knowledge():
    table = tv12()
    with pytest.raises(PriorTooNarrow):
        hidden_of(
            primary(
                table,
                [at(table, "1", "1")],
                lower=51,
                upper=51,
                low=0.5 * table.value,
                high=1.5 * table.value,
            )
        )


# -- TV-20, L1111-1123: single respondents --------------------------------------------------------------------------


def test_tv20_no_owner_finds_another_cell():
    values = [[10, 20, 40, 70], [20, 30, 10, 60], [30, 10, 50, 90], [60, 60, 100, 220]]
    counts = [[1, 1, 1, 3], [1, 1, 1, 3], [1, 1, 1, 3], [3, 3, 3, 9]]
    table = grid(["1", "2", "3", "T"], ["A", "B", "C", "T"], values, counts)
    inner = np.flatnonzero(table.inner)
    done = hidden_of(primary(table, inner, lower=1.0, upper=1.0))
    zero, infinite = np.zeros(len(table)), np.full(len(table), np.inf)
    for own in inner:
        known = np.zeros(len(table), dtype=bool)
        known[own] = True
        low, high = attack(table, done, zero, infinite, known=known)
        others = inner[inner != own]
        assert np.all(high[others] > low[others])
    assert names(table, done) == names(table, table.inner)


# -- TV-21, L1025-1042: suppressing out -----------------------------------------------------------------------------


def tv21(third=316):
    values = [
        [None, 240, None, None, 240], [240, 187, 184, 1782, 2393], [None, third, None, None, third],
        [None, 448, None, None, 448], [240, 1191, 184, 1782, 3397],
    ]  # fmt: skip
    return grid(ROWS, COLUMNS, values)


@pytest.mark.parametrize("extend", ["off", "second-stage", "always"])
@pytest.mark.parametrize("margins", ["avoid", "weight", "ignore"])
@pytest.mark.parametrize("cost", ["value", "lexicographic"])
def test_tv21_suppressing_out(extend, margins, cost):
    table = tv21()
    done = Quader(extend=extend, margins=margins, cost=cost).run(primary(table, [at(table, "2", "B")]))
    assert names(table, done.hidden) == {"2 × B", "2 × C", "Total × B", "Total × C"}
    assert done.down[0] + done.up[0] == 371
    assert interval(table, done.hidden, at(table, "2", "B")) == (0, 371)


def test_tv21_as_printed_does_not_add_up():
    with pytest.raises(NotAdditive):
        tv21(third=16)


def test_tv21_seven_cuboids():
    table = tv21()
    sums = {}
    for d, corners in cuboids((1, 1), (5, 5)).items():
        rows = table.find(np.array([((r + 1) % 5, (c + 1) % 5) for r, c in corners], dtype=np.int32))
        if (rows >= 0).all():
            sums[d] = table.value[rows].sum() - 187
    assert sorted(sums.values()) == [1559, 1671, 2873, 3025, 3289, 4755, 6981]


# -- TV-22b, L1046-1060: suppressing in -----------------------------------------------------------------------------


def tv22b():
    values = [
        [7760, 240, 57, 4154, 12211], [240, 187, 184, 1782, 2393], [1723, 316, 115, 258, 2412],
        [842, 448, 439, 86, 1815], [10565, 1191, 795, 6280, 18831],
    ]  # fmt: skip
    return grid(ROWS, COLUMNS, values)


def test_tv22b_step_1():
    table = tv22b()
    done = hidden_of(primary(table, [at(table, "2", "B"), at(table, "3", "D")]), cost="lexicographic")
    assert names(table, done) == {"2 × B", "3 × D", "2 × D", "3 × B"}


def test_tv22b_step_2_suppressing_in():
    table = tv22b()
    first = primary(table, [at(table, "2", "B"), at(table, "3", "D")])
    second = mask(table, [("2", "D"), ("3", "B")])
    margins = second | mask(table, [(table.dimensions[0].total, "A"), (table.dimensions[0].total, "C")])
    done = hidden_of(first.with_secondary(margins, first.reasons[1]), cost="lexicographic")
    assert names(table, done & ~margins & ~first.suppressed) == {"2 × A", "2 × C"}
    assert interval(table, done, at(table, "2", "B")) == (0, 503)
    assert interval(table, done, at(table, "3", "D")) == (71, 574)
    assert interval(table, done, at(table, "2", "A")) == (0, 424)
    assert interval(table, done, at(table, table.dimensions[0].total, "A")) == (10325, 10749)


# -- TV-22, TV-22c, TV-23c: parity and index formula ----------------------------------------------------------------


def test_tv22_a_single_value_has_no_upper_end():
    table = grid(["1", "T"], ["A", "T"], [[2, 2], [2, 2]])
    done = hidden_of(primary(table, [at(table, "1", "A")]))
    assert done.all()
    assert interval(table, done, at(table, "1", "A")) == (0, np.inf)
    assert all(is_even(k, levels) for k, levels in enumerate([(1, 1), (1, 2), (2, 1), (2, 2)]))


def cube(dimensions, small):
    """A table with two codes per dimension, all cells 100 but some; the corner of the first codes is sensitive."""
    trees = tuple(from_tree(f"d{j}", {"T": ["0", "1"]}) for j in range(dimensions))
    inner = {vertex: small.get(vertex, 100) for vertex in vertices((0,) * dimensions, (1,) * dimensions)}
    cells = list(product(range(3), repeat=dimensions))
    value = [
        sum(v for at_, v in inner.items() if all(n in (0, a + 1) for n, a in zip(c, at_, strict=True)))
        for c in cells
    ]
    table = Table("t", trees, np.array(cells, dtype=np.int32), np.array(value, dtype=float))
    pivot = at(table, *("0" * dimensions))
    done = Quader(insiders="none", margins="avoid").protect(primary(table, [pivot], lower=1, upper=1), None)
    low, high = TableAudit(insiders="none").intervals(done)
    return table, done, low[pivot], high[pivot]


CUBE = dict(zip("FEBAGHCD", vertices((0, 0, 0), (1, 1, 1)), strict=True))


def test_tv22c_parity_of_the_cube():
    """L1084-1100, L1167: F, C, H and A move with the pivot F, the others against it; diametral corners are A-G, B-H, C-E, D-F."""
    for name, vertex in CUBE.items():
        if name == "F":
            continue
        table, done, low, high = cube(3, {vertex: 5})
        assert done.suppressed.sum() == 8
        assert table.inner[done.suppressed].all()
        assert (low, high) == ((95, 200) if name in "CHA" else (0, 105)), name
    for one, other in ("AG", "BH", "CE", "DF"):
        assert all(a != b for a, b in zip(CUBE[one], CUBE[other], strict=True))


def test_tv23c_the_index_formula():
    """L1137: in five dimensions the corner (0, 1, 0, 0, 1) is number 9 and moves with the pivot; so is it in the table."""
    vertex = vertices((0,) * 5, (1,) * 5)[9]
    assert vertex == (0, 1, 0, 0, 1)
    table, done, low, high = cube(5, {vertex: 3})
    assert done.suppressed.sum() == 32
    inner = table.cells[table.inner]
    assert tuple(inner[9] - 1) == vertex
    assert (low, high) == (97, 200)
    assert len(cuboids((0, 0, 0), (4, 5, 6))) == 3 * 4 * 5


# -- TV-23, L1235-1297: aligned, safe subtables that leak together ---------------------------------------------------

X = dict(zip(range(1, 11), (15, -2, -3, 5, 7, 8, 22, 18, 3, 17), strict=True))


def tv23(zeros):
    """The table, with its zeros as cells or as empty ones, and the 32 crosses."""
    rows = from_tree("row", {"T": {"R1": ["r1", "r2"], "R2": ["r3", "r4"]}})
    columns = from_tree("column", {"T": {"S1": ["c1", "c2"], "S2": ["c3", "c4"], "S3": ["c5", "c6"]}})
    inner = {
        ("r1", "c1"): X[1], ("r1", "c3"): X[2], ("r1", "c5"): X[3], ("r2", "c1"): X[4], ("r2", "c4"): X[5],
        ("r2", "c6"): X[6], ("r3", "c3"): X[7], ("r3", "c5"): X[8], ("r4", "c4"): X[9], ("r4", "c6"): X[10],
    }  # fmt: skip
    value, crosses = np.zeros((len(rows), len(columns))), set()
    for (r, c), v in inner.items():
        for p in _up(rows, r):
            for q in _up(columns, c):
                value[p, q] += v
                if "T" not in {rows.codes[p], columns.codes[q]} and (rows.codes[p], columns.codes[q]) not in {
                    ("R1", "c1"),
                    ("R1", "S1"),
                }:
                    crosses.add((rows.codes[p], columns.codes[q]))
    cells = np.argwhere(np.ones_like(value, dtype=bool) if zeros else value != 0)
    table = Table("t", (rows, columns), cells.astype(np.int32), value[tuple(cells.T)])
    assert len(crosses) == 32
    status = np.where(mask(table, crosses), np.uint8(Status.SECONDARY), np.uint8(Status.OPEN))
    status[at(table, "r1", "c1")] = Status.PRIMARY
    return Pattern(table, status=status)


def _up(tree, code):
    node = int(tree.positions([code])[0])
    while node >= 0:
        yield node
        node = int(tree.parent[node])


def test_tv23_leaks_as_printed():
    pattern = tv23(zeros=False)
    table = pattern.table
    assert interval(table, pattern.suppressed, at(table, "r1", "c1"), pattern.low, pattern.high) == (15, 15)
    assert interval(table, pattern.suppressed, at(table, "r2", "c1"), pattern.low, pattern.high) == (5, 5)


@pytest.mark.parametrize(
    ("zeros", "added"), [("not-usable", ({"r1 × T", "r2 × T"},)), ("free", ({"r2 × c3"}, {"r2 × c5"}))]
)
def test_tv23_repaired_in_the_extended_table(zeros, added):
    pattern = tv23(zeros=True)
    done = hidden_of(pattern, zeros=zeros, cost="lexicographic")
    assert names(pattern.table, done & ~pattern.suppressed) in added
    low, high = attack(pattern.table, done, pattern.low, pattern.high)
    assert np.all(high[done] > low[done])


@pytest.mark.parametrize("extend", ["off", "second-stage", "always"])
def test_tv23_ours_is_safe_over_the_whole_table(extend):
    pattern = tv23(zeros=False)
    start = primary(pattern.table, np.flatnonzero(pattern.suppressed), lower=1.0, upper=1.0)
    done = hidden_of(start, extend=extend)
    low, high = attack(start.table, done, start.low, start.high)
    cells = start.primary
    assert np.all(start.table.value - low >= 1 - 1e-6, where=cells)
    assert np.all(high - start.table.value >= 1 - 1e-6, where=cells)


# -- TV-24: what is cheapest depends on what it costs -----------------------------------------------------------------

COUNTS = [
    [11, 8, 4, 117, 140],
    [3, 2, 33, 67, 105],
    [322, 3, 18, 8, 351],
    [116, 87, 21, 4, 228],
    [452, 100, 76, 196, 824],
]
OBJECTIVES = {
    "value": lambda table, hidden: table.value[hidden].sum(),
    "count": lambda table, hidden: table.contributions.count[hidden].sum(),
    "log": lambda table, hidden: np.log1p(table.value[hidden]).sum(),
    "constant": lambda table, hidden: hidden.sum(),
}


@pytest.mark.parametrize(
    ("cost", "least"), [("value", 1278), ("count", 56), ("log", 24.0382), ("constant", 4)]
)
def test_tv24_small_tables_reach_the_optimum_of_every_loss(cost, least):
    count = np.array(COUNTS, dtype=np.int64)
    plain = tv22b()
    kept = Contributions(
        count[plain.cells[:, 0] - 1, plain.cells[:, 1] - 1],
        np.zeros((25, 0)),
        np.zeros((25, 0), dtype=np.int64),
    )
    table = replace(plain, contributions=kept)
    pattern = primary(
        table, [at(table, "2", "B"), at(table, "3", "D")], lower=0.2 * table.value, upper=0.2 * table.value
    )
    hidden = hidden_of(pattern, cost=cost)
    assert OBJECTIVES[cost](table, hidden) == pytest.approx(least, abs=1e-4)
    for codes in (("2", "B"), ("3", "D")):
        cell = at(table, *codes)
        low, high = (ends[cell] for ends in attack(table, hidden, np.zeros(25), np.full(25, np.inf)))
        assert low <= 0.8 * table.value[cell] + 1e-6
        assert high >= 1.2 * table.value[cell] - 1e-6
