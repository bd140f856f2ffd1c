"""Microaggregation of whole units: groups of series over strata and periods, and who counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from methods.averaging_data import done, numbers
from methods.unit_panels import METHODS, XY, YEARS, panel, rows_of, shared_by, states_of
from reference import mdav as reference
from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.masking import UnitsUnlike
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.spec.step import broken_claims
from tarnkappe.vocab import Kind, Role

# -- against a file with a row for every unit -------------------------------------------------------------------------


def wide_file(data):
    """A row for every firm and a column for every variable and year (Höhne 2010, 4.2: entries and exits are missing values).

    What is missing in a record that is there is marked as suppressed, to tell it from what is not there.
    """
    firm, year = data.column("firm").texts(), data.column("year").values - 2020
    names = list(dict.fromkeys(firm.tolist()))
    place = {name: i for i, name in enumerate(names)}
    at = np.array([place[f] for f in firm])
    columns = {}
    for t in range(YEARS):
        for n in XY:
            values, state = np.zeros(len(names)), np.full(len(names), MISSING)
            now = year == t
            values[at[now]] = np.nan_to_num(data.column(n).numbers()[now])
            state[at[now]] = np.where(data.column(n).observed[now], 0, SUPPRESSED)
            columns[f"{n}{t}"] = numbers(values, state)
    for n in set(data.names) - {"firm", "year", *XY}:
        texts = dict(zip(firm, data.column(n).values, strict=True))
        columns[n] = replace(data.column(n), values=np.array([texts[f] for f in names]), state=None)
    roles = {r: n for r, n in data.roles.items() if r in (Role.OWNER, Role.WEIGHT)}
    return Microdata(columns, roles), at, year


def compared(data, method, **given):
    """The step on units, and the same step on the wide file, put back into records."""
    after = done(method, data, columns=XY, within=["year"], unit="firm", too_small="suppress", **given)
    wide, at, year = wide_file(data)
    columns = [f"{n}{t}" for t in dict.fromkeys(year.tolist()) for n in XY]
    other = done(method, wide, columns=columns, too_small="suppress", **given)
    for n in XY:
        x = np.stack([other.column(f"{n}{t}").numbers() for t in range(YEARS)], axis=1)
        np.testing.assert_allclose(after.column(n).numbers(), x[at, year], rtol=1e-12, equal_nan=True)
    assert after.column("x").observed.mean() > 0.3
    return after


WAYS = {
    "mdav": ("mdav", {}),
    "medians": ("mdav", {"aggregate": "median"}),
    "centre": ("cluster-average", {"gain": 0.5}),
    "pair": ("cluster-average", {"grouping": "pair"}),
    "ward": ("cluster-average", {"grouping": "ward"}),
    "component": ("axis-average", {}),
    "sum": ("axis-average", {"axis": "sum", "sizes": "fixed"}),
    "clusters": ("axis-average", {"axis": "influence", "clusters": 2}),
    "file": ("axis-average", {"axis": "file", "sizes": "fixed"}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("gaps", [0.0, 0.02])
def test_units_are_grouped_as_the_rows_of_a_wide_file(way, gaps):
    method, given = WAYS[way]
    for seed in range(4):
        compared(panel(90, seed, gaps=gaps), method, k=3 + seed % 2, **given)


BALANCED = {
    "robust": ("cluster-average", {"distance": "robust"}),
    "core": ("axis-average", {"axis": "core"}),
    "pursuit": ("axis-average", {"axis": "pursuit"}),
    "random": ("random-average", {}),
    "replacement": ("random-average", {"replacement": True}),
}


@pytest.mark.parametrize("way", BALANCED)
def test_units_that_are_all_there_are_treated_as_the_rows_of_a_wide_file(way):
    """With entries and exits a robust scatter is that of units with the same years, and random groups are drawn in another order."""
    method, given = BALANCED[way]
    compared(panel(80, 3, absent=0.0), method, **given)


def test_the_core_of_units_that_are_there_in_the_same_years_is_one_whatever_their_gaps():
    """A third of the firms have a gap in the first year."""
    for seed in range(3):
        data = panel(90, seed, absent=0.0)
        firm = np.unique(data.column("firm").texts(), return_inverse=True)[1]
        x = np.where((firm % 3 == 0) & (data.column("year").values == 2020), np.nan, data.column("x").values)
        compared(data.with_columns({"x": numbers(x, np.isnan(x))}), "cluster-average", distance="robust")


def test_owners_and_weights_of_a_wide_file():
    data = panel(90, 5)
    firm = np.unique(data.column("firm").texts(), return_inverse=True)[1]
    columns = {
        "group": Column.texts_of([f"g{f // 2}" for f in firm]),
        "w": Column.numbers_of(1.0 + firm % 5),
    }
    owned = data.with_columns(columns).with_roles({**data.roles, Role.OWNER: ("group",), Role.WEIGHT: ("w",)})
    after = compared(owned, "mdav", weighted=True)
    assert not np.allclose(after.column("x").numbers(), compared(owned, "mdav").column("x").numbers())
    compared(owned, "mdav", by="records")
    compared(owned, "axis-average", weighted=True, aggregate="median")
    compared(owned, "cluster-average", grouping="ward")


# -- against a pivot by hand ------------------------------------------------------------------------------------------


def odd_panel(seed):
    """Strata of branch and year with none to two records of a unit in each, gaps of both kinds, and records without a unit."""
    rng = np.random.default_rng(seed)
    rows = [
        (f, b, y)
        for f in range(36)
        for b in "ab"[: 1 + f % 2]
        for y in range(2)
        for _ in range(1 + f % 3 % 2)
    ]
    rows = [rows[i] for i in rng.permutation(len(rows))]
    state = np.where(rng.random((2, len(rows))) < 0.02, rng.choice([MISSING, SUPPRESSED], (2, len(rows))), 0)
    x = np.exp(rng.normal(size=(2, len(rows))))
    lost = rng.random(len(rows)) < 0.1
    columns = {
        "firm": Column.texts_of([None if gone else f"f{f}" for (f, _, _), gone in zip(rows, lost, strict=True)]),
        "branch": Column.texts_of([b for _, b, _ in rows]),
        "year": Column.numbers_of(np.array([y for _, _, y in rows])),
        "x": numbers(x[0], state[0]),
        "y": numbers(x[1], state[1]),
    }  # fmt: skip
    return Microdata(columns)


def by_hand(data, within, k):
    """Labels of records: pivot to units, one pattern after the other, MDAV as in the paper on what was standardised in the strata."""
    strata = rows_of(data, within)
    gaps = list(zip(states_of(data, "x").tolist(), states_of(data, "y").tolist(), strict=True))
    z = np.zeros((len(data), 2))
    for j, n in enumerate(XY):
        x = data.column(n).numbers()
        for s in set(strata):
            here = np.array([t == s for t in strata]) & ~np.isnan(x)
            if here.any():
                z[here, j] = (x[here] - x[here].mean()) / (x[here].std() or 1.0)
    units = defaultdict(list)
    for i, firm in enumerate(data.column("firm").texts()):
        units[firm if firm is not None else i].append(i)
    patterns = defaultdict(list)
    for records in units.values():
        records = sorted(records, key=lambda i: (strata[i], gaps[i], i))
        patterns[tuple((strata[i], gaps[i]) for i in records)].append(records)
    labels = [None] * len(data)
    for pattern, some in patterns.items():
        if len(some) >= k:
            wide = np.array([np.concatenate([z[i] for i in records]) for records in some])
            for records, g in zip(some, reference.mdav_groups(wide, k), strict=True):
                for place, i in enumerate(records):
                    labels[i] = (pattern, g, place)
    return labels


@pytest.mark.parametrize("within", [("branch", "year"), ("year",), ()])
def test_units_against_a_pivot_by_hand(within):
    for seed in range(8):
        data = odd_panel(seed)
        after = done("mdav", data, columns=XY, within=within, unit=["firm"], too_small="suppress")
        labels = by_hand(data, within, 3)
        for n in XY:
            x, y = data.column(n), after.column(n)
            for i, label in enumerate(labels):
                if label is None:
                    assert not y.observed[i]
                elif x.observed[i]:
                    group = [j for j, other in enumerate(labels) if other == label]
                    assert y.values[i] == pytest.approx(x.values[group].mean(), rel=1e-12)
        assert sum(label is not None for label in labels) > 20


# -- periods and places -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_period_counts_whether_or_not_within_names_it(method):
    """Without the role, records are matched in the order of the file: a first year with another's second one."""
    data = panel(120, 4)
    after = done(method, data, columns=XY, unit="firm", secret="other")
    assert min(shared_by(after)) >= 3
    for year in range(2020, 2020 + YEARS):
        inside = data.column("year").values == year
        assert after.column("x").values[inside].sum() == pytest.approx(data.column("x").values[inside].sum())
    unknown = done(method, data.with_roles({}), columns=XY, unit="firm")
    assert min(shared_by(unknown)) < 3
    assert min(shared_by(unknown, places=())) >= 3


