"""The attacker's intervals against linear programs written out in full, with another solver call and no shared code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reference.flat import cell, flat_table, suppressing
from tables.quader_tables import random_pattern
from tarnkappe.attack import intervals as attack_intervals
from tarnkappe.attack.hidden import hidden
from tarnkappe.attack.intervals import Asked, Proof, intervals
from tarnkappe.attack.repair import Repair
from tarnkappe.attack.witnesses import Room
from tarnkappe.data.relations import relations_of
from tarnkappe.risk.table_audit import TableAudit
from tarnkappe.solve.highs import Highs


def ends(table, suppressed, low, high, at):
    """Both ends of a cell by one dense linear program each."""
    sums = []
    for j in range(len(table.dimensions)):
        for total in range(len(table)):
            parts = np.flatnonzero(table.up[:, j] == total)
            if len(parts):
                row = np.zeros(len(table))
                row[parts], row[total] = 1, -1
                sums.append(row)
    bounds = [
        (low[i], high[i]) if suppressed[i] else (table.value[i], table.value[i]) for i in range(len(table))
    ]
    found = []
    for sign in (1, -1):
        cost = np.zeros(len(table))
        cost[at] = sign
        got = linprog(cost, A_eq=np.array(sums), b_eq=np.zeros(len(sums)), bounds=bounds)
        found.append(sign * got.fun if got.status == 0 else -sign * np.inf)
    return found


@st.composite
def attacked(draw):
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    signed = draw(st.booleans())
    x = rng.integers(-10 if signed else 0, 20, size=shape)
    table = flat_table(x)
    suppressed = rng.random(len(table)) < draw(st.sampled_from([0.2, 0.4, 0.7, 1.0]))
    reach = np.abs(table.value) * 0.5
    low = table.value - reach if draw(st.booleans()) else np.full(len(table), -np.inf if signed else 0.0)
    high = table.value + reach if draw(st.booleans()) else np.full(len(table), np.inf)
    return table, suppressed, low, high


def everything(table):
    return Asked(np.full(len(table), np.inf), np.full(len(table), np.inf))


@given(attacked())
@settings(max_examples=60, deadline=None)
def test_intervals_are_those_of_the_full_linear_program(case):
    table, suppressed, low, high = case
    found = intervals(relations_of(table), table.value, suppressed, low, high, everything(table))
    for at in np.flatnonzero(suppressed):
        assert [found.low[at], found.high[at]] == pytest.approx(
            ends(table, suppressed, low, high, at), abs=1e-6
        )
    assert found.exact[suppressed].all()


@given(attacked(), st.floats(0.01, 5))
@settings(max_examples=40, deadline=None)
def test_what_is_asked_for_is_proven_and_never_too_wide(case, wanted):
    table, suppressed, low, high = case
    asked = Asked(np.full(len(table), wanted), np.full(len(table), wanted))
    found = intervals(relations_of(table), table.value, suppressed, low, high, asked)
    for at in np.flatnonzero(suppressed):
        least, most = ends(table, suppressed, low, high, at)
        assert found.low[at] >= least - 1e-6
        assert found.high[at] <= most + 1e-6
        assert table.value[at] - found.low[at] >= min(wanted, table.value[at] - least) - 1e-5
        assert found.high[at] - table.value[at] >= min(wanted, most - table.value[at]) - 1e-5


@given(attacked(), st.floats(0.5, 40))
@settings(max_examples=40, deadline=None)
def test_ends_found_among_a_few_cells_are_those_of_the_full_linear_program(case, wanted):
    """Neighbourhoods so small that they are tried in small tables, and much asked for, so that ends are met."""
    table, suppressed, low, high = case
    asked = Asked(np.full(len(table), wanted), np.full(len(table), wanted))
    sizes = {"SMALL": 2, "SIZES": (3,), "MORE_SIZES": (2, 3, 5, 8, 13), "FEW": 1.0, "PATIENCE": 100}
    with pytest.MonkeyPatch.context() as patched:
        for name, size in sizes.items():
            patched.setattr(attack_intervals, name, size)
        found = intervals(relations_of(table), table.value, suppressed, low, high, asked)
    for at in np.flatnonzero(suppressed):
        least, most = ends(table, suppressed, low, high, at)
        if found.exact[at]:
            down, up = table.value[at] - least, most - table.value[at]
            assert table.value[at] - found.low[at] == pytest.approx(down, abs=1e-5) or down > wanted - 1e-5
            assert found.high[at] - table.value[at] == pytest.approx(up, abs=1e-5) or up > wanted - 1e-5
        assert found.low[at] >= least - 1e-6
        assert found.high[at] <= most + 1e-6
        assert table.value[at] - found.low[at] >= min(wanted, table.value[at] - least) - 1e-5
        assert found.high[at] - table.value[at] >= min(wanted, most - table.value[at]) - 1e-5


def test_ends_in_a_large_component_need_no_program_over_all_of_it(monkeypatch):
    """Cells with little room around them, far apart in a table whose hidden cells hang together."""
    rng = np.random.default_rng(1)
    x = rng.integers(20, 50, size=(120, 120))
    x[np.arange(0, 120, 20), np.arange(0, 120, 20)] = 1000
    table = flat_table(x)
    inner = np.flatnonzero(table.inner)
    suppressed = np.zeros(len(table), dtype=np.bool_)
    suppressed[inner] = rng.random(len(inner)) < 0.06
    large = inner[table.value[inner] == 1000]
    suppressed[large] = True
    wanted = np.where(table.value == 1000, 400.0, 1.0) * suppressed
    low, high = table.value * 0, table.value * 9
    left = []
    monkeypatch.setattr(
        attack_intervals._Search, "_one_by_one", lambda search, cells: left.append(len(search._open(cells)))
    )
    found = intervals(relations_of(table), table.value, suppressed, low, high, Asked(wanted, wanted))
    assert left == [0]
    system = hidden(relations_of(table), table.value, suppressed, low, high)
    short = large[found.high[large] < table.value[large] + 399]
    assert len(short) == len(large) == 6
    whole = np.flatnonzero(system.unknown)
    session = Highs().open(system.polytope(whole))
    for at in short[system.unknown[short]]:
        place = int(np.flatnonzero(whole == at)[0])
        assert found.high[at] - table.value[at] == pytest.approx(session.largest(place).value, abs=1e-4)


def test_open_cells_are_points():
    table = flat_table([[1, 2], [3, 4]])
    nothing = np.zeros(len(table), dtype=np.bool_)
    found = intervals(
        relations_of(table), table.value, nothing, table.value * 0, table.value * 0 + 9, everything(table)
    )
    assert (found.low == table.value).all()
    assert (found.high == table.value).all()
    assert (found.proof == Proof.OPEN).all()


def test_a_large_component_is_proven_by_neighbourhoods_without_solving_it_whole():
    rng = np.random.default_rng(1)
    table = flat_table(rng.integers(5, 50, size=(40, 40)))
    suppressed = np.zeros(len(table), dtype=np.bool_)
    suppressed[rng.choice(np.flatnonzero(table.inner), 900, replace=False)] = True
    few = Asked(np.where(suppressed, 1.0, 0.0), np.where(suppressed, 1.0, 0.0))
    found = intervals(relations_of(table), table.value, suppressed, table.value * 0, table.value * 9, few)
    assert (found.high[suppressed] - table.value[suppressed] >= 1 - 1e-6).all()
    assert found.solved < suppressed.sum()  # one deviation proves many cells
    assert Proof.COMPONENT not in found.proof[~found.exact]


def test_subtraction_names_the_sum_that_gives_a_cell_away():
    table = flat_table([[1, 2, 3], [4, 5, 6]])
    pattern = suppressing(table, [("1", "1")])
    system = hidden(relations_of(table), table.value, pattern.suppressed, pattern.low, pattern.high)
    assert system.given_away.tolist() == [cell(table, "1", "1")]
    relations = relations_of(table)
    assert int(relations.total[system.by[0]]) in (cell(table, "1", "T"), cell(table, "T", "1"))


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_insiders_are_those_for_whom_a_full_program_with_their_cell_known_is_too_narrow(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 9, size=(3, 3))
    counts = rng.integers(1, 3, size=(3, 3))
    table = flat_table(x, counts)
    inner = [(str(i + 1), str(j + 1)) for i in range(3) for j in range(3) if rng.random() < 0.9]
    if not inner:
        return
    pattern = suppressing(table, inner)
    audit = TableAudit().audit(pattern)
    hidden_cells = np.flatnonzero(pattern.suppressed)

    def narrow(at, suppressed):
        least, most = ends(table, suppressed, pattern.low, pattern.high, at)
        return least > table.value[at] - 0.5 + 1e-6 or most < table.value[at] + 0.5 - 1e-6

    outside = {int(at) for at in hidden_cells if narrow(at, pattern.suppressed)}
    assert set(np.flatnonzero(audit.narrow)) == outside
    if outside:  # a table that fails from outside is not tried from inside
        assert not audit.breaches
        return
    inside = set()
    for at in hidden_cells:
        for own in np.flatnonzero(pattern.suppressed & (table.contributions.count == 1)):
            known = pattern.suppressed.copy()
            known[own] = False
            if own != at and narrow(at, known):
                inside.add(int(at))
    assert {b.cell for b in audit.breaches} == inside


def test_a_cell_and_all_sums_above_it_move_together():
    """What makes a program of a large table solvable without all its cells: the way up to the grand total keeps every sum."""
    for seed in range(6):
        table = random_pattern(seed, dimensions=2 + seed % 3, records=12).table
        relations, may = relations_of(table), np.ones(len(table), dtype=bool)
        size = np.abs(table.value)
        repair = Repair(relations, Room(~may, size, size), ~may, size, Highs())
        for one in range(0, len(table), 5):
            moved = np.zeros(len(table))
            moved[repair._above(one, may)] = 1.0
            assert moved[one] == 1.0
            assert not (relations.matrix() @ moved).any()
