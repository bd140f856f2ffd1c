"""table.share-mask: shares near 0 and 100 per cent in areas (specification 11)."""

from __future__ import annotations

import numpy as np
import pytest

from tables.trees import CITY, hierarchy, random_parents, scipy_attack
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity, Status
from tarnkappe.data.table import Table
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.errors.tables import DimensionUnknown, NotWhole, NotYesNo
from tarnkappe.language import Text
from tarnkappe.methods.tables.share_mask import ShareMask
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build

PASSPORT = hierarchy("passport", {"all": None, "foreign": "all", "swiss": "all"})


def persons(tree, counts, passport=PASSPORT, sparse=True):
    """A table of persons by area and passport; counts: {area: (foreign, swiss, …)} for the leaves."""
    codes = [str(c) for c in passport.codes[1:]]
    dense = np.zeros((len(tree), len(passport)))
    for code, row in counts.items():
        dense[list(tree.codes).index(code), 1 : len(codes) + 1] = row
    for node in range(len(tree) - 1, 0, -1):
        dense[tree.parent[node]] += dense[node]
    dense[:, 0] = dense[:, 1:].sum(axis=1)
    cells = np.argwhere(dense > 0) if sparse else np.argwhere(dense >= 0)
    return Table("residents", (tree, passport), cells, dense[tuple(cells.T)], counts=True)


def masked(table, pattern=None, **options):
    method = ShareMask(**({"dimension": "passport", "yes": ("foreign",)} | options))
    before = pattern or Pattern(table)
    after = method.protect(before, stream("shares"))
    for claim in (*method.preserves, *method.protects):
        if not (claim.when is None or claim.when(method)):
            continue
        assert claim.check(method, before, after), claim.says.en
    return after, method


def shown(after, method, digits=0):
    """{area: (low, high)} in per cent."""
    areas = method.told(after).table.codes(0)
    low, high = method.shares(after).percent(digits)
    return {code: (float(a), float(b)) for code, a, b in zip(areas, low, high, strict=True)}


AREAS = hierarchy("area", {"town": None, "a": "town", "b": "town", "c": "town"})


def test_a_full_share_is_not_shown():
    """Specification 11: N = 5, all foreign, k = 3: not 100 % but 40-100 %."""
    found = shown(*masked(persons(AREAS, {"a": (5, 0), "b": (40, 60), "c": (30, 70)})))
    assert found["a"] == (40, 100)
    assert found["town"] == (37, 37)
    assert found["b"] == (40, 43) or found["c"] == (30, 33)


@pytest.mark.parametrize(
    ("side", "row", "interval"),
    [
        ("both", (2, 98), (1, 3)), ("both", (98, 2), (97, 100)), ("both", (2, 2), (0, 4)), ("both", (1, 0), (0, 1)),
        ("high", (2, 98), None), ("high", (100, 0), (97, 100)), ("low", (98, 2), None), ("low", (3, 97), (1, 3)),
        ("low", (1, 0), (0, 1)), ("both", (0, 100), None), ("both", (0, 2), (0, 2)),
    ],
)  # fmt: skip
def test_primary_ranges(side, row, interval):
    after, method = masked(persons(AREAS, {"a": row, "b": (400, 600), "c": (300, 700)}), side=side)
    shares = method.shares(after)
    at = list(method.told(after).table.codes(0)).index("a")
    assert (shares.low[at], shares.high[at]) == (interval or (row[0], row[0]))


def test_small_areas_are_withheld():
    found = shown(*masked(persons(AREAS, {"a": (10, 15), "b": (400, 600), "c": (300, 700)}), at_least=30))
    assert found["a"] == (0, 100)
    assert found["town"][0] == found["town"][1]


def test_everybody_everywhere():
    """All areas at 100 %: the town is a range as well."""
    found = shown(*masked(persons(AREAS, {"a": (5, 0), "b": (40, 0), "c": (30, 0)})))
    assert all(low < high == 100 for low, high in found.values())


def test_an_inner_area_within_k_is_a_range_too():
    """Twenty areas of one person: 85 % of the district, three persons short of all."""
    tree = hierarchy("area", {"town": None, "K": "town", "L": "town"} | {f"q{i:02}": "K" for i in range(20)})
    counts = {f"q{i:02}": (1, 0) if i < 17 else (0, 1) for i in range(20)}
    found = shown(*masked(persons(tree, counts | {"L": (500, 500)})))
    assert found["K"] == (0, 100)


