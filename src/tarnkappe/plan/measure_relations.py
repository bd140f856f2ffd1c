"""Relations between columns as relations between what tables add up: measures, before or after steps, with or without weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from tarnkappe.data.linear_relations import LinearRelation
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.tabulate import UNWEIGHTED

AFTER_STEPS = " (after the steps)"
"""The same numbers before and after steps that change them are two measures."""
LEAST_RECORDS = 30
"""That one column is never above another is believed of so many records at least."""
_SUFFIXES = ("", AFTER_STEPS, UNWEIGHTED, UNWEIGHTED + AFTER_STEPS)


@dataclass(frozen=True, slots=True)
class MeasureRelation:
    """Terms times measures are nothing in every cell, or where it is no equation nothing at most."""

    terms: Mapping[str, float]
    columns: Mapping[str, str | None]
    """The column of every measure; None: records are counted."""
    equation: bool


def measure_relations(
    relations: Iterable[LinearRelation], measures: Iterable[str]
) -> Iterator[MeasureRelation]:
    """What relations say of measures, where two of them at least are published; of an inequality all must be."""
    known = set(measures)
    for relation in relations:
        for suffix in _SUFFIXES:
            found = _of(relation, suffix)
            there = [name for name in found.terms if name in known]
            if len(there) >= 2 and (found.equation or len(there) == len(found.terms)):
                yield found


def _of(relation: LinearRelation, suffix: str) -> MeasureRelation:
    sign = -1.0 if relation.sense == ">=" else 1.0
    terms = {f"{name}{suffix}": sign * weight for name, weight in relation.coefficients.items()}
    columns: dict[str, str | None] = {f"{name}{suffix}": name for name in relation.coefficients}
    if relation.constant:  # added up over records it is a multiple of their number
        terms[suffix], columns[suffix] = sign * relation.constant, None
    return MeasureRelation(terms, columns, relation.sense == "=")


def found_limits(data: Microdata, columns: Sequence[str]) -> Iterator[LinearRelation]:
    """Columns that are never above another one, and neither negative nor always the same."""
    numbers = {
        n: data.columns[n].numbers() for n in columns if n in data.columns and data.columns[n].kind.is_number
    }
    for small, large in permutations(numbers, 2):
        x, y = numbers[small], numbers[large]
        both = np.isfinite(x) & np.isfinite(y)
        x, y = x[both], y[both]
        if len(x) >= LEAST_RECORDS and (x >= 0).all() and (x <= y).all() and (x < y).any():
            yield LinearRelation({small: 1.0, large: -1.0}, 0.0, "<=")
