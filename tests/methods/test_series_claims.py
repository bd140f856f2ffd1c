"""What microaggregation of whole units promises and tells of their series."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from methods.averaging_data import done, numbers
from methods.unit_panels import METHODS, XY, YEARS, panel, rows_of, series_shown, shared_by
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import Units
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.methods.microdata import averaging, unit_averaging
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.methods.microdata.series_claims import series_of_k
from tarnkappe.spec import Holds, catalogue
from tarnkappe.spec.step import broken_claims
from tarnkappe.vocab import Role


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [3, 5])
def test_every_series_is_shown_by_k_units_and_totals_of_every_year_stay(method, k):
    data = panel(120, 2)
    given = {"columns": XY, "within": ["year"], "k": k}
    after = done(method, data, unit="firm", **given)
    assert min(shared_by(after)) >= k
    for year in range(2020, 2020 + YEARS):
        inside = data.column("year").values == year
        for n in XY:
            was, now = (d.column(n).values[inside].sum() for d in (data, after))
            assert now == pytest.approx(was, rel=1e-12)
    apart = done(method, data, **given)
    assert np.median(shared_by(apart)) == 1, "record by record, most series are one unit's"


@pytest.mark.parametrize("method", METHODS)
def test_groups_of_records_break_the_claim_on_series(method):
    data = panel(120, 2)
    step = catalogue[f"microdata.{method}"](columns=XY, within=("year",), unit="firm")
    apart = done(method, data, columns=XY, within=["year"])
    assert [c.says.en.split(",")[0] for c in broken_claims(step, data, apart)] == [
        "the whole series that a unit shows"
    ]


def test_random_groups_of_units_promise_no_correlations_of_the_file():
    """Units that enter late may be others than those that were always there, and groups do not mix them."""
    cls = catalogue["microdata.random-average"]
    for given, made in (({}, True), ({"unit": "firm"}, False)):
        step = cls(columns=XY, **given)
        assert any(c.holds is Holds.ON_AVERAGE and c.applies(step) for c in step.preserves) is made


def test_the_claim_on_series_against_the_slow_way():
    """Small random files whose series are shared by few or many: the check says what counting in dictionaries says."""
    rng = np.random.default_rng(4)
    said = []
    for _ in range(300):
        data = alike(rng)
        step = Mdav(columns=XY, within=("year",), unit=("firm",))
        said.append(series_of_k(step, data, data))
        assert said[-1] == slow_claim(data)
    assert 0.2 < np.mean(said) < 0.8


def alike(rng):
    """Units with one series in the same one or two years, in which a few things may be otherwise."""
    rows = [(f, y) for f in range(rng.integers(2, 9)) for y in range(rng.integers(1, 3))]
    rows = [rows[i] for i in rng.permutation(len(rows))] if rng.random() < 0.5 else [(f, 0) for f, _ in rows]
    firm, year = np.array(rows).T
    n, state = len(rows), np.zeros((2, len(rows)))
    x = 10.0 + year
    for fault in (x, *state, year) if rng.random() < 0.3 else ():
        fault[rng.integers(n)] += rng.integers(2)
    owner = firm // rng.integers(1, 3) + (rng.random() < 0.2) * year
    known = rng.random() < 0.5
    columns = {
        "firm": Column.texts_of([None if known and rng.random() < 0.05 else f"f{f}" for f in firm]),
        "year": Column.numbers_of(year),
        "o": Column.texts_of([None if rng.random() < 0.2 else f"o{o}" for o in owner]),
        "x": numbers(x, state[0]), "y": numbers(np.ones(n), state[1]),
    }  # fmt: skip
    return Microdata(columns, {Role.OWNER: ("o",)} if rng.random() < 0.5 else {})


def slow_claim(data):
    series = series_shown(data, ("firm",), ("year",), XY)
    firms, owners = data.column("firm").texts(), data.column("o").texts()
    owned, behind = bool(data.role(Role.OWNER)), defaultdict(set)
    for i, (year,) in enumerate(rows_of(data, ["year"])):
        unit = (firms[i],) if firms[i] is not None else i
        behind[series[unit], year].add(("owner", owners[i]) if owned and owners[i] is not None else unit)
    shows = {s: any(v is not None for _, row, _ in s for v in row) for s in series.values()}
    return all(len(who) >= 3 for (s, _), who in behind.items() if shows[s])


@pytest.mark.parametrize(
    "fault",
    [
        lambda units, kind=None: np.unique(units.size, return_inverse=True)[
            1
        ],  # units of other years together
        lambda units, kind=None: np.zeros(len(units.size), dtype=np.int64),
    ],
)
def test_units_that_do_not_fit_together_break_a_claim(monkeypatch, fault):
    data = panel(60, 7, gaps=0.05)
    done("axis-average", data, columns=XY, within=["year"], unit="firm", too_small="suppress")
    monkeypatch.setattr(Units, "profile", fault)
    with pytest.raises(ClaimBroken):
        done("axis-average", data, columns=XY, within=["year"], unit="firm", too_small="suppress")


def test_places_that_are_mixed_up_break_a_claim(monkeypatch):
    honest = unit_averaging.series_of

    def mixed(*given):
        found = honest(*given)
        starts = np.cumsum(found.units.size) - found.units.size
        order = found.units.order.copy()
        a = starts[found.units.size == YEARS][0]
        order[[a, a + 1]] = order[[a + 1, a]]
        return replace(found, units=replace(found.units, order=order))

    monkeypatch.setattr(unit_averaging, "series_of", mixed)
    with pytest.raises(ClaimBroken):
        done("mdav", panel(60, 7), columns=XY, within=["year"], unit="firm")


@pytest.mark.parametrize("method", METHODS)
def test_a_fault_in_the_means_breaks_a_claim(method, monkeypatch):
    honest = averaging.group_averages
    monkeypatch.setattr(averaging, "group_averages", lambda *given: honest(*given) * 1.001)
    with pytest.raises(ClaimBroken):
        done(method, panel(), columns=XY, within=["year"], unit="firm")


# -- what is told -----------------------------------------------------------------------------------------------------


def test_what_is_told_rests_on_units():
    """Ten firms in four years are ten contributors, not forty; and a giant of four years is one."""
    data = panel(60, 1, absent=0.0)
    firm = np.unique(data.column("firm").texts(), return_inverse=True)[1]
    data = data.with_columns({"x": numbers(firm + np.random.default_rng(1).random(len(firm)))})
    step = Mdav(columns=("x",), within=("year",), unit="firm", k=5)
    told = step.tells(data, step.apply(data, None))
    x, y = data.column("x").values, step.apply(data, None).column("x").values
    assert told["unit"] == ["firm"]
    assert told["variance_kept"]["x"] == round(y.var() / x.var(), 3)
    few = data.take(firm < 10)
    assert len(few) == 40
    assert step.tells(few, step.apply(few, None))["variance_kept"]["x"] is None
    giant = np.where(firm == 0, 67.0, x)
    large = data.with_columns({"x": numbers(giant)})
    after = step.apply(large, None)
    change = (giant - after.column("x").values) ** 2
    assert step.tells(large, after)["variance_kept"]["x"] is None
    assert change[firm == 0].sum() > 0.1 * change.sum() > change[firm == 0].max()
    assert "unit" not in Mdav(columns=("x",)).tells(data, done("mdav", data, columns=["x"]))


def test_the_card_of_every_average_tells_of_series():
    """What cannot group whole units says so; what can, that it must be told to."""
    averages = [cls for cls in catalogue.methods() if issubclass(cls, averaging.Grouping)]
    assert len(averages) == 8
    for cls in averages:
        units = "unit" in cls.__pydantic_fields__
        assert (averaging.SERIES if units else averaging.PERIODS_APART) in cls.does_not
