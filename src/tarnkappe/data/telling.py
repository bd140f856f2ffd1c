"""Which columns of a release tell the value of another: those of one household or unit, and exact functional dependencies.

Everything is read off the cells that are shown, as somebody outside does. A household number tells the region where all members who show
one show the same; a county tells its land where no county shows two. Agreement by chance is told apart from a rule: the more often
equal values meet anyway, the more records must agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes
from tarnkappe.vocab import Role

UNITS = (Role.HOUSEHOLD, Role.UNIT, Role.IDENTIFIER)
"""Roles of columns that say which records belong to one unit."""
NEARLY = 0.95
"""Of a unit a value counts as lasting where records agree to this share, beyond what chance gives: a few firms change their branch."""
SURE_OF_UNITS, SURE_OF_COLUMNS = np.log(1e2), np.log(1e6)
"""How unlikely agreement by chance must be, as a logarithm; many pairs of columns are looked at, and few columns name units."""
LOOKED_AT = 4_000
"""So many records, evenly spread, mostly show that two columns have nothing to do with each other."""
MOST_KEYS = 12
"""With more keys, pairs of them are not looked at."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Where some columns agree, another one does."""

    by: tuple[str, ...]
    tells: str
    counted: bool = False
    """Not the columns themselves tell, but how many records agree in them: the members of a household are its size."""


@dataclass(frozen=True)
class Shown:
    """A release as it is shown: codes below 0 are gaps."""

    data: Microdata

    @cached_property
    def _codes(self) -> dict[str, tuple[Ints, int]]:
        return {}

    def codes(self, name: str) -> tuple[Ints, int]:
        if name not in self._codes:
            self._codes[name] = self.data.column(name).codes()
        return self._codes[name]

    def observed(self, names: Iterable[str]) -> Bools:
        return np.asarray(np.logical_and.reduce([self.codes(name)[0] >= 0 for name in names]))

    def groups(self, by: Sequence[str], *, counted: bool = False) -> Ints:
        """Records that agree in some columns, or in how many others do; meaningful where all of them are shown."""
        if len(by) == 1 and not counted:
            return self.codes(by[0])[0]
        found = classes(self.codes(name) for name in by)
        return (found.sizes[found.ids] if counted else found.ids).astype(np.int64)


def relations(data: Microdata, targets: Sequence[str]) -> tuple[Relation, ...]:
    """What tells these columns."""
    shown = Shown(data)
    asked = (
        relation
        for name in targets
        for relation in (
            *(Relation(by, name) for by in (*_units(data), *_columns(data), *_pairs(data, name))),
            *(Relation(by, name, counted=True) for by in _homes(data)),
        )
    )
    return tuple(r for r in asked if r.tells not in r.by and _told(shown, r.by, r.tells, counted=r.counted))


def function_of(data: Microdata, names: Sequence[str], name: str) -> bool:
    """Whether one or two of some columns tell another, or all of them together."""
    shown = Shown(data)
    few = combinations(names, 2) if len(names) <= MOST_KEYS else ()
    return any(_told(shown, by, name) for by in (*((one,) for one in names), *few, tuple(names)))


def lasting(data: Microdata, names: Sequence[str]) -> tuple[Relation, ...]:
    """The columns that are the same for all records of a household or unit, by what names it."""
    shown = Shown(data)
    return tuple(
        Relation(by, name)
        for name in names
        for by in _units(data)
        if name not in by and _told(shown, by, name)
    )


def _units(data: Microdata) -> Iterator[tuple[str, ...]]:
    """What says which records belong together; in a panel a household also in each period."""
    for role in UNITS:
        for name in data.role(role):
            yield (name,)
            if role is Role.HOUSEHOLD and (period := data.role(Role.PERIOD)):
                yield (name, *period)


def _homes(data: Microdata) -> Iterator[tuple[str, ...]]:
    """What names a household, in a panel that of a period."""
    return ((name, *data.role(Role.PERIOD)) for name in data.role(Role.HOUSEHOLD))


def _columns(data: Microdata) -> Iterator[tuple[str, ...]]:
    """All other columns that are released, one by one."""
    not_released = {*data.role(Role.OWNER), *(name for role in UNITS for name in data.role(role))}
    return ((name,) for name in data.names if name not in not_released)


def _pairs(data: Microdata, name: str) -> Iterator[tuple[str, ...]]:
    """Pairs of keys: the years of birth and of death tell the age at death."""
    keys = data.role(Role.KEY)
    return iter(()) if name not in keys or len(keys) > MOST_KEYS else combinations(keys, 2)


def _told(shown: Shown, by: tuple[str, ...], name: str, *, counted: bool = False) -> bool:
    of_unit = not counted and any(set(shown.data.roles_of(n)) & set(UNITS) for n in by)
    few = _evenly(len(shown.data))
    groups = shown.groups(by, counted=counted)
    there = shown.observed((*by, name))
    values = shown.codes(name)[0]
    if not of_unit and few is not None and agreement(groups[few], values[few], there[few])[0] < 1:
        return False
    share, sure = agreement(groups, values, there)
    return sure >= SURE_OF_UNITS and share >= NEARLY if of_unit else sure >= SURE_OF_COLUMNS and share == 1


def _evenly(records: int) -> Ints | None:
    return None if records <= 2 * LOOKED_AT else np.linspace(0, records - 1, LOOKED_AT).astype(np.int64)


def agreement(groups: Ints, values: Ints, there: Bools) -> tuple[float, float]:
    """To what share records of a group agree beyond chance, and how unlikely that is by chance (Chernoff's bound, a logarithm)."""
    groups, values = groups[there], values[there]
    if not len(values):
        return 1.0, 0.0
    first = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    others = first[groups] != np.arange(len(groups))
    many = int(np.count_nonzero(others))
    alike = int(np.count_nonzero(others & (values == values[first[groups]])))
    chance = float(np.sum((np.bincount(values) / len(values)) ** 2))
    if not many or chance == 1:
        return 1.0, 0.0
    share = alike / many
    return (share - chance) / (1 - chance), many * _distance(share, chance) if share > chance else 0.0


def _distance(share: float, chance: float) -> float:
    """Kullback-Leibler distance of two chances of yes."""
    no = 0.0 if share == 1 else (1 - share) * np.log((1 - share) / (1 - chance))
    return float(share * np.log(share / chance) + no)
