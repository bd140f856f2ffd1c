"""Overlap of the confidence intervals before and after."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.kernels.estimates import Estimate, mean_estimate, overlap, sd_estimate
from tarnkappe.language import Text
from tarnkappe.spec import Goal, Json, Source, measure
from tarnkappe.utility.by_column import ByColumn, Sample, mean

_ESTIMATES: Mapping[str, Callable[[Floats, Floats | None, float], Estimate]] = {
    "mean": mean_estimate,
    "sd": sd_estimate,
}
_CONSTANT = Text("constant in one of the files", "in einer der Dateien konstant")


@measure(
    "utility.confidence-overlap",
    title=Text("Overlap of confidence intervals", "Überlappung der Konfidenzintervalle"),
    compares=True,
    does=Text(
        "Compares the confidence intervals of means, or of standard deviations, before and after.",
        "Vergleicht die Konfidenzintervalle von Mittelwerten oder Standardabweichungen vorher und nachher.",
    ),
    sources=(
        Source("dav2025", "section 6.3: estimate within the original interval, overlap of intervals (D-U08)"),
        Source("karr2006", "overlap of confidence intervals"),
    ),
    reads=Text(
        "On average the intervals share {value} of their width (1: the same; below 0: a gap between them).",
        "Im Mittel teilen die Intervalle das {value}-Fache ihrer Breite (1: gleich; unter 0: Lücke dazwischen).",
    ),
    knows=Text(
        "All records of the original against all of the release; each figure uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jede Zahl nutzt die vorhandenen Werte.",
    ),
    goal=Goal.HIGH,
    bounds=(-math.inf, 1),
    does_not=(
        Text(
            "know how the sample was drawn beyond its weights: clusters make true intervals wider",
            "die Ziehung der Stichprobe über die Gewichte hinaus kennen: Klumpen verbreitern die wahren Intervalle",
        ),
        Text(
            "excuse a bias: with many records intervals are narrow, and a small shift separates them",
            "eine Verzerrung entschuldigen: Bei vielen Datensätzen sind Intervalle schmal, und schon eine kleine Verschiebung trennt sie",
        ),
        Text(
            "compare models; see the measures of regression",
            "Modelle vergleichen; siehe die Maße zur Regression",
        ),
    ),
    example={"columns": ["income", "employees"], "weighted": False, "statistic": "sd", "confidence": 0.9},
)
class ConfidenceOverlap(ByColumn):
    """The mean share of their width that the confidence intervals before and after have in common.

    The overlap is ½ [(min U - max L) / (U - L) before + the same after]: 1 where the intervals are equal,
    below 0 where there is a gap between them (the details show it cut at 0, too), and 0.5 or more where one
    interval lies inside the other. It is told besides whether the new estimate lies in the original interval.

    Intervals of means are normal ones, of weighted means by linearisation; those of standard deviations use
    the fourth moment and no normal distribution. A column that is constant in one of the files has no
    interval and is left out.
    """

    statistic: Literal["mean", "sd"] = "mean"
    """What is estimated: means or standard deviations. | Was geschätzt wird: Mittelwerte oder
    Standardabweichungen."""
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Probability with which an interval covers the true value. | Wahrscheinlichkeit, mit der ein Intervall
    den wahren Wert überdeckt."""

    def compared(self, old: Sample, new: Sample) -> dict[str, Json] | None:
        a, b = (_ESTIMATES[self.statistic](side.x, side.w, self.confidence) for side in (old, new))
        shared = overlap(a, b)
        if math.isnan(shared):
            return None
        return {
            "interval_before": a._asdict(),
            "interval_after": b._asdict(),
            "overlap": shared,
            "overlap_cut": max(0.0, shared),
            "inside_original": bool(a.holds(b.value)),
        }

    def loss(self, found: Mapping[str, Json]) -> float:
        return float(np.maximum(found["overlap"], -np.finfo(float).max))

    def total(self, losses: Sequence[float]) -> float:
        return mean(losses)

    def undefined(self) -> Text:
        return _CONSTANT

    def told(self) -> dict[str, Json]:
        return {"statistic": self.statistic, "confidence": self.confidence}
