"""Means, standard deviations, skewness and excess before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tarnkappe.kernels.displacement import NEAR
from tarnkappe.kernels.moments import Moments as Four
from tarnkappe.kernels.moments import guarded_quantiles, moments, relative_error
from tarnkappe.language import Text
from tarnkappe.spec import Goal, Json, Maturity, Source, measure
from tarnkappe.utility.by_column import Sample
from tarnkappe.utility.uncertain import OfMoments

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats

_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


@measure(
    "utility.moments",
    title=Text("Moments before and after", "Momente vorher und nachher"),
    compares=True,
    does=Text(
        "Compares mean, standard deviation, skewness and excess of every numeric column before and after.",
        "Vergleicht Mittelwert, Standardabweichung, Schiefe und Exzess jeder numerischen Spalte vorher und "
        "nachher.",
    ),
    sources=(
        Source("hoehne2010", "section 4.2.3, tables 3 and 5; divisor n as in section 3.3.1"),
        Source("dav2025", "section 6.3"),
    ),
    reads=Text(
        "The mean that moved most moved by {value} of its size.",
        "Der am stärksten veränderte Mittelwert weicht um das {value}-Fache seiner Größe ab.",
    ),
    knows=Text(
        "All records of the original against all of the release; each figure uses the values that are there.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jede Zahl nutzt die vorhandenen Werte.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "look at sub-populations or at relations between columns",
            "Teilgruppen oder Zusammenhänge zwischen Spalten betrachten",
        ),
        Text(
            "show smallest and largest values, which belong to single records",
            "kleinste und größte Werte zeigen, denn sie gehören einzelnen Datensätzen",
        ),
        Text(
            "give figures for publication: signed deviations narrow the original down",
            "Zahlen zur Veröffentlichung geben: Abweichungen mit Vorzeichen grenzen das Original ein",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "not_observed": Text("without a value", "ohne Wert"),
    },
    example={"columns": ["income", "employees"], "weighted": False},
)
class MomentsBeforeAfter(OfMoments):
    """Relative errors of the first four moments, column by column.

    The standard deviation has the divisor n, skewness is the standardised third moment, excess the fourth
    minus 3. With weights, sums run over weights. Missing and suppressed cells are left out (available
    cases), and records that were removed are missing from the figures after: the error shows it.

    A relative error is after/before - 1. Where a mean before is near zero (below a hundredth of the size of
    the numbers, measured by their root mean square), it is the difference in units of that size, and listed
    as guarded; so is a skewness or an excess below a hundredth, and the standard deviation of a constant.

    Quantiles are the mean of three neighbouring values with at least three more records beyond on either
    side, so that no record shows itself. A column with fewer than ten observed values is left out: n
    moments of n values give the values away.

    The interval is that of the error of the worst mean, from leaving out groups of records: how far it is due to these records. Where
    both files have the same records, what they have in common cancels.
    """

    def compared(self, old: Sample, new: Sample) -> dict[str, Json]:
        """Moments of both sides and their errors."""
        a, b = moments(*old), moments(*new)
        errors, guarded = _errors(a, b)
        return {"before": _shown(a, *old), "after": _shown(b, *new), "error": errors, "guarded": guarded}

    def changes(self, a: Four, b: Four) -> tuple[float, ...]:
        return (_errors(a, b)[0]["mean"],)

    def loss(self, found: Mapping[str, Json]) -> float:
        return abs(float(found["error"]["mean"]))


def _shown(found: Four, x: Floats, w: Floats | None) -> dict[str, Json]:
    quantiles = zip(_SHARES, guarded_quantiles(x, w, _SHARES), strict=True)
    return {
        **found._asdict(),
        "not_observed": len(x) - found.n,
        "quantiles": {f"{share:.0%}": value for share, value in quantiles},
    }


def _errors(a: Four, b: Four) -> tuple[dict[str, float], list[str]]:
    """Relative errors from before (a) to after (b), and which of them are differences."""
    size = a.size or b.size
    of = {
        "mean": relative_error(b.mean, a.mean, size, NEAR),
        "sd": relative_error(b.sd, a.sd, size),
        "skewness": relative_error(b.skewness, a.skewness, 1, NEAR),
        "excess": relative_error(b.excess, a.excess, 1, NEAR),
    }
    return {name: error for name, (error, _) in of.items()}, [name for name, (_, near) in of.items() if near]
