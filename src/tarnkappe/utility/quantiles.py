"""Quantiles before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.kernels.jackknife import groups, quantile_without
from tarnkappe.kernels.moments import guarded_quantiles, moments
from tarnkappe.language import Text
from tarnkappe.spec import Goal, Json, Source, measure
from tarnkappe.utility.by_column import ByColumn, Ends, Sample, Sides, common_scale
from tarnkappe.utility.uncertain import Known, ends

_MIDDLE = (0.25, 0.75)
_CONSTANT = Text(
    "constant, or too few records beyond the quantiles",
    "konstant oder zu wenige Datensätze jenseits der Quantile",
)
_Shares = Annotated[tuple[Annotated[float, Field(gt=0, lt=1)], ...], Field(min_length=1)]


@measure(
    "utility.quantiles",
    title=Text("Quantiles before and after", "Quantile vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the quantiles of every numeric column before and after.",
        "Vergleicht die Quantile jeder numerischen Spalte vorher und nachher.",
    ),
    sources=(
        Source("dav2025", "section 6.3: key figures of the distribution"),
        Source("hoehne2010", "section 2: distribution as a property that users need (0.5)"),
    ),
    reads=Text(
        "The quantile that moved most moved by {value} interquartile ranges.",
        "Das am stärksten verschobene Quantil hat sich um {value} Quartilsabstände bewegt.",
    ),
    knows=Text(
        "All records of the original against all of the release; each figure uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jede Zahl nutzt die vorhandenen Werte.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "show a quantile beyond which fewer than four records lie",
            "ein Quantil zeigen, jenseits dessen weniger als vier Datensätze liegen",
        ),
        Text(
            "look at sub-populations or at relations between columns",
            "Teilgruppen oder Zusammenhänge zwischen Spalten betrachten",
        ),
    ),
    words={
        "moved_by": Text("moved by interquartile ranges", "Verschiebung in Quartilsabständen"),
        "quantiles_after": Text("quantiles after", "Quantile nachher"),
        "quantiles_before": Text("quantiles before", "Quantile vorher"),
    },
    example={"columns": ["income", "employees"], "weighted": False, "shares": [0.3, 0.5]},
)
class Quantiles(ByColumn):
    """How far quantiles moved, in units of the original distance between the quartiles.

    A quantile is the mean of three neighbouring values with at least three more records beyond on either
    side, so that no record shows itself; where there are too few, it is left out. The unit is the
    interquartile range of the original, and its standard deviation where more than half of the values are
    equal (counted as guarded): no quantile near zero can blow a relative error up. The interval of the value is made as in `utility.moments`, with the unit
    taken as given; there is none where ties hide the density at the quantile.
    """

    shares: _Shares = (0.05, 0.25, 0.5, 0.75, 0.95)
    """Shares of the records below the quantiles. | Anteile der Datensätze unter den Quantilen."""

    def compared(self, old: Sample, new: Sample) -> dict[str, Json] | None:
        scale = common_scale(old.x, new.x)
        (x, v), (y, w) = old.there(scale), new.there(scale)
        *old_ones, low, high = guarded_quantiles(x, v, (*self.shares, *_MIDDLE))
        before, after = np.array(old_ones), np.array(guarded_quantiles(y, w, self.shares))
        guarded = not high - low > 0
        unit = moments(x, v).sd if guarded else high - low
        moved = np.abs(after - before) / unit if unit > 0 else np.full(len(before), np.nan)
        if np.isnan(moved).all():
            return None
        named = [f"{100 * share:.6g}%" for share in self.shares]
        return {
            "quantiles_before": dict(zip(named, before * scale, strict=True)),
            "quantiles_after": dict(zip(named, after * scale, strict=True)),
            "moved_by": dict(zip(named, moved, strict=True)),
            "guarded_figures": int(guarded),
        }

    def ends(self, sides: Sides, name: str) -> Ends:
        old, new = sides.samples(name, self.id)
        scale = common_scale(old.x, new.x)
        (x, v), (y, w) = old.there(scale), new.there(scale)
        *was, low, high = guarded_quantiles(x, v, (*self.shares, *_MIDDLE))
        unit = high - low if high - low > 0 else moments(x, v).sd
        apart = (np.array(guarded_quantiles(y, w, self.shares)) - was) / unit
        worst = int(np.nanargmax(np.abs(apart)))
        before, after = (
            quantile_without(*side.there(scale), groups(data.rows)[side.seen], self.shares[worst])
            for side, data in ((old, sides.before), (new, sides.after))
        )
        return ends(Known(float(apart[worst]), (after - before) / unit, min(old.n, new.n)))

    def loss(self, found: Mapping[str, Json]) -> float:
        return float(np.nanmax(list(found["moved_by"].values())))

    def undefined(self) -> Text:
        return _CONSTANT
