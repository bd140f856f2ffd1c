"""Groups of neighbours on a sorted line: of fixed size, of the sizes that lose least, or far enough apart.

Rows come sorted, those of one block together: rows starts[b]:starts[b+1] are block b. Every function labels the sorted rows with
groups 0, 1, … in their order; blocks with fewer than k contributors get -1. `who` numbers the contributors 0, 1, …; a group counts
contributors, so with one record each it counts records.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOOK = 256
"""So many starts are tried for one group where an owner has long runs of records; without owners k are enough."""


@njit(cache=True)
def shortest(who: Ints, k: int, first: int, last: int, seen: Ints) -> Ints:
    """For every row of first:last the latest row at which a group ending there can begin; -1 where none can."""
    reach = np.full(last - first, -1, np.int64)
    a, different = first, 0
    for h in range(first, last):
        seen[who[h]] += 1
        different += seen[who[h]] == 1
        while different > k or (different == k and seen[who[a]] > 1):
            seen[who[a]] -= 1
            different -= seen[who[a]] == 0
            a += 1
        if different == k:
            reach[h - first] = a
    for h in range(a, last):
        seen[who[h]] = 0
    return reach


@njit(cache=True, nogil=True)
def fixed_groups(who: Ints, starts: Ints, k: int) -> Ints:
    """Groups of k contributors from the bottom up; what is left at the top joins the last group.

    Source: hoehne2010, 2.2.6 (M02 to M05); dav2025, 3.3.4: the last group takes the rest.
    """
    labels = np.full(len(who), -1, np.int64)
    seen = np.full(who.max() + 1 if len(who) else 0, -1, np.int64)
    group = 0
    for b in range(len(starts) - 1):
        first, open_from, different = group, starts[b], 0
        for h in range(starts[b], starts[b + 1]):
            different += seen[who[h]] != group
            seen[who[h]] = group
            if different == k:
                labels[open_from : h + 1] = group
                group, open_from, different = group + 1, h + 1, 0
        if group > first:
            labels[open_from : starts[b + 1]] = group - 1
            seen[who[open_from : starts[b + 1]]] = -1
        else:
            seen[who[starts[b] : starts[b + 1]]] = -1
    return labels


@njit(cache=True, nogil=True)
def optimal_groups(x: Floats, who: Ints, starts: Ints, k: int) -> Ints:
    """The partition into runs of k or more contributors with the least sum of squares over all columns of `x`.

    Dynamic programming over the last group: f_h = min over its first row a of f_(a-1) + SSE(a..h), where a group that could be
    split in two is never needed. Sums of squares grow with the group, so nothing cancels. Source: hoehne2010, appendix 1
    (M06, Hansen and Mukherjee).
    """
    labels = np.full(len(who), -1, np.int64)
    seen = np.zeros(who.max() + 1 if len(who) else 0, np.int64)
    group = 0
    for b in range(len(starts) - 1):
        reach = shortest(who, k, starts[b], starts[b + 1], seen)
        if len(reach) == 0 or reach[-1] < 0:
            continue
        begin, _ = cheapest(x, reach, starts[b])
        group = _label(labels, begin, starts[b], group)
    return labels


@njit(cache=True)
def cheapest(x: Floats, reach: Ints, first: int) -> tuple[Ints, Floats]:
    """For every row the first row of the last group of the best partition up to it, and that partition's sum of squares."""
    size, p = len(reach), x.shape[1]
    begin, f = np.full(size, -1, np.int64), np.full(size, np.inf)
    mean = np.empty(p)
    for h in range(size):
        if reach[h] < 0:
            continue
        near = reach[h] - first
        split = reach[near - 1] - first if near > 0 and reach[near - 1] >= 0 else -1
        alone = (
            near == 0 or reach[near - 1] < 0
        )  # nothing before `near` can stand as a group: only all rows together can
        if alone:
            split = -1
        elif near - split > LOOK:
            split = near - LOOK
        sse = 0.0
        for a in range(h, split, -1):
            count = h - a + 1
            for j in range(p):
                d = x[first + a, j] - (mean[j] if count > 1 else 0.0)
                if count == 1:
                    mean[j] = d
                else:
                    mean[j] += d / count
                    sse += d * (x[first + a, j] - mean[j])
            if a <= near:
                before = 0.0 if a == 0 else f[a - 1]
                if before + sse < f[h]:
                    f[h], begin[h] = before + sse, a
    return begin, f


@njit(cache=True)
def _label(labels: Ints, begin: Ints, first: int, group: int) -> int:
    """Go back through the groups from the last row, then number them from the first on."""
    count, h = 0, len(begin)
    while h > 0:
        h = begin[h - 1]
        count += 1
    h, g = len(begin), group + count
    while h > 0:
        g -= 1
        labels[first + begin[h - 1] : first + h] = g
        h = begin[h - 1]
    return group + count


@njit(cache=True)
def distant_groups(x: Floats, who: Ints, starts: Ints, k: int, ratio: float) -> Ints:
    """Groups of k or more contributors, from the largest value down, whose means differ by `ratio` or more.

    `x` is positive or zero and falls within a block. A group takes one more value until its mean is far enough below the mean of the
    group before; what cannot stand alone at the end joins that group. Source: hoehne2010, 3.2 (M12), algorithm.
    """
    labels = np.full(len(who), -1, np.int64)
    seen = np.full(who.max() + 1 if len(who) else 0, -1, np.int64)
    group = 0
    for b in range(len(starts) - 1):
        start, stop, one = starts[b], starts[b + 1], group
        above, mean, different = np.inf, 0.0, 0
        for h in range(starts[b], stop):
            different += seen[who[h]] != group
            seen[who[h]] = group
            mean += (x[h] - mean) / (h + 1 - start)
            if different >= k and mean <= above / ratio:
                labels[start : h + 1] = group
                above, start = mean, h + 1
                group, mean, different = group + 1, 0.0, 0
        if group > one:
            labels[start:stop] = group - 1
        seen[who[start:stop]] = -1
    return labels
