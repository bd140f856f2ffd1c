"""How far the numbers of the records moved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import ndtri

from tarnkappe.data.quantities import LEAST
from tarnkappe.kernels.displacement import Displacement, cells_of, displacement, lengths
from tarnkappe.kernels.moments import ROUNDING
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.utility.by_column import TOO_FEW, Ends
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.utility.same_records import Beside, RecordByRecord, not_the_same
from tarnkappe.utility.uncertain import CONFIDENCE, UNKNOWN

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata

_OVER_CELLS = ("il1s", "mean_variation", "mae", "mse")
_CONSTANT = Text("constant in the original", "im Original konstant")
_NOTHING = Text(
    "No column varies and has enough values in both files.",
    "Keine Spalte variiert und hat genügend Werte in beiden Dateien.",
)


@measure(
    "utility.distance",
    title=Text("How far numbers moved", "Wie weit sich Zahlen bewegt haben"),
    compares=True,
    does=Text(
        "Measures how far the numbers of the records moved, cell by cell.",
        "Misst Zelle für Zelle, wie weit sich die Zahlen der Datensätze bewegt haben.",
    ),
    sources=(
        Source(
            "dav2025", "section 6.3: MSE, MAE, mean variation with a guard near zero (D-U05), IL1s (D-U06)"
        ),
        Source("yancey2002", "IL1s: differences over √2 standard deviations"),
        Source("domingoferrer2001", "IL1: mean variation"),
    ),
    reads=Text(
        "The numbers moved by {value} on average, in the chosen norm (0: not at all).",
        "Die Zahlen haben sich in der gewählten Norm im Mittel um {value} bewegt (0: gar nicht).",
    ),
    knows=Text(
        "The records that both files have, cell by cell, in the columns that hold numbers in both.",
        "Die Datensätze, die beide Dateien haben, Zelle für Zelle, in den Spalten, die in beiden Zahlen enthalten.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "tell whether results change: values may all move while means and correlations stay",
            "zeigen, ob sich Ergebnisse ändern: Alle Werte können sich bewegen, während Mittelwerte und Korrelationen bleiben",
        ),
        Text(
            "say anything about records that were made or drawn anew, as in synthetic data",
            "etwas über neu erzeugte oder gezogene Datensätze sagen, etwa in synthetischen Daten",
        ),
        Text(
            "count cells that are missing or suppressed in either file; see utility.changed",
            "Zellen mitzählen, die in einer der Dateien fehlen oder unterdrückt sind; siehe utility.changed",
        ),
    ),
    words={
        "cells_compared": Text("cells compared", "verglichene Zellen"),
        "il1s": Text(
            "IL1s: mean change over √2 standard deviations",
            "IL1s: mittlere Veränderung in √2 Standardabweichungen",
        ),
        "l1": Text(
            "L1: mean way of a record, sum over its columns",
            "L1: mittlerer Weg eines Datensatzes, Summe über die Spalten",
        ),
        "l2": Text(
            "L2: mean way of a record, straight line", "L2: mittlerer Weg eines Datensatzes, Luftlinie"
        ),
        "norm": Text("norm that makes the value", "Norm, die den Wert ergibt"),
        "norms": Text("over all columns", "über alle Spalten"),
    },
    example={"columns": ["income", "employees"], "norm": "mse"},
)
class Distance(RecordByRecord):
    """The distance between the numbers of the same records before and after.

    With s the standard deviation of the original column (divisor n - 1), over all cells that both files show:

    - `il1s`: mean of |x - x'| / (√2 s), the norm of Yancey, Winkler and Creecy. √2 s is the standard
      deviation of the difference of two independent values of the column: near 1, a released value tells
      about as much as a random one. (An old public routine multiplies by √2; its figure is twice this one.)
    - `mean-variation`: mean of |x - x'| / |x|, also called IL1. Where |x| is near zero (below a hundredth of
      s and of the median size), the difference is divided by s instead; such cells are counted as guarded.
    - `mae`, `mse`: mean of |x - x'| / s and of its square.
    - `l1`, `l2`: how far a record moved on average: the sum of |x - x'| / s over its columns, or the root of
      the sum of squares.

    All of them are in the details, those of cells by column. Columns that are constant in the original have
    no scale and are left out. The interval, of all norms but `mean-variation`, takes the records as drawn from a population.
    """

    norm: Literal["il1s", "mean-variation", "mae", "mse", "l1", "l2"] = "il1s"
    """How the differences become one number. | Wie aus den Unterschieden eine Zahl wird."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.beside(after, before)
        unlike = not_the_same(sides)
        if unlike is not None:
            return unlike
        s = _spreads(sides.x)
        found = {
            name: displacement(sides.x[:, j], sides.y[:, j], s[j])
            for j, name in enumerate(sides.names)
            if s[j] > 0
        }
        shown = {name: one for name, one in found.items() if one.cells >= LEAST}
        norms = _norms(sides, s, shown) if shown else {}
        name = self.norm.replace("-", "_")
        used = [j for j, column in enumerate(sides.names) if column in shown]
        low, high = _ends(sides, s, used, self.norm) if used and self.norm != "mean-variation" else UNKNOWN
        return Finding(
            value=norms.get(name, math.nan),
            low=low,
            high=high,
            trusted=bool(shown),
            because=joined(
                left_out([n for n in sides.names if n not in found], _CONSTANT),
                left_out([n for n in found if n not in shown], TOO_FEW),
                sides.because(),
            )
            or (NOTHING if shown else _NOTHING),
            details={
                "norm": self.norm,
                "norms": norms,
                "columns": {name: _told(one) for name, one in shown.items()},
                **sides.told(),
            },
        )


