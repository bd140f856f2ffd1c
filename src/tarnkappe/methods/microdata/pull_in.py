"""Pull records that lie far out in several columns together back to the edge of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.masked import Whole, rounded, with_masked, without_gaps
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.masking import TooFewComplete
from tarnkappe.kernels.outlying import Ellipsoid, normal_edge
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.limits import refuse_constants
from tarnkappe.methods.microdata.whole_totals import FAR, WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis

ROUNDING, ULPS = 1e-9, 8
"""Relative error of a distance, and error of a number in units of its last place."""
HALF = np.finfo(np.float64).max / 2


@dataclass(frozen=True)
class _Unit:
    """Columns seen from their medians, none of them much larger than another; halves, so that nothing overflows."""

    middle: Floats
    scale: Floats

    def of(self, x: Floats) -> Floats:
        out: Floats = (x / 2 - self.middle / 2) / self.scale
        return out

    def back(self, z: Floats) -> Floats:
        out: Floats = 2 * np.clip(z * self.scale + self.middle / 2, -HALF, HALF)
        return out

    def rounding(self, x: Floats, centre: Floats) -> Floats:
        """How exactly numbers between these and the centre can be stated at all."""
        largest = np.fmax(np.abs(x), np.maximum(np.abs(self.middle), np.abs(self.back(centre))))
        out: Floats = ULPS * (2 * np.spacing(largest / 2) / self.scale)
        return out


def _inside(m: PullIn, before: Microdata, after: Microdata) -> bool:
    """Distances after, measured with centre and axes of the originals, as exactly as the numbers can be stated, or were rounded."""
    old, y = before.aligned_to(after), after.numbers(m.columns)
    unit, loose = m.unit_of(old), rounded(before, m.columns, m.whole)
    off = np.array([FAR[m.whole] if n in loose else 0.0 for n in m.columns]) / 2 / unit.scale
    for rows, shape in m.shapes(old, unit):
        distance = shape.distances(_filled(unit.of(y[rows]), shape))
        room = shape.farthest(unit.rounding(y[rows], shape.centre) + off)
        if np.any(distance > m.edge * (1 + ROUNDING) + room):
            return False
    return True


def _others_kept(m: PullIn, before: Microdata, after: Microdata) -> bool:
    """Records that did not lie beyond the edge, to the byte."""
    old = before.aligned_to(after)
    far = m.far_out(old)
    x, y = old.numbers(m.columns), after.numbers(m.columns)
    return bool(np.array_equal(x[~far], y[~far], equal_nan=True))


@method(
    "microdata.pull-in",
    family=Family.RECODE,
    title=Text("Pull outliers in", "Ausreißer heranziehen"),
    does=Text(
        "Records that lay far out in several columns together were pulled back to the edge of the others.",
        "Datensätze, die in mehreren Spalten gemeinsam weit außen lagen, wurden an den Rand der übrigen herangezogen.",
    ),
    sources=(Source("templ2015", "function mvTopCoding, multivariate top coding"),),
    preserves=(
        Claim(
            Text(
                "every value of the records that do not lie far out",
                "jeden Wert der Datensätze, die nicht weit außen liegen",
            ),
            _others_kept,
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no record lies farther out than the edge, as seen from the core of its stratum (where values are rounded, up to rounding)",
                "kein Datensatz liegt weiter außen als der Rand, vom Kern seiner Schicht aus gesehen (wo Werte gerundet sind, bis auf die Rundung)",
            ),
            _inside,
        ),
    ),
    does_not=(
        Text(
            "protect records inside the edge: they are shown as they were",
            "Datensätze innerhalb des Randes schützen: sie werden gezeigt, wie sie waren",
        ),
        Text(
            "hide in which direction a record lay far out: relations of its columns to each other stay visible",
            "verbergen, in welcher Richtung ein Datensatz weit außen lag: wie sich seine Spalten zueinander verhalten, bleibt sichtbar",
        ),
        ForAnalysis(
            "keep totals of skewed columns: many large records count as outliers, and totals shrink",
            "Summen schiefer Spalten erhalten: viele große Datensätze gelten als Ausreißer, und Summen schrumpfen",
        ),
        Text(
            "fit skewed columns: top code single columns instead",
            "zu schiefen Spalten passen: schneiden Sie stattdessen einzelne Spalten ab",
        ),
    ),
    example={"columns": ("income", "employees"), "beyond": 0.1, "within": ("region",), "whole": "nearest"},
)
class PullIn(Method):
    """Top and bottom coding for several columns together.

    Centre and covariance are those of the core of each stratum, which outliers do not move (minimum covariance determinant, over the
    records without gaps). The edge is the distance that the share `beyond` of a normal cloud exceeds; a record farther
    out is moved straight towards the centre until it lies on the edge. A record can so be pulled in that is inconspicuous in every
    single column, which limits column by column do not reach.

    A missing or suppressed cell counts as the centre and stays as it is. A stratum with fewer than 2p + 2 records without gaps is
    refused, p being the number of columns, and so is a column that does not vary. Whole numbers that move get decimals unless `whole` says
    otherwise; with `total` the total of a stratum is, to one half, that before rounding, and a small number that moves by little can come back. Zeros, negative and equal values are values like others; infinite values are refused.
    """

    columns: Columns
    """Numeric columns that are judged together. | Numerische Spalten, die gemeinsam beurteilt werden."""
    beyond: Annotated[float, Field(gt=0, lt=0.5)] = 0.025
    """Share of a normal cloud that lies beyond the edge. | Anteil einer normalverteilten Wolke, der jenseits des Randes liegt."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    whole: Whole = "decimals"
    """In columns of whole numbers: leave decimals, round, or round so that totals hardly move. | In Spalten ganzer Zahlen:
    Nachkommastellen lassen, runden, oder so runden, dass Summen kaum abweichen."""

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    @property
    def edge(self) -> float:
        return normal_edge(len(self.columns), self.beyond)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        x = data.numbers(self.columns, self.id)
        refuse_constants(data, self.columns, self.id)
        unit, y = self.unit_of(data), x.copy()
        for rows, shape in self.shapes(data, unit):
            z = _filled(unit.of(x[rows]), shape)
            distance = shape.distances(z)
            far = distance > self.edge
            pulled = shape.centre + (z[far] - shape.centre) * (self.edge / distance[far])[:, None]
            y[rows[far]] = np.where(np.isnan(x[rows[far]]), np.nan, unit.back(pulled))
        return with_masked(data, self.columns, y, self.whole, strata_of(data, self.within))

    def unit_of(self, data: Microdata) -> _Unit:
        x = data.numbers(self.columns)
        shown = [c[~np.isnan(c)] for c in x.T]
        middle = np.array([2 * np.median(c / 2) if len(c) else 0.0 for c in shown])
        halved = x / 2 - middle / 2
        return _Unit(middle, power_scale(halved))

    def shapes(self, data: Microdata, unit: _Unit) -> Iterator[tuple[Ints, Ellipsoid]]:
        """Every stratum with the shape of its core."""
        x, needed = unit.of(data.numbers(self.columns)), 2 * len(self.columns) + 2
        for rows in strata_of(data, self.within).blocks():
            whole = rows[without_gaps(x[rows])]
            if len(whole) < needed:
                raise TooFewComplete(who=self.id, needed=needed, found=len(whole))
            yield rows, Ellipsoid.of(x[whole])

    def far_out(self, data: Microdata) -> Bools:
        """Records beyond the edge."""
        unit, out = self.unit_of(data), np.zeros(len(data), dtype=np.bool_)
        x = unit.of(data.numbers(self.columns))
        for rows, shape in self.shapes(data, unit):
            out[rows] = shape.distances(_filled(x[rows], shape)) > self.edge
        return out

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Which part of a normal cloud would lie beyond the edge; who was pulled in is not told, nor from where."""
        del after
        return {
            "columns": list(self.columns),
            "beyond": self.beyond,
            "within": list(self.within),
            "rounded": rounded(before, self.columns, self.whole),
        }


def _filled(x: Floats, shape: Ellipsoid) -> Floats:
    return np.where(np.isnan(x), shape.centre, x)
