"""Counts of residents in a city, its districts and their quarters: one record per quarter and kind of person.

Only the smallest areas are recorded, so every district and city is the sum of its quarters by construction.
Many counts are small: that is what has to be protected.
"""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Column, Floats, Ints, Strings
from tarnkappe.data.hierarchy_builders import from_digits
from tarnkappe.data.microdata import Microdata
from tarnkappe.examples.draws import Draws
from tarnkappe.examples.names import numbered
from tarnkappe.examples.size import checked
from tarnkappe.vocab import Role

AGE_GROUPS = ("0-14", "15-24", "25-44", "45-64", "65-79", "80+")
NATIONALITIES = ("domestic", "European Union", "other")
KINDS = tuple(
    (age, nationality, unemployed)
    for age in range(len(AGE_GROUPS))
    for nationality in range(len(NATIONALITIES))
    for unemployed in ((0, 1) if age in (1, 2, 3) else (0,))
)
"""Age group, nationality, unemployed: only people of working age can be unemployed."""
DISTRICTS = 12
"""Districts of a city; further cities are added when more quarters are wanted."""
ROLES = {
    Role.KEY: ("city", "district", "quarter", "age_group", "nationality"),
    Role.SENSITIVE: ("unemployed",),
    Role.NUMERIC: ("count",),
}

_LEVELS = ("total", "city", "district", "quarter")
_BY_AGE = np.array((0.13, 0.11, 0.31, 0.26, 0.13, 0.06))
_BY_NATIONALITY = np.array((0.72, 0.16, 0.12))
_OUT_OF_WORK = np.array((0.04, 0.045, 0.11))


def make_municipal(size: int, seed: int = 1) -> Microdata:
    """`size` counts, 27 for each quarter but the last, which may have fewer."""
    draws = Draws(seed, "municipal")
    kinds = np.array(KINDS)
    quarter, kind = np.divmod(np.arange(checked(size)), len(kinds))
    quarters = int(quarter[-1]) + 1
    age, nationality, unemployed = kinds[kind].T
    city, district, own = _areas(quarters, draws)
    expected = _residents(quarters, draws)[quarter] * _shares(quarters, draws)[quarter, kind]
    columns = {
        "city": _area("city", [city], quarter),
        "district": _area("district", [city, district], quarter),
        "quarter": _area("quarter", [city, district, own], quarter),
        "age_group": _coded(age, AGE_GROUPS),
        "nationality": _coded(nationality, NATIONALITIES),
        "unemployed": _coded(unemployed, ("no", "yes")),
        "count": Column.numbers_of(draws.counts("count", expected)),
    }
    return Microdata(columns, ROLES)


def _areas(quarters: int, draws: Draws) -> tuple[Strings, Strings, Strings]:
    """Number of the city, of the district within it and of the quarter within that, for each quarter."""
    wide = draws.whole("quarters", 2, 6, quarters)
    ends = np.cumsum(wide)
    district = np.searchsorted(ends, np.arange(quarters), "right")
    own = np.arange(quarters) - (ends - wide)[district] + 1
    city, within = np.divmod(district, DISTRICTS)
    return numbered(city + 1, width=2), numbered(within + 1, width=2), numbered(own)


def _residents(quarters: int, draws: Draws) -> Floats:
    """Most quarters have a few thousand residents, some only a few dozen."""
    return np.exp(6.9 + 1.1 * draws.normal("residents", quarters))


def _shares(quarters: int, draws: Draws) -> Floats:
    """Share of each kind of resident in each quarter; quarters differ in age and origin."""
    age = _BY_AGE * np.exp(0.25 * draws.normal("ages", quarters * 6).reshape(-1, 6))
    origin = _BY_NATIONALITY * np.exp(0.5 * draws.normal("origins", quarters * 3).reshape(-1, 3))
    age /= age.sum(axis=1, keepdims=True)
    origin /= origin.sum(axis=1, keepdims=True)
    of_age, of_origin, unemployed = np.array(KINDS).T
    out_of_work = np.where(np.isin(of_age, (1, 2, 3)), _OUT_OF_WORK[of_origin], 0.0)
    in_work = np.where(unemployed == 1, out_of_work, 1 - out_of_work)
    return np.asarray(age[:, of_age] * origin[:, of_origin] * in_work)


def _area(name: str, parts: list[Strings], quarter: Ints) -> Column:
    """The area of every record; its code is made of the codes of the areas around it."""
    categories, codes = np.unique(np.sum(parts, axis=0), return_inverse=True)
    lengths = np.cumsum([len(part[0]) for part in parts])
    tree = from_digits(name, categories, lengths.tolist())
    return Column.coded(codes[quarter], categories, hierarchy=tree.worded(_LEVELS[: len(parts) + 1], {}))


def _coded(codes: Ints, categories: tuple[str, ...]) -> Column:
    return Column.coded(codes, np.array(categories, dtype=object))
