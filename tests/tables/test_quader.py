"""The Quader method: safety against an attack that shares no code with it, and what it may not do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.quader import attack, sums
from tables.quader_tables import at, grid, names, primary, random_pattern
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.tabulate import flat
from tarnkappe.errors.tables import AlreadyProtected, CostsMissing, MarksContradict
from tarnkappe.errors.unsafe_tables import PriorTooNarrow, Unprotectable
from tarnkappe.methods.tables.quader import Quader, losses
from tarnkappe.methods.tables.quader_goals import Choices, start_of
from tarnkappe.randomness import Stream
from tarnkappe.risk.table_audit import TableAudit

PLAIN = [[10, 20, 30, 60], [40, 50, 60, 150], [70, 80, 90, 240], [120, 150, 180, 450]]
CODES = (["1", "2", "3", "T"], ["A", "B", "C", "T"])
STREAM: Stream = None  # type: ignore[assignment]  # the method draws nothing


def protect(pattern, **parameters):
    return Quader(**parameters).protect(pattern, STREAM)


def survives(before, after, *, insiders, most=None):
    """Every primary cell keeps its required interval against outsiders and against (the first of) the other single respondents."""
    table, slack = after.table, 1e-6 * np.maximum(1.0, np.abs(after.table.value))
    cells = np.flatnonzero(after.primary)
    low, high = attack(table, after.suppressed, after.low, after.high, only=after.primary)
    value = table.value
    assert np.all(value[cells] - low[cells] >= after.lower[cells] - slack[cells])
    assert np.all(high[cells] - value[cells] >= after.upper[cells] - slack[cells])
    assert np.all(high[cells] - low[cells] > slack[cells] / 2)
    assert not (after.suppressed & before.forced_open).any()
    assert np.all(after.suppressed[before.suppressed])
    if not insiders:
        return
    kept = table.owners or table.contributions
    sole = np.where((kept.count == 1) & after.suppressed, kept.who[:, 0], -1)
    for person in np.unique(sole[sole >= 0])[:most]:
        low, high = attack(
            table, after.suppressed, after.low, after.high, known=sole == person, only=after.primary & (sole != person)
        )  # fmt: skip
        share = (
            (kept.largest * (kept.who == person)).sum(axis=1)
            if kept.size is None
            else np.full(len(table), -np.inf)
        )
        others = cells[
            (sole[cells] != person) & ((share < value) | (value <= 0))[cells]
        ]  # not what is all his
        owed = np.minimum(after.lower, np.maximum(value - share, 0.0))
        assert np.all(value[others] - low[others] >= owed[others] - slack[others]), "an insider sees too much"
        assert np.all(high[others] - value[others] >= after.upper[others] - slack[others]), (
            "an insider sees too much"
        )
        assert np.all(high[others] > low[others]), "an insider knows a cell"


def test_whoever_gives_all_of_a_sum_need_not_be_kept_from_it():
    """One respondent fills the first row of a column, the second reports 0: nothing keeps the column's sum from the first."""
    count = [[1, 4, 5], [1, 4, 5], [2, 8, 10]]
    value = [[5, 40, 45], [0, 50, 50], [5, 90, 95]]
    table = grid(["a", "b", "T"], ["x", "y", "T"], value, count, keep_zeros=True)
    kept, his = table.contributions, [at(table, *codes) for codes in (("a", "x"), ("Total", "x"))]
    who, largest = kept.who.copy(), kept.largest.copy()
    who[his], largest[his] = 7, 5.0
    table = replace(table, contributions=replace(kept, who=who, largest=largest))
    after = primary(table, his, upper=0.75)
    choices = Choices("table.quader", "value", "ignore", "not-usable", "contributors", "second-stage")
    assert start_of(after, choices).goals.own.tolist() == [7, 7]


def attempt(pattern, **parameters):
    try:
        return protect(pattern, **parameters)
    except Unprotectable:
        return None


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_random_tables_survive(seed):
    before = random_pattern(seed)
    after = attempt(before)
    if after is not None:
        survives(before, after, insiders=seed % 16 == 0)


@pytest.mark.parametrize("owners", [False, True])
def test_no_insider_sees_too_much(owners):
    """Small tables full of single-respondent cells, every one of which knows his own."""
    done = 0
    for seed in range(500, 508):
        before = random_pattern(seed, records=14, owners=owners)
        after = attempt(before)
        if after is not None:
            survives(before, after, insiders=True)
            done += int((before.table.contributions.count[after.suppressed] == 1).any())
    assert done > 2


