"""What methods share that make weights reproduce totals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.masked import whole_valued
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.calibration import TotalsOutOfReach, WeightNotPositive
from tarnkappe.kernels.calibration import calibrated, design
from tarnkappe.kernels.classes import MARKS
from tarnkappe.kernels.standard import SMALLEST_NORMAL
from tarnkappe.language import listed
from tarnkappe.vocab import Role

NOTHING = 1e-290
"""A weight so small beside the largest counts for nothing: quotients of such weights are soon no numbers any more."""

FEW_CODES = 150
"""Whole numbers with so few values, and no role that says otherwise, are codes such as ages and years."""
_CODES = {Role.KEY, Role.STRATUM, Role.PERIOD}


@dataclass(frozen=True)
class Controls:
    """Classes whose weighted counts, and values whose weighted sums, are to be met, by column."""

    counted: Mapping[str, tuple[Ints, int]]
    summed: Mapping[str, Floats]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.counted, *self.summed)

    @property
    def rows(self) -> sparse.csr_array:
        return design(tuple(self.counted.values()), tuple(self.summed.values()))

    def taken(self, place: Callable[[str], Ints]) -> Controls:
        """What stands in the records that each column is taken from."""
        counted = {name: (ids[place(name)], count) for name, (ids, count) in self.counted.items()}
        return Controls(counted, {name: values[place(name)] for name, values in self.summed.items()})


def positive(data: Microdata, weight: str, who: str) -> Floats:
    """The weights; every record counts for something, also beside the one with the largest."""
    weights = data.numbers((weight,), who)[:, 0]
    wrong = np.flatnonzero(~(weights >= max(SMALLEST_NORMAL, NOTHING * np.fmax.reduce(weights, initial=0.0))))
    if len(wrong):
        raise WeightNotPositive(name=weight, count=len(wrong), first=data.record(wrong[0]))
    return weights


def met(weights: Floats, controls: Controls, totals: Floats) -> Floats:
    """The weights nearest to these that give the totals, or a refusal: at once where no record is left for one of them."""
    found: Floats | None = weights
    if controls.names:
        rows = controls.rows
        nobody = (abs(rows).T @ weights == 0) & (totals != 0)
        found = None if nobody.any() else calibrated(weights, rows, totals)
    if found is None:
        raise TotalsOutOfReach(records=len(weights), names=listed(list(controls.names)))
    return found


def is_quantity(data: Microdata, name: str) -> bool:
    """Whether a column is added up: the role numeric says so, and numbers that are no codes, which are whole, few or keys."""
    column = data.column(name)
    if name in data.role(Role.NUMERIC) or not column.kind.is_number:
        return column.kind.is_number
    if set(data.roles_of(name)) & _CODES:
        return False
    return not whole_valued(column) or len(np.unique(column.values[column.observed])) > FEW_CODES


def as_it_is(data: Microdata, names: Sequence[str], who: str) -> Controls:
    """Sums of quantities, and counts of all other columns by value; missing and suppressed are values of their own."""
    summed = [n for n in names if is_quantity(data, n)]
    codes = {n: data.column(n).codes() for n in names if n not in summed}
    counted = {name: (ids + MARKS, count + MARKS) for name, (ids, count) in codes.items()}
    return Controls(counted, dict(zip(summed, data.numbers(summed, who).T, strict=True)))
