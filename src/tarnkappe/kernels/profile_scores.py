"""Anonymity models on sparse rows of counts: one number for every row, NaN where a row is empty. Compiled.

`starts`, `values`, `counts` are the fields of `class_profiles.Counts`; `whole` holds the share of every value in the whole
file. A loop touches only values that occur in the row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[Any]

CLOSE = 1e-12
"""Floats this near are equal (dav2025, section 2.4 of the specification)."""


@njit(cache=True)
def exponential_entropy(starts: Ints, counts: Codes) -> Floats:
    """exp(-Σ p ln p): the number of equally frequent values that would be as mixed."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size = counts[starts[i] : starts[i + 1]].sum()
        entropy = 0.0
        for count in counts[starts[i] : starts[i + 1]]:
            entropy -= count / size * np.log(count / size)
        if size:
            out[i] = np.exp(entropy)
    return out


@njit(cache=True)
def largest_share(starts: Ints, values: Codes, counts: Codes, harmful: Bools) -> Floats:
    """The share of the most frequent harmful value."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size, top = 0, 0
        for e in range(starts[i], starts[i + 1]):
            size += counts[e]
            if harmful[values[e]]:
                top = max(top, counts[e])
        if size:
            out[i] = top / size
    return out


@njit(cache=True)
def least_c(starts: Ints, values: Codes, counts: Codes, harmful: Bools, variety: int) -> Floats:
    """The number that c must exceed for recursive (c,l)-diversity with l = `variety`; 0 where no harmful value occurs."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        shown = values[starts[i] : starts[i + 1]]
        if len(shown) >= variety:
            r, sums, y = _ranked(shown, counts[starts[i] : starts[i + 1]], harmful)
            out[i] = _least_c(r, sums, y, variety) if y else 0.0
        elif len(shown):
            out[i] = np.inf if harmful[shown].any() else 0.0
    return out


@njit(cache=True)
def largest_l(starts: Ints, values: Codes, counts: Codes, harmful: Bools, c: float) -> Floats:
    """The largest l for which recursive (c,l)-diversity holds, at least 1; infinite where no harmful value occurs.

    The quotient is rounded correctly, so `<` is exact for classes below 10^9 records and c with up to six decimals.
    """
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        if starts[i + 1] - starts[i] == 1:
            out[i] = 1.0 if harmful[values[starts[i]]] else np.inf
        elif starts[i] < starts[i + 1]:
            r, sums, y = _ranked(
                values[starts[i] : starts[i + 1]], counts[starts[i] : starts[i + 1]], harmful
            )
            out[i] = 1.0 if y else np.inf
            while y and _least_c(r, sums, y, int(out[i]) + 1) < c:
                out[i] += 1
    return out


@njit(cache=True)
def _least_c(r: Ints, sums: Ints, y: int, variety: int) -> float:
    """The c that positive-disclosure recursive (c,l)-diversity must exceed (Machanavajjhala et al. 2007, section 4).

    y is the rank of the most frequent harmful value. For y ≤ l - 1: r_y < c Σ_{j≥l} r_j, which is the ordinary form for y = 1;
    for y ≥ l: r_y < c (Σ_{j≥l-1} r_j - r_y).
    """
    if variety > len(r):
        return np.inf
    rest = sums[variety - 1] if y < variety else sums[variety - 2] - r[y - 1]
    return float(r[y - 1] / rest)


@njit(cache=True)
def _ranked(values: Codes, counts: Codes, harmful: Bools) -> tuple[Ints, Ints, int]:
    """Counts in descending order, their sums from each to the last, and the rank of the most frequent harmful value, or 0."""
    top = 0
    for e in range(len(values)):
        if harmful[values[e]]:
            top = max(top, counts[e])
    r = np.sort(counts)[::-1].astype(np.int64)
    sums = np.cumsum(r[::-1])[::-1]
    y = 0
    if top:
        while r[y] != top:
            y += 1
        y += 1
    return r, sums, y


@njit(cache=True)
def largest_gain(starts: Ints, values: Codes, counts: Codes, whole: Floats, most: Floats) -> Floats:
    """β-likeness (Cao and Karras 2012): the largest relative gain (p - q)/q of a value, 0 where none gains.

    Infinite where the gain of a value exceeds the most that is allowed for it.
    """
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size = counts[starts[i] : starts[i + 1]].sum()
        if size:
            out[i] = 0.0
        for e in range(starts[i], starts[i + 1]):
            q = whole[values[e]]
            gain = (counts[e] / size - q) / q
            out[i] = max(out[i], gain if gain <= most[values[e]] + CLOSE else np.inf)
    return out