def test_several_records_in_one_place_are_matched_in_the_order_of_the_file():
    columns = {
        "u": Column.texts_of(list("aabbcc")), "s": Column.texts_of(["p"] * 6), "x": numbers([1, 10, 2, 20, 6, 30]),
    }  # fmt: skip
    after = done("mdav", Microdata(columns), columns=["x"], within=["s"], unit="u")
    assert after.column("x").values.tolist() == [3.0, 20.0] * 3
    once = Microdata({**columns, "u": Column.texts_of(list("abcabc"))})
    assert done("mdav", once, columns=["x"], unit="u").column("x").values.tolist() == pytest.approx(
        [(1 + 10 + 2) / 3] * 3 + [(20 + 6 + 30) / 3] * 3
    )


def test_of_several_records_in_one_place_those_with_the_same_gaps_are_matched():
    state = [MISSING, 0, 0, MISSING, MISSING, 0]
    data = Microdata({"u": Column.texts_of(list("aabbcc")), "x": numbers([0, 1, 2, 0, 0, 6.0], state)})
    after = done("mdav", data, columns=["x"], unit="u").column("x")
    assert after.missing.tolist() == [True, False, False, True, True, False]
    assert after.values[after.observed].tolist() == [3.0] * 3


def test_records_without_a_unit_are_units_of_their_own():
    """Also where only one of two columns that name it is missing or suppressed."""
    firm = Column.texts_of(["a", "a", None, None, None, "b", "b", "c", "c"])
    plant = Column.texts_of(["1"] * 9).suppress(np.arange(9) >= 7)
    data = Microdata({"f": firm, "p": plant, "x": numbers([1, 2, 3, 4, 5, 6, 7, 8, 9])})
    after = done("mdav", data, columns=["x"], unit=["f", "p"], too_small="suppress").column("x")
    assert after.suppressed.tolist() == [True, True, False, False, False, True, True, False, False]
    assert after.values[~after.suppressed].tolist() == [5.8] * 5


