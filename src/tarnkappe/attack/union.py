"""The union test: the sum of the suppressed parts of a published total is as good as published.

Whoever subtracts the open parts from an open total knows the sum of the others. So the suppressed parts of a relation,
taken together with their contributions merged by contributor, must themselves pass the rules. Source: Wettig (2002), 2.2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.relations import Relations
from tarnkappe.data.sums import Judge, Sums
from tarnkappe.data.table import Contributions, Table
from tarnkappe.kernels.exact import added
from tarnkappe.kernels.pooling import Lists, Pooled, pool

MOST_NAMED = 50
"""So many sums are named."""
ROUNDING = 1e-12
"""What is left of a cell after its largest contributions is nothing when it is less than this share of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Unions:
    """Relations that fail the union test, in their order."""

    relation: Ints
    """The relation whose suppressed parts together are sensitive."""
    rule: Ints
    """The first of the rules that says so."""
    exact: Bools
    """All owners are listed: it is certain. Else a rule by owner says so as far as the kept contributions tell."""

    def __len__(self) -> int:
        return len(self.relation)


def union_test(pattern: Pattern, relations: Relations, rules: Sequence[Judge]) -> Unions:
    """The relations with an open total whose suppressed parts, taken together, a rule marks.

    The result is exact for rules by contributor, since a record lies in one part of a sum only, and for rules by owner where all
    owners in the suppressed parts are listed among the largest. Elsewhere an owner may have part in cells that do not list him;
    he is then taken as large as he can be, so a relation may be reported that is not sensitive, never the other way round.
    Where all parts that hold anything are suppressed, their sum is the published total itself and tells nothing new.
    """
    relation, cell = _suppressed_parts(pattern, relations)
    tested, of = np.unique(relation, return_inverse=True)
    sums, exact = _together(pattern.table, cell, of, relations.total[tested])
    marks = np.array([rule.sensitive(sums) for rule in rules], dtype=np.bool_).reshape(
        len(rules), len(tested)
    )
    failed = np.flatnonzero(marks.any(axis=0))
    first = np.argmax(marks[:, failed], axis=0) if len(failed) else failed
    return Unions(tested[failed], first, exact[failed])


def named_sums(table: Table, relations: Relations, found: Unions) -> list[dict[str, Any]]:
    """The totals whose suppressed parts together are confidential, named by codes."""
    return [
        {
            "sum": table.spelt(int(relations.total[r])),
            "along": table.dimensions[relations.along[r]].name,
            "certain": bool(sure),
        }
        for r, sure in zip(found.relation[:MOST_NAMED].tolist(), found.exact, strict=False)
    ]


def _suppressed_parts(pattern: Pattern, relations: Relations) -> tuple[Ints, Ints]:
    """The suppressed parts of relations with an open total: the relation and the cell of each."""
    of = np.repeat(np.arange(len(relations)), np.diff(relations.start))
    total, hidden = relations.total[of], pattern.suppressed
    part = (total >= 0) & (relations.cell != total)
    shown = part & ~hidden[relations.cell] & _filled(pattern)[relations.cell]
    divided = np.bincount(of[shown], minlength=len(relations)) > 0
    take = part & ~hidden[total] & hidden[relations.cell] & divided[of]
    return of[take], relations.cell[take]


def _filled(pattern: Pattern) -> Bools:
    """Cells that hold something: a value, or contributors whose contributions cancel out."""
    kept = pattern.table.contributions
    filled: Bools = np.asarray(pattern.table.value != 0)
    return filled if kept is None else filled | (kept.count > 0)


def _together(table: Table, cell: Ints, of: Ints, total: Ints) -> tuple[Sums, Bools]:
    """Sums of cells with their contributions merged, and where owners are certain."""
    value = added(table.value[cell], of, len(total))
    records, owners, exact = None, None, np.ones(len(total), dtype=np.bool_)
    if table.contributions is not None:
        records = _by_record(table.contributions.take(cell), of, len(total))
    if table.owners is not None:
        parts = _listed(table.owners.take(cell), table.value[cell])
        ceiling = _listed(table.owners.take(total), table.value[total])
        owners, exact = _by_owner(table.owners.take(cell), parts, of, ceiling, value)
    told = None
    if table.unweighted is not None:
        told, certain = _together(table.unweighted, cell, of, total)
        exact = exact & certain
    return Sums(table.name, value, records, owners, table.counts, told), exact


def _by_record(kept: Contributions, of: Ints, pools: int) -> Contributions:
    """Every record lies in one cell only: the largest of the pool are among the largest of its cells."""
    merged = pool(of, Lists(kept.largest, kept.who, np.zeros(len(of))), _open(pools, kept.largest.shape[1]))
    size = None if kept.size is None else added(kept.size, of, pools)
    return _contributions(merged, added(kept.count.astype(np.float64), of, pools), size, kept, of)


def _by_owner(
    kept: Contributions, parts: Lists, of: Ints, ceiling: Lists, value: Floats
) -> tuple[Contributions, Bools]:
    """Owners may have part in several cells, also in cells that do not list them."""
    if kept.size is not None:  # with negative contributions an owner may add more to a part than to the whole
        ceiling = _open(*ceiling.largest.shape)
    merged = pool(of, parts, ceiling)
    count = np.zeros(len(value))
    np.maximum.at(count, of, kept.count)
    size = None if kept.size is None else np.where(merged.complete, merged.size, np.abs(value))
    return _contributions(merged, np.maximum(count, merged.listed), size, kept, of), merged.complete


def _listed(kept: Contributions, value: Floats) -> Lists:
    """Cells with what a contributor that they do not list can add to them at most."""
    shown, size = np.abs(kept.largest), value if kept.size is None else kept.size
    left = np.maximum(size - shown.sum(axis=1), 0.0)
    all_listed = (kept.count <= shown.shape[1]) & (kept.weight is None)
    left[all_listed | (left <= ROUNDING * size)] = 0.0
    smallest = shown[:, -1] if shown.shape[1] else left
    return Lists(kept.largest, kept.who, np.minimum(left, smallest))


def _open(pools: int, m: int) -> Lists:
    """No ceiling."""
    return Lists(np.zeros((pools, m)), np.full((pools, m), -1), np.full(pools, np.inf))


def _contributions(
    merged: Pooled, count: Floats, size: Floats | None, kept: Contributions, of: Ints
) -> Contributions:
    weight = None if kept.weight is None else added(kept.weight, of, len(count))
    return Contributions(
        count.astype(np.int64), merged.largest, np.full(merged.largest.shape, -1), size, weight
    )
