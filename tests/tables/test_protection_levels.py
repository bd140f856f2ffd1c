"""Protection levels are requirements: what a plan writes is given to the protector, recorded, and held against an attacker of our own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import tarnkappe as tk
from tables.quader_tables import at, grid, primary, random_pattern
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.errors import Refused
from tarnkappe.errors.release import GateClosed
from tarnkappe.errors.unsafe_tables import PriorTooNarrow, Unprotectable
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.methods.tables.quader_goals import Choices, price_of
from tarnkappe.risk.table_audit import TableAudit

VALUES = [
    [11, 8, 4, 117, 140],
    [3, 2, 33, 67, 105],
    [322, 3, 18, 8, 351],
    [116, 87, 21, 4, 228],
    [452, 100, 76, 196, 824],
]
TABLE = grid(
    [*"1234", "T"], [*"ABCD", "T"], VALUES, counts=[[2 if v < 3 else 5 for v in row] for row in VALUES]
)


ALONE = MinimumFrequency(n=2, coalition=0)


def ends(pattern, cell, prior=None):
    """The attacker's interval of a cell, by linear programs over the hidden cells: no code of the project beside the sums themselves."""
    table, hidden = pattern.table, np.flatnonzero(pattern.suppressed)
    relations, value = relations_of(table), pattern.table.value[hidden]
    matrix = np.zeros((len(relations.start) - 1, len(table)))
    of = np.repeat(np.arange(len(matrix)), np.diff(relations.start))
    np.add.at(matrix, (of, relations.cell), relations.coefficient)
    matrix = matrix[:, hidden]
    matrix = matrix[np.abs(matrix).sum(axis=1) > 0]
    low, high = pattern.low[hidden] - value, pattern.high[hidden] - value
    if prior is not None:
        reach = np.abs(value) * prior / 100
        low, high = np.maximum(low, -reach), np.minimum(high, reach)
    bounds = [
        (None if np.isinf(a) else a, None if np.isinf(b) else b) for a, b in zip(low, high, strict=True)
    ]
    out = []
    for sign in (1, -1):
        objective = np.where(hidden == cell, float(sign), 0.0)
        found = linprog(objective, A_eq=matrix, b_eq=np.zeros(len(matrix)), bounds=bounds, method="highs")
        out.append(-sign * np.inf if found.status == 3 else table.value[cell] + sign * found.fun)
    return out


def some_primary(pattern):
    """At most twelve of the confidential cells, from all over the table."""
    cells = np.flatnonzero(pattern.primary)
    return cells[np.unique(np.linspace(0, len(cells) - 1, 12).astype(int))] if len(cells) else cells


def assert_held(pattern, method, needs, prior=None):
    """Every primary cell has what `needs` says: (below, above, width) by value."""
    for cell in some_primary(pattern):
        low, high = ends(pattern, cell, prior)
        value = pattern.table.value[cell]
        below, above, width = needs(value)
        slack = 1e-6 * max(1.0, abs(value))
        assert value - low >= below - slack, (method, pattern.table.spelt(cell))
        assert high - value >= above - slack, (method, pattern.table.spelt(cell))
        assert high - low >= width - slack, (method, pattern.table.spelt(cell))


