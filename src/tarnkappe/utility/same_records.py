"""Measures that compare the same records before and after; records that only one file has are left out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, in_both, original, quantities
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Json, Measure
from tarnkappe.utility.by_column import GONE
from tarnkappe.utility.comparing import NOT_THE_SAME, joined, left_out, taken_unsure


class Beside(NamedTuple):
    """The records that both files have, in the same order; numbers divided by a power of two per column."""

    before: Microdata
    after: Microdata
    names: tuple[str, ...]
    gone: tuple[str, ...]
    """Quantities of the original that the release has not, or not as numbers."""
    x: Floats
    y: Floats
    left_out: int
    """Records that only one of the files has."""
    units: Floats
    """What the numbers of every column were divided by."""
    named: bool
    """Whether the columns were chosen."""

    def __len__(self) -> int:
        return len(self.x)

    def told(self) -> dict[str, Json]:
        """What was compared."""
        return {
            "records_compared": len(self.x),
            "records_left_out": self.left_out,
            "no_numbers_any_more": self.gone,
        }

    def because(self) -> Text:
        return joined(
            left_out(self.gone, GONE),
            taken_unsure(self.before, self.names if self.named else (), self.names),
        )


class RecordByRecord(Measure):
    """A comparison of numbers of the same records."""

    columns: tuple[str, ...] = ()
    """Numeric columns; without them, all that hold quantities in both files. | Numerische Spalten; ohne
    Angabe alle, die in beiden Dateien Größen enthalten."""

    def beside(self, after: Microdata, before: Microdata | None, needed: int = 1) -> Beside:
        """Both files restricted to what they share."""
        before = original(before, self.id)
        names = in_both(after, before, self.columns, self.id, needed)
        gone = () if self.columns else tuple(n for n in quantities(before) if n not in names)
        old, new = before.paired(after)
        x, y = (data.numbers(names, self.id, by_column=True) for data in (old, new))
        scale = np.maximum(*(power_scale(part) for part in (x, y)))
        left = len(before) - _distinct(old.rows) + len(after) - len(new)
        return Beside(old, new, names, gone, x / scale, y / scale, left, scale, bool(self.columns))


def _distinct(rows: Ints) -> int:
    """Number of different rows; they mostly come in their order, each once."""
    return len(rows) if bool((np.diff(rows) > 0).all()) else len(np.unique(rows))


def not_the_same(sides: Beside) -> Finding | None:
    """The finding where too few records are in both files to compare them; nothing where there are enough."""
    if len(sides) >= LEAST:
        return None
    return Finding(math.nan, trusted=False, because=NOT_THE_SAME, details=sides.told())
