"""What an attacker knows beforehand of the suppressed cells of a published table: columns of its file, or a share of the values.

Columns are `prior_low` and `prior_high`, and `prior_percent` (to either side of the value), as in a file of cells to be protected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.system import System
from tarnkappe.errors.tables import OptionWrong, PriorWrong
from tarnkappe.io.patterns import PERCENT, PRIOR
from tarnkappe.language import Text

Bounds = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The suppressed cells of a file, and how well they are known."""

    name: str
    value: Floats
    """As the file has it, also under suppressed cells; NaN where it has none."""
    hidden: Bools
    percent: float | None = None
    """Of all cells."""

    def bounds(self, cells: Microdata, low: Floats, high: Floats) -> Bounds:
        """The bounds of every cell, with what the columns of the file and the percentage tell of suppressed ones."""
        for column, end in zip(PRIOR, (low, high), strict=True):
            if column in cells.columns:
                told = cells.numbers([column], self.name)[:, 0]
                use = self.hidden & ~np.isnan(told)
                end[use] = told[use]
        if PERCENT in cells.columns:
            share = cells.numbers([PERCENT], self.name)[:, 0]
            low, high = self._within(low, high, np.where(self.hidden, share, np.nan), PERCENT)
        if self.percent is not None:
            share = np.where(self.hidden, self.percent, np.nan)
            low, high = self._within(low, high, share, "--prior")
        there = self.hidden & ~np.isnan(self.value)
        wrong = self.hidden & (low > high)
        wrong |= there & ((self.value < low) | (self.value > high))
        if wrong.any():
            raise PriorWrong(name=self.name, count=int(wrong.sum()), row=int(np.argmax(wrong)) + 1)
        return low, high

    def _within(self, low: Floats, high: Floats, share: Floats, option: str) -> Bounds:
        """At most so many percent from the value to either side."""
        asked = ~np.isnan(share)
        if np.isnan(self.value[asked]).any():
            raise OptionWrong(option=option, given=self.name, why=_NO_VALUES)
        reach = np.where(asked, np.abs(self.value) * share / 100, np.inf)
        value = np.where(asked, self.value, 0.0)
        return np.maximum(low, value - reach), np.minimum(high, value + reach)


def known_within(system: System, percent: float | None) -> System:
    """A system that holds its values, with every suppressed cell known up to so many percent."""
    if percent is None:
        return system
    if np.isnan(system.value[system.hidden]).any():
        raise OptionWrong(option="--prior", given=system.name, why=_NO_VALUES)
    reach = np.where(system.hidden, np.abs(system.value) * percent / 100, np.inf)
    low, high = np.maximum(system.low, system.value - reach), np.minimum(system.high, system.value + reach)
    return replace(system, low=low, high=high)


_NO_VALUES = Text(
    "a percentage is one of the value, and the file does not hold the values of its suppressed cells. Name bounds in the columns "
    "prior_low and prior_high instead.",
    "ein Prozentsatz bezieht sich auf den Wert, und die Datei enthält die Werte ihrer gesperrten Zellen nicht. Nennen Sie statt dessen "
    "Grenzen in den Spalten prior_low und prior_high.",
)