def test_cells_that_are_not_there_are_there_afterwards():
    """The others of an all-foreign area have no cell at first; the result has one, shown as a range."""
    table = persons(AREAS, {"a": (5, 0), "b": (40, 60), "c": (30, 70)})
    dense = persons(AREAS, {"a": (5, 0), "b": (40, 60), "c": (30, 70)}, sparse=False)
    after, method = masked(table)
    assert len(after.table) == 12
    assert shown(after, method) == shown(*masked(dense))
    a_swiss = after.table.find(np.array([[1, 2]]))[0]
    assert (after.shown_low[a_swiss], after.shown_high[a_swiss]) == (0, 3)


def test_several_codes_count():
    passport = hierarchy("passport", {"all": None, "CH": "all", "EU": "all", "world": "all"})
    after, method = masked(
        persons(AREAS, {"a": (0, 3, 2), "b": (60, 30, 10), "c": (70, 20, 10)}, passport), yes=("EU", "world")
    )
    assert list(after.table.dimensions[1].codes) == ["all", "EU+world", "other"]
    assert shown(after, method)["a"] == (40, 100)


def test_codes_of_two_are_kept():
    after, _ = masked(persons(AREAS, {"a": (5, 0), "b": (40, 60), "c": (30, 70)}))
    assert list(after.table.dimensions[1].codes) == ["all", "foreign", "swiss"]


def test_rounding_is_outward():
    after, method = masked(persons(AREAS, {"a": (7, 0), "b": (400, 600), "c": (300, 700)}))
    assert shown(after, method, 1)["a"] == (57.1, 100)
    assert shown(after, method, 0)["a"] == (57, 100)


def random_shares(seed, depth=2):
    rng = np.random.default_rng(seed)
    parent = random_parents(rng, depth, 4)
    tree = Hierarchy("area", np.array([f"n{i}" for i in range(len(parent))], dtype=object), parent)
    size = rng.integers(3, 80, len(parent))
    share = rng.choice([0, 0.02, 0.1, 0.5, 0.9, 0.98, 1], len(parent))
    count = rng.binomial(size, share)
    return persons(
        tree,
        {c: (y, n - y) for c, y, n, leaf in zip(tree.codes, count, size, tree.is_leaf, strict=True) if leaf},
    )


@pytest.mark.parametrize("seed", range(60))
def test_nothing_leaks_on_random_trees(seed):
    """The claims use the audit along trees; here scipy looks at persons, those who count and the others together."""
    before = random_shares(seed)
    after, method = masked(before)
    extreme = np.flatnonzero(method.extreme(Pattern(before)))
    yes = np.flatnonzero(after.table.cells[:, 1] == 1)[extreme]
    found = scipy_attack(after, yes)
    np.testing.assert_allclose(found[:, 0], after.shown_low[yes], atol=1e-6)
    np.testing.assert_allclose(found[:, 1], after.shown_high[yes], atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 1100))
def test_nothing_leaks_on_many_random_trees(seed):
    masked(random_shares(seed, depth=3))


def test_crossing_areas():
    """Persons by area, sex and passport: sums cross, linear programs do it."""
    rng = np.random.default_rng(4)
    sex = hierarchy("sex", {"total": None, "f": "total", "m": "total"})
    tree = hierarchy("area", CITY)
    dense = np.zeros((len(tree), 3, 3))
    leaves = np.flatnonzero(tree.is_leaf)
    dense[np.ix_(leaves, [1, 2], [1, 2])] = rng.choice([0, 1, 4, 20, 60], (len(leaves), 2, 2))
    for node in range(len(tree) - 1, 0, -1):
        dense[tree.parent[node]] += dense[node]
    dense[:, 0] = dense[:, 1:].sum(axis=1)
    dense[:, :, 0] = dense[:, :, 1:].sum(axis=2)
    cells = np.argwhere(dense > 0)
    after, _ = masked(
        Table("residents", (tree, sex, PASSPORT), cells, dense[tuple(cells.T)], counts=True), side="high"
    )
    yes = np.flatnonzero(after.table.cells[:, 2] == 1)
    some = yes[(after.status == Status.RANGE)[yes]][:5]
    assert len(some)
    assert (np.diff(scipy_attack(after, some), axis=1) > 0.5).all()


