"""The best guess from several released values of the same thing: their mean, their median, or the most frequent one.

Source: hoehne2010, 2.2.2 (several solutions: the most frequent value is the original one, R16) and 4 (noise averages out).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def centres(values: Floats, units: Ints, count: int, by: Literal["mean", "median"]) -> Floats:
    """Mean or median of what is shown of every unit; not a number where nothing is."""
    seen = ~np.isnan(values)
    v, u = values[seen], units[seen]
    many = np.bincount(u, minlength=count)
    out = np.full(count, np.nan)
    if by == "mean":
        sums = np.bincount(u, weights=v, minlength=count)
        np.divide(sums, many, out=out, where=many > 0)
        return out
    ordered = v[np.lexsort((v, u))]
    start = np.cumsum(many) - many
    some = many > 0
    low, high = (start + (many - 1) // 2)[some], (start + many // 2)[some]
    out[some] = (ordered[low] + ordered[high]) / 2
    return out


def votes(values: NDArray[Any], units: Ints, true: NDArray[Any], of: Ints) -> Floats:
    """For every true value the chance that the most frequent value of its unit is it; ties are broken at random.

    Values are codes; below 0 nothing is shown.
    """
    width = int(max(values.max(initial=-1), true.max(initial=-1))) + 1
    seen = values >= 0
    pairs, times = np.unique(units[seen].astype(np.int64) * width + values[seen], return_counts=True)
    unit = pairs // max(width, 1)
    most = np.zeros(int(max(units.max(initial=-1), of.max(initial=-1))) + 1, dtype=np.int64)
    np.maximum.at(most, unit, times)
    top = times == most[unit]
    ties = np.bincount(unit[top], minlength=len(most))
    winning = pairs[top]
    asked = of.astype(np.int64) * width + true
    place = np.searchsorted(winning, asked)
    won = np.zeros(len(asked), dtype=np.bool_)
    inside = place < len(winning)
    won[inside] = winning[place[inside]] == asked[inside]
    return np.where(won & (true >= 0), 1 / np.maximum(ties[of], 1), 0.0)
