"""Skewness, excess and range before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tarnkappe.kernels.moments import Moments, moments
from tarnkappe.language import Text
from tarnkappe.spec import Goal, Json, Source, measure
from tarnkappe.utility.by_column import Sample, common_scale
from tarnkappe.utility.uncertain import OfMoments

_CONSTANT = Text("constant", "konstant")
LEAST_SIZE = 1.0
"""Skewness and excess smaller than this are compared by their difference: both have a scale of their own."""


@measure(
    "utility.shape",
    title=Text("Shape of distributions before and after", "Form der Verteilungen vorher und nachher"),
    compares=True,
    does=Text(
        "Compares skewness, excess and range of every numeric column before and after.",
        "Vergleicht Schiefe, Exzess und Spannweite jeder numerischen Spalte vorher und nachher.",
    ),
    sources=(
        Source(
            "hoehne2010", "section 4.2.3, tables 8 and 9: skewness and excess (U04); section 2.1: range (U03)"
        ),
        Source("dav2025", "section 6.3: figures near zero are guarded"),
    ),
    reads=Text(
        "Of all skewness and excess, the one that changed most changed by {value}.",
        "Die stärkste Veränderung einer Schiefe oder eines Exzesses beträgt {value}.",
    ),
    knows=Text(
        "All records of the original against all of the release; each figure uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jede Zahl nutzt die vorhandenen Werte.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "tell where a distribution changed; see utility.quantiles and utility.distributions",
            "zeigen, wo sich eine Verteilung verändert hat; siehe utility.quantiles und utility.distributions",
        ),
        Text(
            "show smallest and largest values, which belong to single records; of the range only the change is told",
            "kleinste und größte Werte zeigen, denn sie gehören einzelnen Datensätzen; von der Spannweite wird nur die Veränderung genannt",
        ),
    ),
    words={
        "excess_after": Text("excess after", "Exzess nachher"),
        "excess_before": Text("excess before", "Exzess vorher"),
        "excess_change": Text("change of the excess", "Veränderung des Exzesses"),
        "range_change": Text("change of the range", "Veränderung der Spannweite"),
        "skewness_after": Text("skewness after", "Schiefe nachher"),
        "skewness_before": Text("skewness before", "Schiefe vorher"),
        "skewness_change": Text("change of the skewness", "Veränderung der Schiefe"),
    },
    example={"columns": ["income", "employees"], "weighted": False},
)
class Shape(OfMoments):
    """How skewness and excess changed, column by column, and the range.

    A change is the absolute difference, relative to the original figure where that is above 1 in size: below
    it, relative errors of figures near zero would say nothing, so the difference itself stands, counted as
    guarded. The value is the largest change of a skewness or an excess. The range is the largest value less
    the smallest; of it only the relative change without its sign is told, because its ends are single
    records. It tells what top and bottom coding, sampling or the removal of extremes did. The interval of the value is made as in
    `utility.moments`.
    """

    def compared(self, old: Sample, new: Sample) -> dict[str, Json] | None:
        a, b = moments(*old), moments(*new)
        if math.isnan(a.skewness) or math.isnan(b.skewness):
            return None
        scale = common_scale(old.x, new.x)
        was, now = (float(np.ptp(side.there(scale)[0])) for side in (old, new))
        return {
            "skewness_before": a.skewness,
            "skewness_after": b.skewness,
            "skewness_change": abs(_change(b.skewness, a.skewness)),
            "excess_before": a.excess,
            "excess_after": b.excess,
            "excess_change": abs(_change(b.excess, a.excess)),
            "range_change": abs(now / was - 1),
            "guarded_figures": sum(abs(figure) <= LEAST_SIZE for figure in (a.skewness, a.excess)),
        }

    def changes(self, a: Moments, b: Moments) -> tuple[float, ...]:
        return _change(b.skewness, a.skewness), _change(b.excess, a.excess)

    def loss(self, found: Mapping[str, Json]) -> float:
        return max(float(found["skewness_change"]), float(found["excess_change"]))

    def undefined(self) -> Text:
        return _CONSTANT


def _change(after: float, before: float) -> float:
    """With its sign."""
    return (after - before) / max(abs(before), LEAST_SIZE)