@njit(cache=True)
def largest_log_ratio(starts: Ints, values: Codes, counts: Codes, whole: Floats, needed: int) -> Floats:
    """δ-disclosure (Brickell and Shmatikov 2008): the largest |ln p/q|; infinite where fewer values than needed occur."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size = counts[starts[i] : starts[i + 1]].sum()
        if size:
            out[i] = np.inf if starts[i + 1] - starts[i] < needed else 0.0
        for e in range(starts[i], starts[i + 1]):
            out[i] = max(out[i], abs(np.log(counts[e] / size / whole[values[e]])))
    return out


@njit(cache=True)
def equal_distance(starts: Ints, values: Codes, counts: Codes, whole: Floats) -> Floats:
    """Earth mover's distance where all values are equally far from each other: half of Σ|p - q|, that is Σ max(p - q, 0)."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size = counts[starts[i] : starts[i + 1]].sum()
        if size:
            out[i] = 0.0
        for e in range(starts[i], starts[i + 1]):
            out[i] += max(counts[e] / size - whole[values[e]], 0.0)
    return out


@njit(cache=True)
def ordered_distance(starts: Ints, values: Codes, counts: Codes, whole: Floats) -> Floats:
    """Earth mover's distance over ordered values: Σ |P_i - Q_i| / (m - 1) for the cumulated shares P and Q.

    Between two values of the row P stays the same while Q grows, so each gap is two sums of Q: below P and above it.
    """
    q = np.cumsum(whole)
    sums = np.concatenate((np.zeros(1), np.cumsum(q)))
    m = len(whole)
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size = counts[starts[i] : starts[i + 1]].sum()
        if size == 0:
            continue
        moved, done, before = 0.0, 0, 0
        for e in range(starts[i], starts[i + 1]):
            moved += _gap(q, sums, before, values[e], done / size)
            done += counts[e]
            before = values[e]
        moved += _gap(q, sums, before, m - 1, 1.0)
        out[i] = max(moved, 0.0) / (m - 1) if m > 1 else 0.0
    return out


@njit(cache=True)
def _gap(q: Floats, sums: Floats, first: int, last: int, p: float) -> float:
    """Σ |p - q_i| for first ≤ i < last."""
    if last <= first:
        return 0.0
    middle = first + np.searchsorted(q[first:last], p)
    below = p * (middle - first) - (sums[middle] - sums[first])
    above = sums[last] - sums[middle] - p * (last - middle)
    return float(below + above)


@njit(cache=True)
def tree_distance(
    starts: Ints, values: Codes, counts: Codes, own: Floats, node: Ints, parent: Codes, weight: Floats
) -> Floats:
    """Earth mover's distance over a tree: Σ over inner nodes of weight · min(surplus, lack) of what lies below them.

    Parameters
    ----------
    own
        Share of the whole file that stands at each node itself, in preorder.
    node
        The node of every value. A value may stand at an inner node; it then lies below it like a child.
    weight
        Height of every node over that of the tree.
    """
    below = own.copy()
    for n in range(len(own) - 1, 0, -1):
        below[parent[n]] += below[n]
    here, lower = np.zeros(len(own)), np.zeros(len(own))
    surplus, known = np.zeros(len(own)), np.zeros(len(own))
    touched = np.empty(len(own), np.int64)
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size = counts[starts[i] : starts[i + 1]].sum()
        if size == 0:
            continue
        seen = 0
        for e in range(starts[i], starts[i + 1]):
            n, p = node[values[e]], counts[e] / size
            here[n] += p
            while n >= 0:
                if lower[n] == 0.0:
                    touched[seen] = n
                    seen += 1
                lower[n] += p
                n = parent[n]
        for n in touched[
            :seen
        ]:  # surplus and what the whole file has, of the parts below each node that the row has too
            if here[n] > 0.0:
                surplus[n] += max(here[n] - own[n], 0.0)
                known[n] += min(here[n], own[n])
            if parent[n] >= 0:
                surplus[parent[n]] += max(lower[n] - below[n], 0.0)
                known[parent[n]] += min(lower[n], below[n])
        moved = 0.0
        for n in touched[:seen]:
            moved += weight[n] * max(min(surplus[n], below[n] - known[n]), 0.0)
        out[i] = moved
        for n in touched[:seen]:
            here[n] = lower[n] = surplus[n] = known[n] = 0.0
    return out
