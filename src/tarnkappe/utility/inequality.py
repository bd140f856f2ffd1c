"""Inequality before and after: Gini, Theil, Lorenz."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from tarnkappe.kernels.estimates import Estimate, overlap
from tarnkappe.kernels.inequality import (
    ascending,
    gini,
    gini_interval,
    gini_without,
    lorenz,
    lorenz_distance,
    theil,
)
from tarnkappe.kernels.jackknife import GROUPS, groups
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.spec import Goal, Json, Source, measure
from tarnkappe.utility.by_column import ByColumn, Ends, Sample, Sides, common_scale
from tarnkappe.utility.uncertain import Known, ends

_NO_SUM = Text("the sum is not above 0", "die Summe ist nicht größer als 0")
_NEGATIVE = Text(
    "With negative values a Gini coefficient can exceed 1 and Theil's index is not defined: {names}.",
    "Bei negativen Werten kann der Gini-Koeffizient über 1 liegen, und der Theil-Index ist nicht definiert: {names}.",
)


@measure(
    "utility.inequality",
    title=Text("Inequality before and after", "Ungleichheit vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the Gini coefficient, Theil's index and the Lorenz curve of every numeric column before and after.",
        "Vergleicht Gini-Koeffizient, Theil-Index und Lorenzkurve jeder numerischen Spalte vorher und nachher.",
    ),
    sources=(
        Source("dav2025", "section 6.4: Gini coefficient with bootstrap interval (D-U10)"),
        Source("theil1967", "chapter 4"),
    ),
    reads=Text(
        "The Gini coefficient that changed most changed by {value}.",
        "Der am stärksten veränderte Gini-Koeffizient hat sich um {value} verändert.",
    ),
    knows=Text(
        "All records of the original against all of the release; each figure uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jede Zahl nutzt die vorhandenen Werte.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "tell anything about columns whose sum is not above 0, such as balances",
            "etwas über Spalten sagen, deren Summe nicht über 0 liegt, etwa Salden",
        ),
        Text(
            "correct for small samples: the coefficient of n records is at most 1 - 1/n",
            "kleine Stichproben korrigieren: Der Koeffizient von n Datensätzen ist höchstens 1 - 1/n",
        ),
    ),
    words={
        "gini_after": Text("Gini coefficient after", "Gini-Koeffizient nachher"),
        "gini_before": Text("Gini coefficient before", "Gini-Koeffizient vorher"),
        "lorenz_distance": Text("largest distance of the Lorenz curves", "größter Abstand der Lorenzkurven"),
        "negative_after": Text("negative values after", "negative Werte nachher"),
        "negative_before": Text("negative values before", "negative Werte vorher"),
        "theil_after": Text("Theil's index after", "Theil-Index nachher"),
        "theil_before": Text("Theil's index before", "Theil-Index vorher"),
    },
    example={"columns": ["income", "employees"], "weighted": False, "confidence": 0.9},
)
class Inequality(ByColumn):
    """The largest change of a Gini coefficient, with Theil's index and the distance of the Lorenz curves.

    Gini is 2 Σ i x_(i) / (n Σ x) - (n + 1) / n, weighted where there are weights. Each has a bootstrap
    interval (200 draws, always the same random numbers), and the overlap of the two intervals is told as in
    `utility.confidence-overlap`. The distance of the Lorenz curves is the largest vertical one: the largest
    share of the sum that another part of the records holds now.

    Negative values are warned about. Where the sum is not above 0, nothing is defined and the column is left
    out. Above 2,000 records, the bootstrap draws neighbours in the middle of the order together and the
    five hundred smallest and largest records each on its own. The interval of the value, the largest change, comes from leaving out
    groups of records, as in `utility.moments`: there the records that both files have cancel.
    """

    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Probability with which an interval covers the true value. | Wahrscheinlichkeit, mit der ein Intervall
    den wahren Wert überdeckt."""

    def compared(self, old: Sample, new: Sample) -> dict[str, Json] | None:
        scale = common_scale(old.x, new.x)
        before, after = (ascending(*side.there(scale)) for side in (old, new))
        was, now = gini(*before), gini(*after)
        if math.isnan(was) or math.isnan(now):
            return None
        a, b = (
            Estimate(g, *gini_interval(*side, self.confidence)) for g, side in ((was, before), (now, after))
        )
        return {
            "gini_before": a._asdict(),
            "gini_after": b._asdict(),
            "overlap": overlap(a, b),
            "theil_before": theil(*before),
            "theil_after": theil(*after),
            "lorenz_distance": lorenz_distance(lorenz(*before), lorenz(*after)),
            "negative_before": int((before[0] < 0).sum()),
            "negative_after": int((after[0] < 0).sum()),
        }

    def ends(self, sides: Sides, name: str) -> Ends:
        both = sides.samples(name, self.id)
        scale = common_scale(both[0].x, both[1].x)
        was, now = (gini(*side.there(scale)) for side in both)
        before, after = (
            gini_without(*side.there(scale), groups(data.rows)[side.seen], GROUPS)
            for side, data in zip(both, (sides.before, sides.after), strict=True)
        )
        return ends(Known(now - was, after - before, min(side.n for side in both)), self.confidence)

    def loss(self, found: Mapping[str, Json]) -> float:
        return abs(float(found["gini_after"]["value"]) - float(found["gini_before"]["value"]))

    def undefined(self) -> Text:
        return _NO_SUM

    def remarks(self, found: Mapping[str, Mapping[str, Json]]) -> Text:
        negative = [name for name, f in found.items() if f["negative_before"] or f["negative_after"]]
        return _NEGATIVE.filled(names=listed(negative)) if negative else NOTHING

    def told(self) -> dict[str, Json]:
        return {"confidence": self.confidence}
