"""Tabulation by its definition: every record is put into every cell it lies in, one after the other, in fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import floor
from typing import NamedTuple


class Record(NamedTuple):
    codes: tuple[str, ...]
    value: Fraction
    weight: Fraction | None
    who: int


class Cell(NamedTuple):
    value: Fraction
    size: Fraction
    count: int
    weight: Fraction
    largest: list[tuple[Fraction, int]]


def path(code, parent):
    """A code and all codes above it."""
    while code is not None:
        yield code
        code = parent[code]


def tabulated(records, parents, most):
    """Cells by their codes; `parents` has a mapping from code to parent (None for the total) for every dimension."""
    held = defaultdict(lambda: defaultdict(list))
    for record in records:
        for codes in product(*(path(c, p) for c, p in zip(record.codes, parents, strict=True))):
            held[codes][record.who].append(record)
    return {codes: _cell(by_person, most) for codes, by_person in held.items()}


def _cell(by_person, most):
    contributions = []
    for who in sorted(by_person):
        records = by_person[who]
        contributions.append((sum(_own(r) for r in records), who))
        for record in records:
            contributions += [(x, -1) for x in _others(record)]
    kept = sorted(contributions, key=lambda c: (-abs(c[0]), c[1] < 0, c[1]))[:most]
    return Cell(
        sum(r.value * (1 if r.weight is None else r.weight) for rs in by_person.values() for r in rs),
        sum(abs(x) for x, _ in contributions),
        len(by_person),
        sum((r.weight or Fraction(0) for rs in by_person.values() for r in rs), Fraction(0)),
        kept + [(Fraction(0), -1)] * (most - len(kept)),
    )


def _own(record):
    return record.value * (1 if record.weight is None else min(record.weight, 1))


def _others(record):
    """Units outside the sample that a weight above 1 stands for: whole ones, and one for the fraction."""
    if record.weight is None or record.weight <= 1 or record.value == 0:
        return []
    beyond = record.weight - 1
    rest = beyond - floor(beyond)
    return [record.value] * floor(beyond) + ([record.value * rest] if rest else [])
