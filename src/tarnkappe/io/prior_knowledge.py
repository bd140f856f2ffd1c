"""What an attacker knows beforehand of the suppressed cells of a published table, and what is required of his intervals.

Columns are `prior_low` and `prior_high`, `prior_percent` (to either side of the value), `required_low`, `required_high` and
`required_span`, as in a file of cells to be protected; the percentage can be that of the command, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.system import Required, System
from tarnkappe.errors.table_files import ProtectionNegative
from tarnkappe.errors.tables import OptionWrong, PriorWrong
from tarnkappe.io.patterns import PERCENT, PRIOR, REQUIRED
from tarnkappe.language import Text, listed

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

    def required(self, cells: Microdata) -> Required | None:
        """What the columns of the file require of suppressed cells; None where it has no such columns."""
        if not any(name in cells.columns and cells.column(name).observed.any() for name in REQUIRED):
            return None
        told = [
            cells.numbers([name], self.name)[:, 0]
            if name in cells.columns and cells.column(name).observed.any()
            else np.zeros(len(cells))
            for name in REQUIRED
        ]
        lower, upper, span = (np.where(self.hidden, np.nan_to_num(one, posinf=np.inf), 0.0) for one in told)
        negative = np.flatnonzero(~np.isfinite(lower + upper + span) | (lower < 0) | (upper < 0) | (span < 0))
        if len(negative):
            rows = listed([str(row + 1) for row in negative])
            raise ProtectionNegative(name=self.name, count=len(negative), cells=rows)
        blind = np.isnan(self.value) & ((lower > 0) | (upper > 0))
        if blind.any():
            raise OptionWrong(option="required_low, required_high", given=self.name, why=_NO_TRUTH)
        return Required(np.where(self.hidden, self.value, np.nan), lower, upper, span)

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


_NO_TRUTH = Text(
    "it is measured from the value, and the file does not hold the values of these suppressed cells. Require a width in the column "
    "required_span instead.",
    "gemessen wird vom Wert aus, und die Datei enthält die Werte dieser gesperrten Zellen nicht. Verlangen Sie statt dessen eine Breite "
    "in der Spalte required_span.",
)
_NO_VALUES = Text(
    "a percentage is one of the value, and the file does not hold the values of its suppressed cells. Name bounds in the columns "
    "prior_low and prior_high instead.",
    "ein Prozentsatz bezieht sich auf den Wert, und die Datei enthält die Werte ihrer gesperrten Zellen nicht. Nennen Sie statt dessen "
    "Grenzen in den Spalten prior_low und prior_high.",
)
