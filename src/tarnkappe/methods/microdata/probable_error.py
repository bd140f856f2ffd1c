"""The probable error of random changes: half of the shortest interval that holds half of their law.

Whoever knows the law and sees a changed value can name an interval for the original; none that is shorter holds it in half of the cases.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from tarnkappe.data.column import Floats
from tarnkappe.kernels.expectation import Nodes
from tarnkappe.language import Text

HALF = 0.5
NORMAL = float(ndtri(0.75))
"""Of a standard normal number."""
EVENLY: Floats = ndtri((np.arange(2000) + 0.5) / 2000)
"""Standard normal numbers that are equally probable."""
OF_FACTORS = Text(
    "half of the changed values or more lie farther from whatever can be computed of them than the probable error of the factors, in relation to their size "
    "(rounded columns, listed factors and kept totals excepted)",
    "die Hälfte der veränderten Werte oder mehr liegt weiter von allem, was sich über sie errechnen lässt, als der wahrscheinliche Fehler der Faktoren, im "
    "Verhältnis zu ihrer Größe (ausgenommen gerundete Spalten, aufgezählte Faktoren und erhaltene Summen)",
)
OF_ADDED = Text(
    "half of the values that got noise or more lie farther from whatever can be computed of them than the probable error of the noise (rounded columns and "
    "exact moments excepted)",
    "die Hälfte der überlagerten Werte oder mehr liegt weiter von allem, was sich über sie errechnen lässt, als der wahrscheinliche Fehler der Überlagerung "
    "(ausgenommen gerundete Spalten und exakte Momente)",
)


def of_factors(law: Nodes) -> float:
    """In relation to the value: the original is guessed as what is shown over the middle of an interval of factors. 0 where one factor is as frequent as all others."""
    low, high = _halves(law.points, law.weights)
    return float(np.min((high - low) / (high + low)))


def of_added(points: Floats) -> float:
    """Of added numbers, given by points that are equally probable."""
    low, high = _halves(points, np.full(len(points), 1 / len(points)))
    return float(np.min(high - low)) / 2


def _halves(points: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """From every point, the end of the shortest interval that holds half of the law; only points for which there is one."""
    order = np.argsort(points)
    points, upto = points[order], np.cumsum(weights[order])
    before = upto - weights[order]
    end = np.searchsorted(upto, before + HALF * (1 - 1e-9))
    reached = end < len(points)
    return points[reached], points[end[reached]]
