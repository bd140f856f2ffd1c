"""A column made of keys is a key: whoever knows the years of birth and of death knows the age at death."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.telling import agreement, function_of
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.recover import recovered
from tarnkappe.vocab import Role

GLANCE = 50_000
"""Records at which every column is looked at first."""
_NO_KEYS = {
    Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD, Role.UNIT, Role.OWNER, Role.PERIOD, Role.STRATUM, Role.SENSITIVE,
}  # fmt: skip


def roles_of_made(
    roles: Mapping[Role, tuple[str, ...]], parts: Mapping[str, Iterable[str]]
) -> Mapping[Role, tuple[str, ...]]:
    """Roles with new columns among them: one that is made of keys only is a key."""
    keys = roles.get(Role.KEY, ())
    made = tuple(name for name, names in parts.items() if name not in keys and set(names) <= set(keys))
    return {**roles, Role.KEY: (*keys, *made)} if made else roles


def made_of_keys(before: Microdata, after: Microdata) -> tuple[str, ...]:
    """Released columns that follow from the keys of the original and tell more than the released keys do, though they are none.

    They are found as functions of one or two keys or of all, and as linear formulas, products and quotients of keys that are numbers.
    """
    old, new = before.paired(after)
    keys = [name for name in old.role(Role.KEY) if not old.column(name).empty]
    asked = [
        name
        for name in new.names
        if name not in new.role(Role.KEY)
        and not set(new.roles_of(name)) & _NO_KEYS
        and not new.column(name).empty
    ]
    if not keys or not asked or len(new) == 0:
        return ()
    known = classes(old.column(key).codes() for key in keys).ids.astype(np.int64)
    shown = np.logical_and.reduce([old.column(key).observed for key in keys])
    possible = [name for name in asked if _never_two(known, shown, new.column(name))]
    return tuple(name for name in possible if _tells_more(new, name) and _follows(old, keys, new, name))


def _never_two(known: Ints, shown: Bools, column: Column) -> bool:
    """Whether records that agree in all keys never show two values; most columns show some among few records already."""
    for records in (np.linspace(0, len(known) - 1, min(len(known), GLANCE)).astype(np.int64), slice(None)):
        values = column.take(np.arange(len(known))[records]).codes()[0]
        if agreement(known[records], values, shown[records] & (values >= 0))[0] < 1:
            return False
    return True


def counted_as_keys(data: Microdata, names: Sequence[str]) -> Microdata:
    """With the role key for some more columns."""
    return data.with_roles({**data.roles, Role.KEY: (*data.role(Role.KEY), *names)}) if names else data


def _tells_more(data: Microdata, name: str) -> bool:
    """Whether a column divides classes of the keys."""
    keys = data.role(Role.KEY)
    if not keys:
        return True
    known = [data.column(key).codes() for key in keys]
    return len(classes([*known, data.column(name).codes()]).sizes) > len(classes(known).sizes)


def _follows(old: Microdata, keys: Sequence[str], new: Microdata, name: str) -> bool:
    own = {f"key {i}": old.column(key) for i, key in enumerate(keys)}
    both = Microdata({**own, "made": new.column(name)})
    if function_of(both, tuple(own), "made"):
        return True
    numbers = [old.column(key) for key in keys if old.column(key).kind.is_number]
    if not numbers or not new.column(name).kind.is_number:
        return False
    return (
        recovered(
            _finite(new.column(name).numbers()), np.column_stack([_finite(c.numbers()) for c in numbers])
        )
        is not None
    )


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
