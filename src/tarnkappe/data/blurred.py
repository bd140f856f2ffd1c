"""Whole numbers behind quotients: moved a little before they are divided, so that no fraction gives them back.

Two whole numbers that were multiplied by one factor, or divided by each other, keep their quotient to the last digit, and the simplest fraction near
it is the pair itself. A number that was moved by more than the unit in which it is counted has, for every denominator that somebody tries, several whole
numbers that fit, so that no number of further quotients tells which one it was (decision 24).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.households import alike_in_homes
from tarnkappe.data.microdata import Microdata

REACH = 1.5
"""A number moves by at most so many units: three whole numbers fit to what is left."""
LEFT = 0.5
"""So much of a unit is left of the smallest numbers: they keep their sign, none becomes zero, and what is left of one may also be left of two."""
OF_HEAPED = 0.1
"""A number on which people have rounded, such as whole hundreds, moves by more of its units, but by no larger part than this."""
DIGITS = 5
"""Quotients are told with so many significant digits."""
MOST_DECIMALS = 3
NEARLY_ALL = 0.9
"""Of the values of a column must be whole in a unit for it to count as the unit of the column; the others may be errors."""
SOME = 20
"""Of fewer values nobody knows whether they have a divisor in common by chance."""
HEAPS = tuple(10.0**k for k in range(1, 7))


def unit_of(values: Floats) -> float:
    """The unit in which the values of a column are counted: their largest common divisor, also in tenths to thousandths; 0 where there is none."""
    x = np.abs(values[np.isfinite(values) & (values != 0)])
    for decimals in range(MOST_DECIMALS + 1):
        scaled = x * 10.0**decimals
        if not len(x) or scaled.max() >= 2.0**53:
            return 0.0
        whole = (np.abs(scaled - np.rint(scaled)) <= 1e-9 * scaled) & (scaled >= 0.5)
        if whole.mean() >= NEARLY_ALL:
            counted = np.unique(np.rint(scaled[whole]).astype(np.int64))
            return float(np.gcd.reduce(counted) if len(counted) >= SOME else 1) / 10.0**decimals
    return 0.0


def reach_of_counts(values: Floats) -> Floats:
    """By how much each value of a column is moved at most, so that its whole number is hidden; 0 where values are not counted."""
    unit, size = unit_of(values), np.abs(np.nan_to_num(values))
    out: Floats = np.minimum(REACH * unit, np.maximum(size - LEFT * unit, LEFT * size))
    return out


def reach_of_amounts(values: Floats) -> Floats:
    """As `reach_of_counts`, and farther for values on which people have rounded: these are counted in tens, hundreds or thousands."""
    unit, reach = unit_of(values), reach_of_counts(values)
    there = np.isfinite(values) & (values != 0)
    for heap in HEAPS if unit and there.sum() >= SOME else ():
        counted = np.where(there, values / (unit * heap), 0.5)
        heaped = counted == np.rint(counted)
        if heaped.sum() >= max(OF_HEAPED, 3 / heap) * there.sum():  # three times as many as by chance
            farther = np.minimum(REACH * unit * heap, OF_HEAPED * np.abs(values))
            reach = np.where(heaped, np.maximum(reach, farther), reach)
    return reach


def moved(data: Microdata, names: Sequence[str], reach: Floats, generator: np.random.Generator) -> Floats:
    """The values of some columns, each moved by a number drawn between minus and plus its reach; members of a household alike."""
    x = np.column_stack([data.column(name).values.astype(np.float64) for name in names])
    return x + alike_in_homes(data, names, generator.uniform(-1.0, 1.0, x.shape)) * np.nan_to_num(reach)


def with_few_digits(x: Floats) -> Floats:
    """Numbers with five significant digits; gaps stay."""
    used = np.isfinite(x) & (x != 0)
    size = np.floor(np.log10(np.abs(x), out=np.zeros_like(x), where=used)) - (DIGITS - 1)
    up = 10.0 ** np.abs(size)
    out = np.where(size < 0, np.rint(x * up) / up, np.rint(x / up) * up)
    return np.where(used & np.isfinite(out), out, x)


def slack(amounts: Floats, reach: Floats) -> Floats:
    """How far a quotient times its true denominator may be from the amount: what was moved, and half of the last digit."""
    out: Floats = reach + 0.5 * 10.0 ** (1 - DIGITS) * (np.abs(amounts) + reach) + 1e-9 * np.abs(amounts)
    return out
