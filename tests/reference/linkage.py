"""Linkage by distance, plainly: every pair is looked at."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def distance(x, y, space):
    """The sum over the keys; an unknown value adds the gap of its key."""
    out = 0.0
    for a, b, category, differ, gap in zip(x, y, space.category, space.differ, space.gap, strict=True):
        if np.isnan(a) or np.isnan(b):
            out += gap
        elif category:
            out += differ if a != b else 0.0
        else:
            out += (a - b) ** 2 if space.squared else abs(a - b)
    return out


def distances(known, released, space):
    return np.array([[distance(x, y, space) for y in released] for x in known]).reshape(
        len(known), len(released)
    )


def found_by_nearest(d, truth, same_block, nearest):
    """The chance of every known record that its own is among the nearest, where ties are drawn."""
    out = np.zeros(len(truth))
    for i, own in enumerate(truth):
        if own < 0 or not same_block[i, own]:
            continue
        others = d[i, same_block[i]]
        nearer = int(np.sum(others < d[i, own] * (1 - 1e-9) - 1e-18))
        level = int(np.sum(np.abs(others - d[i, own]) <= d[i, own] * 1e-9 + 1e-18))
        out[i] = min(max((nearest - nearer) / level, 0.0), 1.0)
    return out


def least_total(lengths, same_block):
    """The least total distance of a one-to-one assignment within blocks that are closed sets, and how many are assigned."""
    total, count, left = 0.0, 0, np.ones(len(lengths), dtype=bool)
    for i in range(len(lengths)):
        if not left[i]:
            continue
        rows = np.flatnonzero(left & (same_block == same_block[i]).all(axis=1))
        left[rows] = False
        columns = np.flatnonzero(same_block[i])
        part = lengths[np.ix_(rows, columns)]
        picked = linear_sum_assignment(part)
        total, count = total + part[picked].sum(), count + len(picked[0])
    return total, count