def test_bad_input():
    table = persons(AREAS, {"a": (5, 0), "b": (40, 60), "c": (30, 70)})
    with pytest.raises(DimensionUnknown, match="passport"):
        masked(table, dimension="pasport")
    for yes in (("all",), ("nobody",), ("foreign", "foreign")):
        with pytest.raises(NotYesNo):
            masked(table, yes=yes)
    with pytest.raises(NotYesNo):
        tree = hierarchy("passport", {"all": None, "foreign": "all", "EU": "foreign", "swiss": "all"})
        masked(Table("t", (AREAS, tree), np.zeros((0, 2), int), np.zeros(0)), yes=("foreign", "EU"))
    with pytest.raises(NotWhole):
        masked(_halves())
    for wrong in ({"k": 1}, {"yes": ()}, {"side": "left"}, {"at_least": -1}):
        with pytest.raises(ParameterWrong):
            build(ShareMask, {"dimension": "passport", "yes": ["foreign"]} | wrong)


def _halves():
    one = hierarchy("area", {"town": None})
    return Table("t", (one, PASSPORT), np.array([[0, 0], [0, 1]]), np.array([1.5, 1.5]))


def test_refusals():
    """What must stay open cannot be protected; what a rule or the office wants hidden is not this method's business."""
    table = persons(AREAS, {"a": (5, 0), "b": (40, 60), "c": (30, 70)})
    mark = np.where(table.cells[:, 1] != 0, np.uint8(Mark.KEEP), np.uint8(0))
    mark[table.find(np.array([[1, 1]]))] = 0
    with pytest.raises(Unattainable, match="a"):
        masked(table, Pattern(table, mark=mark))
    cells = np.arange(len(table)) == 1
    ruled = Pattern(table).marked(Sensitivity(cells, cells * 1.0, cells * 1.0, Text("rule", "Regel")))
    with pytest.raises(Unattainable):
        masked(table, ruled)


def test_empty():
    after, _ = masked(Table("t", (AREAS, PASSPORT), np.zeros((0, 2), int), np.zeros(0)))
    assert len(after.table) == 0


# -- the number of persons is confidential too -----------------------------------------------------------------------


def by_cell(after):
    codes = zip(after.table.codes(0), after.table.codes(1), strict=True)
    return {pair: (after.status[i], after.shown_low[i], after.shown_high[i]) for i, pair in enumerate(codes)}


def test_few_persons_are_masked_with_those_who_count():
    """Specification 11.5: y + z = N in every area, and N of a tiny area is a range as well."""
    table = persons(AREAS, {"a": (2, 0), "b": (40, 60), "c": (30, 70)})
    after, _ = masked(table, persons="masked")
    found = by_cell(after)
    assert found["a", "all"] == (Status.RANGE, 1, 3)
    assert found["a", "foreign"] == (Status.RANGE, 0, 3)
    assert found["a", "swiss"] == (Status.RANGE, 0, 3)
    needed = np.flatnonzero((after.lower > 0) | (after.upper > 0))
    assert len(needed) >= 3
    for cell, (low, high) in zip(needed, scipy_attack(after, needed), strict=True):
        assert low <= after.shown_low[cell] + 1e-6
        assert high >= after.shown_high[cell] - 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_random_towns_with_masked_persons(seed):
    rng = np.random.default_rng(seed)
    rows = {code: (int(rng.integers(0, 30)), int(rng.integers(0, 30))) for code in "abc"}
    rows["a"] = (int(rng.integers(0, 2)), 1)
    after, method = masked(persons(AREAS, rows), persons="masked", side=str(rng.choice(["both", "high"])))
    shown_columns = method.published_columns(after)
    assert set(shown_columns) == {"share", "share_low", "share_high"}
    low, high = (shown_columns[name].numbers() for name in ("share_low", "share_high"))
    truth = 100 * after.table.value / np.repeat(after.table.value[after.table.cells[:, 1] == 0], 3)
    told = ~np.isnan(low)
    assert np.all((low <= truth + 0.06) & (truth <= high + 0.06) | ~told)


def test_public_persons_stay_as_they_are():
    after, _ = masked(persons(AREAS, {"a": (2, 0), "b": (40, 60), "c": (30, 70)}))
    assert by_cell(after)["a", "all"][0] == Status.OPEN
