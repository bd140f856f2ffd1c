"""Camouflage: hidden mixtures of vectors, and the exact bounds of what can be asked of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import linprog

from tarnkappe.kernels.classes import classes, first_records
from tarnkappe.kernels.lean import lean

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.int8]

DIGITS = 9
"""So many leading digits of a column are looked at for the step of its values."""
NEARLY = 1e-6
"""A multiple of a step may be off by this part of it."""


def halves(k: int) -> Floats:
    """Every way to put half of k vectors above and half below a middle, as ±1/2; of two mirror images only one."""
    rows = [np.isin(np.arange(k), (0, *rest)) for rest in combinations(range(1, k), k // 2 - 1)]
    out: Floats = np.stack(rows).astype(np.float64) - 0.5
    return out


def hidden_weights(draw: np.random.Generator, groups: int, k: int) -> Floats:
    """Weights of k vectors in every group: each at least 1/(2k), and every half of them is uniform between 1/4 and 3/4."""
    return 1 / (2 * k) + draw.dirichlet(np.full(k, 2 / k), groups) / 2


def camouflaged(
    x: Floats, order: Ints, starts: Ints, weights: Floats, patterns: Floats, spread: tuple[float, float], rng: np.random.Generator
) -> Floats:  # fmt: skip
    """(k, n) values around those given, whose mixture with the weights of the group is the value.

    A value a becomes the vector m + s·v with s = spread[0]·|m| + spread[1] and m such that Σ w_j (m + s·v_j) = a. The middle m and the
    pattern v tell nothing of the weights: the pattern is drawn without them, and m is a times a factor that is not known. Each record of a
    group has a pattern of its own, turned so that the deviations of the group cancel as far as they can.

    Parameters
    ----------
    x
        The values; 0 stays 0 in all vectors.
    order, starts
        The groups, as in `Strata`; none larger than there are patterns.
    weights
        (groups, k) hidden weights.
    patterns
        What `halves` gives.
    spread
        Distance between upper and lower half: in units of the middle, and a least one.
    rng
        Where the patterns are drawn.
    """
    place = np.empty(len(x), dtype=np.int64)
    place[order] = np.arange(len(x))
    out: Floats = np.take(_group_by_group(x[order], starts, weights, patterns, spread, rng), place, axis=1)
    return out


@njit(cache=True, nogil=True)
def _group_by_group(
    x: Floats, starts: Ints, weights: Floats, patterns: Floats, spread: tuple[float, float], rng: np.random.Generator
) -> Floats:  # fmt: skip
    """The same for records one group after the other: memory is read and written in its order."""
    k = weights.shape[1]
    out, tilt = np.empty((k, len(x))), np.empty(k)
    deck = np.arange(len(patterns))
    for g in range(len(starts) - 1):
        tilt[:] = 0.0
        for place in range(starts[g + 1] - starts[g]):
            i = starts[g] + place
            at = place + int(rng.random() * (len(deck) - place))
            deck[place], deck[at] = deck[at], deck[place]
            turn = 1.0 if rng.random() < 0.5 else -1.0
            if x[i] == 0.0:
                out[:, i] = 0.0
                continue
            v = patterns[deck[place]]
            way = _dot(tilt, v)
            sign = 1.0 if x[i] > 0 else -1.0
            if way != 0.0:
                turn = -sign if way > 0 else sign
            t = turn * _dot(weights[g], v)
            q = abs(x[i]) - spread[1] * t
            m = q / (1 + spread[0] * t) if q >= 0 else q / (1 - spread[0] * t)
            s = spread[0] * abs(m) + spread[1]
            for j in range(k):
                tilt[j] += sign * s * turn * v[j]
                out[j, i] = sign * (m + s * turn * v[j])
    return out


@lean
def _dot(a: Floats, b: Floats) -> float:
    """A few products: too few for a library."""
    out = 0.0
    for j in range(len(a)):
        out += a[j] * b[j]
    return out


def step_of(x: Floats) -> float:
    """The largest power of ten of which more than half of the values other than 0 are multiples; 0 where there is none."""
    largest = max(float(x.max(initial=0.0)), -float(x.min(initial=0.0)))
    if not largest:
        return 0.0
    top, count = int(np.floor(np.log10(largest))), int(np.count_nonzero(x))
    for e in range(top, max(top - DIGITS, -300), -1):
        if _mostly_multiples(x, count, 10.0**e):
            return float(10.0**e)
    return 0.0


@njit(cache=True, nogil=True)
def _mostly_multiples(x: Floats, count: int, step: float) -> bool:
    """Whether more than half of the values other than 0, of which there are so many, are multiples of the step."""
    others = 0
    for v in x:
        units = abs(v) / step
        if v != 0 and abs(units - np.rint(units)) > NEARLY:
            others += 1
            if 2 * others >= count:
                return False
    return True


@njit(cache=True, nogil=True)
def group_sums(v: Floats, group: Ints, weights: Bytes, groups: int, scale: float) -> Floats:
    """Sums of v over the scale in every group, with several weights (n, q) for every record: (groups, q)."""
    out = np.zeros((groups, weights.shape[1]))
    for i in range(len(v)):
        value = v[i] / scale
        for q in range(weights.shape[1]):
            out[group[i], q] += weights[i, q] * value
    return out


def sum_bounds(
    vectors: Floats, group: Ints, weight: Floats, cells: Ints, count: int
) -> tuple[Floats, Floats]:
    """Least and largest weighted sum, cell by cell: in every group one mixture serves all records, and an end is taken at a vector.

    Parameters
    ----------
    vectors
        (n, k) camouflage vectors.
    group, cells
        The group of every record, 0, 1, …; the sum it goes to, 0, 1, …
    weight
        How often a record counts.
    count
        Number of sums.
    """
    pairs = classes([(cells, count), (group, int(group.max(initial=0)) + 1)])
    parts = np.stack([np.bincount(pairs.ids, weight * v, len(pairs.sizes)) for v in vectors.T])
    cell = cells[first_records(pairs)]
    low, high = (np.bincount(cell, ends, count) for ends in (parts.min(axis=0), parts.max(axis=0)))
    return low.astype(np.float64), high.astype(np.float64)


def largest_bounds(vectors: Floats, group: Ints) -> tuple[float, float]:
    """Least and largest possible maximum of the records.

    The largest is taken at a vector. The least is, group by group, the value of a game: the mixture makes the largest record small. Groups
    that cannot change the answer are passed over: at no vector is their largest record above what another group already reaches.
    """
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    most = np.maximum.reduceat(vectors[order], starts, axis=0).min(axis=1)
    low = float(vectors.min(axis=1).max())
    for g in np.argsort(-most, kind="stable"):
        if most[g] <= low:
            break
        low = max(low, _least_largest(vectors[order[starts[g] : ends[g]]]))
    return low, float(vectors.max())


def _least_largest(rows: Floats) -> float:
    """The least over mixtures w of the largest w·row."""
    size = float(np.abs(rows).max(initial=0.0)) or 1.0
    k = rows.shape[1]
    found = linprog(
        np.append(np.zeros(k), 1.0),
        A_ub=np.column_stack([rows / size, -np.ones(len(rows))]),
        b_ub=np.zeros(len(rows)),
        A_eq=np.append(np.ones(k), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * k + [(None, None)],
    )
    # The prices of the rows give a bound from below whatever the accuracy of the solver: any mixture of rows, at its least vector.
    prices = np.zeros(len(rows)) if found.x is None else np.clip(-found.ineqlin.marginals, 0.0, None)
    low = float(rows.min(axis=1).max())
    return max(low, float((prices @ rows / prices.sum()).min())) if prices.sum() > 0 else low
