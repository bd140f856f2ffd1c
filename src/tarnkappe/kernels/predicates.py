"""Conditions on several columns at once, and how many records meet them.

Records are codes by column: the order of the values, below 0 where there is none. A condition asks for a code, for at most a code or for at
least a code; a cell without a value meets neither of the last two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import gammaln

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

AT_MOST, EQUAL, AT_LEAST = -1, 0, 1


class Predicates(NamedTuple):
    """Conjunctions of m conditions, one row each, the columns ascending."""

    columns: Ints
    signs: Ints
    codes: Ints

    def take(self, chosen: NDArray[np.bool_] | Ints) -> Predicates:
        return Predicates(*(part[chosen] for part in self))


class Index(NamedTuple):
    """Codes by column, and the records in the order of each column."""

    codes: Ints
    order: Ints
    ascending: Ints


def index(codes: Ints) -> Index:
    """Sort every column of codes (columns, records)."""
    order = np.argsort(codes, axis=1, kind="stable")
    return Index(np.ascontiguousarray(codes), order, np.take_along_axis(codes, order, axis=1))


def joined(parts: list[Predicates]) -> Predicates:
    return Predicates(*(np.concatenate(same) for same in zip(*parts, strict=True)))


def distinct(predicates: Predicates) -> Predicates:
    """Each predicate once, the first of equals, in the order they came."""
    rows = np.concatenate(predicates, axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    return predicates.take(np.sort(first))


@njit(cache=True)
def matches(found: Index, predicates: Predicates, most: int) -> tuple[Ints, Ints]:
    """How many records meet each predicate, and one of them (-1 if none); where there are more than `most`, one more than that.

    Only records that meet the rarest condition are looked at.
    """
    count, m = predicates.columns.shape
    out, one = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    for a in range(count):
        columns, signs, codes = predicates.columns[a], predicates.signs[a], predicates.codes[a]
        rarest, low, high = 0, np.int64(0), np.int64(found.codes.shape[1] + 1)
        for j in range(m):
            ascending, sign, code = found.ascending[columns[j]], signs[j], codes[j]
            first = np.int64(np.searchsorted(ascending, 0 if sign == AT_MOST else code))
            last = np.int64(len(ascending) if sign == AT_LEAST else np.searchsorted(ascending, code, "right"))
            if last - first < high - low:
                rarest, low, high = j, first, last
        for place in range(low, high):
            i = found.order[columns[rarest], place]
            met = True
            for j in range(m):
                code = found.codes[columns[j], i]
                if signs[j] == EQUAL:
                    met = code == codes[j]
                elif signs[j] == AT_MOST:
                    met = 0 <= code <= codes[j]
                else:
                    met = code >= codes[j]
                if not met:
                    break
            if met:
                out[a] += 1
                one[a] = i
                if out[a] > most:
                    break
    return out, one


def alone_in_part(counts: Ints, size: int, part: int) -> Floats:
    """The chance that of `counts` records among `size` exactly one is in a random part: hypergeometric."""
    c = counts.astype(np.float64)
    possible = (c >= 1) & (size - c >= part - 1)
    c = np.where(possible, c, 1.0)
    # c · C(size - c, part - 1) / C(size, part)
    log = (
        np.log(c)
        + gammaln(size - c + 1) - gammaln(part) - gammaln(size - c - part + 2)
        - gammaln(size + 1) + gammaln(part + 1) + gammaln(size - part + 1)
    )  # fmt: skip
    return np.where(possible, np.exp(np.minimum(log, 0.0)), 0.0)