def test_an_insider_would_see_too_much_without_a_second_cuboid():
    """The attack of these tests can see: against outsiders alone some insider finds a cell."""
    seen = 0
    for seed in range(500, 504):
        before = random_pattern(seed, records=14)
        after = attempt(before, insiders="none")
        try:
            if after is not None:
                survives(before, after, insiders=True)
        except AssertionError:
            seen += 1
    assert seen > 0


@pytest.mark.parametrize("extend", ["off", "always", "second-stage"])
@pytest.mark.parametrize("cost", ["value", "count", "log", "constant", "lexicographic"])
def test_every_way_is_safe(extend, cost):
    for seed in range(4):
        before = random_pattern(1000 + seed)
        after = attempt(
            before, extend=extend, cost=cost, margins=("avoid", "weight", "ignore")[seed % 3], insiders="none"
        )
        if after is not None:
            survives(before, after, insiders=False)


@pytest.mark.long
@pytest.mark.parametrize("block", range(100))
def test_thousands_of_tables_survive(block):
    for seed in range(30 * block, 30 * block + 30):
        insiders = seed % 7 == 0
        before = random_pattern(
            10**7 + seed,
            dimensions=2 + seed % 4 if seed % 5 == 0 else None,
            owners=seed % 14 == 0,
            records=14 if insiders else 24,
        )
        extend = ("off", "always", "second-stage")[seed % 3]
        zeros = ("not-usable", "one-parity")[seed % 2]
        after = attempt(before, extend=extend, zeros=zeros, insiders="owners" if insiders else "none")
        if after is not None:
            survives(before, after, insiders=insiders, most=4)


def test_a_refusal_is_right():
    """Where the method gives up, even everything suppressed that may be does not protect."""
    refused = 0
    for seed in range(60):
        before = random_pattern(seed)
        try:
            protect(before, insiders="none")
        except Unprotectable:
            refused += 1
            may = before.suppressed | ~(before.forced_open | (before.table.value == 0))
            low, high = attack(before.table, may, before.low, before.high)
            p, slack = before.primary, 1e-6
            short = (before.table.value - low < before.lower - slack) | (
                high - before.table.value < before.upper - slack
            )
            assert short[p].any()
    assert refused > 0


def test_same_input_same_pattern():
    before = random_pattern(7)
    assert np.array_equal(protect(before).status, protect(before).status)


def test_a_second_run_adds_nothing():
    for seed in range(40):
        done = attempt(random_pattern(seed))
        if done is not None:
            assert np.array_equal(protect(done).status, done.status), seed


def test_the_order_of_codes_does_not_matter_much():
    """Mirrored codes: the total number of secondary cells over many tables stays within 5 %."""
    usual, mirrored = 0, 0
    for seed in range(60):
        before = random_pattern(seed)
        after = attempt(before, insiders="none")
        if after is None:
            continue
        usual += int((after.status == Status.SECONDARY).sum())
        mirrored += int((attempt(_mirrored(before), insiders="none").status == Status.SECONDARY).sum())
    assert abs(usual - mirrored) <= 0.05 * usual


def _mirrored(pattern):
    """The same pattern with the codes below every sum in the opposite order."""
    return _reordered(pattern, lambda size: np.concatenate([[0], np.arange(size - 1, 0, -1)]))


def _reordered(pattern, order_of):
    table = pattern.table
    trees, places = [], []
    for h in table.dimensions:
        order = order_of(len(h))
        back = np.argsort(order)
        parent = np.where(h.parent[order] < 0, -1, back[h.parent[order]])
        tree = type(h)(h.name, h.codes[order], parent)
        trees.append(tree)
        places.append(tree.positions(h.codes))
    cells = np.stack([p[table.cells[:, j]] for j, p in enumerate(places)], axis=1)
    moved = type(table)(table.name, tuple(trees), cells.astype(np.int32), table.value)
    row = moved.find(cells.astype(np.int32))
    fields = {}
    for name in ("status", "lower", "upper", "mark", "low", "high", "reason"):
        values = np.empty_like(getattr(pattern, name))
        values[row] = getattr(pattern, name)
        fields[name] = values
    return Pattern(moved, reasons=pattern.reasons, **fields)


def test_shuffled_codes_do_not_change_the_quality():
    """The codes of a larger table in six orders: the number of secondary cells stays within 5 % of the middle."""
    before = random_pattern(12, dimensions=2, most=6, records=120)
    orders = [_shuffled(before, seed) for seed in range(6)]
    codes = {tuple(map(str, order.table.dimensions[0].codes)) for order in orders}
    found = np.array(
        [int((protect(order, insiders="none").status == Status.SECONDARY).sum()) for order in orders]
    )
    assert len(codes) == len(orders)
    assert np.median(found) > 20
    assert np.all(np.abs(found - np.median(found)) <= 0.05 * np.median(found))


