"""Measures that compare the numeric columns of two files one by one; the files need not have the same records."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, in_both, original, quantities
from tarnkappe.kernels.moments import observed
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Json, Measure
from tarnkappe.utility.comparing import joined, left_out, taken_unsure, weights

TOO_FEW = Text(f"fewer than {LEAST} observed values", f"weniger als {LEAST} vorhandene Werte")
GONE = Text("no numbers any more", "keine Zahlen mehr")


class Sample(NamedTuple):
    """One numeric column of one file."""

    x: Floats
    """One number per record, NaN where missing or suppressed."""
    w: Floats | None

    def there(self, scale: float = 1.0) -> tuple[Floats, Floats | None]:
        """The observed numbers, divided by `scale`, with their weights."""
        x, w = observed(self.x, self.w)
        return x / scale, w

    @property
    def seen(self) -> Bools:
        """Which records have a number and a weight."""
        out: Bools = ~np.isnan(self.x) if self.w is None else ~np.isnan(self.x) & (self.w > 0)
        return out

    @property
    def n(self) -> int:
        return int(np.count_nonzero(self.seen))


class Ends(NamedTuple):
    """Ends of the interval of a loss; nothing where there is none."""

    low: float | None
    high: float | None


class Sides(NamedTuple):
    """Both files, the columns that are compared, and those that could have been."""

    before: Microdata
    after: Microdata
    names: tuple[str, ...]
    gone: tuple[str, ...]
    """Quantities of the original that the release has not, or not as numbers."""
    w_before: Floats | None
    w_after: Floats | None

    def samples(self, name: str, who: str) -> tuple[Sample, Sample]:
        """A column before and after."""
        x, y = (data.numbers([name], who)[:, 0] for data in (self.before, self.after))
        return Sample(x, self.w_before), Sample(y, self.w_after)


class OfNumbers(Measure):
    """A comparison of numeric columns."""

    columns: tuple[str, ...] = ()
    """Numeric columns; without them, all that hold quantities in both files. | Numerische Spalten; ohne
    Angabe alle, die in beiden Dateien Größen enthalten."""
    weighted: bool = True
    """Use the weights where both files have them. | Die Gewichte verwenden, wo beide Dateien sie haben."""

    def sides(self, after: Microdata, before: Microdata | None, needed: int = 1) -> Sides:
        """Both files with their weights, and the columns to compare."""
        before = original(before, self.id)
        names = in_both(after, before, self.columns, self.id, needed)
        gone = () if self.columns else tuple(n for n in quantities(before) if n not in names)
        old, new = (weights(data) if self.weighted else None for data in (before, after))
        if old is None or new is None:
            old = new = None
        return Sides(before, after, names, gone, old, new)


class ByColumn(OfNumbers):
    """A comparison of numeric columns one by one; the value is what the worst of them lost."""

    @abstractmethod
    def compared(self, old: Sample, new: Sample) -> dict[str, Json] | None:
        """Figures of a column in both files; nothing where it has none."""

    @abstractmethod
    def loss(self, found: Mapping[str, Json]) -> float:
        """What a column lost, from its figures."""

    def total(self, losses: Sequence[float]) -> float:
        """One number for all columns."""
        return max(losses)

    def undefined(self) -> Text:
        """Why a column with enough values may have no figures."""
        return NOTHING

    def ends(self, sides: Sides, name: str) -> Ends:
        """The interval of what a column lost: for other records of the same population it would mostly lie in it."""
        del sides, name
        return Ends(None, None)

    def told(self) -> dict[str, Json]:
        """Further details."""
        return {}

    def remarks(self, found: Mapping[str, Mapping[str, Json]]) -> Text:
        """Further words about the columns."""
        del found
        return NOTHING

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before)
        few: list[str] = []
        found: dict[str, dict[str, Json]] = {}
        for name in sides.names:
            old, new = sides.samples(name, self.id)
            if min(old.n, new.n) < LEAST:
                few.append(name)
            elif (figures := self.compared(old, new)) is not None:
                found[name] = figures
        without = [n for n in sides.names if n not in found and n not in few]
        lost = {name: loss for name, figures in found.items() if not math.isnan(loss := self.loss(figures))}
        losses = list(lost.values())
        value = self.total(losses) if losses else math.nan
        worst = [name for name, loss in lost.items() if loss == value]
        low, high = self.ends(sides, worst[0]) if worst and math.isfinite(value) else Ends(None, None)
        return Finding(
            value=value,
            low=low,
            high=high,
            trusted=bool(losses),
            because=joined(
                left_out(few, TOO_FEW),
                left_out(without, self.undefined()),
                left_out(sides.gone, GONE),
                taken_unsure(sides.before, self.columns, sides.names),
                self.remarks(found),
            )
            or _nothing(losses),
            details={
                "columns": found,
                "weighted": sides.w_before is not None,
                "no_numbers_any_more": sides.gone,
                **self.told(),
            },
        )


def common_scale(*parts: Floats) -> float:
    """A power of two near the largest of the numbers: divided by it, nothing overflows or vanishes."""
    return max(float(power_scale(part)) for part in parts)


def mean(losses: Iterable[float]) -> float:
    """The mean of what the columns lost."""
    return float(np.mean(list(losses)))


def _nothing(losses: Sequence[float]) -> Text:
    nothing = Text(
        "No column has the figures that are compared.", "Keine Spalte hat die Zahlen, die verglichen werden."
    )
    return NOTHING if losses else nothing
