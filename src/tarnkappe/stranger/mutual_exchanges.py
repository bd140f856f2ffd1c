"""Exchanged columns that add up: few partners fit windows of ranks, the sum, and that whoever carries my value has mine."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Floats, Ints

WIDTHS = (0.02, 0.05, 0.1, 0.2)
"""Windows that are tried, as shares of the records, the narrowest first."""
WORK = 60_000_000
"""Sums that are looked at; more would take minutes."""
Triples = Ints
"""Partners of one record in the three columns, a row for each that fits."""


def undone(x: Floats) -> Floats | None:
    """Original values of the records, where all that fits is one triple; NaN elsewhere. None where no window leaves every record something.

    Parameters
    ----------
    x
        Two parts and their sum, each exchanged by itself: records × 3.
    """
    for width in WIDTHS:
        reach = max(2, int(np.ceil(width * len(x))))
        if len(x) * (2 * reach + 1) ** 2 > WORK:
            return None
        left = _pruned(_fitting(x, reach), len(x))
        if all(len(triples) for triples in left):
            return _values(x, left)
    return None


def _fitting(x: Floats, reach: int) -> list[Triples]:
    """Per record, the records that may carry its three values: near by in rank, and adding up."""
    near = [_near(column, reach) for column in x.T]
    return [_adding_up(x, *(window[i] for window in near)) for i in range(len(x))]


def _near(values: Floats, reach: int) -> list[Ints]:
    order, ordered = np.argsort(values, kind="stable"), np.sort(values)
    low, high = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return [order[max(0, a - reach) : b + reach] for a, b in zip(low, high, strict=True)]


def _adding_up(x: Floats, first: Ints, second: Ints, third: Ints) -> Triples:
    sums = (x[first, 0][:, None] + x[second, 1]).ravel()
    totals = x[third, 2]
    order = np.argsort(totals, kind="stable")
    low = np.searchsorted(totals[order], sums, "left")
    count = np.searchsorted(totals[order], sums, "right") - low
    at = np.flatnonzero(count)
    pairs = np.repeat(at, count[at])
    place = np.arange(len(pairs)) - np.repeat(np.cumsum(count[at]) - count[at], count[at])
    return np.column_stack(
        [
            first[pairs // len(second)],
            second[pairs % len(second)],
            third[order[np.repeat(low[at], count[at]) + place]],
        ]
    )


def _pruned(left: list[Triples], count: int) -> list[Triples]:
    """Triples that are left when partners must name each other, in all three columns, until nothing changes."""
    size = -1
    while size != sum(map(len, left)):
        size = sum(map(len, left))
        who = np.repeat(np.arange(count), [len(triples) for triples in left])
        partner = np.concatenate(left) if left else np.zeros((0, 3), dtype=np.int64)
        mutual = np.ones(len(who), dtype=np.bool_)
        for j in range(3):
            named = np.unique(who * count + partner[:, j])
            mutual &= np.isin(partner[:, j] * count + who, named, assume_unique=False)
        left = np.split(partner[mutual], np.cumsum(np.bincount(who[mutual], minlength=count))[:-1])
    return left


def _values(x: Floats, left: list[Triples]) -> Floats:
    out = np.full(x.shape, np.nan)
    for i, triples in enumerate(left):
        values = np.unique(np.column_stack([x[triples[:, j], j] for j in range(3)]), axis=0)
        if len(values) == 1:
            out[i] = values[0]
    return out
