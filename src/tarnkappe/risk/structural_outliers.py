"""Structural outliers: records that stand out by how their amounts are composed, whatever their size."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import MISSING, SUPPRESSED, Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import amounts
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import EmptyData
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.robust_scores import robust_scores
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

FEWEST = 10
"""With fewer records nothing is usual, so nothing is unusual."""
_KINDS = 5
"""Signs of a cell: above 0, 0, below 0, missing, suppressed."""
_FEW = Text(
    f"There are fewer than {FEWEST} records: nothing can be said to stand out.",
    f"Es sind weniger als {FEWEST} Datensätze: Von nichts lässt sich sagen, dass es auffällt.",
)


@measure(
    "risk.structural-outliers",
    title=Text("Structural outliers", "Strukturelle Ausreißer"),
    does=Text(
        "Finds records that stand out by their structure: by which amounts are zero or missing, or by how amounts compare with each other.",
        "Findet Datensätze, die durch ihre Struktur auffallen: dadurch, welche Beträge null sind oder fehlen, oder durch das "
        "Verhältnis der Beträge zueinander.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1: units with a conspicuous structure, unique breaks in a series; section 4.2.1: preserved zeros"),
    ),
    reads=Text(
        "A share of {value} of the records stands out by its structure.",
        "Ein Anteil von {value} der Datensätze fällt durch seine Struktur auf.",
    ),
    knows=Text(
        "The attacker knows the keys of a unit and what is unusual about it: that it does not export, or lives on one product alone.",
        "Der Angreifer kennt die Schlüssel einer Einheit und ihre Besonderheit: dass sie nicht exportiert oder nur von einem Produkt lebt.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "count records that are rare by their keys alone: see risk.k-anonymity",
            "Datensätze zählen, die schon nach ihren Schlüsseln selten sind: siehe risk.k-anonymity",
        ),
        Text(
            "find units that are merely large: they stand out by size, not by structure",
            "Einheiten finden, die bloß groß sind: Sie fallen durch Größe auf, nicht durch Struktur",
        ),
    ),
    words={
        "by_pattern": Text("stand out by what is zero or missing", "fallen durch Nullen oder Lücken auf"),
    },
    example={
        "columns": ["income", "wealth", "employees"], "keys": ["sex"], "within": ["region"], "k": 3, "structure": "changes", "fence": 4,
    },
)  # fmt: skip
class StructuralOutliers(Measure):
    """The share of records that stand out by the pattern of their amounts or by the ratios between them.

    *Pattern*: every amount is above zero, zero, below zero, missing or suppressed. A record stands out if at least `k` records share
    its keys but fewer than `k` share its pattern as well: multiplicative noise keeps every zero, and a single gap points to its unit.
    *Ratios*: with `structure: shares` the logarithm of each amount is held against the mean logarithm of all amounts of the record; with
    `changes`, against that of the amount before it, for a series over time. A record stands out if one of them lies more than `fence` robust
    standard deviations from the median of its group (`within`; groups under ten records are held against the whole file). Where everybody
    else is alike, any other record stands out. Without `keys` those with the role key count, if there are any. Per record: 1 for
    those that stand out, else 0.
    """

    needs_roles = needs(columns=Role.NUMERIC)

    columns: tuple[str, ...] = ()
    """Amounts that are compared; without them, those with the role numeric. | Beträge, die verglichen werden; ohne Angabe die mit der
    Rolle numeric."""
    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne Angabe die mit
    der Rolle key."""
    within: tuple[str, ...] = ()
    """Ratios are compared inside groups of equal records of these columns. | Verhältnisse werden innerhalb der Gruppen gleicher Datensätze
    dieser Spalten verglichen."""
    k: Annotated[int, Field(ge=2)] = 2
    """A pattern with fewer records stands out. | Ein Muster mit weniger Datensätzen fällt auf."""
    structure: Literal["shares", "changes"] = "shares"
    """What is compared: each amount with all of the record, or with the one before it. | Was verglichen wird: jeder Betrag mit allen des
    Datensatzes (shares) oder mit dem vorigen (changes)."""
    fence: Annotated[float, Field(gt=0)] = 6.0
    """So many robust standard deviations from the median a ratio stands out. | Ab so vielen robusten Standardabweichungen vom Median fällt
    ein Verhältnis auf."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        outside, details = self._found(after)
        doubt = _FEW if len(after) < FEWEST else NOTHING
        return Finding(
            value=float(outside.mean()),
            baseline=None if before is None else float(self._found(before)[0].mean()),
            trusted=not doubt,
            because=doubt,
            details=details,
            per_record=outside.astype(np.float64),
        )

    def _found(self, data: Microdata) -> tuple[Bools, dict[str, Json]]:
        names = amounts(data, self.columns, self.id)
        if len(data) == 0:
            raise EmptyData
        by_pattern = self._by_pattern(data, names)
        by_ratio = self._by_ratio(data, names)
        outside = by_pattern.copy()
        for found in by_ratio.values():
            outside |= found
        details: dict[str, Json] = {
            "records": len(data),
            "exposed": int(outside.sum()),
            "by_pattern": int(by_pattern.sum()),
            "by_ratio": {name: int(found.sum()) for name, found in by_ratio.items()},
        }
        return outside, details

    def _by_pattern(self, data: Microdata, names: tuple[str, ...]) -> Bools:
        """Rare by keys and pattern together, not by keys alone."""
        keys = self.keys or data.role(Role.KEY)
        cells = strata_of(data, keys)
        found = classes([(cells.of, len(cells)), *((_signs(data.column(n)), _KINDS) for n in names)])
        return np.asarray((cells.sizes[cells.of] >= self.k) & (found.sizes[found.ids] < self.k))

    def _by_ratio(self, data: Microdata, names: tuple[str, ...]) -> dict[str, Bools]:
        groups = strata_of(data, self.within)
        logs = np.column_stack([_logarithms(data.column(n)) for n in names])
        if self.structure == "changes":
            ratios = {b: logs[:, j + 1] - logs[:, j] for j, (_, b) in enumerate(pairwise(names))}
        else:
            there = (~np.isnan(logs)).sum(axis=1)
            mean = np.where(there > 1, np.nansum(logs, axis=1) / np.maximum(there, 1), np.nan)
            ratios = {name: logs[:, j] - mean for j, name in enumerate(names)}
        return {n: robust_scores(x, groups.of, len(groups)) > self.fence for n, x in ratios.items()}


def _signs(column: Column) -> Ints:
    values = column.values
    signs = np.where(values > 0, 0, np.where(values == 0, 1, 2))
    if column.state is not None:
        signs = np.where(column.state == MISSING, 3, np.where(column.state == SUPPRESSED, 4, signs))
    return signs.astype(np.int64)


def _logarithms(column: Column) -> Floats:
    """Ln |x|; NaN for zeros, infinities and cells without a value."""
    values = np.abs(column.numbers())
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(values)
    logs[~np.isfinite(logs)] = np.nan
    return logs
