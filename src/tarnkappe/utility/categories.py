"""How far categories moved: not at all, all the way, or some steps of their order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.data import ValueUnknown
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.fields import Spelt
from tarnkappe.utility.coded import categories_in_both, coded
from tarnkappe.utility.comparing import NOT_THE_SAME, joined


@measure(
    "utility.categories",
    title=Text("Distance of categories", "Abstand der Kategorien"),
    compares=True,
    does=Text(
        "Says how far categories moved on average: by steps of their order where they have one, else changed or not.",
        "Sagt, wie weit sich Kategorien im Mittel bewegt haben: in Stufen ihrer Ordnung, wo es eine gibt, sonst verändert oder nicht.",
    ),
    sources=(
        Source("dav2025", "section 6.2: changed values, nominal and ordinal (specification, D-U02)"),
        Source("domingoferrer2001", "direct comparison of categorical values"),
    ),
    reads=Text(
        "On average a category moved by {value} of its range.",
        "Im Mittel hat sich eine Kategorie um {value} ihrer Spannweite bewegt.",
    ),
    knows=Text(
        "The records that both files have, cell by cell.",
        "Die Datensätze, die beide Dateien haben, Zelle für Zelle.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "fit perturbed or synthetic data, whose frequencies count and not their records: see `utility.frequencies`",
            "zu gestörten oder synthetischen Daten passen, bei denen Häufigkeiten zählen und nicht Datensätze: siehe `utility.frequencies`",
        ),
        Text(
            "compare columns whose categories were all recoded: they are listed",
            "Spalten vergleichen, deren Kategorien sämtlich umkodiert wurden: Sie werden genannt",
        ),
    ),
    example={"columns": ["sex", "region"], "order": {"region": ["north", "east", "south"]}},
)
class Categories(Measure):
    """The mean distance between the category of a cell before and after.

    With an `order` of D categories: the number of steps between them divided by D. Otherwise 0 where the category is the same and
    1 where not. A cell that was suppressed or emptied counts 1, and so does a category that the order does not list unless it stayed. Cells
    that were empty in the original are left out.
    """

    columns: tuple[str, ...] = ()
    """Columns of categories; without them, all that both files have. | Spalten mit Kategorien; ohne Angabe alle, die beide Dateien
    haben."""
    order: Mapping[str, tuple[Spelt, ...]] = {}
    """Column -> its values in ascending order. | Spalte -> ihre Werte in aufsteigender Reihenfolge."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        chosen = categories_in_both(after, before, self.columns, self.id)
        for name in self.order:
            before.column(name)
        old, new = before.paired(after)
        if len(old) < LEAST:
            return Finding(math.nan, trusted=False, because=joined(NOT_THE_SAME, chosen.left))
        moved = {n: _moved(old.column(n), new.column(n), self.order.get(n, ()), n) for n in chosen.names}
        cells = sum(len(d) for d in moved.values())
        return Finding(
            value=sum(float(d.sum()) for d in moved.values()) / cells if cells else 0.0,
            because=chosen.left,
            details={
                "columns": {n: _told(d, n in self.order) for n, d in moved.items()},
                "records_compared": len(old),
            },
        )


def _moved(old: Column, new: Column, order: Sequence[str], name: str) -> Floats:
    """The distance of every cell that had a value."""
    found = coded(old, new)
    there = found.old < found.missing
    was, shown = found.old[there], found.new[there]
    distance: Floats = np.asarray(was != shown, dtype=np.float64)
    if order:
        rank = _ranks(old, new, order, name)
        ranks = np.append(rank, [np.nan, np.nan])
        steps = np.abs(ranks[was] - ranks[shown]) / len(order)
        distance = np.where(np.isnan(steps), distance, steps)
    return distance


def _ranks(old: Column, new: Column, order: Sequence[str], name: str) -> Floats:
    """The place of every common code in the order; NaN where it is not listed."""
    place = {word: at for at, word in enumerate(order)}
    words = dict.fromkeys(np.concatenate([canonical(old), canonical(new)]).tolist())
    rank = np.array([place.get(word, math.nan) for word in words], dtype=np.float64)
    if len(rank) and np.isnan(rank).all():
        raise ValueUnknown(name=name, count=len(order), first=1)
    return rank


def _told(distance: Floats, ordered: bool) -> dict[str, Json]:  # noqa: FBT001 - a fact, not a switch
    return {
        "distance": float(distance.mean()) if len(distance) else 0.0,
        "changed": float((distance > 0).mean()) if len(distance) else 0.0,
        "ordered": ordered,
    }
