"""Overlap of the confidence intervals before and after."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.kernels.estimates import (
    Estimate,
    excess_estimate,
    mean_estimate,
    overlap,
    quantile_estimate,
    sd_estimate,
    skewness_estimate,
    variance_estimate,
)
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.utility.by_column import GONE, TOO_FEW, OfNumbers, Sides, mean
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.utility.pair_estimates import correlation_estimates, covariance_estimates, rank_estimates

_Figure = Callable[[Floats, Floats | None, float], Estimate]
_OF_COLUMNS: Mapping[str, _Figure] = {
    "mean": mean_estimate,
    "sd": sd_estimate,
    "variance": variance_estimate,
    "skewness": skewness_estimate,
    "excess": excess_estimate,
}
_OF_PAIRS = {
    "covariances": covariance_estimates,
    "correlations": correlation_estimates,
    "rank-correlations": rank_estimates,
}
_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
_NO_INTERVAL = Text(
    "constant in one of the files, or no interval that shows no record",
    "in einer der Dateien konstant oder ohne ein Intervall, das keinen Datensatz zeigt",
)
_NOTHING = Text(
    "No column has the figures that are compared.", "Keine Spalte hat die Zahlen, die verglichen werden."
)


@measure(
    "utility.confidence-overlap",
    title=Text("Overlap of confidence intervals", "Überlappung der Konfidenzintervalle"),
    compares=True,
    does=Text(
        "Compares the confidence intervals of means, or of other figures up to correlations, before and after.",
        "Vergleicht die Konfidenzintervalle von Mittelwerten oder anderen Kennzahlen bis hin zu Korrelationen vorher und nachher.",
    ),
    sources=(
        Source("dav2025", "section 6.3: estimate within the original interval, overlap of intervals (D-U08)"),
        Source("karr2006", "overlap of confidence intervals"),
        Source("woodruff1952", "intervals of quantiles"),
        Source("bonettwright2000", "intervals of rank correlations"),
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
    words={
        "inside_original": Text(
            "new estimate lies in the original interval", "neue Schätzung liegt im ursprünglichen Intervall"
        ),
        "interval_after": Text("estimate after", "Schätzung nachher"),
        "interval_before": Text("estimate before", "Schätzung vorher"),
        "overlap_cut": Text("overlap, at least 0", "Überlappung, mindestens 0"),
    },
    example={"columns": ["income", "employees"], "weighted": False, "statistic": "sd", "confidence": 0.9},
)
class ConfidenceOverlap(OfNumbers):
    """The mean share of their width that the confidence intervals before and after have in common.

    The overlap is ½ [(min U - max L) / (U - L) before + the same after]: 1 where the intervals are equal,
    below 0 where there is a gap between them (the details show it cut at 0, too), and 0.5 or more where one
    interval lies inside the other. It is told besides whether the new estimate lies in the original interval.

    Intervals of means are normal ones, of weighted means by linearisation; those of standard deviations and
    variances use the fourth moment, those of skewness and excess their influence functions: no normal distribution is
    assumed. Quantiles (5, 25, 50, 75 and 95 per cent) have intervals between two others, averaged over three neighbours as
    in `utility.quantiles`. Covariances and correlations have intervals from leaving out groups of records, correlations
    on the scale of Fisher's z; those of rank correlations are of Bonett and Wright and use no weights. A figure without
    an interval in one of the files is left out.
    """

    statistic: Literal[
        "mean",
        "sd",
        "variance",
        "quantiles",
        "skewness",
        "excess",
        "covariances",
        "correlations",
        "rank-correlations",
    ] = "mean"
    """What is estimated: means, standard deviations (sd), variances, quantiles, skewness, excess, covariances, correlations or
    correlations of ranks. | Was geschätzt wird: Mittelwerte (mean), Standardabweichungen (sd), Varianzen, Quantile, Schiefe (skewness),
    Exzess (excess), Kovarianzen, Korrelationen oder Korrelationen der Ränge (rank-correlations)."""
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Probability with which an interval covers the true value. | Wahrscheinlichkeit, mit der ein Intervall
    den wahren Wert überdeckt."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before, needed=2 if self.statistic in _OF_PAIRS else 1)
        few = [n for n in sides.names if min(one.n for one in sides.samples(n, self.id)) < LEAST]
        found = {label: _compared(a, b) for label, a, b in self._estimates(sides, few)}
        shown = {label: figures for label, figures in found.items() if figures}
        losses = [max(figures["overlap"], -np.finfo(float).max) for figures in shown.values()]
        without = [label for label in found if label not in shown]
        return Finding(
            value=mean(losses) if losses else math.nan,
            trusted=bool(losses),
            because=joined(
                left_out(few, TOO_FEW), left_out(without, _NO_INTERVAL), left_out(sides.gone, GONE)
            )
            or (NOTHING if losses else _NOTHING),
            details={
                "columns": shown,
                "statistic": self.statistic,
                "confidence": self.confidence,
                "weighted": sides.w_before is not None and self.statistic != "rank-correlations",
                "no_numbers_any_more": sides.gone,
            },
        )

    def _estimates(self, sides: Sides, few: list[str]) -> Iterator[tuple[str, Estimate, Estimate]]:
        """Every figure by name, before and after."""
        names = tuple(n for n in sides.names if n not in few)
        if self.statistic in _OF_PAIRS:
            yield from self._of_pairs(sides, names)
            return
        for name in names:
            old, new = sides.samples(name, self.id)
            if self.statistic == "quantiles":
                for share in _SHARES:
                    a, b = (quantile_estimate(side.x, side.w, share, self.confidence) for side in (old, new))
                    yield f"{name} ({share:.0%})", a, b
            else:
                a, b = (_OF_COLUMNS[self.statistic](*side, self.confidence) for side in (old, new))
                yield name, a, b

    def _of_pairs(self, sides: Sides, names: tuple[str, ...]) -> Iterator[tuple[str, Estimate, Estimate]]:
        estimates = _OF_PAIRS[self.statistic]
        x, y = (data.numbers(names, self.id, by_column=True) for data in (sides.before, sides.after))
        old = estimates(x, sides.w_before, sides.before.rows, self.confidence)
        new = estimates(y, sides.w_after, sides.after.rows, self.confidence)
        for i, first in enumerate(names):
            for j in range(i):
                yield f"{names[j]} × {first}", old(i, j), new(i, j)


def _compared(a: Estimate, b: Estimate) -> dict[str, Json]:
    """The figures of two estimates; nothing where they have no overlap."""
    shared = overlap(a, b)
    if math.isnan(shared):
        return {}
    return {
        "interval_before": a._asdict(),
        "interval_after": b._asdict(),
        "overlap": shared,
        "overlap_cut": max(0.0, shared),
        "inside_original": bool(a.holds(b.value)),
    }
