"""Covariances before and after."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.data.quantities import LEAST
from tarnkappe.kernels.covariances import covariances, covariances_of
from tarnkappe.kernels.displacement import NEAR
from tarnkappe.kernels.jackknife import groups, pairs_without
from tarnkappe.kernels.moments import ROUNDING
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.utility.by_column import GONE, Ends, OfNumbers, Sides
from tarnkappe.utility.comparing import joined, left_out, taken_unsure
from tarnkappe.utility.uncertain import UNKNOWN, Known, ends

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats
    from tarnkappe.data.microdata import Microdata

_NO_SCALE = Text(
    f"constant in the original, or fewer than {LEAST} values together with another column",
    f"im Original konstant oder weniger als {LEAST} Werte zusammen mit einer anderen Spalte",
)
_NOTHING = Text("No covariance can be compared.", "Keine Kovarianz lässt sich vergleichen.")


@measure(
    "utility.covariances",
    title=Text("Covariances before and after", "Kovarianzen vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the variances and covariances of the numeric columns before and after.",
        "Vergleicht Varianzen und Kovarianzen der numerischen Spalten vorher und nachher.",
    ),
    sources=(
        Source(
            "dav2025",
            "section 6.3: MSE, MAE and mean variation of the covariance matrix, guarded near zero (D-U05)",
        ),
        Source("gottschalk2002", "section 2: covariances before and after (G-U01)"),
    ),
    reads=Text(
        "On average a variance or covariance changed by {value} of its size.",
        "Im Mittel hat sich eine Varianz oder Kovarianz um das {value}-Fache ihrer Größe verändert.",
    ),
    knows=Text(
        "All records of the original against all of the release; each pair of columns uses the records that have both.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jedes Spaltenpaar nutzt die Datensätze, die beide Werte haben.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "tell spread from relation: see utility.variances and utility.correlations",
            "Streuung und Zusammenhang trennen: siehe utility.variances und utility.correlations",
        ),
    ),
    example={"columns": ["income", "employees"], "weighted": False},
)
class Covariances(OfNumbers):
    """The mean variation of the covariance matrix: mean of |c - c'| / |c| over all variances and covariances.

    Where a covariance is near zero (below a hundredth of the product of the two original standard
    deviations), its change is divided by that product instead and counted as guarded. MAE and MSE are
    told in that unit, too, so that columns of different size count alike. Covariances have the divisor n, or
    the sum of weights, and use the records that have both values. The interval of the value is made as in `utility.moments`.
    """

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before, needed=2)
        x, y = (data.numbers(sides.names, self.id, by_column=True) for data in (sides.before, sides.after))
        scale = np.maximum(power_scale(x), power_scale(y))
        a, b = (covariances(part, w, LEAST, scale) for part, w in ((x, sides.w_before), (y, sides.w_after)))
        unit = _unit(a, power_scale(x) / scale)
        change, size = np.abs(a - b) / unit, np.abs(a) / unit
        apart, near = _pairs(change), _pairs(size) < NEAR
        relative = _relative(a, b, unit)
        there = ~np.isnan(apart)
        low, high = _ends(sides, (x, y), scale, there, _mean(relative[there])) if there.any() else UNKNOWN
        np.fill_diagonal(change, np.nan)
        without = [n for n, row in zip(sides.names, change, strict=True) if np.isnan(row).all()]
        return Finding(
            value=_mean(relative[there]),
            low=low,
            high=high,
            trusted=bool(there.any()),
            because=joined(
                left_out(without, _NO_SCALE),
                left_out(sides.gone, GONE),
                taken_unsure(sides.before, self.columns, sides.names),
            )
            or (NOTHING if there.any() else _NOTHING),
            details={
                "mae": _mean(apart[there]),
                "mse": _mean_square(apart[there]),
                "figures_compared": int(there.sum()),
                "guarded": int(near[there].sum()),
                "weighted": sides.w_before is not None,
                "no_numbers_any_more": sides.gone,
            },
        )


def _relative(a: Floats, b: Floats, unit: Floats) -> Floats:
    """Changes of variances and covariances by their size, by the unit where that is near zero."""
    apart, size = _pairs(np.abs(a - b) / unit), _pairs(np.abs(a) / unit)
    return apart / np.where(size < NEAR, 1.0, size)


def _ends(sides: Sides, values: tuple[Floats, Floats], scale: Floats, there: Bools, value: float) -> Ends:
    """The interval of the mean change."""
    both = [
        pairs_without(x, w, groups(data.rows), scale, covariances_of)
        for x, w, data in zip(
            values, (sides.w_before, sides.w_after), (sides.before, sides.after), strict=True
        )
    ]
    largest = power_scale(values[0]) / scale
    means = [_mean(_relative(a, b, _unit(a, largest))[there]) for a, b in zip(*both, strict=True)]
    return ends(Known(value, np.array(means), min(len(x) for x in values)))


def _unit(a: Floats, largest: Floats) -> Floats:
    """Products of the standard deviations before; NaN where a column does not vary."""
    sd = np.sqrt(np.diag(a))
    sd = np.where(sd > ROUNDING * largest, sd, np.nan)
    out: Floats = np.outer(sd, sd)
    return out


def _pairs(matrix: Floats) -> Floats:
    """Variances and covariances, each once."""
    out: Floats = matrix[np.tril_indices_from(matrix)]
    return out


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan


def _mean_square(values: Floats) -> float:
    with np.errstate(over="ignore"):
        return _mean(values**2)
