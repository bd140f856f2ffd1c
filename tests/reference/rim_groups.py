"""Groups around distant records with every distance computed, and the comparisons counted as in Höhne (2010), 3.1."""

from __future__ import annotations

import numpy as np


def squared(x, left, c):
    d = np.zeros(len(left))
    for j in range(x.shape[1]):
        d += (x[left, j] - c[j]) ** 2
    return d


def take(x, left, c, k):
    order = np.argsort(squared(x, left, c), kind="stable")[:k]
    chosen = [left[i] for i in order]
    return chosen, [i for i in left if i not in set(chosen)]


def centre(x, k):
    """M09: the record farthest from the mean with its nearest neighbours; n + (n - 1) comparisons per group."""
    left, groups, count = list(range(len(x))), [], 0
    while len(left) >= 2 * k:
        mean = x[left].sum(axis=0) / len(left)
        far = left[int(np.argmax(squared(x, left, mean)))]
        count += 2 * len(left) - 1
        group, left = take(x, left, x[far], k)
        groups.append(group)
    return [*groups, left], count


def pair(x, k, *, absorb=False):
    """M07: the two most distant records, each with its nearest neighbours; n (n - 1) + 2 (n - 2) comparisons per pair.

    What is left: k or more are a group, fewer join the nearest group; or all join the nearer of the last two (footnote 9).
    """
    left, groups, count = list(range(len(x))), [], 0
    while len(left) >= 2 * k:
        count += len(left) * (len(left) - 1) + 2 * (len(left) - 2)
        a, b = max(
            ((i, j) for n, i in enumerate(left) for j in left[n + 1 :]),
            key=lambda p: (float(squared(x, [p[0]], x[p[1]])[0]), -p[0], -p[1]),
        )
        for end in (a, b):
            group, left = take(x, left, x[end], k)
            groups.append(group)
    if not groups or (len(left) >= k and not absorb):
        return [*groups, left], count
    near = groups[-2:] if absorb else groups
    means = [x[group].mean(axis=0) for group in near]
    for i in left:
        near[int(np.argmin(np.round([((x[i] - m) ** 2).sum() for m in means], 12)))].append(i)
    return groups, count


def labels(groups, n):
    out = np.full(n, -1)
    for number, group in enumerate(groups):
        out[group] = number
    return out
