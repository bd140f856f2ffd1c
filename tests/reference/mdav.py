"""MDAV as it stands in the paper: every distance to every record, in the order of the records.

Domingo-Ferrer & Torra (2005), Data Mining and Knowledge Discovery 11(2), algorithm MDAV-generic. Squares are summed
column by column; of equal distances the record with the smaller index is taken.
"""

from __future__ import annotations

import numpy as np


def mdav_groups(x, k):
    labels = np.full(len(x), -1)
    left = list(range(len(x)))
    group = 0
    while len(left) >= 3 * k:
        r = _farthest(x, left, _mean(x, left))
        s = _farthest(x, left, x[r])
        left = _take(x, left, x[r], k, labels, group)
        left = _take(x, left, x[s], k, labels, group + 1)
        group += 2
    if len(left) >= 2 * k:
        r = _farthest(x, left, _mean(x, left))
        left = _take(x, left, x[r], k, labels, group)
        group += 1
    labels[left] = group
    return labels


def group_means(x, labels):
    out = x.copy()
    for g in set(labels.tolist()) - {-1}:
        out[labels == g] = x[labels == g].mean(axis=0)
    return out


def _mean(x, left):
    return x[left].sum(axis=0) / len(left)


def _squared(x, left, c):
    d = np.zeros(len(left))
    for j in range(x.shape[1]):
        d += (x[left, j] - c[j]) ** 2
    return d


def _farthest(x, left, c):
    return left[int(np.argmax(_squared(x, left, c)))]


def _take(x, left, c, k, labels, group):
    order = np.argsort(_squared(x, left, c), kind="stable")[:k]
    chosen = {left[i] for i in order}
    labels[list(chosen)] = group
    return [i for i in left if i not in chosen]
