"""The objective of controlled noise: mean relative errors of means and standard deviations (ZF)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from tarnkappe.kernels.moments import moments, relative_error
from tarnkappe.language import Text
from tarnkappe.spec import Goal, Json, Source, measure
from tarnkappe.utility.by_column import ByColumn, Sample, mean


@measure(
    "utility.means-and-spreads",
    title=Text("Objective of controlled noise (ZF)", "Zielfunktion der kontrollierten Überlagerung (ZF)"),
    compares=True,
    does=Text(
        "Weighs the relative errors of the means and of the standard deviations of all numeric columns into one number.",
        "Fasst die relativen Fehler der Mittelwerte und der Standardabweichungen aller numerischen Spalten gewichtet zu einer Zahl zusammen.",
    ),
    sources=(Source("hoehne2010", "4.2.4, equation 4.2-6: objective ZF (U12)"),),
    reads=Text(
        "Means and standard deviations are off by {value} of their size, weighted and on average.",
        "Mittelwerte und Standardabweichungen weichen gewichtet und im Mittel um das {value}-Fache ihrer Größe ab.",
    ),
    knows=Text(
        "All records of the original against all of the release; each figure uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jede Zahl nutzt die vorhandenen Werte.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "look at correlations, skewness or parts of the file: see utility.correlations, utility.shape and utility.subgroups",
            "auf Korrelationen, Schiefe oder Teile der Datei sehen: siehe utility.correlations, utility.shape und utility.subgroups",
        ),
    ),
    words={
        "mean_error": Text("relative error of the mean", "relativer Fehler des Mittelwerts"),
        "sd_error": Text(
            "relative error of the standard deviation", "relativer Fehler der Standardabweichung"
        ),
        "weighted_error": Text("weighted relative error", "gewichteter relativer Fehler"),
        "alpha": Text("weight of the means", "Gewicht der Mittelwerte"),
    },
    example={"columns": ["income", "employees"], "weighted": False, "alpha": 0.7},
)
class MeansAndSpreads(ByColumn):
    """ZF = α Σ |x̄' - x̄| / (m |x̄|) + (1 - α) Σ |σ' - σ| / (m σ) over the m columns (4.2-6 of Höhne).

    This is what `microdata.controlled-noise` makes small; here it is told for any release. With `alpha` 1 only means count. Where a mean is near
    zero, or the original is constant, the error is the difference in units of the size of the numbers, and the column is listed as guarded.
    """

    alpha: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Weight of means against standard deviations. | Gewicht der Mittelwerte gegenüber den Standardabweichungen."""

    def compared(self, old: Sample, new: Sample) -> dict[str, Json]:
        a, b = (moments(side.x, side.w) for side in (old, new))
        shift, near = relative_error(b.mean, a.mean, a.size)
        spread, flat = relative_error(b.sd, a.sd, a.sd or max(a.size, b.size))
        return {
            "mean_error": shift,
            "sd_error": spread,
            "weighted_error": self.alpha * abs(shift) + (1 - self.alpha) * abs(spread),
            "guarded_figures": int(near) + int(flat),
        }

    def loss(self, found: Mapping[str, Json]) -> float:
        return float(found["weighted_error"])

    def total(self, losses: Sequence[float]) -> float:
        return mean(losses)

    def told(self) -> dict[str, Json]:
        return {"alpha": self.alpha}
