"""Minimal sample uniques by looking at every set of keys of every record."""

from __future__ import annotations

from itertools import combinations


def minimal_uniques(codes, largest):
    """Pairs (record, set of keys as bits); a negative code is never part of a set."""
    rows = codes.tolist()
    found = set()
    for i, row in enumerate(rows):
        minimal = []
        for size in range(1, largest + 1):
            for keys in combinations(range(codes.shape[1]), size):
                if any(set(m) <= set(keys) for m in minimal) or any(row[k] < 0 for k in keys):
                    continue
                if sum(all(other[k] == row[k] for k in keys) for other in rows) == 1:
                    minimal.append(keys)
                    found.add((i, sum(1 << k for k in keys)))
    return found
