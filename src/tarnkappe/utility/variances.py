"""Standard deviations and variances before and after, with Höhne's verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from tarnkappe.kernels.estimates import sd_estimate
from tarnkappe.kernels.moments import Moments, moments, relative_error
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.spec import Goal, Json, Maturity, Source, measure
from tarnkappe.utility.by_column import Sample, common_scale
from tarnkappe.utility.uncertain import OfMoments

CONSTANT = 1e-9
"""Part of the size of the numbers below which it is looked whether a column varies at all."""
USABLE, UNUSABLE = 0.01, 0.05
"""Höhne 4.2.3: a standard deviation is usable up to the first relative error, and unusable from the second on."""
_UNUSABLE = Text(
    "Standard deviations off by 5 per cent or more, unusable after Höhne: {names}.",
    "Um 5 Prozent oder mehr verfehlte Standardabweichungen, nach Höhne unbrauchbar: {names}.",
)


@measure(
    "utility.variances",
    title=Text("Variances before and after", "Varianzen vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the standard deviation and the variance of every numeric column before and after.",
        "Vergleicht Standardabweichung und Varianz jeder numerischen Spalte vorher und nachher.",
    ),
    sources=(
        Source(
            "hoehne2010",
            "section 4.2.3, table 7: relative error of the standard deviation; usable to 1%, unusable from 5% (U02)",
        ),
        Source("gottschalk2002", "section 2: variances before and after (G-U01)"),
    ),
    reads=Text(
        "The standard deviation that changed most changed by {value} of its size.",
        "Die am stärksten veränderte Standardabweichung weicht um das {value}-Fache ihrer Größe ab.",
    ),
    knows=Text(
        "All records of the original against all of the release; each figure uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jede Zahl nutzt die vorhandenen Werte.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "tell whether the largest records carry the error; a few giants often do",
            "zeigen, ob die größten Datensätze den Fehler tragen; oft sind es wenige Riesen",
        ),
        Text(
            "give figures for publication: signed deviations narrow the original down",
            "Zahlen zur Veröffentlichung geben: Abweichungen mit Vorzeichen grenzen das Original ein",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "sd_after": Text("standard deviation after", "Standardabweichung nachher"),
        "sd_before": Text("standard deviation before", "Standardabweichung vorher"),
        "sd_error": Text(
            "relative error of the standard deviation", "relativer Fehler der Standardabweichung"
        ),
        "uncertain_anyway": Text(
            "relative uncertainty of the original figure", "relative Unsicherheit der ursprünglichen Zahl"
        ),
        "variance_error": Text("relative error of the variance", "relativer Fehler der Varianz"),
        "verdict": Text("verdict after Höhne", "Urteil nach Höhne"),
    },
    example={"columns": ["income", "employees"], "weighted": False, "confidence": 0.9},
)
class Variances(OfMoments):
    """Relative errors of standard deviation and variance, column by column.

    The relative error is after/before - 1, with the divisor n. Where the original is constant, it is the
    difference in units of the size of the numbers, and listed as guarded. The verdict is Höhne's reading of
    his simulations: *usable* up to an error of 1 per cent of the standard deviation, *unusable* from 5 per
    cent on, *doubtful* between.

    The interval of the value is made as in `utility.moments`. Beside it stands how uncertain the original
    standard deviation is as an estimate: half the width of its confidence interval, relative to it, from the
    fourth moment. An error well below that hardly matters to whoever infers from the sample.
    """

    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Probability with which the interval covers the true value. | Wahrscheinlichkeit, mit der das
    Intervall den wahren Wert überdeckt."""

    def compared(self, old: Sample, new: Sample) -> dict[str, Json]:
        a, b = (sd_estimate(side.x, side.w, self.confidence) for side in (old, new))
        size = a.value if a.value > CONSTANT * common_scale(old.x, new.x) else max(_size(old), _size(new))
        error, guarded = relative_error(b.value, a.value, size)
        squared = error if guarded else (1 + error) * (1 + error) - 1
        return {
            "sd_before": a.value,
            "sd_after": b.value,
            "sd_error": error,
            "variance_error": squared,
            "uncertain_anyway": (a.high - a.low) / 2 / a.value if a.value > 0 else math.nan,
            "guarded_figures": int(guarded),
            "verdict": verdict(error),
        }

    def changes(self, a: Moments, b: Moments) -> tuple[float, ...]:
        return (relative_error(b.sd, a.sd, a.sd or max(a.size, b.size))[0],)

    def level(self) -> float:
        return self.confidence

    def loss(self, found: Mapping[str, Json]) -> float:
        return abs(float(found["sd_error"]))

    def remarks(self, found: Mapping[str, Mapping[str, Json]]) -> Text:
        bad = [name for name, figures in found.items() if figures["verdict"] == "unusable"]
        return _UNUSABLE.filled(names=listed(bad)) if bad else NOTHING

    def told(self) -> dict[str, Json]:
        return {"confidence": self.confidence}


def verdict(error: float) -> str:
    """Höhne's reading of a relative error."""
    if abs(error) <= USABLE:
        return "usable"
    return "unusable" if abs(error) >= UNUSABLE else "doubtful"


def _size(side: Sample) -> float:
    """How large the numbers are: of what size a change of a constant is judged by."""
    return moments(side.x, side.w).size
