"""Measures that follow from each other: domestic and foreign turnover add up to turnover in every cell that tables have of all three.

What holds in every record holds in every sum of records. An inequality, exports at most turnover, becomes an equation with what is left:
a cell that nobody publishes and that cannot be negative.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.table_set import TableSet
from tarnkappe.data.ties import FITS, TieBuilder

CLOSE = 0.5
"""An inequality is used where what is left is less than this share of the larger side: elsewhere it tells nothing that matters."""


def tie_measures(builder: TieBuilder, tables: TableSet, coefficients: Mapping[str, float]) -> None:
    """Coefficients times measures add up to nothing, in every cell."""
    cell, _ = _side_by_side(tables, list(coefficients))
    weights = np.array(list(coefficients.values()))
    row, column = np.nonzero(cell >= 0)
    builder.equations(row.astype(np.int64), cell[row, column], weights[column])


def tie_limits(
    builder: TieBuilder, tables: TableSet, coefficients: Mapping[str, float], only: Bools | None = None
) -> None:
    """Coefficients times measures add up to 0 at most, in every cell or in some only; used where it is close."""
    cell, value = _side_by_side(tables, list(coefficients))
    weights = np.array(list(coefficients.values()))
    left, size = -(value * weights).sum(axis=1), np.abs(value * weights).max(axis=1, initial=0.0)
    keep = (cell >= 0).all(axis=1) & (left >= -FITS * size) & (left < CLOSE * size)
    keep &= True if only is None else only[cell].all(axis=1)
    cell, left = cell[keep], np.maximum(left[keep], 0.0)
    slack = builder.hidden_cells(left, 0.0, counts=False)
    row = np.repeat(np.arange(len(cell)), len(weights) + 1)
    builder.equations(
        row,
        np.concatenate([cell, slack[:, None]], axis=1).reshape(-1),
        np.tile(np.append(weights, 1.0), len(cell)),
    )


def _side_by_side(tables: TableSet, measures: list[str]) -> tuple[Ints, Floats]:
    """(places, measures) the physical cell of every measure at the same codes, -1 where there is none; and its value."""
    numbered = {name: i for i, name in enumerate(sorted({t.measure for t in tables.tables}))}
    key = tables.stock.key
    mine = [np.flatnonzero(key[:, 0] == numbered.get(name, -1)) for name in measures]
    which = np.concatenate(mine)
    place = _places(key[which, 1:])
    column = np.repeat(np.arange(len(measures)), [len(cells) for cells in mine])
    cell = np.full((int(place.max(initial=-1)) + 1, len(measures)), -1, dtype=np.int64)
    cell[place, column] = which
    cell = cell[(cell >= 0).sum(axis=1) >= 2]
    return cell, np.where(cell >= 0, tables.value[cell], 0.0)


def _places(keys: Ints) -> Ints:
    """A number for every distinct row, one column after the other so that nothing overflows."""
    number = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        values, place = np.unique(column, return_inverse=True)
        number = np.unique(number * len(values) + place.reshape(-1), return_inverse=True)[1].reshape(-1)
    return number.astype(np.int64)
