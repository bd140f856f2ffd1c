"""Panels: a unit is treated alike in all its periods, with entries and exits, and the claims say so over the panel.

For every method that knows units: it holds its claims on a panel with entries, exits and gaps; and a result in which a single period of a
single unit was treated otherwise breaks one of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role

YEARS = (2021, 2022, 2023)
UNITS = 90


def panel():
    """Two thirds of the firms are there in all years, a sixth enter later, a sixth leave; some values are missing."""
    rng = np.random.default_rng(5)
    there = [
        (u, y)
        for u in range(UNITS)
        for y in YEARS
        if not ((u % 6 == 0 and y == 2021) or (u % 6 == 1 and y == 2023))
    ]
    unit, year = (np.array(part) for part in zip(*there, strict=True))
    size = np.exp(rng.normal(3, 1, UNITS))[unit] * np.exp(rng.normal(0, 0.1, len(unit)))
    branch = rng.integers(0, 3, UNITS)[unit]
    turnover = size * 100
    turnover[[17, 60]] = np.nan
    columns = {
        "firm": Column.texts_of([f"f{u:02d}" for u in unit]),
        "year": Column.numbers_of(year),
        "turnover": Column.numbers_of(turnover),
        "wages": Column.numbers_of(size * np.exp(rng.normal(0, 0.2, len(unit)))),
        "branch": Column.texts_of([f"b{b}" for b in branch]),
        "answers": Column.texts_of(["group" if u % 9 == 2 and y == 2022 else "self" for u, y in there]),
    }
    roles = {Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",), Role.NUMERIC: ("turnover", "wages")}
    return Microdata(columns, roles)


BOTH = ("turnover", "wages")
MASSC = {"keys": ("answers",), "more": ("branch",), "risk": 0.02, "unit": "firm", "into": "w"}
SIGNS = {"law": "mixture", "f": 0.11, "s": 0.03, "smallest": 0.02}
STEPS = {
    "factor-noise": {"columns": BOTH, "shared": "factor", "unit": "firm", "factors": {"law": "uniform"}},
    "factor-noise of one direction": {"columns": BOTH, "shared": "sign", "unit": "firm", "factors": SIGNS},
    "controlled-noise": {"columns": BOTH, "unit": "firm", "within": ("year",), "factors": SIGNS},
    "index-numbers": {"columns": BOTH, "unit": "firm", "period": "year", "base": "2022"},
    "mdav": {"columns": BOTH, "unit": "firm", "within": ("year",), "too_small": "suppress"},
    "cluster-average": {"columns": BOTH, "unit": "firm", "within": ("year",), "too_small": "suppress", "grouping": "ward"},
    "axis-average": {"columns": BOTH, "unit": "firm", "within": ("year",), "too_small": "suppress"},
    "random-average": {"columns": BOTH, "unit": "firm", "within": ("year",), "too_small": "suppress"},
    "covariance-swap": {"columns": ("wages",), "keep": ("turnover",), "unit": "firm", "within": ("year",), "tolerance": 0.2},
    "half-swap": {"columns": ("wages",), "unit": "firm", "within": ("year",)},
    "rank-swap": {"columns": {"wages": {"percent": 20}}, "unit": "firm", "within": ("year",)},
    "shuffle": {"columns": ("wages",), "unit": "firm", "within": ("year",)},
    "swap": {"columns": ("wages",), "unit": "firm", "within": ("year",)},
    "rotate": {"columns": ("wages",), "unit": "firm", "within": ("year",)},
    "swap-unprotected": {"columns": ("wages",), "unit": "firm", "within": ("year",), "variance_ratio": 1e-4},
    "massc": MASSC,
    "pram": {"columns": ("branch",), "unit": "firm", "alpha": 0.4},
    "record-swap": {"columns": ("branch",), "keys": ("answers",), "unit": "firm", "share": 0.2, "too_small": "leave"},
}  # fmt: skip
"""Steps that change values of whole units."""
LEAVE_OUT = {
    "suppress-records": {"values": {"answers": ["group"]}, "unit": "firm", "budget": 0.3},
    "cut-off": {"column": "wages", "upper": 60.0, "unit": "firm"},
    "sample": {"share": 0.5, "unit": "firm"},
    "massc": MASSC,
}
"""Steps that leave out whole units."""
MAKE = {"clone", "split"}
"""Steps that make records: see test_made_records."""
IN_PART = {"noise", "correlated-noise", "log-noise", "mixture-noise", "sullivan"}
"""Steps in which the records of a unit have a part of their noise in common: see test_unit_noise."""


def step(name):
    given = STEPS.get(name) or LEAVE_OUT[name]
    return build(catalogue[f"microdata.{name.split()[0]}"], given)


def done(method, data):
    return apply_step(method, data, stream("panels", method.id))


def test_no_method_with_units_is_forgotten():
    with_units = {
        cls.id.removeprefix("microdata.")
        for cls in catalogue.methods()
        if "unit" in cls.__pydantic_fields__ and cls.id.startswith("microdata.")
    }
    assert with_units == {name.split()[0] for name in STEPS} | LEAVE_OUT.keys() | IN_PART | MAKE


def otherwise(data, after, name, *, exchanged):
    """A column in which one firm that is there in all years was treated otherwise in the middle year: a number went the other way, a category
    is another one; or two firms exchanged what they show in that year only."""
    column, firm = after.column(name), after.column("firm").values
    often = np.bincount(firm)[firm] == len(YEARS)
    x, y = data.column(name).values, column.values
    middle = np.flatnonzero(often & (after.column("year").values == 2022) & column.observed)
    changed = middle[x[middle] != y[middle]] if column.kind.is_number else middle
    values = y.copy()
    if exchanged:
        values[changed[:2]] = y[changed[:2]][::-1]
    elif column.kind.is_number:
        old = data.column(name).numbers()[changed[0]]
        values[changed[0]] = 110.0 if y[changed[0]] == 100 else 2 * old - y[changed[0]]
    else:
        values[changed[0]] = (y[changed[0]] + 1) % len(column.categories)
    return after.with_columns({name: replace(column, values=values)})


@pytest.mark.parametrize("name", sorted(STEPS))
def test_claims_are_about_the_panel(name):
    data, method = panel(), step(name)
    after = done(method, data)
    assert not broken_claims(method, data, after)
    treated = method.treated_columns()[-1]
    wrong = otherwise(data, after, treated, exchanged="swap" in name or name == "shuffle")
    said = [c.says.en for c in broken_claims(method, data, wrong)]
    assert any("unit" in text or "period" in text or "serie" in text for text in said), said


@pytest.mark.parametrize("name", sorted(LEAVE_OUT))
def test_whole_units_are_left_out(name):
    data, method = panel(), step(name)
    after = done(method, data)
    firms, left = (set(d.column("firm").texts()) for d in (data, after))
    assert 0 < len(left) < len(firms)
    assert len(after) == sum(firm in left for firm in data.column("firm").texts())


@pytest.mark.parametrize("shared", ["factor", "sign"])
def test_entries_and_exits_are_treated_like_all_others(shared):
    """A firm that enters later, or leaves, has one factor (or direction) too, and not that of its neighbours."""
    data = panel()
    name = "factor-noise" if shared == "factor" else "factor-noise of one direction"
    after = done(step(name), data)
    ratio = after.column("wages").numbers() / data.column("wages").numbers()
    if shared == "sign":
        ratio = np.sign(ratio - 1)
    firm = np.array(data.column("firm").texts())
    years = {f: np.count_nonzero(firm == f) for f in set(firm)}
    assert set(years.values()) == {2, 3}
    for f in years:
        np.testing.assert_allclose(
            ratio[firm == f], ratio[firm == f][0], rtol=0.05 if shared == "factor" else 1e-12
        )
    assert len({ratio[firm == f][0].round(9) for f in years}) > 1