def test_the_first_column_is_averaged_over_the_series():
    """The fourth firm is the largest of the first year and the smallest over both."""
    x = np.array([[5.0, 50], [6, 60], [7, 70], [8, 0], [1, 90], [2, 80]])
    columns = {
        "u": Column.numbers_of(np.repeat(np.arange(6), 2)),
        "t": Column.numbers_of(np.tile(np.arange(2), 6)),
    }
    data = Microdata({**columns, "x": numbers(x.ravel())})
    after = done("axis-average", data, columns=["x"], within=["t"], unit="u", axis="first", sizes="fixed")
    y = after.column("x").values.reshape(6, 2)
    assert y[[3, 0, 1]] == pytest.approx(np.array([[19 / 3, 110 / 3]] * 3))
    assert y[[2, 4, 5]] == pytest.approx(np.array([[10 / 3, 80.0]] * 3))


# -- too small --------------------------------------------------------------------------------------------------------


def entries():
    """Ten firms in both years, two that leave, and two that enter."""
    rows = [(f, y) for f in range(14) for y in (0, 1) if not (f in (10, 11) and y) and not (f > 11 and not y)]
    firm, year = np.array(rows).T
    columns = {
        "f": Column.numbers_of(firm),
        "t": Column.numbers_of(year),
        "x": numbers(firm * 100.0 + year * 7 + 0.125),
    }
    return Microdata(columns), firm


@pytest.mark.parametrize("method", METHODS)
def test_a_pattern_that_fewer_than_k_share_is_refused_or_suppressed(method):
    data, firm = entries()
    given = {"columns": ["x"], "within": ["t"], "unit": "f"}
    with pytest.raises(UnitsUnlike) as refused:
        done(method, data, **given)
    assert refused.value.facts == {"who": f"microdata.{method}", "count": 4, "needed": 3}
    for language, word in (("en", "4 units"), ("de", "4 Einheiten")):
        text = refused.value.text(language)
        assert word in text and "too_small: suppress" in text
        assert not any(value in text for value in ("1000", "1100", "1200", "1300"))
    after = done(method, data, **given, too_small="suppress")
    assert np.array_equal(after.column("x").suppressed, firm >= 10)
    done(method, data.take(firm < 10), **given)