def _shuffled(pattern, seed):
    draw = np.random.default_rng(seed)
    return _reordered(pattern, lambda size: np.concatenate([[0], 1 + draw.permutation(size - 1)]))


def test_cells_that_must_stay_open_do():
    table = grid(*CODES, PLAIN)
    keep = np.zeros(len(table), dtype=np.uint8)
    keep[at(table, "1", "B")] = Mark.KEEP
    after = protect(primary(table, [at(table, "1", "A")], mark=keep), cost="lexicographic")
    assert names(table, after.suppressed) == {"1 × A", "1 × C", "2 × A", "2 × C"}


def test_a_table_where_everything_must_stay_open_is_refused():
    table = grid(*CODES, PLAIN)
    keep = np.full(len(table), Mark.PUBLISHED, dtype=np.uint8)
    keep[at(table, "1", "A")] = Mark.NONE
    with pytest.raises(Unprotectable) as told:
        protect(primary(table, [at(table, "1", "A")], mark=keep))
    assert "1 × A" in str(told.value)
    assert "10" not in told.value.text("de").replace("1 × A", "")


def test_contradictions_and_missing_costs_are_told():
    table = grid(*CODES, PLAIN)
    cell = at(table, "1", "A")
    keep = np.zeros(len(table), dtype=np.uint8)
    keep[cell] = Mark.KEEP
    with pytest.raises(MarksContradict):
        protect(primary(table, [cell], mark=keep))
    with pytest.raises(CostsMissing):
        protect(primary(table, [cell]), cost="weight")
    rounded = replace(Pattern(table), status=np.full(len(table), Status.ROUNDED, dtype=np.uint8))
    with pytest.raises(AlreadyProtected):
        protect(rounded)


def test_prior_knowledge_that_is_too_close_is_told_first():
    table = grid(*CODES, PLAIN)
    with pytest.raises(PriorTooNarrow):
        protect(primary(table, [at(table, "1", "A")], upper=5.0, high=table.value + 4.0))


def test_nothing_to_protect():
    table = grid(*CODES, PLAIN)
    for extend in ("off", "always", "second-stage"):
        assert not protect(Pattern(table), extend=extend).suppressed.any()


def test_one_cell_and_one_code():
    table = grid(["1", "T"], ["A", "T"], [[5, 5], [5, 5]])
    assert protect(primary(table, [at(table, "1", "A")])).suppressed.all()


def test_what_the_office_wants_suppressed_is_kept_in_doubt():
    table = grid(*CODES, PLAIN)
    mark = np.zeros(len(table), dtype=np.uint8)
    mark[at(table, "2", "B")] = Mark.SUPPRESS
    after = protect(Pattern(table, mark=mark))
    low, high = attack(table, after.suppressed, after.low, after.high)
    cell = at(table, "2", "B")
    assert after.suppressed[cell]
    assert low[cell] < high[cell]


def test_costs_of_the_cells_are_followed():
    table = grid(*CODES, PLAIN)
    cost = np.ones(len(table))
    for cell in (("1", "B"), ("2", "A"), ("2", "B")):
        cost[at(table, *cell)] = 100.0
    after = protect(primary(table, [at(table, "1", "A")], cost=cost), cost="weight")
    assert not after.suppressed[at(table, "2", "B")]
    assert cost[after.suppressed].sum() == 4


def test_several_cuboids_together_where_one_cannot_carry():
    """The pivot needs 40 up; every other inner cell is 10 or smaller, so one cuboid of inner cells carries too little."""
    inner = np.full((6, 6), 10.0)
    inner[0, 0] = 100.0
    whole = np.zeros((7, 7))
    whole[:6, :6] = inner
    whole[6, :6], whole[:6, 6], whole[6, 6] = inner.sum(0), inner.sum(1), inner.sum()
    codes = [*"123456", "T"]
    table = grid(codes, codes, whole.tolist())
    keep = np.zeros(len(table), dtype=np.uint8)
    keep[(table.cells == 0).any(axis=1)] = Mark.KEEP
    before = primary(table, [at(table, "1", "1")], lower=40.0, upper=40.0, mark=keep)
    after = protect(before)
    survives(before, after, insiders=False)
    assert Quader().run(before).repaired == 1


