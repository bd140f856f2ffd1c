"""Zeros, gaps, negative numbers and numbers below a cut-off before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarnkappe.data.quantities import in_both, original, quantities
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.by_column import GONE
from tarnkappe.utility.comparing import joined, left_out

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Column
    from tarnkappe.data.microdata import Microdata

_NO_RECORDS = Text("One of the files has no record.", "Eine der Dateien hat keinen Datensatz.")
_BECAME_NEGATIVE = Text(
    "The release has negative numbers in columns that had none: {names}.",
    "Die Freigabe hat negative Zahlen in Spalten, die keine hatten: {names}.",
)


class _States(NamedTuple):
    """What each cell of a column is; every cell is one of these, or an ordinary number."""

    cells_missing: Bools
    cells_suppressed: Bools
    cells_negative: Bools
    cells_zero: Bools
    below_cut_off: Bools


@measure(
    "utility.structure",
    title=Text("Zeros, gaps and signs before and after", "Nullen, Lücken und Vorzeichen vorher und nachher"),
    compares=True,
    does=Text(
        "Counts zeros, missing and suppressed cells, negative numbers and numbers below a cut-off before and after.",
        "Zählt Nullen, fehlende und unterdrückte Zellen, negative Zahlen und Zahlen unter einer Abschneidegrenze vorher und nachher.",
    ),
    sources=(Source("hoehne2010", "sections 2.2.2 and 3.3: zeros, missing values, signs, cut-off (U14)"),),
    reads=Text(
        "In the column that changed most, a share of {value} of the cells is of another sort than before.",
        "In der am stärksten veränderten Spalte ist ein Anteil von {value} der Zellen von anderer Art als vorher.",
    ),
    knows=Text(
        "All records of the original against all of the release; signs that changed, over the records that both have.",
        "Alle Datensätze des Originals gegen alle der Freigabe; Vorzeichenwechsel über die gemeinsamen Datensätze.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "see that a zero of one record became a number while a number of another became zero, beyond counting both",
            "über die Zählung hinaus erkennen, dass die Null eines Datensatzes zur Zahl und die Zahl eines anderen zur Null wurde",
        ),
        Text("use weights", "Gewichte verwenden"),
    ),
    words={
        "below_cut_off": Text("numbers below the cut-off", "Zahlen unter der Abschneidegrenze"),
        "cells_negative": Text("negative numbers", "negative Zahlen"),
        "sign_changes": Text("signs that changed", "Vorzeichenwechsel"),
        "zeros_lost": Text("zeros that became numbers", "zu Zahlen gewordene Nullen"),
        "zeros_new": Text("numbers that became zero", "zu null gewordene Zahlen"),
    },
    example={"columns": ["income", "employees"], "lower": {"income": 1000.0}},
)
class Structure(Measure):
    """How the sorts of cells shifted: missing, suppressed, negative, zero, below the cut-off, or an ordinary number.

    The value is, for the worst column, half the sum of the absolute differences of the shares of the six
    sorts: the share of the cells that would have to become another sort to bring the original back. It works for
    files with different numbers of records. The details count every sort, and over the records that both
    files have the signs that changed, the zeros that were lost and those that are new.
    """

    columns: tuple[str, ...] = ()
    """Numeric columns; without them, all that hold quantities in both files. | Numerische Spalten; ohne
    Angabe alle, die in beiden Dateien Größen enthalten."""
    lower: Mapping[str, float] = {}
    """Cut-off of the survey by column: units below it were not asked. | Abschneidegrenze der Erhebung je
    Spalte: Einheiten darunter wurden nicht befragt."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        names = in_both(after, before, self.columns, self.id, needed=1)
        for data in (before, after):
            data.numbers([*names, *(n for n in self.lower if n not in names)], self.id)
        gone = () if self.columns else tuple(n for n in quantities(before) if n not in names)
        old, new = before.paired(after)
        found = {
            name: {**self._counted(name, before, after), **_moved(old.column(name), new.column(name))}
            for name in names
        }
        empty = min(len(before), len(after)) == 0
        turned = [
            n for n, f in found.items() if f["cells_negative"]["after"] > 0 == f["cells_negative"]["before"]
        ]
        return Finding(
            value=math.nan if empty else max(_distance(f, len(before), len(after)) for f in found.values()),
            trusted=not empty,
            because=joined(
                _NO_RECORDS if empty else NOTHING,
                _BECAME_NEGATIVE.filled(names=listed(turned)) if turned else NOTHING,
                left_out(gone, GONE),
            ),
            details={
                "columns": found,
                "records_compared": len(new),
                "no_numbers_any_more": gone,
            },
        )

    def _counted(self, name: str, before: Microdata, after: Microdata) -> dict[str, Json]:
        limit = self.lower.get(name)
        was, now = (_states(data.column(name), limit) for data in (before, after))
        return {
            sort: {"before": int(getattr(was, sort).sum()), "after": int(getattr(now, sort).sum())}
            for sort in _States._fields
            if sort != "below_cut_off" or limit is not None
        }


def _states(column: Column, limit: float | None) -> _States:
    there, x = column.observed, column.values
    below = (x > 0) & (x < limit) if limit is not None else np.zeros(len(x), dtype=np.bool_)
    return _States(column.missing, column.suppressed, there & (x < 0), there & (x == 0), there & below)


def _moved(old: Column, new: Column) -> dict[str, int]:
    """What happened to signs and zeros of the same records."""
    there = old.observed & new.observed
    was, now = np.sign(old.values[there]), np.sign(new.values[there])
    return {
        "sign_changes": int((was * now < 0).sum()),
        "zeros_lost": int(((was == 0) & (now != 0)).sum()),
        "zeros_new": int(((was != 0) & (now == 0)).sum()),
    }


def _distance(found: Mapping[str, Json], before: int, after: int) -> float:
    """Half the L1 distance of the shares; the ordinary numbers are the rest."""
    apart = [f["after"] / after - f["before"] / before for f in found.values() if isinstance(f, Mapping)]
    return float(sum(map(abs, apart)) + abs(sum(apart))) / 2