def test_gaps_are_part_of_a_pattern_and_records_without_a_value_need_no_partner():
    data, firm = entries()
    data = data.take(firm < 10)
    state = np.zeros(20, np.uint8)
    state[[0, 2]] = MISSING
    with pytest.raises(UnitsUnlike) as refused:
        done(
            "mdav",
            data.with_columns({"x": numbers(data.column("x").values, state)}),
            columns=["x"],
            within=["t"],
            unit="f",
        )
    assert refused.value.facts["count"] == 2
    state[[1, 3]] = SUPPRESSED
    after = done(
        "mdav",
        data.with_columns({"x": numbers(data.column("x").values, state)}),
        columns=["x"],
        within=["t"],
        unit="f",
    )
    assert np.array_equal(after.column("x").state, state)
    assert min(shared_by(after, ("f",), ("t",), ("x",))) >= 3


def test_one_unit_or_all_of_them_alone():
    data, firm = entries()
    one = data.with_columns({"f": Column.numbers_of(np.zeros(len(firm)))})
    with pytest.raises(UnitsUnlike) as refused:
        done("mdav", one, columns=["x"], within=["t"], unit="f")
    assert refused.value.facts["count"] == 1
    each = data.with_columns({"f": Column.numbers_of(np.arange(len(firm)))})
    plain, units = (done("mdav", each, columns=["x"], within=["t"], **given) for given in ({}, {"unit": "f"}))
    assert np.array_equal(plain.column("x").values, units.column("x").values)


# -- who counts -------------------------------------------------------------------------------------------------------


def owned(owners):
    """A firm for every row of owners, with a record for every year; None where the owner is not known."""
    firms, years = len(owners), len(owners[0])
    rng = np.random.default_rng(2)
    names = [None if o is None else f"o{o}" for row in owners for o in row]
    columns = {
        "f": Column.numbers_of(np.repeat(np.arange(firms), years)),
        "t": Column.numbers_of(np.tile(np.arange(years), firms)),
        "o": Column.texts_of(names),
        "x": numbers(rng.random(firms * years)),
    }
    return Microdata(columns, {Role.OWNER: ("o",)})


GIVEN = {"columns": ["x"], "within": ["t"], "unit": "f"}


