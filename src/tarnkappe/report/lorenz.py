"""From a column of amounts to its Lorenz curve: which share of the sum the smallest records hold together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Column, Floats
from tarnkappe.report.axes import SMALLEST

PARTS = 20
"""Points of the curve: each stands for 5 % of the records."""
_FEWEST = SMALLEST * PARTS
"""Every part then holds at least three records."""


@dataclass(frozen=True, slots=True)
class Lorenz:
    """Shares of the sum held by the smallest 0 %, 5 %, … 100 %, and the Gini coefficient."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    gini: tuple[float, float]


def lorenz(before: Column, after: Column) -> Lorenz | None:
    """Both curves; None for negative amounts, for sums of zero and where there are too few records."""
    sides = []
    for column in (before, after):
        values = column.numbers()
        values = values[np.isfinite(values)]
        if len(values) < _FEWEST or values.min() < 0 or not 0 < values.max() < 1e150:
            return None
        sides.append(_curve(values / values.max()))
    return Lorenz(sides[0][0], sides[1][0], (sides[0][1], sides[1][1]))


def _curve(values: Floats) -> tuple[tuple[float, ...], float]:
    """The curve and Gini's coefficient G = 1 + 1/n - 2/(n Σx) · Σ (n + 1 - i) x_(i)."""
    x = np.sort(values)
    n, sums = len(x), np.cumsum(x)
    ends = np.rint(np.arange(1, PARTS + 1) * n / PARTS).astype(np.int64)
    shares = sums[ends - 1] / sums[-1]
    gini = 1 + 1 / n - 2 * float((sums / sums[-1]).sum()) / n
    return (0.0, *shares.tolist()), gini
