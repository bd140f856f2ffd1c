"""What published totals add to a release: the difference to the sum of the released values belongs to somebody.

Source: hoehne2010, 1.3 (attacks across tables: units that were removed, or moved into another group).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Contributions(NamedTuple):
    """The true values of one column by cell, and what the release shows of them in that cell."""

    x: Floats
    """NaN where there is none."""
    cell: Ints
    y: Floats
    """NaN where the release shows nothing in the cell."""
    total: Floats
    """Published, per cell."""
    sums: Floats
    """Of all released values that stand in the cell."""


class Learnt(NamedTuple):
    """Who is looked for in a cell, and what the attacker takes the value for, with and without the published totals."""

    target: Bools
    guess: Floats
    without: Floats


def attacked(c: Contributions) -> Learnt:
    """The shortfall is the value of whoever is hidden; where nobody is, the largest contributor has been changed by it."""
    there = ~np.isnan(c.x) & (c.x != 0)
    hidden = there & np.isnan(c.y)
    some_hidden = np.bincount(c.cell[hidden], minlength=len(c.total)) > 0
    short = (c.total - c.sums)[c.cell]
    corrected = np.where(some_hidden[c.cell], c.y, c.y + short)
    return Learnt(hidden | largest(c), np.where(hidden, short, corrected), c.y)


def largest(c: Contributions) -> Bools:
    """The largest contributor of every cell in size; the first of equal ones. Cells of zeros have none."""
    out = np.zeros(len(c.x), dtype=np.bool_)
    there = np.flatnonzero(~np.isnan(c.x) & (c.x != 0))
    order = there[np.lexsort((-np.abs(c.x[there]), c.cell[there]))]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = c.cell[order][1:] != c.cell[order][:-1]
    out[order[first]] = True
    return out


def dominated(c: Contributions, f: float) -> tuple[int, int]:
    """Cells whose total gives the largest away to the second largest contributor to within f, and cells with contributors.

    The p per cent rule, T - x₁ - x₂ ≤ f·x₁; cells with values below 0 are passed over.
    """
    there = np.flatnonzero(~np.isnan(c.x) & (c.x != 0))
    negative = np.bincount(c.cell[there], weights=c.x[there] < 0, minlength=len(c.total)) > 0
    there = there[~negative[c.cell[there]]]
    order = there[np.lexsort((-c.x[there], c.cell[there]))]
    cells, start = np.unique(c.cell[order], return_index=True)
    size = np.diff(np.append(start, len(order)))
    first = c.x[order[start]]
    second = (
        np.where(size > 1, c.x[order[np.minimum(start + 1, max(len(order) - 1, 0))]], 0.0)
        if len(order)
        else first
    )
    rest = np.bincount(c.cell[order], weights=c.x[order], minlength=len(c.total))[cells] - first - second
    return int(np.count_nonzero(rest <= f * first * (1 + 1e-12))), len(cells)
