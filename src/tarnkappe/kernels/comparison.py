"""Pairs of records of two files, compared key by key: how often does each pattern of agreement occur, and which pair fits best?

A key is one number per record, NaN where it is unknown. Two values agree on the first level t whose tolerance is not exceeded by
|a - b|; categories are codes with the only tolerance 0. All pairs within a block are compared and none is kept: a pattern, the levels
of all keys, is a number in mixed radix, and only what belongs to patterns or to records is stored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.classes import classes, first_records
from tarnkappe.kernels.coding import dense_codes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Side(NamedTuple):
    """The different records of one file, those of one block together."""

    values: Floats
    """(different records, keys)"""
    times: Ints
    """How often each of them occurs."""
    starts: Ints
    """Block b has the values[starts[b]:starts[b + 1]]."""
    of: Ints
    """For every record of the file, which of the different ones it is."""


class Grades(NamedTuple):
    """The levels of agreement of every key; the last level of a key means that one of the values is unknown."""

    tolerances: Floats
    """Those of all keys one after the other, each key's ending with infinity: only an unknown difference exceeds it."""
    starts: Ints
    """Key j has the tolerances[starts[j]:starts[j + 1]]."""
    strides: Ints
    """What a level of key j adds to the number of a pattern."""

    @property
    def sizes(self) -> Ints:
        """Levels of every key, that of the unknown included."""
        return np.diff(self.starts) + 1

    @property
    def patterns(self) -> int:
        return int(np.prod(self.sizes.astype(object)))


class Best(NamedTuple):
    """For every different record of the first file the pairs with the highest weight."""

    weight: Floats
    """-inf where the other file has no record in the block."""
    ties: Ints
    """How many records of the other file reach it."""


def grades(tolerances: list[tuple[float, ...]]) -> Grades:
    """Levels from the tolerances of every key, which must be in ascending order."""
    ends = [np.array([*each, np.inf]) for each in tolerances]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in ends])]).astype(np.int64)
    levels = [len(each) + 1 for each in ends]
    strides = [int(np.prod(np.array(levels[:j], dtype=object))) for j in range(len(levels))]
    return Grades(np.concatenate(ends), starts, np.array(strides, dtype=np.int64))


def side(values: Floats, block: Ints, blocks: int) -> Side:
    """Take equal records of a block together."""
    columns = [dense_codes(np.ascontiguousarray(column)) for column in values.T]
    found = classes([(block, blocks), *columns])
    first = first_records(found)
    order = np.argsort(block[first], kind="stable")
    place = np.empty(len(first), dtype=np.int64)
    place[order] = np.arange(len(first))
    starts = np.concatenate([[0], np.cumsum(np.bincount(block[first], minlength=blocks))]).astype(np.int64)
    kept = first[order]
    return Side(np.ascontiguousarray(values[kept]), found.sizes[order], starts, place[found.ids])


def levels_of(patterns: Ints, grade: Grades) -> NDArray[np.int8]:
    """The level of every key in the patterns."""
    return ((patterns[:, None] // grade.strides) % grade.sizes).astype(np.int8)


@njit(cache=True, inline="always")
def pattern(a: Floats, i: int, b: Floats, j: int, grade: Any) -> int:
    number = 0
    for key in range(len(grade.strides)):
        apart = abs(a[i, key] - b[j, key])
        level = 0
        for t in range(grade.starts[key], grade.starts[key + 1]):
            level += not apart <= grade.tolerances[t]  # an unknown difference is not below infinity either
        number += level * grade.strides[key]
    return number


@njit(cache=True)
def counted(one: Side, other: Side, grade: Grades) -> Ints:
    """How many pairs of records show each pattern."""
    size = 1
    for key in range(len(grade.strides)):
        size *= grade.starts[key + 1] - grade.starts[key] + 1
    counts = np.zeros(size, np.int64)
    for block in range(len(one.starts) - 1):
        for i in range(one.starts[block], one.starts[block + 1]):
            for j in range(other.starts[block], other.starts[block + 1]):
                counts[pattern(one.values, i, other.values, j, grade)] += one.times[i] * other.times[j]
    return counts


@njit(cache=True)
def best(one: Side, other: Side, grade: Grades, weights: Floats) -> Best:
    """The highest weight every different record of `one` reaches in its block, and with how many records of `other`."""
    highest, ties = np.full(len(one.values), -np.inf), np.zeros(len(one.values), np.int64)
    for block in range(len(one.starts) - 1):
        for i in range(one.starts[block], one.starts[block + 1]):
            for j in range(other.starts[block], other.starts[block + 1]):
                weight = weights[pattern(one.values, i, other.values, j, grade)]
                if weight > highest[i]:
                    highest[i], ties[i] = weight, other.times[j]
                elif weight == highest[i]:
                    ties[i] += other.times[j]
    return Best(highest, ties)


@njit(cache=True)
def between(a: Floats, rows: Ints, b: Floats, columns: Ints, grade: Grades) -> Ints:
    """The patterns of the pairs (rows[k], columns[k])."""
    out = np.empty(len(rows), np.int64)
    for k in range(len(rows)):
        out[k] = pattern(a, rows[k], b, columns[k], grade)
    return out


@njit(cache=True)
def table(one: Side, other: Side, grade: Grades, weights: Floats, block: int) -> Floats:
    """The weights of all pairs of different records of one block."""
    first, last = one.starts[block], one.starts[block + 1]
    begin, end = other.starts[block], other.starts[block + 1]
    out = np.empty((last - first, end - begin))
    for i in range(first, last):
        for j in range(begin, end):
            out[i - first, j - begin] = weights[pattern(one.values, i, other.values, j, grade)]
    return out
