"""Functional dependencies: columns whose value follows from another column, as the town from the postcode.

They must survive masking, and they undo it: who coarsens the postcode and leaves the town has gained nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Kind

_CHANCE = 1e-6
"""A dependency is reported if it would hold by chance with less than this probability."""
_GLANCE = 2_000
"""Most pairs fail within the first records already."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Every value of `of` goes with one value of `on`, by the names of the columns."""

    of: str
    on: str


@dataclass(frozen=True, slots=True)
class _Coded:
    name: str
    column: Column
    glance: Ints
    """Codes of the first records; negative where there is no value."""
    count: int
    """Codes are below this."""
    repeats: int
    """Records whose value an earlier record has."""
    agreement: float
    """Chance that two records agree."""


def dependencies(data: Microdata) -> tuple[Dependency, ...]:
    """All dependencies between two columns of codes, whole numbers or dates, in the order of the columns."""
    return tuple(Dependency(b.name, a.name) for a, b in permutations(_codes(data), 2) if _follows(a, b))


def _codes(data: Microdata) -> Iterator[_Coded]:
    for name, column in data.columns.items():
        if column.kind is Kind.NUMBER:
            continue
        codes, count = column.codes()
        counts = np.bincount(codes[codes >= 0])
        distinct, values = np.count_nonzero(counts), counts.sum()
        if distinct > 1:
            agreement = float(np.square(counts / values).sum())
            yield _Coded(name, column, codes[:_GLANCE].copy(), count, int(values - distinct), agreement)


def _follows(a: _Coded, b: _Coded) -> bool:
    """Say whether `b` follows from `a`, more surely than by chance.

    If the two had nothing to do with each other, each record that repeats a value of `a` would agree in `b`
    with the one before it with the chance that any two records agree.
    """
    if a.repeats * np.log(b.agreement) > np.log(_CHANCE):
        return False
    if not _one_each(a.glance, b.glance, a.count):
        return False
    return _one_each(a.column.codes()[0], b.column.codes()[0], a.count)


def _one_each(a: Ints, b: Ints, count: int) -> bool:
    both = (a >= 0) & (b >= 0)
    partner = np.full(count, -1, dtype=np.int64)
    partner[a[both]] = b[both]
    return bool((partner[a[both]] == b[both]).all())
