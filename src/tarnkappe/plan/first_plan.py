"""A first plan that runs: drop what identifies, coarsen keys, suppress what is left, average the numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.contributors import units_counted
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes
from tarnkappe.plan.coarsen import Key, coarsen, make_key
from tarnkappe.plan.ladders import Description
from tarnkappe.plan.profile import ColumnProfile
from tarnkappe.vocab import Role

K = 3
"""Class and group size of the first plan."""
BUDGET = 0.05
"""Largest share of the records that the first plan suppresses."""
_POINTING = (Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER)
"""Roles of columns that the first plan drops: they point to persons, households or firms."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What is proposed for the columns of a file."""

    profiles: Sequence[ColumnProfile]
    roles: Mapping[str, tuple[Role, ...]]
    ladders: Mapping[str, tuple[Description, Hierarchy]]
    cells: bool
    """Every combination of codes occurs once, as in a table."""
    lowest: Mapping[str, int] = field(default_factory=dict)
    """Coarsest level of a column that is still of use."""
    dispensable: Sequence[str] = ()
    """Columns nobody needs."""
    k: int = K
    """Class and group size that is aimed at."""

    def having(self, *roles: Role) -> list[str]:
        return [p.name for p in self.profiles if set(roles) & set(self.roles[p.name])]


@dataclass(frozen=True, slots=True)
class Treatment:
    """What the first plan does to the columns."""

    drop: list[str]
    generalise: dict[str, int]
    average: list[str]
    gaps: bool
    """Some of the averaged columns have missing values."""
    keys: list[str]
    """Keys that stay in the file."""
    suppressed: int
    """Records that have to go for the keys to reach k."""
    alike: list[str] = field(default_factory=list)
    """Keys that reach k because they are averaged."""
    smallest: int = K
    """Records that share their keys at least: k, twice that where sensitive numbers are averaged."""
    budget: float = BUDGET
    """Largest share of the records that may be suppressed; more only where keys must stay as fine as users need them."""


def treatment(data: Microdata, columns: Columns) -> Treatment:
    """Decide what happens to every column."""
    allowed = int(BUDGET * len(data) + 1e-9)
    drop = [
        *columns.having(*_POINTING),
        *(p.name for p in columns.profiles if _unsound(p, columns) or p.distinct == 0),
    ]
    drop += [name for name in columns.dispensable if name not in drop]
    known = [name for name in columns.having(Role.KEY) if name not in drop]
    alike = [p.name for p in columns.profiles if p.name in known and _averaged(p, columns)]
    keys = [name for name in known if name not in alike]
    averaged = [p for p in columns.profiles if _averaged(p, columns) and p.name not in drop]
    secret = any(Role.SENSITIVE in columns.roles[p.name] for p in averaged)
    smallest = (
        2 * columns.k if secret else columns.k
    )  # two averages at least in every class: none tells a sensitive number
    levels, suppressed, made = dict[str, int](), 0, list[Key]()
    if keys:
        fixed = columns.having(Role.PERIOD)
        made = [_key(n, data, columns, fixed=n in fixed) for n in keys]
        found = coarsen(made, smallest, allowed, _units(data, columns))
        levels, suppressed = dict(found.levels), found.left
    gone = [name for name in keys if levels[name] == 0]
    if suppressed > allowed and not columns.lowest:
        gone, suppressed = keys, 0
    kept = [key for key in made if key.name not in gone]
    levels |= _of_secrets(data, columns, {key: levels[key.name] for key in kept}, drop)
    return Treatment(
        drop=list(dict.fromkeys([*drop, *gone])),
        generalise={n: level for n, level in levels.items() if n not in gone and _coarser(n, level, columns)},
        average=[p.name for p in averaged],
        gaps=any(p.missing_share > 0 for p in averaged) or _units_repeat(columns),
        keys=[name for name in keys if name not in gone],
        alike=alike,
        smallest=smallest,
        suppressed=suppressed,
        budget=max(BUDGET, math.ceil(100 * suppressed / max(len(data), 1)) / 100),
    )


def _units(data: Microdata, columns: Columns) -> Ints | None:
    """The units by which classes will be counted, once the columns have their roles."""
    return units_counted(
        data.with_roles({role: tuple(columns.having(role)) for role in (*_POINTING, Role.PERIOD)})
    )


def _of_secrets(
    data: Microdata, columns: Columns, keys: Mapping[Key, int], drop: Sequence[str]
) -> dict[str, int]:
    """The finest level of sensitive codes on which few records stand alone for whoever knows the keys and the code."""
    records = np.arange(len(data))
    known = [key.at(level, records) for key, level in keys.items()]
    levels = {}
    for name in columns.having(Role.SENSITIVE):
        if name in columns.ladders and name not in drop and Role.KEY not in columns.roles[name]:
            secret = _key(name, data, columns, fixed=False)
            lowest = max(1, secret.lowest)
            shares = (
                (level, _alone([*known, secret.at(level, records)]))
                for level in range(secret.finest, lowest, -1)
            )
            levels[name] = next((level for level, share in shares if share <= BUDGET), lowest)
    return levels