def _spreads(x: Floats) -> Floats:
    """Standard deviations with divisor n - 1; 0 for columns that do not vary or have no two values."""
    out = np.zeros(x.shape[1])
    for j in range(x.shape[1]):
        there = x[~np.isnan(x[:, j]), j]
        if len(there) > 1:
            spread = float(there.std(ddof=1))
            out[j] = spread if spread > ROUNDING * float(np.abs(there).max()) else 0.0
    return out


def _norms(sides: Beside, s: Floats, shown: Mapping[str, Displacement]) -> dict[str, float]:
    """Every norm over all columns: cells count alike, records count alike."""
    used = [j for j, name in enumerate(sides.names) if name in shown]
    cells = sum(one.cells for one in shown.values())
    first, second = lengths(sides.x[:, used], sides.y[:, used], s[used])
    with np.errstate(over="ignore"):
        over_cells = {
            norm: sum(getattr(one, norm) * (one.cells / cells) for one in shown.values())
            for norm in _OVER_CELLS
        }
        return {**over_cells, "l1": float(first.mean()), "l2": float(second.mean())}


def _ends(sides: Beside, s: Floats, used: Sequence[int], norm: str) -> Ends:
    """The interval of a norm over records, linearised: Σ moved / Σ cells, where the spread of every column is an estimate, too."""
    x, y, s = sides.x[:, used], sides.y[:, used], s[used]
    first, second = lengths(x, y, s)
    cells = np.ones(len(x)) if norm in ("l1", "l2") else cells_of(x, y)
    moved = {"l2": second, "mse": second**2}.get(norm, first)
    with np.errstate(over="ignore", invalid="ignore"):
        value = float(moved.sum() / cells.sum())
        influence = moved - value * cells
        for j in range(x.shape[1]):
            d = np.nan_to_num(np.abs(y[:, j] - x[:, j]) / s[j])
            part = {"mse": 2 * d**2, "l2": d**2 / np.where(second > 0, second, 1.0)}.get(norm, d)
            z = (x[:, j] - np.nanmean(x[:, j])) / s[j]
            influence -= part.sum() / max(np.count_nonzero(~np.isnan(z)), 1) * np.nan_to_num((z**2 - 1) / 2)
        error = np.sqrt(np.sum(influence**2) * len(x) / (len(x) - 1)) / cells.sum()
        unit = np.sqrt(2) if norm == "il1s" else 1.0
        half = float(ndtri((1 + CONFIDENCE) / 2) * error)
    return Ends(max(value - half, 0.0) / unit, (value + half) / unit) if np.isfinite(half) else UNKNOWN


def _told(one: Displacement) -> dict[str, float]:
    return {"cells_compared": one.cells, **{norm: getattr(one, norm) for norm in (*_OVER_CELLS, "guarded")}}
