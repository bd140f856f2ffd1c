"""Frequencies of categories before and after."""

from __future__ import annotations

import math

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.coded import Coded, categories_in_both, coded, weights_of_both
from tarnkappe.utility.comparing import joined

RARE = 0.05
"""A category with less than this share is rare."""
_TOO_FEW = Text(
    f"One file has fewer than {LEAST} records.", f"Eine Datei hat weniger als {LEAST} Datensätze."
)


@measure(
    "utility.frequencies",
    title=Text("Frequencies before and after", "Häufigkeiten vorher und nachher"),
    compares=True,
    does=Text(
        "Compares how frequent every category is before and after, and which categories have vanished.",
        "Vergleicht, wie häufig jede Kategorie vorher und nachher ist und wie viele Kategorien verschwunden sind.",
    ),
    sources=(
        Source("hoehne2010", "section 2.2.2: frequencies of categories under PRAM (U15)"),
        Source("dav2025", "section 7: total variation and coverage of rare categories (specification, 4.3)"),
    ),
    reads=Text(
        "On average over the columns a share of {value} of the records would have to change their category.",
        "Im Mittel der Spalten müsste ein Anteil von {value} der Datensätze die Kategorie wechseln.",
    ),
    knows=Text(
        "All records of the original against all of the release, as shares; missing and suppressed are categories of their own.",
        "Alle Datensätze des Originals gegen alle der Freigabe, als Anteile; fehlend und unterdrückt sind eigene Kategorien.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "look at several columns together: see `utility.contingency`",
            "mehrere Spalten zusammen betrachten: siehe `utility.contingency`",
        ),
        Text(
            "correct for PRAM: `tarnkappe correct` estimates the original frequencies",
            "PRAM herausrechnen: `tarnkappe correct` schätzt die ursprünglichen Häufigkeiten",
        ),
    ),
    words={
        "categories_gone": Text("categories that vanished", "verschwundene Kategorien"),
        "categories_new": Text("new categories", "neue Kategorien"),
        "largest_difference": Text("largest difference of a share", "größte Differenz eines Anteils"),
        "rare_kept": Text("of these still there", "davon noch vorhanden"),
    },
    example={"columns": ["sex", "occupation"], "weighted": True},
)
class Frequencies(Measure):
    """The mean over the columns of half the sum of the absolute differences of the shares of the categories (total variation).

    Per column also: the largest difference of a share, the number of categories that vanished or are new, and how many of the rare ones
    (below five per cent of the original) are still there.
    """

    columns: tuple[str, ...] = ()
    """Columns of categories; without them, all that both files have. | Spalten mit Kategorien; ohne Angabe alle, die beide Dateien
    haben."""
    weighted: bool = False
    """Use the weights where both files have them. | Die Gewichte verwenden, wo beide Dateien sie haben."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        chosen = categories_in_both(after, before, self.columns, self.id)
        if min(len(after), len(before)) < LEAST:
            return Finding(math.nan, trusted=False, because=joined(_TOO_FEW, chosen.left))
        old, new = weights_of_both(before, after) if self.weighted else (None, None)
        columns = {n: _told(coded(before.column(n), after.column(n)), old, new) for n in chosen.names}
        return Finding(
            value=min(float(np.mean([c["distance"] for c in columns.values()])), 1.0),
            because=chosen.left,
            details={"columns": columns, "weighted": old is not None},
        )


def _told(column: Coded, old: Floats | None, new: Floats | None) -> dict[str, Json]:
    a, b = (
        np.bincount(codes, w, column.size).astype(np.float64)
        for codes, w in ((column.old, old), (column.new, new))
    )
    a, b = a / a.sum(), b / b.sum()
    was, stays = a[: column.values] > 0, b[: column.values] > 0
    rare = was & (a[: column.values] < RARE)
    return {
        "distance": float(np.abs(a - b).sum() / 2),
        "largest_difference": float(np.abs(a - b).max()),
        "categories": int(was.sum()),
        "categories_gone": int((was & ~stays).sum()),
        "categories_new": int((stays & ~was).sum()),
        "rare": int(rare.sum()),
        "rare_kept": int((rare & stays).sum()),
    }
