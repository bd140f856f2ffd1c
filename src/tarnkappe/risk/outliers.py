"""Outlier risk: the further out a record lies, the coarser a value betrays it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tarnkappe.kernels.outlying import nearest_other, robust_distances
from tarnkappe.kernels.proportions import share_of
from tarnkappe.kernels.standard import SMALLEST_SPREAD
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.values_learnt import OnValues, Sides, by_column
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats
    from tarnkappe.data.microdata import Microdata

_GAPS = Text(
    "Records with a gap among the true values of the columns are left out.",
    "Datensätze mit einer Lücke unter den wahren Werten der Spalten bleiben außer Betracht.",
)


@measure(
    "risk.outliers",
    title=Text("Outlier risk (RMD)", "Ausreißerrisiko (RMD)"),
    does=Text(
        "Counts the records whose released values lie near the true ones, where near is wider for outliers, and which stand alone.",
        "Zählt die Datensätze, deren freigegebene Werte nahe an den wahren liegen, wobei nahe für Ausreißer weiter gefasst ist, und die "
        "allein stehen.",
    ),
    sources=(
        Source("templmeindl2008", "RMDID1, RMDID1w and RMDID2"),
        Source("templ2015", "dRiskRMD of sdcMicro"),
        Source("rousseeuw1999", "minimum covariance determinant"),
    ),
    reads=Text(
        "A share of {value} of the records is close to the truth and stands alone.",
        "Ein Anteil von {value} der Datensätze ist nahe an der Wahrheit und steht allein.",
    ),
    knows=Text(
        "The attacker knows true values of a record roughly; of an outlier he needs to know less to recognise it.",
        "Der Angreifer kennt wahre Werte eines Datensatzes ungefähr; bei einem Ausreißer genügt ihm ein gröberes Wissen, um ihn zu erkennen.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "link records: see risk.linkage; it compares the released with the true values of the same record",
            "Datensätze verknüpfen: siehe risk.linkage; es vergleicht freigegebene mit wahren Werten desselben Datensatzes",
        ),
        Text(
            "consider records with a missing true value",
            "Datensätze mit einem fehlenden wahren Wert betrachten",
        ),
    ),
    words={
        "median_distance": Text("median robust distance", "Median des robusten Abstands"),
        "radius": Text("records nearer than this hide each other", "Datensätze, die näher liegen, verbergen einander"),
        "unsafe": Text("unsafe records (RMDID1)", "unsichere Datensätze (RMDID1)"),
        "unsafe_and_alone": Text("unsafe and not hidden (RMDID2)", "unsicher und nicht verborgen (RMDID2)"),
        "unsafe_by_distance": Text("unsafe, records counted by distance", "unsicher, Datensätze nach Abstand gezählt"),
    },
    example={
        "columns": ["income", "wealth"], "within": ["region"], "weighted": True, "width": 0.05, "radius": 0.1, "joint": True,
    },
)  # fmt: skip
class Outliers(OnValues):
    """The share of records with a released value inside the interval around the true one and no other released record nearby.

    Columns are standardised by the means and standard deviations of the true values. The half width of the
    interval is `width` times the robust Mahalanobis distance of the true record from the core of the data (minimum covariance determinant):
    the further out, the wider. A record is unsafe when one of its values lies inside, with `joint` when all do. It is hidden when
    another released record lies within `radius` (Euclidean, all columns); only unsafe records that are not hidden count (RMDID2).

    dRiskRMD of sdcMicro has k = 0.01 and multiplies the distance by 0.05: width 0.0005 with a radius of 0.05. Its centre is the mean,
    ours that of the core; it standardises true and released values each by themselves, so that suppressing half of a column or shifting it
    seems to protect the rest. It keeps the distances of all pairs; here memory grows with the records only. The naive attacker takes the
    released values of a record at random. The details give RMDID1 (*unsafe*), RMDID2 (*unsafe and not hidden*) and the weighted
    form, in which a record counts by its robust distance.
    """

    width: Annotated[float, Field(gt=0, le=10)] = 0.01
    """Half width of the interval in standard deviations, for a record at distance 1. | Halbe Breite des Intervalls in
    Standardabweichungen, für einen Datensatz mit Abstand 1."""
    radius: Annotated[float, Field(ge=0)] | None = 0.05
    """Another released record within this distance hides a record; without it (null), none does. | Ein anderer freigegebener Datensatz
    in diesem Abstand verbirgt einen Datensatz; ohne Angabe (null) verbirgt keiner."""
    joint: bool = False
    """Whether all values of a record must lie inside, instead of one. | Ob alle Werte eines Datensatzes darin liegen müssen statt
    einem."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before)
        there = np.asarray((sides.there | ~sides.varies).all(axis=1) & sides.varies.any())
        units = _units(sides)
        x, y = (_in_units(v, units)[there] for v in (sides.x, sides.y))
        distance = robust_distances(x) if len(x) > 1 else np.zeros(len(x))
        near = np.asarray(np.abs(y - x) <= self.width * distance[:, None])
        unsafe = self._unsafe(near)
        open_ = ~self._hidden(sides)[there]
        alone = np.asarray(unsafe & open_)
        cases = there.astype(np.float64)
        hits = np.zeros(len(there))
        hits[there] = alone
        weights = sides.weights[there]
        details: dict[str, Json] = {
            "width": self.width, "radius": self.radius, "joint": self.joint,
            "unsafe": _share(unsafe, weights), "unsafe_and_alone": _share(alone, weights),
            "unsafe_by_distance": _share(unsafe, weights * distance), "median_distance": float(np.median(distance)) if len(x) else None,
            "columns": self._columns(sides, there, near),
        }  # fmt: skip
        gaps = NOTHING if there.all() else _GAPS
        return self.finding(
            after, sides, (hits, cases), self._by_chance((x, y), distance, open_, weights), details, gaps
        )

    def _unsafe(self, near: Bools) -> Bools:
        return np.asarray(near.all(axis=1) if self.joint else near.any(axis=1))

    def _hidden(self, sides: Sides) -> Bools:
        """Records near which another record of the release lies; where a value is not shown, it cannot be told."""
        hidden = np.zeros(len(sides.shown), dtype=np.bool_)
        shown = _in_units(sides.shown, _units(sides))
        whole = ~np.isnan(shown).any(axis=1)
        if self.radius is not None and shown.shape[1]:
            hidden[whole] = nearest_other(shown[whole]) <= self.radius
        return hidden[sides.place]

    def _by_chance(
        self, both: tuple[Floats, Floats], distance: Floats, open_: Bools, weights: Floats
    ) -> float:
        """The share unsafe and not hidden if every record had the released values of another one; drawn with a seed that is the number of records."""
        x, y = both
        if len(x) < 2:
            return float("nan")
        order = np.random.Generator(np.random.PCG64(len(x))).permutation(len(x))
        other = np.empty(len(x), dtype=np.int64)
        other[order] = np.roll(order, 1)
        near = np.asarray(np.abs(y[other] - x) <= self.width * distance[:, None])
        return _share(np.asarray(self._unsafe(near) & open_[other]), weights)

    def _columns(self, sides: Sides, there: Bools, near: Bools) -> dict[str, Json]:
        hit = np.zeros(sides.x.shape, dtype=np.bool_)
        hit[np.ix_(there, sides.varies)] = near
        shown = by_column(sides, hit, sides.there & there[:, None], hit)
        return {name: {key: v for key, v in row.items() if key != "naive"} for name, row in shown.items()}


def _units(sides: Sides) -> tuple[Bools, Floats, Floats]:
    """The columns that vary, their true means and standard deviations."""
    x = sides.x[:, sides.varies]
    there = ~np.isnan(x)
    count = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, x, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(there, (x - mean) ** 2, 0.0).sum(axis=0) / count)
    return sides.varies, mean, np.where(spread > SMALLEST_SPREAD, spread, 1.0)


def _in_units(v: Floats, units: tuple[Bools, Floats, Floats]) -> Floats:
    """Columns that vary, in standard deviations from the mean."""
    varies, mean, spread = units
    out: Floats = (v[:, varies] - mean) / spread
    return out


def _share(hit: Bools, weights: Floats) -> float:
    return share_of(hit.astype(np.float64), np.ones(len(hit)), weights)
