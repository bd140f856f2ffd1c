"""table.range-mask along one hierarchy and across several: vectors of the specification, edge cases, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import range_mask as reference
from tables.trees import (
    CITY,
    bounds_of,
    city,
    crossed,
    hierarchy,
    random_table,
    random_tree,
    scipy_attack,
    shown,
    table_of,
)  # fmt: skip
from tarnkappe.attack.tree import attacked
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity, Status
from tarnkappe.data.table import Table
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.errors.tables import AlreadyProtected, CostsMissing, NotAdditive, NotWhole, SumsCross
from tarnkappe.language import Text
from tarnkappe.methods.tables.range_mask import RangeMask
from tarnkappe.methods.tables.reasons import letters
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build


def masked(table, pattern=None, secret="a secret of the tests", draw="nothing", **options):
    """By what the values decide; what is drawn is tried in tables/test_drawn_ranges.py."""
    method = RangeMask(draw=draw, **options)
    before = pattern or Pattern(table)
    after = method.protect(before, stream(secret, method.id))
    for claim in (*method.preserves, *method.protects):
        assert not claim.applies(method) or claim.check(method, before, after), claim.says.en
    return after


def intruder(pattern, *codes):
    place = list(pattern.table.codes(0))
    return [tuple(map(int, row)) for row in scipy_attack(pattern, [place.index(c) for c in codes]).round(9)]


# -- against the reference ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["compat", "safe"])
@given(seed=st.integers(0, 2**32), low=st.integers(0, 3), width=st.integers(1, 8), ragged=st.booleans())
@settings(max_examples=150, deadline=None)
def test_same_as_the_reference(mode, seed, low, width, ragged):
    rng = np.random.default_rng(seed)
    table = random_table(rng, depth=int(rng.integers(1, 5)), most=4, ragged=ragged)
    after = masked(table, lower=low, upper=low + width, mode=mode)
    nodes = getattr(reference, mode)(table.up[:, 0], table.value, low, low + width)
    starts, ends = bounds_of(after)
    for i, node in enumerate(nodes):
        assert (node.interval or (node.value, node.value)) == (starts[i], ends[i])
        phase, _, protected = after.because(i).en.partition(": protects ")
        assert phase == node.phase
        assert protected == "+".join(table.spelt(n) for n in node.protects)


# -- vectors of the specification -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pair", "found"),
    [((1, 1), (1, 1)), ((3, 3), (3, 3)), ((1, 2), (1, 2)), ((2, 2), (1, 3)), ((1, 3), (1, 3))],
)
def test_two_masked_siblings_are_not_safe_by_themselves(pair, found):
    """Section 8.4: both in 1-3, their sum known; compat masks nothing more."""
    tree = {"total": None, "D": "total", "a": "D", "b": "D", "E": "total", "e": "E"}
    table = table_of(tree, {"a": pair[0], "b": pair[1], "e": 20})
    compat = masked(table, mode="compat")
    assert set(shown(compat)) == {"a", "b"}
    assert intruder(compat, "a", "b") == [found, found]
    assert intruder(masked(table), "a", "b") == [(1, 3), (1, 3)]


@pytest.mark.parametrize(
    ("pair", "buffer"), [((1, 1), (5, 7)), ((3, 3), (7, 9)), ((1, 2), (6, 7)), ((2, 2), None), ((1, 3), None)]
)
def test_the_buffer_takes_what_is_missing(pair, buffer):
    """Section 10: one district with leaves (a, b, 7), another with 20."""
    tree = {"total": None, "D": "total", "a": "D", "b": "D", "c": "D", "E": "total", "e": "E"}
    after = masked(table_of(tree, {"a": pair[0], "b": pair[1], "c": 7, "e": 20}))
    assert shown(after).get("c") == buffer
    assert set(shown(after)) == {"a", "b"} | ({"c"} if buffer else set())
    assert intruder(after, "a", "b") == [(1, 3), (1, 3)]


def test_compat_is_leaky_where_safe_is_not():
    """Section 8.3."""
    leaves = (1, 7, 0, 0, 17)
    assert intruder(masked(city(*leaves), mode="compat"), "Q11") == [(1, 2)]
    assert intruder(masked(city(*leaves)), "Q11") == [(1, 3)]


# -- edge cases -----------------------------------------------------------------------------------------------------


def test_empty_table():
    empty = Table("counts", (hierarchy("area", {"total": None}),), np.zeros((0, 1), int), np.zeros(0))
    for mode in ("safe", "linear", "compat"):
        assert len(masked(empty, mode=mode).table) == 0


@pytest.mark.parametrize("mode", ["safe", "linear"])
def test_a_chain_is_masked_up_to_the_root(mode):
    """Nothing but the small count: every sum above it is the small count."""
    chain = table_of({"total": None, "K": "total", "Q": "K"}, {"Q": 2})
    ranges = shown(masked(chain, mode=mode))
    assert set(ranges) == {"total", "K", "Q"}
    assert ranges["Q"] == (1, 3)
    assert all(low <= 1 and high >= 3 for low, high in ranges.values())


def test_a_total_alone():
    assert shown(masked(table_of({"total": None}, {"total": 2}))) == {"total": (1, 3)}
    assert shown(masked(table_of({"total": None}, {"total": 4}))) == {}


def test_zeros():
    nothing = table_of(CITY, {})
    assert shown(masked(nothing)) == {}
    every = shown(masked(nothing, lower=0, upper=2))
    assert every["Q11"] == every["Q31"] == (0, 2)
    assert intruder(masked(city(0, 9, 8, 7, 6), lower=0), "Q11") == [(0, 3)]


def test_a_zero_is_no_partner():
    after = masked(table_of({"total": None, "a": "total", "b": "total"}, {"a": 2, "b": 0}))
    assert shown(after) == {"total": (1, 3), "a": (1, 3)}


def test_ties_go_to_the_first():
    tree = {"total": None, "a": "total", "b": "total", "c": "total"}
    assert set(shown(masked(table_of(tree, {"a": 2, "b": 9, "c": 9})))) == {"a", "b"}
    assert set(shown(masked(table_of(tree, {"a": 9, "b": 9, "c": 2}), pick="min"))) == {"a", "c"}


def test_a_leaf_on_a_higher_level_is_a_leaf():
    tree = {"total": None, "K1": "total", "K2": "total", "Q21": "K2", "Q22": "K2"}
    after = masked(table_of(tree, {"K1": 2, "Q21": 30, "Q22": 20}))
    assert shown(after) == {"K1": (1, 3), "K2": (49, 51), "Q21": (29, 31)}


def test_wide_ranges_and_huge_counts():
    tree = {"total": None, "a": "total", "b": "total"}
    assert shown(masked(table_of(tree, {"a": 2, "b": 2**40}))) == {"a": (1, 3), "b": (2**40 - 1, 2**40 + 1)}
    assert shown(masked(table_of(tree, {"a": 2, "b": 20}), upper=4)) == {"a": (1, 4), "b": (18, 21)}
    assert shown(masked(table_of(tree, {"a": 2, "b": 20}), upper=4, mode="compat")) == {
        "a": (1, 4),
        "b": (18, 22),
    }


def test_sparse_tables():
    """Cells that are not there are published zeros: the same ranges as with the zeros written down."""
    full = city(2, 7, 2, 0, 17)
    there = full.value > 0
    sparse = Table("counts", full.dimensions, full.cells[there], full.value[there])
    assert shown(masked(sparse)) == shown(masked(full))


def test_a_table_with_a_second_dimension_of_one_code():
    one = hierarchy("sex", {"all": None})
    flat = city(2, 7, 2, 0, 17)
    table = Table(
        "counts", (flat.dimensions[0], one), np.hstack([flat.cells, np.zeros((9, 1), int)]), flat.value
    )
    assert shown(masked(table, mode="compat")) == shown(masked(flat, mode="compat"))


def test_letters():
    assert [letters(n) for n in (0, 1, 25, 26, 27, 52)] == ["a", "b", "z", "aa", "ab", "ba"]


def test_pick():
    tree = {"total": None} | dict.fromkeys("abcdefgh", "total")
    table = table_of(tree, {"a": 2} | {code: 10 + i for i, code in enumerate("bcdefgh")})
    assert set(shown(masked(table, pick="max"))) == {"a", "h"}
    assert set(shown(masked(table, pick="min"))) == {"a", "b"}
    cheap = Pattern(table, cost=np.array([9.0, 9, 9, 9, 1, 9, 9, 9, 9]))
    assert set(shown(masked(table, cheap, pick="priority"))) == {"a", "d"}
    drawn = {tuple(shown(masked(table, pick="random", secret=f"secret {i}"))) for i in range(30)}
    assert len(drawn) > 3
    assert len({tuple(shown(masked(table, pick="random"))) for _ in range(3)}) == 1
    with pytest.raises(CostsMissing):
        masked(table, pick="priority")


# -- marks, rules, knowledge ----------------------------------------------------------------------------------------


def with_marks(table, **marks):
    mark = np.zeros(len(table), np.uint8)
    for code, what in marks.items():
        mark[list(table.codes(0)).index(code)] = what
    return Pattern(table, mark=mark)


def test_cells_that_must_stay_open():
    table = city(2, 7, 30, 0, 17)
    kept = masked(table, with_marks(table, Q12=Mark.KEEP))
    assert set(shown(kept)) == {"Q11", "K1", "K2", "Q21"}
    assert shown(masked(table, with_marks(table, Q11=Mark.PUBLISHED))) == {}
    with pytest.raises(Unattainable, match="Q11"):
        masked(table, with_marks(table, Q12=Mark.KEEP, K1=Mark.KEEP))


def test_linear_programs_help_where_the_tree_rules_fail():
    """The parent must stay open and no sibling has room alone; two together have."""
    tree = {"total": None, "a": "total", "b": "total", "c": "total"}
    table = table_of(tree, {"a": 1, "b": 5, "c": 5})
    after = masked(table, with_marks(table, total=Mark.KEEP))
    assert set(shown(after)) == {"a", "b", "c"}
    assert intruder(after, "a") == [(1, 3)]


def test_cells_that_must_be_suppressed_are_refused():
    table = city(2, 7, 30, 0, 17)
    with pytest.raises(Unattainable, match="Q11"):
        masked(table, with_marks(table, Q11=Mark.SUPPRESS))


def by_rule(table, codes, lower=0.0, upper=0.0):
    cells = np.isin(table.codes(0), codes)
    because = Text("a rule", "eine Regel")
    return Pattern(table).marked(
        Sensitivity(cells, np.where(cells, lower, 0), np.where(cells, upper, 0), because)
    )


def test_cells_that_a_rule_marks():
    table = city(2, 7, 1, 2, 17)
    after = masked(table, by_rule(table, ["K2", "Q11"], 1, 1))
    assert after.status[list(table.codes(0)).index("K2")] == Status.RANGE
    with pytest.raises(Unattainable, match="Q12"):
        masked(table, by_rule(table, ["Q12"]))
    with pytest.raises(Unattainable, match="Q11"):
        masked(table, by_rule(table, ["Q11"], 2, 1))


def test_what_the_attacker_knows_beforehand():
    """Knowledge that narrows a range cannot be undone: refused. Other knowledge limits the buffers."""
    table = city(2, 7, 30, 0, 17)
    at = list(table.codes(0)).index
    low = np.zeros(9)
    low[at("Q11")] = 2
    with pytest.raises(Unattainable, match="Q11"):
        masked(table, Pattern(table, low=low))
    low = np.zeros(9)
    low[at("Q12")] = 7
    assert "Q12" not in shown(masked(table, Pattern(table, low=low)))


# -- bad input ------------------------------------------------------------------------------------------------------


def test_bad_tables():
    tree = {"total": None, "a": "total", "b": "total"}
    with pytest.raises(NotWhole, match="table.not-whole"):
        masked(table_of(tree, {"a": 1.5, "b": 2}))
    with pytest.raises(NotWhole):
        masked(table_of(tree, {"a": -1, "b": 2}))
    with pytest.raises(NotWhole):
        masked(table_of(tree, {"a": 2.0**60, "b": 2}))
    with pytest.raises(NotAdditive):
        masked(
            Table(
                "t", (hierarchy("area", tree),), np.arange(3)[:, None], np.array([10.0, 4, 7]), tolerance=0.5
            )
        )
    done = masked(city(2, 7, 2, 0, 17))
    with pytest.raises(AlreadyProtected):
        masked(done.table, done)


def test_a_range_of_one_value_hides_nothing():
    for wrong in (
        {"lower": 2, "upper": 2},
        {"lower": 4},
        {"lower": -1},
        {"mode": "unsafe"},
        {"pick": "best"},
    ):
        with pytest.raises(ParameterWrong):
            build(RangeMask, wrong)


def test_messages_hold_no_value():
    table = table_of({"total": None, "a": "total", "b": "total"}, {"a": 987654321.5, "b": 987654321})
    with pytest.raises(NotWhole) as caught:
        masked(table)
    assert "987654321" not in caught.value.text("en") + caught.value.text("de")


def test_input_and_result_are_frozen():
    before = Pattern(city(2, 7, 2, 0, 17))
    after = masked(before.table, before)
    assert not before.status.any()
    for array in (after.status, after.reason, after.lower, after.shown_low, after.shown_high):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# -- sums that cross ------------------------------------------------------------------------------------------------


def two_by_two(rng, values=(0, 1, 2, 3, 5, 8, 20, 40)):
    region = hierarchy("region", CITY)
    sex = hierarchy("sex", {"all": None, "f": "all", "m": "all"})
    return crossed(rng, [region, sex], values)


@pytest.mark.parametrize("seed", range(25))
def test_crossing_hierarchies(seed):
    table = two_by_two(np.random.default_rng(seed))
    after = masked(table)
    small = np.flatnonzero(RangeMask().small(Pattern(table)))
    np.testing.assert_allclose(scipy_attack(after, small), [(1, 3)] * len(small), atol=1e-6)


def test_three_dimensions():
    rng = np.random.default_rng(5)
    branch = hierarchy("branch", {"all": None, "A": "all", "A1": "A", "A2": "A", "B": "all"})
    sex = hierarchy("sex", {"total": None, "f": "total", "m": "total"})
    table = crossed(rng, [hierarchy("region", CITY), branch, sex])
    for pick in ("max", "min", "random"):
        after = masked(table, pick=pick)
        small = np.flatnonzero(RangeMask().small(Pattern(table)))
        np.testing.assert_allclose(scipy_attack(after, small), [(1, 3)] * len(small), atol=1e-6)


def test_crossing_sums_that_cannot_be_protected():
    sex = hierarchy("sex", {"all": None, "f": "all", "m": "all"})
    region = hierarchy("region", {"total": None, "a": "total", "b": "total"})
    cells = np.array([(r, s) for r in range(3) for s in range(3)])
    table = Table("t", (region, sex), cells, np.array([40.0, 12, 28, 22, 2, 20, 18, 10, 8]))
    open_elsewhere = np.where(table.inner & (table.value < 9), 0, Mark.KEEP).astype(np.uint8)
    with pytest.raises(Unattainable, match="a × f"):
        masked(table, Pattern(table, mark=open_elsewhere))
    with pytest.raises(SumsCross):
        masked(table, mode="compat")
    assert (masked(table).status == Status.RANGE).sum() == 4


@pytest.mark.parametrize("seed", range(20))
def test_linear_mode_holds_along_one_hierarchy_too(seed):
    table = random_table(np.random.default_rng(seed), depth=2)
    after = masked(table, mode="linear")
    low, high = attacked(after, RangeMask().small(Pattern(table)))
    small = RangeMask().small(Pattern(table))
    assert (low[small] <= 1).all() and (high[small] >= 3).all()


def test_reasons_are_kept_apart_from_what_is_published():
    after = masked(two_by_two(np.random.default_rng(1)))
    ranged = np.flatnonzero(after.status == Status.RANGE)
    assert {after.because(int(i)).en.split(":")[0] for i in ranged} <= {"1", "2"}
    assert all(not after.because(int(i)) for i in np.flatnonzero(after.status == Status.OPEN))


def test_required_protection_is_stated_for_the_audit():
    after = masked(city(1, 7, 2, 0, 17))
    at = list(after.table.codes(0)).index
    assert (after.lower[at("Q11")], after.upper[at("Q11")]) == (0, 2)
    assert (after.lower[at("Q12")], after.upper[at("Q12")]) == (0, 0)


def test_permuting_codes_keeps_the_quality():
    """The names of leaves do not matter: as many cells are masked, save for ties."""
    rng = np.random.default_rng(3)
    parent, value, leaf = random_tree(rng, values=np.arange(60))
    codes = [f"n{i}" for i in range(len(parent))]
    parents = {c: None if p < 0 else codes[p] for c, p in zip(codes, parent, strict=True)}
    leaves = {c: v for c, v, one in zip(codes, value, leaf, strict=True) if one}
    other = dict(sorted(parents.items(), key=lambda item: (item[1] is not None, item[0][::-1])))
    one, two = masked(table_of(parents, leaves)), masked(table_of(other, leaves))
    assert len(shown(one)) == len(shown(two))
    assert replace(one).table is one.table


def protected_or_refused(seed):
    """A random table of one to three dimensions with marks and costs: what is not refused holds against scipy."""
    rng = np.random.default_rng(seed)
    parents = [
        random_tree(rng, depth=int(rng.integers(1, 3)), most=3)[0] for _ in range(int(rng.integers(1, 4)))
    ]
    trees = [
        Hierarchy(f"d{i}", np.array([f"{i}.{j}" for j in range(len(p))], dtype=object), p)
        for i, p in enumerate(parents)
    ]
    table = crossed(rng, trees, values=(0, 1, 2, 3, 4, 6, 9, 30, 200), empty=rng.random() / 2)
    mark = rng.choice([Mark.NONE, Mark.KEEP, Mark.PUBLISHED], len(table), p=[0.9, 0.05, 0.05]).astype(
        np.uint8
    )
    before = Pattern(table, mark=mark, cost=rng.random(len(table)))
    lower = int(rng.integers(0, 3))
    options = {
        "lower": lower,
        "upper": lower + int(rng.integers(1, 5)),
        "pick": str(rng.choice(["max", "min", "random", "priority"])),
    }
    try:
        after = masked(table, before, **options)
    except Unattainable:
        return False
    assert not (after.status[before.forced_open] == Status.RANGE).any()
    small = np.flatnonzero(RangeMask(**options).small(before))[:12]
    wanted = [(options["lower"], options["upper"])] * len(small)
    np.testing.assert_allclose(scipy_attack(after, small), np.array(wanted).reshape(-1, 2), atol=1e-6)
    return True


def test_random_tables_are_protected_or_refused():
    outcomes = [protected_or_refused(seed) for seed in range(60)]
    assert 20 < sum(outcomes) < 60


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_many_random_tables_are_protected_or_refused(seed):
    protected_or_refused(seed)
