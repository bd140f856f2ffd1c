"""What forms need to know of the columns: kinds, roles, levels of hierarchies, short lists of categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.plan.model import DataDescription
from tarnkappe.plan.progress import Progress
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.studio.desk import Desk, sample_of
from tarnkappe.vocab import Kind

_LISTED = 60
"""A column with more categories is not offered value by value."""


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """A column as a form offers it."""

    name: str
    kind: Kind = Kind.CATEGORY
    roles: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    """Names of the levels of its hierarchy, the total first."""
    values: tuple[str, ...] = ()
    """Its categories, where they are few."""


def columns(desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any]) -> tuple[KnownColumn, ...]:
    """The columns of the data with what the plan says of them. A hierarchy that does not fit has no levels."""
    del progress
    found = sample_of(desk.raw(folder, data))
    said = fit_or_raise(DataDescription, data, "data")
    return tuple(
        KnownColumn(
            name,
            column.kind,
            tuple(role.value for role, names in said.roles.items() if name in names),
            _levels(said.hierarchies.get(name), name, column, folder),
            _values(column),
        )
        for name, column in found.columns.items()
    )


def _levels(
    description: HierarchyDescription | None, name: str, column: Column, folder: Path
) -> tuple[str, ...]:
    if description is None:
        return ()
    try:
        return build_hierarchy(description, name, column, folder).level_names
    except TarnkappeError:
        return ()


def _values(column: Column) -> tuple[str, ...]:
    if column.categories is None or column.kind is not Kind.CATEGORY:
        return ()
    used = np.unique(column.values[column.observed])
    return tuple(str(text) for text in column.categories[used]) if len(used) <= _LISTED else ()