CHOICES = [
    (Quader(levels="percent"), lambda v: (0.18 * abs(v), 0.18 * abs(v), 0)),
    (Quader(levels="percent", down_to=50, up_to=300), lambda v: (0.5 * abs(v), 2 * abs(v), 0)),
    (Quader(span=250), lambda v: (0, 0, 2.5 * abs(v))),
    (Quader(levels="span"), lambda v: (0, 0, 1.18 * abs(v))),
    (Quader(levels="percent", two_sided=False), lambda v: (0, 0, 0.36 * abs(v))),
    (Quader(levels="percent", span=150), lambda v: (0.18 * abs(v), 0.18 * abs(v), 1.5 * abs(v))),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_random_tables_keep_every_level_against_our_own_attacker(seed):
    start = random_pattern(seed, dimensions=2, records=24)
    if start is None:
        pytest.skip("no table")
    for method, needs in CHOICES:
        table = start.table
        rules = [ALONE]
        try:
            done = tk.protect(table, rules, method).pattern
        except (Unprotectable, PriorTooNarrow):
            continue
        assert_held(done, method, needs)


@pytest.mark.parametrize("prior", [40, 90])
@pytest.mark.parametrize("seed", range(6))
def test_what_an_attacker_knows_beforehand_is_reckoned_with(seed, prior):
    start = random_pattern(seed, dimensions=2, records=24)
    method = Quader(levels="percent")
    try:
        done = tk.protect(start.table, [ALONE], method, audit=TableAudit(prior=prior)).pattern
    except (Unprotectable, PriorTooNarrow):
        return
    assert_held(done, method, lambda v: (0.18 * abs(v), 0.18 * abs(v), 0), prior)


def test_the_span_is_a_requirement_also_of_cells_that_a_rule_marks():
    hidden = {}
    for span in (0, 118, 1000):
        done = tk.protect(TABLE, [MinimumFrequency(n=3)], Quader(span=span)).pattern
        hidden[span] = frozenset(np.flatnonzero(done.suppressed).tolist())
        assert_held(done, span, lambda v, span=span: (0.1 * v, 0.1 * v, span / 100 * v))
        np.testing.assert_allclose(done.span[done.primary], span / 100 * TABLE.value[done.primary])
    assert len(set(hidden.values())) > 1


def test_exact_disclosure_only_asks_for_doubt():
    """HC-NOINT: levels span with span 0 leaves a rule's interval aside."""
    done = tk.protect(TABLE, [MinimumFrequency(n=3, safety=90)], Quader(levels="span", span=0)).pattern
    assert not done.lower.any()
    assert not done.upper.any()
    for cell in np.flatnonzero(done.primary):
        low, high = ends(done, cell)
        assert high > low


def test_half_of_what_a_rule_asks():
    whole, half = (
        tk.protect(TABLE, [MinimumFrequency(n=3, safety=60)], Quader(levels=levels)).pattern
        for levels in ("sensitivity", "half")
    )
    np.testing.assert_allclose(half.upper[half.primary], whole.upper[half.primary] / 2)
    assert_held(half, "half", lambda v: (0.3 * v, 0.3 * v, 0))


def test_a_span_that_prior_knowledge_forbids_is_refused():
    with pytest.raises(PriorTooNarrow):
        tk.protect(TABLE, [MinimumFrequency(n=3)], Quader(span=118), audit=TableAudit(prior=5))
    with pytest.raises(PriorTooNarrow):
        tk.protect(primary(TABLE, [at(TABLE, "2", "B")]), [], Quader(), audit=TableAudit(prior=5))


def test_the_audit_holds_a_given_pattern_against_the_span_it_requires():
    """TV-12: the inner four leave the secret 100 a width of 81."""
    table = grid(["1", "2", "T"], ["1", "2", "T"], [[100, 80, 180], [90, 1, 91], [190, 81, 271]])
    status = np.where(table.inner, np.uint8(Status.SECONDARY), np.uint8(Status.OPEN))
    secret = at(table, "1", "1")
    status[secret] = Status.PRIMARY
    for width, holds in ((81, True), (82, False)):
        span = np.where(np.arange(len(table)) == secret, float(width), 0.0)
        found = TableAudit().measure(Pattern(table, status=status, span=span))
        assert bool(found.value) is holds
        assert found.details["too_narrow"] == (0 if holds else 1)


def test_requirements_of_the_office_stay_whatever_the_levels_say():
    pattern = Pattern(TABLE)
    cell = at(TABLE, "2", "B")
    lower = np.where(np.arange(len(TABLE)) == cell, 2.0, 0.0)
    pattern = Pattern(TABLE, lower=lower, upper=10 * lower, span=15 * lower)
    done = tk.protect(pattern, [MinimumFrequency(n=3)], Quader(levels="half")).pattern
    assert (done.lower[cell], done.upper[cell], done.span[cell]) == (2, 20, 30)
    low, high = ends(done, cell)
    assert low <= 0
    assert high >= 22
    assert high - low >= 30


def test_spans_of_tables_that_share_cells():
    one = tk.protect([TABLE], [MinimumFrequency(n=3)], Quader(span=400))
    pattern = one.tables[0].pattern
    assert_held(pattern, "linked", lambda v: (0.1 * v, 0.1 * v, 4 * v))


def test_the_patterns_of_a_set_are_refused_when_a_span_is_not_met():
    status = np.zeros(len(TABLE), dtype=np.uint8)
    for codes in (("2", "B"), ("2", "C"), ("3", "B"), ("3", "C")):
        status[at(TABLE, *codes)] = Status.PRIMARY
    span = np.where(status > 0, 1000.0, 0.0)
    with pytest.raises(GateClosed):
        tk.protect([Pattern(TABLE, status=status, span=span)])


def wide(pattern, cell):
    low, high = ends(pattern, cell)
    return high - low


def test_the_span_may_be_measured_by_the_largest_partner():
    """L1418: only cuboids whose interval is wide enough for their largest corner; what that asks is recorded and held."""
    start = primary(TABLE, [at(TABLE, "4", "C")])
    by_value, by_largest = (
        tk.protect(start, [], Quader(span=150, range_base=base, insiders="none")).pattern
        for base in ("value", "largest")
    )
    cell = at(TABLE, "4", "C")
    assert by_value.span[cell] == pytest.approx(1.5 * TABLE.value[cell])
    partners = by_largest.suppressed & ~by_largest.primary
    largest = max(TABLE.value[partners].max(), TABLE.value[cell])
    assert by_largest.span[cell] == pytest.approx(1.5 * largest)
    assert wide(by_largest, cell) >= 1.5 * largest - 1e-6
    assert wide(by_value, cell) < 1.5 * TABLE.value[by_value.suppressed].max()


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_random_tables_hold_spans_by_the_largest_partner(seed, linked):
    start = random_pattern(seed, dimensions=2, records=24)
    method = Quader(span=60, range_base="largest", insiders="none")
    audit = TableAudit(insiders="none")
    try:
        if linked:
            done = tk.protect([start.table], [ALONE], method, audit=audit).tables[0].pattern
        else:
            done = tk.protect(start.table, [ALONE], method, audit=audit).pattern
    except (Unprotectable, PriorTooNarrow, Refused):
        return
    for cell in some_primary(done):
        assert done.span[cell] >= 0.6 * abs(done.table.value[cell]) * (1 - 1e-9)
        assert wide(done, cell) >= done.span[cell] - 1e-6 * max(1.0, abs(done.table.value[cell]))


def test_two_sides_together_may_lie_anywhere():
    """15.5: what is asked below and above is one width; a cheap cuboid whose corners hardly let the cell grow is enough."""
    rows = [[100, 5, 50], [5, 60, 900], [50, 900, 60]]
    rows = [[*row, sum(row)] for row in rows]
    rows.append([sum(column) for column in zip(*rows, strict=True)])
    table = grid([*"123", "T"], [*"123", "T"], rows)
    start = primary(table, [at(table, "1", "1")])
    method = Quader(levels="percent", down_to=80, up_to=120, insiders="none")
    both, sliding = (
        tk.protect(start, [], method.model_copy(update={"two_sided": two})).pattern for two in (True, False)
    )
    cell = at(table, "1", "1")
    assert (both.lower[cell], both.upper[cell], both.span[cell]) == pytest.approx((20, 20, 0))
    assert (sliding.lower[cell], sliding.upper[cell], sliding.span[cell]) == pytest.approx((0, 0, 40))
    low, high = ends(sliding, cell)
    assert high - low >= 40 - 1e-6
    assert min(100 - low, high - 100) < 20, "the interval slides"
    assert table.value[sliding.suppressed].sum() < table.value[both.suppressed].sum()
    assert TableAudit(insiders="none").measure(sliding).value


def test_a_rule_that_slides_asks_for_both_sides_together():
    both, sliding = (
        tk.protect(TABLE, [MinimumFrequency(n=3, safety=60)], Quader(two_sided=two)).pattern
        for two in (True, False)
    )
    np.testing.assert_allclose(sliding.span, both.lower + both.upper)
    assert not sliding.lower.any()
    assert not sliding.upper.any()
    assert_held(sliding, "sliding", lambda v: (0, 0, 1.2 * v))
    assert sliding.suppressed.sum() <= both.suppressed.sum()


def test_the_largest_partner_measures_a_span_and_not_both_sides_together():
    """Without a span of the plan nothing is a percentage of the largest partner."""
    rule, by = [MinimumFrequency(n=3, safety=30)], Quader(two_sided=False, range_base="largest")
    done = tk.protect(TABLE, rule, by).pattern
    np.testing.assert_allclose(done.span[done.primary], 0.6 * TABLE.value[done.primary])


def test_sweeps_are_limited_as_asked():
    pattern = primary(TABLE, [at(TABLE, "2", "B"), at(TABLE, "3", "D")])
    for most in (1, 100):
        done = Quader(extend="off", max_sweeps=most, insiders="none").run(pattern)
        assert 1 <= done.sweeps <= most


def test_digits_cost_what_confid_says():
    table = grid(["1", "T"], [*"ABCDE", "T"], [[0.5, 9, 10, 99, 100000, 100118.5]] * 2)
    _, cost = price_of(Pattern(table), Choices("q", "digits", "ignore", "free", "none", "off"))
    by_value = dict(zip(table.value.tolist(), cost.tolist(), strict=True))
    assert by_value == {0.5: 1, 9: 1, 10: 2, 99: 2, 100000: 6, 100118.5: 6}
