"""Groups on a sorted line, the obvious way."""

from __future__ import annotations

import numpy as np


def fixed(who, k):
    labels, group, start = [], 0, 0
    for i in range(len(who)):
        if len(set(who[start : i + 1])) == k:
            labels += [group] * (i + 1 - start)
            group, start = group + 1, i + 1
    if group == 0:
        return [-1] * len(who)
    return labels + [group - 1] * (len(who) - start)


def sse(x):
    return float(((x - x.mean(axis=0)) ** 2).sum())


def least_loss(x, who, k):
    """The least sum of squares over all partitions into runs of k or more contributors; None where there is none."""
    best = {0: 0.0}
    for h in range(1, len(x) + 1):
        ways = [best[a] + sse(x[a:h]) for a in range(h) if a in best and len(set(who[a:h])) >= k]
        if ways:
            best[h] = min(ways)
    return best.get(len(x))


def distant(x, k, ratio):
    """Höhne 3.2: groups from the largest value down, each mean smaller than the last one by a factor."""
    groups, now = [], []
    for value in sorted(x, reverse=True):
        now.append(value)
        if len(now) >= k and (not groups or np.mean(now) <= np.mean(groups[-1]) / ratio):
            groups.append(now)
            now = []
    if now and groups:
        groups[-1] = groups[-1] + now
    return groups