@pytest.mark.parametrize("method", METHODS)
def test_groups_have_k_owners_in_every_year(method):
    """Twenty firms in pairs: a group of three firms could be one of two owners."""
    data = owned([(f // 2, f // 2) for f in range(20)])
    after = done(method, data, **GIVEN)
    x, owner, year = after.column("x").values, data.column("o").texts(), data.column("t").values
    for value in np.unique(x):
        assert min(len(set(owner[(x == value) & (year == t)])) for t in set(year[x == value])) >= 3
    records = done(method, data, **GIVEN, by="records")
    assert min(shared_by(records, ("f",), ("t",), ("x",))) >= 3


@pytest.mark.parametrize("method", METHODS)
def test_owners_that_follow_each_other_count_once(method):
    """In the second year one owner has three of four firms: their mean of that year would be his alone."""
    sold = [(0, 9), (1, 9), (2, 9), (3, 3)]
    with pytest.raises(UnitsUnlike):
        done(method, owned(sold), **GIVEN)
    assert done(method, owned(sold), **GIVEN, by="records").column("x").observed.all()
    data = owned([*sold, (4, 4), (5, 5)])
    after = done(method, data, **GIVEN)
    x, owner = after.column("x").values, data.column("o").texts()
    assert min(len(set(owner[x == value])) for value in np.unique(x)) >= 3


def test_a_firm_without_an_owner_stands_for_itself():
    """Two records of one firm in a year are not two contributors because their owner is not known."""
    unknown = owned([(None, None)] * 3)
    assert done("mdav", unknown, **GIVEN).column("x").observed.all()
    twice = unknown.with_columns({"t": Column.numbers_of(np.zeros(6))}).take(np.arange(4))
    with pytest.raises(UnitsUnlike):
        done("mdav", twice, **GIVEN)
    step = Mdav(columns=("x",), within=("t",), unit="f")
    same = twice.with_columns({"x": numbers([1.0] * 4)})
    for known in (same, same.with_roles({})):
        assert len(broken_claims(step, known, known)) == 2, "two firms, whatever they show"


@pytest.mark.parametrize("method", METHODS)
def test_a_pattern_of_too_few_owners_is_suppressed_beside_others(method):
    """Four firms of both years have two owners; those of one year have one each."""
    data = owned([(f // 2, f // 2) for f in range(4)] + [(9 + f, 9 + f) for f in range(8)])
    data = data.take((data.column("f").values < 4) | (data.column("t").values == 0))
    after = done(method, data, **GIVEN, too_small="suppress")
    assert np.array_equal(after.column("x").suppressed, data.column("f").values < 4)


def test_owners_count_only_among_units_that_can_come_together():
    """Owners 1 and 2 follow each other in a firm that was there for one year; firms of both years do not mind."""
    data = owned([(1, 1), (2, 2), (3, 3)])
    other = owned([(1, 2)] * 3 + [(7, 7), (8, 8), (9, 9)])
    joined = {
        n: np.concatenate([data.column(n).values, other.column(n).values + 10 * (n in "ft")]) for n in "ftx"
    }
    owners = [*data.column("o").texts(), *other.column("o").texts()]
    both = Microdata(
        {n: Column.numbers_of(v) for n, v in joined.items()} | {"o": Column.texts_of(owners)}, {Role.OWNER: ("o",)}
    )  # fmt: skip
    after = done("mdav", both, **GIVEN)
    assert len(np.unique(after.column("x").values[:6])) == 2


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("whole", ["nearest", "total"])
@pytest.mark.parametrize("within", [("year",), ()])
def test_whole_numbers(method, whole, within):
    """Totals move by half a group in every stratum at most, however many patterns of presence it has."""
    data = panel(150, 6, absent=0.8)
    data = data.with_columns({"x": Column.numbers_of((data.column("x").values * 9).astype(np.int64))})
    after = done(method, data, columns=XY, within=within, unit="firm", whole=whole, too_small="suppress", k=4)
    column = after.column("x")
    assert column.kind is Kind.INTEGER
    assert min(shared_by(after)) >= 4
    year = data.column("year").values if within else np.zeros(len(data))
    for y in np.unique(year):
        here = (year == y) & column.observed
        moved = abs(int(column.values[here].sum()) - int(data.column("x").values[here].sum()))
        assert whole == "nearest" or moved <= Counter(column.values[here].tolist()).most_common(1)[0][1] / 2


@pytest.mark.parametrize("method", METHODS)
def test_weights_count_record_by_record(method):
    data = panel(60, 8)
    w = np.random.default_rng(1).lognormal(1, 1, len(data))
    data = data.with_columns({"w": numbers(w)}).with_roles({**data.roles, Role.WEIGHT: ("w",)})
    given = {"columns": XY, "within": ["year"], "unit": "firm"}
    plain, after = (done(method, data, **given, weighted=weighted) for weighted in (False, True))
    assert min(shared_by(after)) >= 3
    x, year = data.column("x").values, data.column("year").values
    for group in set(zip(plain.column("x").values, year, strict=True)):
        here = (plain.column("x").values == group[0]) & (year == group[1])
        mean = np.average(x[here], weights=w[here])
        assert after.column("x").values[here] == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1e300, 1e-300, -1.0, 0.0])
def test_extremes_ties_and_constants(method, size):
    data = panel(40, 9)
    x = np.round(data.column("x").values) * size
    data = data.with_columns({"x": numbers(x), "y": numbers(np.full(len(x), 0.1))})
    given = {"axis": "first"} if method == "axis-average" else {}
    after = done(method, data, columns=XY, within=["year"], unit="firm", **given)
    assert np.isfinite(after.column("x").values).all()
    assert (after.column("y").values == 0.1).all()
    assert min(shared_by(after)) >= 3


def test_groups_drawn_anew_are_drawn_for_all_places_at_once():
    """Every firm has its number in all years: so has every mean, and none is a firm's own."""
    firms = 12
    columns = {
        "f": Column.numbers_of(np.tile(np.arange(firms), 3)), "t": Column.numbers_of(np.repeat(np.arange(3), firms)),
        "x": numbers(np.tile(2.0 ** np.arange(firms), 3)),
    }  # fmt: skip
    after = done(
        "random-average", Microdata(columns), columns=["x"], within=["t"], unit="f", replacement=True
    )
    y = after.column("x").values.reshape(3, firms)
    assert (y == y[0]).all()
    for mean in np.unique(y[0]):
        assert round(3 * mean).bit_count() == 3, "three different firms"


def test_columns_that_name_the_unit_are_named():
    step = Mdav(columns=XY, within=("year",), unit=["firm", "year"])
    assert step.named_columns() == ("x", "y", "year", "firm")
    assert step.unit_columns() == ("firm", "year")


def test_bad_parameters():
    for wrong in ({"unit": ["x"]}, {"unit": 3}, {"unit": {"firm": 1}}):
        with pytest.raises(ParameterWrong):
            done("mdav", panel(), columns=XY, **wrong)
