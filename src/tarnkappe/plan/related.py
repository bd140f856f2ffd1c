"""Dimensions that follow from each other: the group from the branch, or county and travel area both from the municipality."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.table import Table
from tarnkappe.plan.dependencies import dependencies
from tarnkappe.vocab import Kind, Role

MOST_COLUMNS = 60
"""So many further columns at most are asked whether two dimensions follow from them."""
SPARSE = 0.5
"""Two groupings of something finer meet in no more than this share of all pairs of their codes."""
_NO_CLASSES = (Role.IDENTIFIER, Role.OWNER, Role.HOUSEHOLD)


@dataclass(frozen=True, slots=True)
class Related:
    """Pairs of columns that tell something of each other, by their names."""

    pairs: frozenset[frozenset[str]]

    def __call__(self, one: str, other: str) -> bool:
        return one == other or frozenset((one, other)) in self.pairs

    def along(self, one: Table, other: Table) -> tuple[set[str], set[str]] | None:
        """The dimensions along which two tables tell something of each other; None where they only share codes, if anything."""
        names = [[tree.name for tree in table.dimensions] for table in (one, other)]
        met = [
            {a for a in names[0] if any(self(a, b) for b in names[1])},
            {b for b in names[1] if any(self(a, b) for a in names[0])},
        ]
        merged = {*one.merged, *other.merged} & met[0] & met[1]
        if not met[0] or (met[0] == met[1] and not merged):
            return None
        return met[0], met[1]


def related(data: Microdata, dimensions: Iterable[str]) -> Related:
    """What the columns of records tell of dimensions."""
    wanted = [name for name in dict.fromkeys(dimensions) if name in data.columns]
    left_out = {name for role in _NO_CLASSES for name in data.role(role)}
    finer = [
        name
        for name, column in data.columns.items()
        if name not in left_out and name not in wanted and column.kind is not Kind.NUMBER
    ]
    asked = [*wanted, *finer[:MOST_COLUMNS]]
    found = dependencies(Microdata({name: data.columns[name] for name in asked}))
    of = {(d.on, d.of) for d in found}
    pairs = {frozenset((a, b)) for a, b in of if a in wanted and b in wanted}
    for at, one in enumerate(wanted):
        for other in wanted[:at]:
            common = any((c, one) in of and (c, other) in of for c in asked)
            if common and _sparse(data, one, other):
                pairs.add(frozenset((one, other)))
    return Related(frozenset(pairs))


def _sparse(data: Microdata, one: str, other: str) -> bool:
    (a, many), (b, more) = (data.columns[name].codes() for name in (one, other))
    both = (a >= 0) & (b >= 0)
    met = len(np.unique(a[both].astype(np.int64) * more + b[both]))
    return met <= SPARSE * len(np.unique(a[both])) * len(np.unique(b[both])) and many > 1
