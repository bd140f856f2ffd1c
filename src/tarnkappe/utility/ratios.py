"""Ratios of two columns before and after."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarnkappe.data.quantities import LEAST
from tarnkappe.kernels.displacement import NEAR
from tarnkappe.kernels.jackknife import groups, moments_without
from tarnkappe.kernels.moments import Moments, moments, relative_error
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure
from tarnkappe.utility.by_column import GONE, Ends, OfNumbers, Sides
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.utility.uncertain import UNKNOWN, Known, ends

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata

MOST_SHOWN = 20
_NOTHING = Text(
    f"No pair of columns has {LEAST} records with a denominator that is not 0.",
    f"Kein Spaltenpaar hat {LEAST} Datensätze mit einem Nenner ungleich 0.",
)


class _Ratio(NamedTuple):
    """The mean ratio of two columns in both files."""

    numerator: str
    denominator: str
    ratio_before: float
    ratio_after: float
    ratio_error: float
    guarded: bool


@measure(
    "utility.ratios",
    title=Text("Ratios before and after", "Quotienten vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the mean ratio of every pair of numeric columns, such as turnover per employee, before and after.",
        "Vergleicht für jedes Paar numerischer Spalten den mittleren Quotienten, etwa Umsatz je Beschäftigten, vorher und nachher.",
    ),
    sources=(Source("hoehne2010", "section 4.2.2: ratios under multiplicative noise and their bias (U13)"),),
    reads=Text(
        "The mean ratio that changed most changed by {value} of its size.",
        "Der am stärksten veränderte mittlere Quotient weicht um das {value}-Fache seiner Größe ab.",
    ),
    knows=Text(
        "All records of the original against all of the release; each ratio uses the records that have both values and no 0 below.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jeder Quotient nutzt Datensätze mit beiden Werten und einem Nenner ungleich 0.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "tell whether the ratio of each record is kept: means may agree by chance",
            "zeigen, ob der Quotient jedes Datensatzes erhalten ist: Mittelwerte können zufällig übereinstimmen",
        ),
        Text(
            "resist tiny denominators: one of them can make a mean ratio",
            "sehr kleinen Nennern widerstehen: Ein einziger kann einen mittleren Quotienten bestimmen",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "worst_ratios": Text("ratios that changed most", "am stärksten veränderte Quotienten"),
    },
    example={"columns": ["income", "employees"], "weighted": False, "over": ["employees"]},
)
class Ratios(OfNumbers):
    """The largest relative error of a mean ratio of two columns.

    For every column over every other (or over those named under `over`) the mean of x/y over the records is
    compared. Records with a denominator of 0 are left out. Where a mean ratio is near zero (below a
    hundredth of the standard deviation of the ratios), its change is divided by that standard deviation and counted as
    guarded. Noise that multiplies both columns by the same factor keeps every ratio; noise with only the
    direction in common makes the mean ratio slightly too large. The interval of the value is made as in `utility.moments`.
    """

    over: tuple[str, ...] = ()
    """Columns to divide by; without them, every column by every other. | Spalten, durch die geteilt wird;
    ohne Angabe jede durch jede andere."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before)
        names = (*sides.names, *(n for n in self.over if n not in sides.names))
        x, y = (data.numbers(names, self.id, by_column=True) for data in (sides.before, sides.after))
        scale = np.maximum(power_scale(x), power_scale(y))
        x, y = x / scale, y / scale
        found = []
        for j, above in enumerate(sides.names):
            for k, below in enumerate(names):
                if j != k and (not self.over or below in self.over):
                    old, new = (x[:, [j, k]], sides.w_before), (y[:, [j, k]], sides.w_after)
                    unit = float(np.log2(scale[j]) - np.log2(scale[k]))
                    one = _compared((above, below), old, new, unit)
                    found += [one] if one else []
        worst = sorted(found, key=lambda one: -abs(one.ratio_error))
        low, high = _ends(sides, worst[0], self.id) if worst else UNKNOWN
        return Finding(
            value=abs(worst[0].ratio_error) if worst else math.nan,
            low=low,
            high=high,
            trusted=bool(worst),
            because=joined(NOTHING if worst else _NOTHING, left_out(sides.gone, GONE)),
            details={
                "ratios": len(found),
                "worst_ratios": [one._asdict() for one in worst[:MOST_SHOWN]],
                "guarded": sum(one.guarded for one in found),
                "weighted": sides.w_before is not None,
                "no_numbers_any_more": sides.gone,
            },
        )


def _compared(
    names: tuple[str, str], old: tuple[Floats, Floats | None], new: tuple[Floats, Floats | None], unit: float
) -> _Ratio | None:
    a, b = (moments(_ratio(values), w) for values, w in (old, new))
    if min(a.n, b.n) < LEAST:
        return None
    error, near = _error(a, b)
    return _Ratio(*names, _back(a.mean, unit), _back(b.mean, unit), error, near)


def _error(a: Moments, b: Moments) -> tuple[float, bool]:
    return relative_error(b.mean, a.mean, a.sd or a.size or b.size, NEAR if a.sd > 0 else 0.0)


def _ends(sides: Sides, worst: _Ratio, who: str) -> Ends:
    """The interval of the error of the worst ratio."""
    x, y = (data.numbers(worst[:2], who) for data in (sides.before, sides.after))
    scale = np.maximum(power_scale(x), power_scale(y))
    before = moments_without(_ratio(x / scale), sides.w_before, groups(sides.before.rows))
    after = moments_without(_ratio(y / scale), sides.w_after, groups(sides.after.rows))
    errors = np.array([_error(a, b)[0] for a, b in zip(before, after, strict=True)])
    return ends(Known(worst.ratio_error, errors, min(len(x), len(y))))


def _ratio(values: Floats) -> Floats:
    """The first column over the second; NaN where that is 0 or the ratio beyond all bounds."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        out: Floats = values[:, 0] / values[:, 1]
    out[~np.isfinite(out)] = np.nan
    return out


def _back(value: float, power: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, int(power)))
