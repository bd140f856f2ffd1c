"""Implausible combinations: what did not exist before, or is declared impossible."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import original
from tarnkappe.data.spelling import canonical
from tarnkappe.kernels.crossed import cell_keys
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.fields import Spelt
from tarnkappe.utility.coded import Coded, categories_in_both, coded

WORST = 10
_EMPTY = Text("The release has no records.", "Die Freigabe hat keine Datensätze.")


@measure(
    "utility.plausibility",
    title=Text("Implausible combinations", "Unplausible Kombinationen"),
    compares=True,
    does=Text(
        "Counts released records with combinations of categories that the original does not have or that are declared impossible.",
        "Zählt freigegebene Datensätze mit Kombinationen von Kategorien, die es im Original nicht gibt oder die als unmöglich erklärt sind.",
    ),
    sources=(
        Source("hoehne2010", "sections 2.2.1 and 2.2.2: combinations that did not exist or cannot be, such as hard-coal mining in Berlin (U17)"),
    ),
    reads=Text(
        "A share of {value} of the released records has a combination that the original does not have.",
        "Ein Anteil von {value} der freigegebenen Datensätze hat eine Kombination, die es im Original nicht gibt.",
    ),
    knows=Text(
        "All values that both files have; combinations with a missing or suppressed value do not count.",
        "Alle Werte, die beide Dateien haben; Kombinationen mit fehlenden oder unterdrückten Werten zählen nicht.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "know what is impossible unless it is declared: a combination may be new and yet possible",
            "wissen, was unmöglich ist, solange es nicht erklärt ist: Eine Kombination kann neu und doch möglich sein",
        ),
        Text("look at numbers", "Zahlen betrachten"),
    ),
    words={
        "forbidden": Text("impossible combinations, in records", "unmögliche Kombinationen, in Datensätzen"),
        "new_combinations": Text("combinations that the original does not have, in records", "Kombinationen, die das Original nicht hat, in Datensätzen"),
        "new_values": Text("values that the original does not have", "Werte, die das Original nicht hat"),
    },
    example={
        "columns": ["sex", "occupation", "diagnosis"], "up_to": 3, "forbidden": [{"sex": "male", "diagnosis": "cancer"}],
    },
)  # fmt: skip
class Plausibility(Measure):
    """The share of released records with at least one combination of categories that no original record has, or that is forbidden.

    Looked at are all pairs of columns (with `up_to: 3` also all triples). Values that the original does not have at all, as after recoding, are no new
    combinations; they are counted apart. A forbidden combination counts although the original has it; how often it does is told.
    """

    columns: tuple[str, ...] = ()
    """Columns of categories; without them, all that both files have. | Spalten mit Kategorien; ohne Angabe alle, die beide Dateien
    haben."""
    up_to: Annotated[int, Field(ge=2, le=3)] = 2
    """Combinations of up to so many columns. | Kombinationen aus bis zu so vielen Spalten."""
    forbidden: tuple[Annotated[Mapping[str, Spelt], Field(min_length=1)], ...] = ()
    """Combinations (column -> value) that are impossible. | Kombinationen (Spalte -> Wert), die unmöglich sind."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        chosen = categories_in_both(after, before, self.columns, self.id, needed=0 if self.forbidden else 2)
        for name in (n for row in self.forbidden for n in row):
            before.column(name)
        if not len(after):
            return Finding(math.nan, trusted=False, because=_EMPTY)
        columns = {n: coded(before.column(n), after.column(n)) for n in chosen.names}
        odd = np.zeros(len(after), dtype=np.bool_)
        found: dict[str, int] = {}
        for names in (c for size in range(2, self.up_to + 1) for c in combinations(chosen.names, size)):
            new = _new([columns[n] for n in names])
            odd |= new
            if new.any():
                found[" × ".join(names)] = int(new.sum())
        impossible = [(_holds(after, row), _holds(before, row)) for row in self.forbidden]
        for here, _ in impossible:
            odd |= here
        return Finding(
            value=float(odd.mean()),
            because=chosen.left,
            details={
                "columns": chosen.names,
                "new_combinations": dict(sorted(found.items(), key=lambda at: -at[1])[:WORST]),
                "new_values": {n: c for n in columns if (c := _strange(columns[n]))},
                "forbidden": _told(impossible),
            },
            per_record=odd.astype(np.float64),
        )


def _new(columns: list[Coded]) -> Bools:
    """Released records whose combination no original record has, though it has each of the values."""
    sizes = [c.size for c in columns]
    old, new = cell_keys([c.old for c in columns], sizes), cell_keys([c.new for c in columns], sizes)
    whole = np.all([(c.new < c.values) & np.isin(c.new, c.old) for c in columns], axis=0)
    out: Bools = whole & ~np.isin(new, old)
    return out


def _strange(column: Coded) -> int:
    """Values of the release that the original does not have."""
    return len(np.setdiff1d(column.new[column.new < column.values], column.old))


def _holds(data: Microdata, row: Mapping[str, str]) -> Bools:
    """Records with a declared combination; none where the data lacks a column."""
    out = np.ones(len(data), dtype=np.bool_)
    for name, word in row.items():
        if name not in data.columns:
            return np.zeros(len(data), dtype=np.bool_)
        column = data.column(name)
        table = np.append(canonical(column) == word, [False, False])
        out &= table[column.codes()[0]]
    return out


def _told(impossible: list[tuple[Bools, Bools]]) -> list[Json]:
    return [{"after": int(here.sum()), "before": int(there.sum())} for here, there in impossible]