def _alone(columns: Sequence[tuple[Ints, int]]) -> float:
    """Share of the records that nobody shares all codes with."""
    sizes = classes(columns).sizes
    return float((sizes == 1).sum() / max(int(sizes.sum()), 1))


def _key(name: str, data: Microdata, columns: Columns, *, fixed: bool) -> Key:
    lowest = columns.lowest.get(name, 0)
    return make_key(name, data.column(name), _tree(name, columns), fixed=fixed, lowest=lowest)


def _tree(name: str, columns: Columns) -> Hierarchy | None:
    return columns.ladders[name][1] if name in columns.ladders else None


def _coarser(name: str, level: int, columns: Columns) -> bool:
    tree = _tree(name, columns)
    return tree is not None and level < tree.depth


def _unsound(column: ColumnProfile, columns: Columns) -> bool:
    """Infinite numbers, and those that lack digits, cannot be averaged or put into bands."""
    return not column.sound and not set(columns.roles[column.name]) & set(_POINTING)


def _averaged(column: ColumnProfile, columns: Columns) -> bool:
    return Role.NUMERIC in columns.roles[column.name] and not column.constant


def first_plan(data: Microdata, file: str, columns: Columns, done: Treatment) -> dict[str, Any]:
    """The plan as it stands in a file. Where nobody could hide, or nothing would be left, its run is refused and says what to change."""
    stem = PurePath(file).stem
    plan: dict[str, Any] = {
        "tarnkappe": 1,
        "title": f"First release of {stem}",
        "data": _data(file, columns),
        "release": {"kind": "scientific-use"},
        "seed": {"secret": re.sub(r"[^A-Za-z0-9_.-]+", "-", stem).strip("-_.") or "release"},
        "steps": _steps(done, columns.k)
        if len(data) >= columns.k
        else _steps(_only_dropped(done), columns.k),
        "measures": _measures(data, done, columns) if len(data) >= columns.k else [],
        "release_if": _gates(data, done, columns.k),
    }
    return {part: content for part, content in plan.items() if content not in ([], {})}


def _only_dropped(done: Treatment) -> Treatment:
    """For files of so few records that no step could reach k."""
    return replace(done, generalise={}, average=[], keys=[])


def _gates(data: Microdata, done: Treatment, k: int) -> list[dict[str, Any]]:
    """The keys must reach k; in files of fewer records than that, all columns that are left must."""
    if done.keys or (done.alike and len(data) >= k):
        return [{"measure": "risk.k-anonymity", "at_least": k}]
    left = [name for name in data.names if name not in done.drop]
    return [{"measure": "risk.k-anonymity", "keys": left, "at_least": k}] if left and len(data) < k else []


def _units_repeat(columns: Columns) -> bool:
    """Whether classes of k records may be those of fewer units: no identifier tells all records apart, or the file is a panel."""
    named = [p for p in columns.profiles if Role.IDENTIFIER in columns.roles[p.name]]
    apart = any(p.distinct == p.records for p in named)
    return bool(named) and (not apart or bool(columns.having(Role.PERIOD)))


def _data(file: str, columns: Columns) -> dict[str, Any]:
    roles: dict[str, Any] = {role.value: columns.having(role) for role in Role}
    for role in Role:
        if role.single and roles.get(role.value):
            roles[role.value] = roles[role.value][0]
    hierarchies = {name: description for name, (description, _) in columns.ladders.items() if description}
    parts = {"file": file, "roles": {role: names for role, names in roles.items() if names}}
    return parts | ({"hierarchies": hierarchies} if hierarchies else {})


def _steps(done: Treatment, k: int) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    if done.drop:
        steps.append({"use": "microdata.drop", "columns": done.drop})
    if done.generalise:
        steps.append({"use": "microdata.generalise", "columns": done.generalise})
    if done.keys:
        steps.append({"use": "microdata.suppress-records", "below": done.smallest, "budget": done.budget})
    gaps = {"too_small": "suppress"} if done.gaps else {}
    if done.average:
        within = {"within": done.keys} if done.keys else {}  # else a key and an average single a record out
        steps.append({"use": "microdata.mdav", "columns": done.average, "k": k, **within, **gaps})
    return steps


def _measures(data: Microdata, done: Treatment, columns: Columns) -> list[Any]:
    """Measures that have something to measure: keys for the risks, quantities for the utility."""
    risks = ["risk.uniques", "risk.class-sizes"] if done.keys else []
    left = [n for n in data.names if n not in done.drop and n not in done.generalise]
    apart = columns.having(Role.WEIGHT, Role.PERIOD, Role.STRATUM)
    numbers = [n for n in left if data.column(n).kind.is_number and n not in apart]
    wanted = {"utility.moments": 1, "utility.correlations": 2}
    return risks + [measure for measure, needed in wanted.items() if len(numbers) >= needed]
