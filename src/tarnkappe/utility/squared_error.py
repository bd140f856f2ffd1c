"""The sum of squared errors of aggregated numbers, and its share of the total."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.utility.by_column import TOO_FEW
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.utility.same_records import RecordByRecord, not_the_same

ROUNDING = 1e-12
_CONSTANT = Text("constant in the original", "im Original konstant")
_NOTHING = Text(
    "No column that varies has enough values in both files.",
    "Keine Spalte, die schwankt, hat in beiden Dateien genug Werte.",
)


@measure(
    "utility.squared-error",
    title=Text("Squared error of aggregated numbers (SSE/SST)", "Quadratischer Fehler aggregierter Zahlen (SSE/SST)"),
    compares=True,
    does=Text(
        "Adds up the squared differences of the numbers of the same records before and after, and sets the sum against that of the distances from the mean.",
        "Summiert die quadrierten Unterschiede der Zahlen derselben Datensätze vorher und nachher und setzt die Summe ins Verhältnis zu der der Abstände vom "
        "Mittelwert.",
    ),
    sources=(
        Source("hoehne2010", "2.2.6, equation 2.2.6-1: what microaggregation minimises (M01, U10)"),
        Source("domingoferrer2005", "SSE and SSE/SST as the information loss of microaggregation"),
    ),
    reads=Text(
        "A share of {value} of the variation of the numbers was lost or added.",
        "Ein Anteil von {value} der Streuung der Zahlen ging verloren oder kam hinzu.",
    ),
    knows=Text(
        "Every record of the release against the same record of the original.",
        "Jeder Datensatz der Freigabe gegen denselben Datensatz des Originals.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "say which results suffer: a loss in the middle of a cloud is no loss of its mean",
            "sagen, welche Ergebnisse leiden: Ein Verlust in der Mitte einer Wolke ist keiner ihres Mittelwerts",
        ),
        Text(
            "judge files with other records, such as synthetic ones",
            "Dateien mit anderen Datensätzen beurteilen, etwa synthetische",
        ),
    ),
    words={
        "sse": Text("sum of squared errors (SSE)", "Summe der quadrierten Fehler (SSE)"),
        "sst": Text("total sum of squares (SST)", "Gesamtquadratsumme (SST)"),
        "sse_over_sst": Text("SSE over SST", "SSE durch SST"),
        "between": Text("left between groups: 1 - SSE/SST", "zwischen Gruppen übrig: 1 - SSE/SST"),
    },
    example={"columns": ["income", "employees"], "scale": "value"},
)  # fmt: skip
class SquaredError(RecordByRecord):
    """SSE = Σ (x - x')² over all cells that both files show, and SSE/SST with SST = Σ (x - x̄)² over the same cells.

    After microaggregation x' is the mean of the group, and SSE the variation within groups (2.2.6-1 of Höhne): what the method minimises. SSE/SST
    then lies between 0, where nothing changed, and 1, where all records are one group; the rest is left between groups. Noise can exceed 1. With
    `scale: sd` (the default) columns are divided by their standard deviation in the original, so that each counts alike, as in the literature;
    with `scale: value` large columns decide. Columns that are constant in the original have no SST and are left out.
    """

    scale: Literal["sd", "value"] = "sd"
    """What a difference is measured in: standard deviations of the column, or its own unit. | Worin ein Unterschied gemessen wird: in
    Standardabweichungen der Spalte (sd) oder in ihrer eigenen Einheit (value)."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.beside(after, before)
        unlike = not_the_same(sides)
        if unlike is not None:
            return unlike
        pairs = {name: _there(sides.x[:, j], sides.y[:, j]) for j, name in enumerate(sides.names)}
        few = [name for name, (x, _) in pairs.items() if len(x) < LEAST]
        constant = [name for name, (x, _) in pairs.items() if name not in few and not _varies(x)]
        found = {n: _figures(x, y) for n, (x, y) in pairs.items() if n not in (*few, *constant)}
        unit = {name: float(u) for name, u in zip(sides.names, sides.units, strict=True)}
        total = self._total(found, unit)
        return Finding(
            value=total.get("sse_over_sst", math.nan),
            trusted=bool(found),
            because=joined(left_out(constant, _CONSTANT), left_out(few, TOO_FEW), sides.because())
            or (NOTHING if found else _NOTHING),
            details={
                "scale": self.scale,
                **total,
                "columns": {name: _told(sse, sst, unit[name]) for name, (sse, sst, _) in found.items()},
                **sides.told(),
            },
        )

    def _total(self, found: dict[str, tuple[float, float, int]], unit: dict[str, float]) -> dict[str, Json]:
        """Over all columns."""
        if not found:
            return {}
        largest = max(unit[n] for n in found) if self.scale == "value" else 1.0
        by = {
            n: cells / sst if self.scale == "sd" else (unit[n] / largest) ** 2
            for n, (_, sst, cells) in found.items()
        }
        sse, sst = (math.fsum(one[k] * by[n] for n, one in found.items()) for k in (0, 1))
        told = {"sse_over_sst": sse / sst, "between": 1 - sse / sst}
        return {"sse": sse * largest * largest, "sst": sst * largest * largest, **told}


def _there(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    both = ~np.isnan(x) & ~np.isnan(y)
    return x[both], y[both]


def _varies(x: Floats) -> bool:
    return bool(np.std(x) > ROUNDING * np.abs(x).max())


def _figures(x: Floats, y: Floats) -> tuple[float, float, int]:
    """SSE, SST and number of cells of a column."""
    return math.fsum((x - y) ** 2), math.fsum((x - math.fsum(x) / len(x)) ** 2), len(x)


def _told(sse: float, sst: float, unit: float) -> dict[str, Json]:
    """In the unit of the column."""
    return {"sse": sse * unit * unit, "sst": sst * unit * unit, "sse_over_sst": sse / sst}
