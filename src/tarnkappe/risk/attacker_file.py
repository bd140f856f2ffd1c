"""The file an attacker has: a real one, or one made from the original with stated errors."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.column import MISSING, Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Kind

PerKey = float | Mapping[str, float]
"""One number for all keys, or one for every key that has any."""


@dataclass(frozen=True, slots=True)
class Incompatible:
    """How what an attacker knows differs from what the office has (hoehne2010, section 1.1: incompatibilities)."""

    known_share: float = 1.0
    """Part of the persons in the attacker's file."""
    number_error: PerKey = 0.0
    """Standard deviation of the relative error of a number (whole numbers stay whole); of a date, in standard deviations of the column."""
    category_error: PerKey = 0.0
    """Part of the categories that are wrong."""
    gaps: PerKey = 0.0
    """Part of the values the attacker does not have."""

    def made(self, original: Microdata, keys: tuple[str, ...]) -> Microdata:
        """The attacker's file: some of the persons, their keys with errors and gaps; rows tell who they are.

        What is drawn depends on the number of records, on these parameters and on the name of the column, so it is the same every
        time, and one key more leaves the others as they were. The attacker knows the true value under a cell that the office suppressed.
        """
        seed = f"{len(original)} {self.known_share!r}"
        taken = original.take(_some(len(original), self.known_share, _draws("who", seed)))
        return taken.with_columns({name: self._known(name, taken.column(name)) for name in keys})

    def _known(self, name: str, column: Column) -> Column:
        number, category, gap = (
            _of(given, name) for given in (self.number_error, self.category_error, self.gaps)
        )
        draws = _draws(name, f"{len(column)} {number!r} {category!r} {gap!r}")
        column = _told(column)
        blurred = (
            _misread(column, category, draws)
            if column.categories is not None
            else _blurred(column, number, draws)
        )
        return _gapped(blurred, draws.random(len(column)) < gap)


def _of(given: PerKey, name: str) -> float:
    return float(given.get(name, 0.0) if isinstance(given, Mapping) else given)


def _draws(purpose: str, facts: str) -> np.random.Generator:
    seed = hashlib.sha256(f"attacker's file\0{purpose}\0{facts}".encode()).digest()
    return np.random.Generator(np.random.PCG64DXSM(int.from_bytes(seed, "big")))


def _some(n: int, share: float, draws: np.random.Generator) -> Ints:
    """So many of n records, at least one, in the order of the file."""
    if share >= 1 or n == 0:
        return np.arange(n, dtype=np.int64)
    return np.sort(draws.choice(n, size=max(1, round(share * n)), replace=False)).astype(np.int64)


def _told(column: Column) -> Column:
    """The true values, also where the office suppressed them."""
    gaps = column.missing
    return replace(column, state=np.where(gaps, MISSING, 0).astype(np.uint8) if gaps.any() else None)


def _blurred(column: Column, error: float, draws: np.random.Generator) -> Column:
    noise = draws.standard_normal(len(column))
    if error == 0:
        return column
    values = column.numbers()
    if column.kind.is_number:
        with np.errstate(over="ignore"):  # beyond the largest number is infinity, which is refused later
            blurred = values * (1 + error * noise)
        return column.with_numbers(np.rint(blurred) if column.kind is Kind.INTEGER else blurred)
    days = np.where(column.missing, 0, values + error * _spread(values) * noise)
    return replace(column, values=np.rint(days).astype(column.values.dtype))


def _spread(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(there.std()) if len(there) else 0.0


def _misread(column: Column, share: float, draws: np.random.Generator) -> Column:
    """Wrong categories are those of other records that have another one: frequent categories are mistaken for each other most."""
    wrong = (draws.random(len(column)) < share) & column.observed
    others = draws.permutation(np.flatnonzero(column.observed))
    if not wrong.any():
        return column
    values = column.values.copy()
    for _ in range(_ROUNDS):
        rows = np.flatnonzero(wrong)
        values[rows] = column.values[draws.choice(others, len(rows))]
        wrong[rows] = values[rows] == column.values[rows]
        if not wrong.any():
            break
    return replace(column, values=values)


_ROUNDS = 50
"""Draws for another category; where nearly all records have the same one it may stay."""


def _gapped(column: Column, cells: Bools) -> Column:
    if not cells.any():
        return column
    state = np.where(cells | column.missing, MISSING, 0).astype(np.uint8)
    return replace(column, state=state)
