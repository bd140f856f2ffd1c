"""Named weaknesses on sparse rows of counts: one number for every row, NaN where a row is empty. Compiled.

`starts`, `values`, `counts` are the fields of `class_profiles.Counts`; `whole` holds the share of every value in the whole
file.
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


@njit(cache=True)
def posterior(starts: Ints, values: Codes, counts: Codes, odds: Floats, excluded: int) -> Floats:
    """How sure an attacker is of the likeliest value who weighs every value by `odds` and rules so many others out.

    With r sorted in descending order, the worst is r_1 / (r_1 + Σ_{j > excluded + 1} r_j): ruling out the next ones leaves the
    least beside the first, and no other value is likelier beside the same rest.
    """
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        kinds = starts[i + 1] - starts[i]
        if kinds == 0:
            continue
        r = np.empty(kinds)
        for e in range(kinds):
            r[e] = counts[starts[i] + e] * odds[values[starts[i] + e]]
        r = np.sort(r)[::-1]
        top = r[0]
        if top > 0.0:
            out[i] = top / (top + r[1 + excluded :].sum())
    return out


@njit(cache=True)
def largest_skew(
    starts: Ints, values: Codes, counts: Codes, whole: Floats, watched: Bools, least: float
) -> Floats:
    """The largest of p/q and q/p over the watched values whose shares in row and file differ by at least `least`; at least 1.

    A value that is not in the row has p = 0 and q/p infinite; only values with q ≥ least can count so, and they are few.
    """
    frequent = np.flatnonzero(watched & (whole >= least))
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        size = counts[starts[i] : starts[i + 1]].sum()
        if size == 0:
            continue
        worst, there = 1.0, 0
        for e in range(starts[i], starts[i + 1]):
            p, q = counts[e] / size, whole[values[e]]
            if watched[values[e]] and abs(p - q) >= least:
                worst = max(worst, p / q, q / p)
            if watched[values[e]] and q >= least:
                there += 1
        out[i] = worst if there == len(frequent) else np.inf
    return out


@njit(cache=True)
def to_identify(starts: Ints, counts: Codes) -> Floats:
    """Records other than those with the most frequent value: who knows them knows the rest."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        if starts[i] < starts[i + 1]:
            row = counts[starts[i] : starts[i + 1]]
            out[i] = row.sum() - row.max()
    return out


@njit(cache=True)
def ruled_out(starts: Ints, values: Codes, whole: Floats) -> Floats:
    """Share of the whole file that has a value which the row does not have."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        if starts[i] < starts[i + 1]:
            there = 0.0
            for e in range(starts[i], starts[i + 1]):
                there += whole[values[e]]
            out[i] = min(max(1.0 - there, 0.0), 1.0)
    return out


@njit(cache=True)
def kinds(starts: Ints, values: Codes, group: Codes) -> Floats:
    """How many different groups the values of a row belong to; values of one group must stand side by side."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        if starts[i] < starts[i + 1]:
            out[i] = 1.0
            for e in range(starts[i] + 1, starts[i + 1]):
                out[i] += group[values[e]] != group[values[e - 1]]
    return out


@njit(cache=True)
def spread(starts: Ints, values: Codes, numbers: Floats) -> Floats:
    """Distance between the smallest and the largest number of a row; `numbers` are ascending."""
    out = np.full(len(starts) - 1, np.nan)
    for i in range(len(out)):
        if starts[i] < starts[i + 1]:
            first, last = values[starts[i]], values[starts[i + 1] - 1]
            out[i] = 0.0 if first == last else numbers[last] - numbers[first]
    return out
