"""Mondrian by the book: a recursion over lists of records."""

import math
from collections import Counter


def distance(kinds, whole, *, ordered):
    """Earth mover's distance of some sensitive values from those of the whole file; kinds are 0, 1, … and -1 tells nothing."""
    some, everything = (Counter(k for k in of if k >= 0) for of in (kinds, whole))
    if not some:
        return 0.0
    gaps = [
        some[kind] / some.total() - everything[kind] / everything.total()
        for kind in range(max(everything) + 1)
    ]
    if not ordered:
        return sum(map(abs, gaps)) / 2
    return sum(abs(sum(gaps[: i + 1])) for i in range(len(gaps))) / max(len(gaps) - 1, 1)


def varied(kinds, *, entropy):
    """How many different values there are, or how many equally frequent ones would be as mixed."""
    counts = Counter(k for k in kinds if k >= 0)
    if not entropy:
        return len(counts)
    shares = [count / counts.total() for count in counts.values()]
    return math.exp(-sum(p * math.log(p) for p in shares))


def blocks(rows, k, kinds=None, fits=lambda half: True):
    """Sets of records; `rows` are tuples of places, `fits` judges the sensitive values of a half."""
    kinds = kinds or [0] * len(rows)
    widths = [max(max(c) - min(c), 1) for c in zip(*rows, strict=True)]

    def split(members):
        spans = []
        for j, width in enumerate(widths):
            values = [rows[i][j] for i in members]
            spans.append((max(values) - min(values)) / width)
        for j in sorted(range(len(widths)), key=lambda j: (-spans[j], j)):
            if spans[j] <= 0:
                break
            values = sorted(rows[i][j] for i in members)
            middle = values[len(values) // 2]
            for cut in (middle, middle + 1):
                low = [i for i in members if rows[i][j] < cut]
                high = [i for i in members if rows[i][j] >= cut]
                if min(len(low), len(high)) >= k and all(
                    fits([kinds[i] for i in half]) for half in (low, high)
                ):
                    return split(low) + split(high)
        return [frozenset(members)]

    return set(split(list(range(len(rows)))))
