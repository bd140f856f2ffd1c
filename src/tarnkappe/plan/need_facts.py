"""The facts on which it depends whether a table must be protected: some the office tells, others are read from the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.table import Table
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.tables import DimensionUnknown, NotYesNo

Fact = bool | int | float | str | tuple[str, ...] | None


class Facts(BaseModel):
    """What only the office knows."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    personal: bool = True
    """Persons or firms stand behind the data."""
    attribute: Literal["public", "ordinary", "personal", "special"] = "ordinary"
    """In a public register; ordinary; personal such as income or nationality; specially protected."""
    enumeration: Literal["full", "sample", "unknown"] = "unknown"
    years: int = 0
    """Age of the data."""
    visible: bool = False
    """Neighbours can see the attribute."""
    linked: bool = False
    """Other releases share cells with the table."""
    earlier: bool = False
    """An earlier release would make masked cells computable."""
    dominated: bool = False
    """A rule of dominance marks cells."""
    area: str | None = None
    """The dimension of areas."""
    share: str | None = None
    """The dimension of which shares are published,"""
    share_of: tuple[str, ...] = ()
    """and the codes that count."""
    classes: str | None = None
    """The dimension with ordered classes, such as incomes."""


READ = frozenset({
    "counts", "smallest_cell", "smallest_area", "smallest_class", "dimensions", "hierarchical", "extremes", "near_all",
    "near_none", "largest", "k",
})  # fmt: skip
KNOWN = frozenset(Facts.model_fields) | READ
FOUND = frozenset({"score", "triggered", "verdict"})


def facts_of(table: Table, told: Facts, k: int) -> dict[str, Fact]:
    """All facts about a table; None where one cannot be known."""
    count = _units(table)
    spread = [h for h in table.dimensions if len(h) > 1]
    given: Mapping[str, Fact] = told.model_dump()
    return {
        **given, "k": k, "counts": table.counts, "dimensions": len(spread), "hierarchical": any(h.depth > 1 for h in spread),
        "smallest_cell": _smallest(count, table.inner),
        "smallest_area": _smallest(count, _margin(table, told.area)),
        "smallest_class": _smallest(count, table.inner) if _at(table, told.classes) is not None else None,
        **_shares(table, told, k, count), "largest": _largest(table),
    }  # fmt: skip


def _largest(table: Table) -> bool | None:
    """Whether the two largest contributions to every cell are known; None where not even their number is."""
    return None if table.contributions is None else table.contributions.largest.shape[1] > 1


def _units(table: Table) -> Floats | None:
    """How many stand behind every cell, where that is known."""
    if table.counts:
        return table.value
    return None if table.contributions is None else table.contributions.count.astype(np.float64)


def _smallest(count: Floats | None, cells: Bools | None) -> int | None:
    if count is None or cells is None:
        return None
    there = count[cells & (count > 0)]
    return int(there.min()) if len(there) else None


def _at(table: Table, dimension: str | None) -> int | None:
    names = [h.name for h in table.dimensions]
    if dimension is None:
        return None
    if dimension not in names:
        raise DimensionUnknown(name=table.name, dimension=dimension, hint=did_you_mean(dimension, names))
    return names.index(dimension)


def _margin(table: Table, dimension: str | None) -> Bools | None:
    """The lowest level of one dimension with the totals of all others."""
    at = _at(table, dimension)
    if at is None:
        return None
    cells = table.dimensions[at].is_leaf[table.cells[:, at]].copy()
    for j in range(len(table.dimensions)):
        if j != at:
            cells &= table.cells[:, j] == 0
    return np.asarray(cells)


def _shares(table: Table, told: Facts, k: int, count: Floats | None) -> dict[str, Fact]:
    """Whether shares of 0 or 100 per cent occur, or come near."""
    at = _at(table, told.share)
    if count is None:
        return {"extremes": None, "near_all": None, "near_none": None}
    if at is None:
        return {
            "extremes": _somebody_has_all(table, count, _at(table, told.area)),
            "near_all": None,
            "near_none": None,
        }
    nodes = table.dimensions[at].positions(told.share_of)
    if len(nodes) == 0 or (nodes <= 0).any():
        raise NotYesNo(dimension=told.share, yes=", ".join(told.share_of))
    persons = np.flatnonzero((table.cells[:, at] == 0) & (count > 0))
    yes = np.zeros(len(persons))
    for node in nodes:
        cells = table.cells[persons]
        cells[:, at] = node
        rows = table.find(cells)
        yes += np.where(rows >= 0, count[rows], 0.0)
    left = count[persons] - yes
    near_all, near_none = bool((left <= k).any()), bool(((yes >= 1) & (yes <= k)).any())
    return {"extremes": bool(((left == 0) | (yes == 0)).any()), "near_all": near_all, "near_none": near_none}


def _somebody_has_all(table: Table, count: Floats, area: int | None) -> bool:
    """Along some dimension other than areas one of several codes has everything its sum has."""
    for j, tree in enumerate(table.dimensions):
        several = np.bincount(tree.parent[1:], minlength=len(tree)) > 1
        home = table.up[:, j]
        part = np.flatnonzero((home >= 0) & (count > 0))
        whole = count[part] == count[home[part]]
        if j != area and (whole & several[table.cells[home[part], j]]).any():
            return True
    return False
