"""Which share of the units and of their amounts is lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.data.quantities import LEAST, original, quantities
from tarnkappe.data.units import units_of
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.fields import Unit
from tarnkappe.utility.comparing import joined, left_out, weights

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats, Ints
    from tarnkappe.data.microdata import Microdata

_EMPTY = Text("The original has no record.", "Das Original hat keinen Datensatz.")
_FEW = Text(
    f"fewer than {LEAST} values are lost or left, so that a share would give them away",
    f"weniger als {LEAST} Werte sind verloren oder übrig, ein Anteil gäbe sie preis",
)
_ZERO = Text("all values are 0 or missing", "alle Werte sind 0 oder fehlen")


@measure(
    "utility.lost-share",
    title=Text("Share of units and amounts that is lost", "Verlorener Anteil an Einheiten und Beträgen"),
    compares=True,
    does=Text(
        "Measures which share of the records, of the units and of each amount the release no longer has.",
        "Misst, welchen Anteil der Datensätze, der Einheiten und jedes Betrags die Freigabe nicht mehr enthält.",
    ),
    sources=(Source("gottschalk2002", "section 2.2: share of units, turnover and employment lost (G-U06)"),),
    reads=Text(
        "At most a share of {value} of units or amounts is lost.",
        "Von Einheiten oder Beträgen ist höchstens ein Anteil von {value} verloren.",
    ),
    knows=Text(
        "Which records of the original the release still has, and which of their values it still shows.",
        "Welche Datensätze des Originals die Freigabe noch hat und welche ihrer Werte sie noch zeigt.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "see that values changed; see utility.changed and utility.distance",
            "sehen, ob sich Werte verändert haben; siehe utility.changed und utility.distance",
        ),
        Text(
            "count records that were made anew in place of lost ones",
            "Datensätze anrechnen, die anstelle verlorener neu erzeugt wurden",
        ),
    ),
    words={
        "share_lost": Text("share lost", "verlorener Anteil"),
        "values_lost": Text("values lost", "verlorene Werte"),
    },
    example={"columns": ["income", "employees"], "unit": ["household"], "weighted": False},
)
class LostShare(Measure):
    """The largest of the shares lost: of records, of units, and of the sum of every numeric column.

    A record is lost when the release does not have it; a unit when none of its records is left; an
    amount when its record is lost or its cell is missing or suppressed in the release, or the whole column is gone.
    An amount that the release shows in classes is not lost. Sums run over absolute values, so that gains and
    losses do not cancel, and over weights of the original where it has them. A share that rests
    on one to nine values, lost or left, is not told: it would give them away.
    """

    columns: tuple[str, ...] = ()
    """Numeric columns of the original; without them, all that hold quantities. | Numerische Spalten des
    Originals; ohne Angabe alle, die Größen enthalten."""
    unit: Unit = ()
    """Columns that tell which records belong to one unit; without them, each is its own. | Spalten, die
    sagen, welche Datensätze zu einer Einheit gehören; ohne Angabe jeder für sich."""
    weighted: bool = True
    """Use the weights of the original. | Die Gewichte des Originals verwenden."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        names = self.columns or quantities(before)
        x = before.numbers(names, self.id)
        if not len(before):
            return Finding(math.nan, trusted=False, because=_EMPTY)
        w = weights(before) if self.weighted else None
        w = np.ones(len(before)) if w is None else w
        place, new = _places(before, after)
        stays = _kept(len(before), place)
        lost: dict[str, float] = {
            "records": _share(~stays, w),
            "units": self._units(before, stays),
        }
        columns: dict[str, Json] = {}
        few, zero = [], []
        for j, name in enumerate(names):
            shown = new.column(name).observed if name in new.columns else np.zeros(len(new), dtype=np.bool_)
            gone = ~_kept(len(before), place[shown]) & ~np.isnan(x[:, j])
            share = _of_sum(x[:, j], w, gone)
            columns[name] = {"values_lost": int(gone.sum()), "share_lost": share}
            few += [name] if share is None else []
            zero += [name] if share is not None and math.isnan(share) else []
        told = [c["share_lost"] for c in columns.values() if c["share_lost"] is not None]
        return Finding(
            value=max(v for v in (*lost.values(), *told) if not math.isnan(v)),
            because=joined(left_out(few, _FEW), left_out(zero, _ZERO)) or NOTHING,
            details={"share_lost": lost, "columns": columns},
        )

    def _units(self, before: Microdata, stays: Bools) -> float:
        """Share of the units of which no record is left."""
        unit, count = units_of(before, self.unit)
        return float(np.mean(np.bincount(unit, stays, count) == 0))


def _places(before: Microdata, after: Microdata) -> tuple[Ints, Microdata]:
    """Where the records that both files have stand in the original, and these records in the release."""
    old, new = before.paired(after)
    order = np.argsort(before.rows, kind="stable")
    return order[np.searchsorted(before.rows[order], old.rows)], new


def _kept(count: int, place: Ints) -> Bools:
    out = np.zeros(count, dtype=np.bool_)
    out[place] = True
    return out


def _share(lost: Bools, w: Floats) -> float:
    return float(w @ lost / w.sum()) if w.sum() > 0 else float(np.mean(lost))


def _of_sum(x: Floats, w: Floats, gone: Bools) -> float | None:
    """Share of the sum that is gone; none where it rests on a few values, NaN where the sum is 0."""
    there = ~np.isnan(x)
    left = int((there & ~gone).sum())
    if 0 < gone.sum() < LEAST or 0 < left < LEAST:
        return None
    size = np.abs(np.nan_to_num(x)) * w
    size = size / power_scale(size)
    total = float(size.sum())
    return float(size[gone].sum()) / total if total > 0 else math.nan