def _anonymous(who):
    """Rows 1 and 2 below a sum of their own; in column A row 1 has one contributor, who is the largest of the sum too."""
    rows = Hierarchy(
        "row", np.array(["T", "S", "1", "2", "3", "4"], dtype=object), np.array([-1, 0, 1, 1, 0, 0])
    )
    columns = flat("column", ["A", "B", "C"])
    inner = {"1": (90, 40, 40), "2": (4, 30, 50), "3": (60, 50, 70), "4": (80, 60, 30)}
    sums = {"S": ("1", "2"), "T": ("1", "2", "3", "4")} | {row: (row,) for row in inner}
    cells, value, count, top = [], [], [], []
    for row, below in sums.items():
        for j, column in enumerate(["Total", "A", "B", "C"]):
            parts = [inner[b][k] for b in below for k in range(3) if j in (0, k + 1)]
            alone = parts == [90]
            cells.append((int(rows.positions([row])[0]), int(columns.positions([column])[0])))
            value.append(sum(parts))
            count.append(1 if alone else 2 if parts == [90, 4] else 9)
            top.append(90.0 if 90 in parts else sum(parts) / 9)
    kept = Contributions(np.array(count), np.array(top)[:, None], who(len(cells)))
    order = np.lexsort(np.array(cells).T[::-1])
    table = Table("t", (rows, columns), np.array(cells, dtype=np.int32)[order], np.array(value, dtype=float)[order],
                  kept.take(order))  # fmt: skip
    return primary(table, [at(table, "S", "A"), at(table, "1", "A")], lower=10.0, upper=10.0)


def test_what_outweighs_its_surroundings_moves_with_all_sums_above_it():
    """In four dimensions that is a cuboid of 81 corners; no program is needed."""
    tree = Hierarchy(
        "a", np.array(["T", "a", "b", "a1", "a2", "b1", "b2"], dtype=object), np.array([-1, 0, 0, 1, 1, 2, 2])
    )
    table, heavy = _cross([replace(tree, name=name) for name in "abcd"], 1000.0)
    before = primary(table, [heavy], lower=500.0, upper=500.0)
    found = Quader().run(before)
    assert (found.hidden.sum(), found.repaired) == (81, 0)
    survives(before, protect(before), insiders=False)


def _cross(trees, heavy):
    """A table with 1 in every cell of the lowest level but one."""
    value = np.zeros([len(h) for h in trees])
    value[np.ix_(*(np.flatnonzero(h.is_leaf) for h in trees))] = 1.0
    first = tuple(int(np.flatnonzero(h.is_leaf)[0]) for h in trees)
    value[first] = heavy
    for j, h in enumerate(trees):
        along = np.moveaxis(value, j, 0)
        for node in range(len(h) - 1, 0, -1):
            along[h.parent[node]] += along[node]
    cells = np.argwhere(value > 0).astype(np.int32)
    return Table("t", tuple(trees), cells, value[tuple(cells.T)]), int(
        np.flatnonzero((cells == first).all(axis=1))[0]
    )


def test_amounts_without_names_are_known_to_their_contributors():
    """The lone contributor of 1 × A holds 90 of the 94 in S × A: below it he can be owed no more than the other 4."""
    before = _anonymous(lambda size: np.arange(size)[:, None])
    after = protect(before)
    assert TableAudit().audit(after).holds
    stranger = np.arange(len(before.table))
    stranger[0] = stranger[
        1
    ]  # a number that occurs twice: the table names its contributors, and they are others
    with pytest.raises(Unprotectable) as told:
        protect(_anonymous(lambda size: stranger[:, None]))
    assert "outsiders" in told.value.text("en")


def test_counts_are_protected_by_whole_numbers():
    table = replace(grid(*CODES, PLAIN), counts=True)
    after = protect(primary(table, [at(table, "1", "A")], lower=0.5, upper=0.5))
    low, high = attack(table, after.suppressed, after.low, after.high)
    cell = at(table, "1", "A")
    assert high[cell] - 10 >= 1
    assert 10 - low[cell] >= 1


def test_losses_are_split_by_level():
    table = grid(*CODES, PLAIN)
    after = protect(primary(table, [at(table, "1", "A")]))
    found = losses(after)
    assert sum(loss.suppressed for loss in found) == after.suppressed.sum()
    assert [loss.cells for loss in found] == [9, 6, 1]
    assert sum(loss.value for loss in found) == table.value[after.suppressed].sum()


def test_the_attack_of_the_tests_can_see():
    """The attack finds a cell that stands alone in its row."""
    table = grid(*CODES, PLAIN)
    hidden = np.zeros(len(table), dtype=bool)
    hidden[[at(table, "1", "A"), at(table, "2", "A")]] = True
    low, high = attack(table, hidden, np.zeros(len(table)), np.full(len(table), np.inf))
    assert low[at(table, "1", "A")] == high[at(table, "1", "A")] == 10
    assert np.abs(sums(table) @ table.value).max() == 0
