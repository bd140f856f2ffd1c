"""Rank swapping and matrices of PRAM as they stand in the sources: every case, no shortcut.

Höhne (2010), section 2.2.3, steps 1 to 3; Gottschalk (2002), G-M13b; DAV (2025), D-M10b.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def matchings(n, window, rule, i=0, partner=None):
    """All outcomes of rank swapping on n places with their exact probabilities: {partners: probability}."""
    partner = partner or (None,) * n
    while i < n and partner[i] is not None:
        i += 1
    if i == n:
        return {partner: Fraction(1)}
    found = {}
    for other, probability in choices(partner, i, window, rule).items():
        new = list(partner)
        new[i], new[other] = other, i
        for outcome, rest in matchings(n, window, rule, i + 1, tuple(new)).items():
            found[outcome] = found.get(outcome, 0) + probability * rest
    return found


def choices(partner, i, window, rule):
    n = len(partner)
    last = min(n - 1, i + window)
    free = [l for l in range(i + 1, n) if partner[l] is None]
    inside = [l for l in free if l <= last]
    if rule == "free":
        return {l: Fraction(1, len(inside)) for l in inside} or {i: Fraction(1)}
    out = {}
    for drawn in range(i + 1, last + 1):
        allowed = free if rule == "beyond" else inside
        after = [l for l in allowed if l >= drawn]
        before = [l for l in free if l < drawn]
        other = after[0] if after else before[-1] if before else i
        out[other] = out.get(other, 0) + Fraction(1, last - i)
    return out or {i: Fraction(1)}


def proportional(counts, alpha):
    n, size = sum(counts), len(counts)
    return [[alpha * counts[l] / n + (1 - alpha) * (k == l) for l in range(size)] for k in range(size)]


def direct(counts, alpha):
    least, size = min(counts), len(counts)
    return [
        [
            1 - alpha * least / counts[k] if k == l else alpha * least / ((size - 1) * counts[k])
            for l in range(size)
        ]
        for k in range(size)
    ]


def two_stage(p, counts):
    size = len(counts)
    back = [
        [p[k][l] * counts[k] / sum(p[j][l] * counts[j] for j in range(size)) for k in range(size)]
        for l in range(size)
    ]
    return np.array(p) @ np.array(back)


def even(size, alpha):
    return [[1 - alpha if k == l else alpha / (size - 1) for l in range(size)] for k in range(size)]


def partners_by_scan(x, order, starts, counts):
    """Every record in turn looks at all that are free, and takes the nearest; of equally near ones the first in the order."""
    source = np.arange(len(order))
    for first, last, count in zip(starts[:-1], starts[1:], counts, strict=True):
        free, pairs = list(order[first:last]), []
        while count >= 2 and 2 * len(pairs) < count:
            i = free.pop(0)
            if not free:  # a ring of three with the pair before
                source[i], source[pairs[-1][0]] = source[pairs[-1][0]], i
                break
            k = free.pop(int(np.argmin([((x[i] - x[k]) ** 2).sum() for k in free])))
            source[i], source[k] = k, i
            pairs.append((i, k))
    return source
