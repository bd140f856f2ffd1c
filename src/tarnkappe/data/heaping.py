"""Values that people round: hundreds among incomes, halves and whole hours."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Bools, Floats

USUAL = 0.3
"""From this share of the values on, multiples of a round number are usual in a column."""
_ROUND = tuple(times * 10.0**power for power in range(9, -5, -1) for times in (5, 1))


def usual_units(values: Floats, among: Floats) -> Floats:
    """For every value the largest round number (1, 5, 10, 50 …) that it is a multiple of, of those that are usual `among` the values of its column; 0 where there is none."""
    units = np.zeros(len(values))
    for unit in _ROUND:
        if len(among) and np.mean(_multiples(among, unit)) >= USUAL:
            units = np.where((units == 0) & _multiples(values, unit), unit, units)
    return units


def _multiples(values: Floats, unit: float) -> Bools:
    """Of numbers so large that the quotient is none it cannot be told."""
    with np.errstate(over="ignore", invalid="ignore"):
        quotient = values / unit
        return np.asarray((np.abs(quotient - np.rint(quotient)) <= 1e-9) & (values != 0))


def multiples_near(values: Floats, units: Floats) -> Floats:
    """The nearest multiples of round numbers, spelt as people write them: 0.57 and not 0.5700000000000001."""
    small = units < 1
    per_one = np.rint(1 / np.where(small, units, 1.0))
    with np.errstate(over="ignore"):
        return np.asarray(
            np.where(small, np.rint(values * per_one) / per_one, np.rint(values / units) * units)
        )
