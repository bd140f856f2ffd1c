"""Complete records of several numeric columns before and after, and their correlation matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.kernels.covariances import correlations
from tarnkappe.kernels.robust import core_scatter
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Json
from tarnkappe.utility.by_column import GONE, OfNumbers, Sides
from tarnkappe.utility.comparing import joined, left_out, taken_unsure

_TOO_FEW = Text(
    f"Fewer than {LEAST} records have all values in both files.",
    f"Weniger als {LEAST} Datensätze haben in beiden Dateien alle Werte.",
)
_TOO_FEW_VARY = Text(
    "Fewer than two columns vary in both files.", "Weniger als zwei Spalten variieren in beiden Dateien."
)
_FLAT = Text("constant in one of the files", "in einer der Dateien konstant")


class Matrices(NamedTuple):
    """Correlation matrices before and after of the columns that vary; empty where there are none."""

    before: Floats
    after: Floats
    names: tuple[str, ...]
    doubt: Text
    """Why there are none."""
    because: Text
    told: dict[str, Json]


class OfMatrices(OfNumbers):
    """A comparison of the correlation matrices of complete records."""

    robust: bool = False
    """Use the core of the records only, so that a few wild ones do not decide. | Nur den Kern der
    Datensätze verwenden, damit nicht wenige Ausreißer entscheiden."""

    def matrices(self, after: Microdata, before: Microdata | None) -> Matrices:
        sides = self.sides(after, before, needed=2)
        x, v, y, w = self._complete(sides)
        told: dict[str, Json] = {
            "complete_before": len(x),
            "complete_after": len(y),
            "robust": self.robust,
            "weighted": v is not None,
            "no_numbers_any_more": sides.gone,
        }
        none = np.zeros((0, 0))
        if min(len(x), len(y)) < LEAST:
            return Matrices(none, none, (), _TOO_FEW, left_out(sides.gone, GONE), told)
        a, b = self._matrix(x, v), self._matrix(y, w)
        varies = ~(np.isnan(np.diag(a)) | np.isnan(np.diag(b)))
        names = tuple(n for n, kept in zip(sides.names, varies, strict=True) if kept)
        flat = left_out([n for n in sides.names if n not in names], _FLAT)
        because = joined(flat, left_out(sides.gone, GONE), taken_unsure(sides.before, self.columns, names))
        if len(names) < 2:
            return Matrices(none, none, (), _TOO_FEW_VARY, because, told)
        return Matrices(a[np.ix_(varies, varies)], b[np.ix_(varies, varies)], names, NOTHING, because, told)

    def _matrix(self, x: Floats, w: Floats | None) -> Floats:
        if not self.robust:
            return correlations(x, w)
        found = core_scatter(x)
        sd = np.sqrt(np.diag(found))
        sd = np.where(sd > 1e-12, sd, np.nan)
        out: Floats = found / np.outer(sd, sd)
        return out

    def _complete(self, sides: Sides) -> tuple[Floats, Floats | None, Floats, Floats | None]:
        x, y = (data.numbers(sides.names, self.id, by_column=True) for data in (sides.before, sides.after))
        scale = np.maximum(power_scale(x), power_scale(y))
        v, w = (None, None) if self.robust else (sides.w_before, sides.w_after)
        return *_whole(x, v, scale), *_whole(y, w, scale)


def _whole(x: Floats, w: Floats | None, scale: Floats) -> tuple[Floats, Floats | None]:
    """The records that have everything, over the scale, and their weights."""
    there = np.ones(len(x), dtype=np.bool_) if w is None else w > 0
    for column in x.T:
        there &= ~np.isnan(column)
    if there.all():
        return x / scale, w
    rows = np.flatnonzero(there)
    out = np.empty((len(rows), x.shape[1]), order="F")
    for j, unit in enumerate(scale):
        np.divide(x[:, j].take(rows), unit, out=out[:, j])
    return out, None if w is None else w[rows]
