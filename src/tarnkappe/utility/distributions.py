"""Distances between the distributions of a column before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from tarnkappe.kernels.distribution_distance import both_steps, hellinger, kolmogorov_smirnov, wasserstein
from tarnkappe.kernels.moments import moments
from tarnkappe.language import Text
from tarnkappe.spec import Goal, Json, Source, measure
from tarnkappe.utility.by_column import ByColumn, Sample, common_scale, mean

_FIGURES = {"kolmogorov-smirnov": "largest_gap", "wasserstein": "way_to_move", "hellinger": "hellinger"}


@measure(
    "utility.distributions",
    title=Text("Distributions before and after", "Verteilungen vorher und nachher"),
    compares=True,
    does=Text(
        "Measures how far the distributions of every numeric column before and after are apart.",
        "Misst, wie weit die Verteilungen jeder numerischen Spalte vorher und nachher auseinanderliegen.",
    ),
    sources=(
        Source("gottschalk2002", "table A.2: univariate distribution, Kolmogorov-Smirnov (G-U02)"),
        Source("dav2025", "section 7.4: distances of distributions as a test of synthetic data"),
    ),
    reads=Text(
        "The distributions are {value} apart (0: the same).",
        "Die Verteilungen liegen {value} auseinander (0: gleich).",
    ),
    knows=Text(
        "All records of the original against all of the release, whatever their numbers; each column uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe, gleich wie viele; jede Spalte nutzt die vorhandenen Werte.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "see relations between columns: shuffled columns have no distance",
            "Zusammenhänge zwischen Spalten sehen: gemischte Spalten haben keinen Abstand",
        ),
        Text(
            "test whether the difference is due to chance",
            "prüfen, ob der Unterschied zufällig ist",
        ),
        Text("compare categories", "Kategorien vergleichen"),
    ),
    words={
        "distance_used": Text("distance that makes the value", "Abstand, der den Wert ergibt"),
        "hellinger": Text("Hellinger distance", "Hellinger-Abstand"),
        "largest_gap": Text(
            "largest gap of the distribution functions (Kolmogorov-Smirnov)",
            "größter Abstand der Verteilungsfunktionen (Kolmogorow-Smirnow)",
        ),
        "way_to_move": Text(
            "mean way of a value in standard deviations (Wasserstein)",
            "mittlerer Weg eines Wertes in Standardabweichungen (Wasserstein)",
        ),
    },
    example={"columns": ["income", "employees"], "weighted": False, "kind": "hellinger", "summary": "mean"},
)
class Distributions(ByColumn):
    """Three distances between the distributions before and after, column by column.

    *Kolmogorov-Smirnov*: the largest difference of the two distribution functions, between 0 and 1.
    *Wasserstein*: the area between them, in standard deviations of the original (where that is constant, in
    units of the size of the numbers): how far values moved on average if each went the shortest way.
    *Hellinger*: √(½ Σ (√p - √q)²) over twenty classes that hold equal shares of the original (fewer where
    values are tied) and what lies beyond its ends, between 0 and 1.

    Values that are missing or suppressed are left out on either side, so a gap changes a distribution only
    if it does not strike at random. The files may have different numbers of records. All three distances are
    in the details; `kind` chooses the one that makes the value.
    """

    kind: Literal["kolmogorov-smirnov", "wasserstein", "hellinger"] = "kolmogorov-smirnov"
    """Which distance makes the value. | Welcher Abstand den Wert ergibt."""
    summary: Literal["worst", "mean"] = "worst"
    """Whether the value is that of the worst column or the mean of all. | Ob der Wert der der schlechtesten
    Spalte oder das Mittel aller ist."""

    def compared(self, old: Sample, new: Sample) -> dict[str, Json]:
        scale = common_scale(old.x, new.x)
        (x, v), (y, w) = old.there(scale), new.there(scale)
        values, f, g = both_steps(x, v, y, w)
        found = moments(x, v)
        unit = found.sd or found.size or moments(y, w).size
        return {
            "largest_gap": kolmogorov_smirnov(f, g),
            "way_to_move": wasserstein(values, f, g) / unit if unit > 0 else 0.0,
            "hellinger": hellinger(f, g),
        }

    def loss(self, found: Mapping[str, Json]) -> float:
        return float(found[_FIGURES[self.kind]])

    def total(self, losses: Sequence[float]) -> float:
        return max(losses) if self.summary == "worst" else mean(losses)

    def told(self) -> dict[str, Json]:
        return {"distance_used": self.kind, "summary": self.summary}
