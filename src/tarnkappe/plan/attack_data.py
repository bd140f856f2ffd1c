"""Attack data that is in memory, as `tarnkappe attack` does with files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.swapped import warn_if_swapped
from tarnkappe.language import Text
from tarnkappe.plan.attack import Attacked, Sides, attack
from tarnkappe.plan.attack_files import (
    Named,
    Roles,
    by_identity,
    chosen_roles,
    told,
    who_is_who,
    with_roles,
    words_of,
)
from tarnkappe.plan.model import RegisterDescription
from tarnkappe.vocab import Role

_BY_ROWS = Text(
    "The records of the release know which records of the original they come from.",
    "Die Datensätze der Freigabe wissen, von welchen Datensätzen des Originals sie stammen.",
)


def attacks(
    before: Microdata,
    after: Microdata,
    keys: Sequence[str] = (),
    identity: str | Sequence[str] = (),
    knowledge: Microdata | None = None,
    holdout: Microdata | None = None,
    only: Sequence[str] = (),
) -> Attacked:
    """Take every measure of risk, or only some; what the data has nothing for is left out with the reason.

    Roles are those of the release, else of the original, else what columns look like; `keys` replaces the keys. Records that a method of
    ours protected know where they come from; for two files that were read, `identity` names the column that tells who is who, or several that do so
    together, also in `knowledge`, a file that an attacker has. `holdout` are persons like those of the original whose data did not enter the release.
    """
    warn_if_swapped(before, after)
    told_by = (identity,) if isinstance(identity, str) else tuple(identity)
    named = Named({Role.KEY: tuple(keys)}, told_by)
    roles, proposed = chosen_roles(named, before, after if after.roles else after.with_roles(before.roles))
    new, who = _known(before, after, told_by, roles)
    sides = Sides(
        with_roles(before, roles),
        with_roles(new, roles),
        (words_of(roles, proposed=proposed), who),
        _named("knowledge", _persons(knowledge, before, told_by, roles)),
        _named("holdout", _persons(holdout, before, (), roles)),
    )
    return attack(told(sides), only=only)


def _known(
    before: Microdata, after: Microdata, identity: tuple[str, ...], roles: Roles
) -> tuple[Microdata, Text]:
    """Who is who: by columns, by what the records know, or by their order where both files were just read."""
    read = np.array_equal(after.rows, np.arange(len(after)))
    if identity or read:
        return who_is_who(before, after, identity, roles, shuffled=False)
    return after, _BY_ROWS


def _persons(
    file: Microdata | None, before: Microdata, identity: tuple[str, ...], roles: Roles
) -> Microdata | None:
    if file is None:
        return None
    if not identity or not set(identity) <= set(file.columns):
        return replace(file, rows=-1 - np.arange(len(file), dtype=np.int64))
    return by_identity(file, before, identity, roles)


def _named(word: str, file: Microdata | None) -> tuple[RegisterDescription, Microdata] | None:
    return None if file is None else (RegisterDescription(file=word), file)
