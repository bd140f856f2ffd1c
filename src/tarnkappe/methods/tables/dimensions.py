"""Dimensions of a table by name, and tables with one dimension less."""

from __future__ import annotations

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.table import Table
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.tables import DimensionUnknown


def along(table: Table, dimension: str) -> int:
    """The position of a dimension."""
    names = [h.name for h in table.dimensions]
    if dimension not in names:
        raise DimensionUnknown(name=table.name, dimension=dimension, hint=did_you_mean(dimension, names))
    return names.index(dimension)


def without(table: Table, at: int, rows: Ints, value: Floats) -> Table:
    """Some cells that agree in a dimension, as a table without it; rows stay in their order."""
    others = [j for j in range(len(table.dimensions)) if j != at]
    dimensions = tuple(table.dimensions[j] for j in others)
    return Table(table.name, dimensions, table.cells[rows][:, others], value, counts=table.counts)
