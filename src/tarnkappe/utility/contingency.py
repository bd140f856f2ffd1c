"""Contingency tables before and after: all tables of up to three columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import comb
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.kernels.crossed import (
    Crossed,
    cramers_v,
    crossed,
    homogeneity,
    mutual_information,
    total_variation,
    two_way,
)
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.coded import Coded, categories_in_both, coded, weights_of_both
from tarnkappe.utility.comparing import joined

WORST = 5
"""So many tables are named of every dimension."""
_TOO_FEW = Text(
    f"One file has fewer than {LEAST} records.", f"Eine Datei hat weniger als {LEAST} Datensätze."
)
_BOUND = Text(
    "{left} of {count} tables were not looked at; `tables` says how many are.",
    "{left} von {count} Tabellen wurden nicht betrachtet; `tables` sagt, wie viele es sind.",
)


class _Table(NamedTuple):
    """One table and how far it is from the original."""

    names: tuple[str, ...]
    distance: float
    cells: int
    difference: float
    """Sum of the absolute differences of the cells."""
    chi2: float


class _Files(NamedTuple):
    columns: dict[str, Coded]
    w: tuple[Floats | None, Floats | None]


@measure(
    "utility.contingency",
    title=Text("Contingency tables before and after", "Kontingenztabellen vorher und nachher"),
    compares=True,
    does=Text(
        "Counts all tables of one, two and three columns of categories in both files and compares cells and associations.",
        "Zählt alle Tabellen aus einer, zwei und drei Spalten mit Kategorien in beiden Dateien aus und vergleicht Felder und Zusammenhänge.",
    ),
    sources=(
        Source("dav2025", "section 6.2: contingency tables up to dimension 3, Cramér's V (specification, D-U03, D-U13)"),
        Source("domingoferrer2001", "contingency-table-based information loss"),
    ),
    reads=Text(
        "On average over the tables a share of {value} of the records stands in another cell.",
        "Im Mittel der Tabellen steht ein Anteil von {value} der Datensätze in einem anderen Feld.",
    ),
    knows=Text(
        "All records of the original against all of the release, as shares; missing and suppressed are categories of their own.",
        "Alle Datensätze des Originals gegen alle der Freigabe, als Anteile; fehlend und unterdrückt sind eigene Kategorien.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "see exchanges between records that leave every table as it is",
            "Tausche zwischen Datensätzen sehen, die jede Tabelle lassen, wie sie ist",
        ),
        Text(
            "compare columns whose categories were all recoded: they are listed",
            "Spalten vergleichen, deren Kategorien sämtlich umkodiert wurden: Sie werden genannt",
        ),
    ),
    words={
        "chi2_per_degree": Text("χ² per degree of freedom, mean", "χ² je Freiheitsgrad, Mittel"),
        "cramers_v": Text("Cramér's V", "Cramérs V"),
        "difference_per_cell": Text("absolute difference per cell", "absolute Differenz je Feld"),
        "difference_per_record": Text("absolute difference per record", "absolute Differenz je Datensatz"),
        "dimensions": Text("tables by number of columns:", "Tabellen nach Zahl der Spalten:"),
        "farthest": Text("farthest", "am weitesten entfernt"),
        "mutual_information": Text("mutual information in bits", "Transinformation in Bit"),
        "tables": Text("tables", "Tabellen"),
        "tables_left_out": Text("tables not looked at", "nicht betrachtete Tabellen"),
    },
    example={"columns": ["sex", "occupation", "region"], "up_to": 2, "tables": 100, "weighted": True},
)  # fmt: skip
class Contingency(Measure):
    """The mean distance of the tables over all sets of columns: half the sum of the absolute differences of the shares of the cells.

    That distance (total variation) is the share of records that would have to move to another cell. Also told per dimension: the sum of
    the absolute differences of the counts, per cell and per record; the tables that are farthest; and the mean of χ² per degree of freedom for the
    hypothesis that both files come from one table, which is about 1 for two samples from one population. For pairs of columns: Cramér's V
    and the mutual information in bits, before and after.

    Cells are those that one of the files fills. More tables than `tables` are not looked at, the small dimensions first; how many is told.
    Columns with more than a hundred categories are left out unless they are named.
    """

    columns: tuple[str, ...] = ()
    """Columns of categories; without them, all that both files have. | Spalten mit Kategorien; ohne Angabe alle, die beide Dateien
    haben."""
    up_to: Annotated[int, Field(ge=1, le=4)] = 3
    """Tables of up to so many columns. | Tabellen aus bis zu so vielen Spalten."""
    tables: Annotated[int, Field(ge=1)] = 1000
    """So many tables at most. | Höchstens so viele Tabellen."""
    weighted: bool = False
    """Use the weights where both files have them. | Die Gewichte verwenden, wo beide Dateien sie haben."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        chosen = categories_in_both(after, before, self.columns, self.id)
        if min(len(after), len(before)) < LEAST:
            return Finding(math.nan, trusted=False, because=joined(_TOO_FEW, chosen.left))
        both = weights_of_both(before, after) if self.weighted else (None, None)
        files = _Files({n: coded(before.column(n), after.column(n)) for n in chosen.names}, both)
        found = [_table(files, names) for names in islice(self._sets(chosen.names), self.tables)]
        count = sum(comb(len(chosen.names), k) for k in range(1, self.up_to + 1))
        records = min(len(before), len(after))
        return Finding(
            value=min(float(np.mean([t.distance for t in found])), 1.0),
            because=joined(_unseen(count, len(found)), chosen.left),
            details={
                "columns": chosen.names,
                "tables": len(found),
                "tables_left_out": count - len(found),
                "weighted": both[0] is not None,
                "dimensions": _by_dimension(found, records),
                **(_associations(files, chosen.names) if self.up_to > 1 else {}),
            },
        )

    def _sets(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        for size in range(1, self.up_to + 1):
            yield from combinations(names, size)


def _unseen(count: int, seen: int) -> Text:
    return _BOUND.filled(left=count - seen, count=count) if seen < count else NOTHING


def _table(files: _Files, names: tuple[str, ...]) -> _Table:
    columns = [files.columns[n] for n in names]
    table: Crossed = crossed(
        [c.old for c in columns], [c.new for c in columns], [c.size for c in columns], files.w
    )
    cells = len(table.old)
    return _Table(
        names,
        total_variation(table),
        cells,
        float(np.abs(table.old - table.new).sum()),
        homogeneity(table) / (cells - 1) if cells > 1 else math.nan,
    )


def _by_dimension(found: Sequence[_Table], records: int) -> dict[str, Json]:
    out = {}
    for size in sorted({len(t.names) for t in found}):
        here = [t for t in found if len(t.names) == size]
        worst = sorted(here, key=lambda t: -t.distance)[:WORST]
        chi2 = [t.chi2 for t in here if not math.isnan(t.chi2)]
        out[str(size)] = {
            "tables": len(here),
            "distance": float(np.mean([t.distance for t in here])),
            "difference_per_cell": float(np.mean([t.difference / t.cells for t in here])),
            "difference_per_record": float(np.mean([t.difference / records for t in here])),
            "chi2_per_degree": float(np.mean(chi2)) if chi2 else math.nan,
            "farthest": {" × ".join(t.names): t.distance for t in worst if t.distance > 0},
        }
    return out


def _associations(files: _Files, names: Sequence[str]) -> dict[str, Json]:
    """Cramér's V and mutual information of every pair, as matrices."""
    size = len(names)
    v, bits = (np.full((2, size, size), np.nan) for _ in range(2))
    for i, j in combinations(range(size), 2):
        a, b = files.columns[names[i]], files.columns[names[j]]
        for side, (x, y, w) in enumerate(zip((a.old, a.new), (b.old, b.new), files.w, strict=True)):
            table = two_way(x, y, (a.size, b.size), w)
            v[side, i, j] = v[side, j, i] = cramers_v(table)
            bits[side, i, j] = bits[side, j, i] = mutual_information(table)
    return {"cramers_v": _sides(v), "mutual_information": _sides(bits)}


def _sides(found: Floats) -> dict[str, Json]:
    apart = np.abs(found[1] - found[0])
    there = apart[~np.isnan(apart)]
    mean = float(there.mean()) if len(there) else math.nan
    return {"before": found[0], "after": found[1], "mean_difference": mean}
