"""The union test: the sum of the suppressed parts of a published total is as good as published.

Whoever subtracts the open parts from an open total knows the sum of the others. So the suppressed parts of a relation,
taken together with their contributions merged by contributor, must themselves pass the rules. Source: Wettig (2002), 2.2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.relations import Relations
from tarnkappe.data.sums import Sums
from tarnkappe.data.table import Contributions
from tarnkappe.kernels.pooling import Lists, Pooled, pool


class Judge(Protocol):
    """A rule: it says which sums must not be known."""

    def sensitive(self, sums: Sums) -> Bools: ...


@dataclass(frozen=True, slots=True, eq=False)
class Unions:
    """Relations that fail the union test, in their order."""

    relation: Ints
    """The relation whose suppressed parts together are sensitive."""
    rule: Ints
    """The first of the rules that says so."""
    exact: Bools
    """Whether that is certain; else it is possible as far as the kept contributions tell."""

    def __len__(self) -> int:
        return len(self.relation)


def union_test(pattern: Pattern, relations: Relations, rules: Sequence[Judge]) -> Unions:
    """The relations with an open total whose suppressed parts, taken together, a rule marks.

    The result is exact for rules by contributor, since a record lies in one part of a sum only, and for rules by owner where all
    contributors of the suppressed parts are listed among the largest. Elsewhere an owner may have part in cells that do not list
    him; he is then taken as large as he can be, so a relation may be reported that is not sensitive, never the other way round.
    """
    relation, cell = _suppressed_parts(pattern, relations)
    tested, of = np.unique(relation, return_inverse=True)
    sums, exact = _together(pattern, cell, of, len(tested))
    marks = np.array([rule.sensitive(sums) for rule in rules], dtype=np.bool_).reshape(
        len(rules), len(tested)
    )
    failed = np.flatnonzero(marks.any(axis=0))
    return Unions(tested[failed], np.argmax(marks[:, failed], axis=0), exact[failed])


def _suppressed_parts(pattern: Pattern, relations: Relations) -> tuple[Ints, Ints]:
    """The suppressed parts of relations with an open total: the relation and the cell of each."""
    of = np.repeat(np.arange(len(relations)), np.diff(relations.start))
    total = relations.total[of]
    hidden = pattern.suppressed
    take = (total >= 0) & ~hidden[total] & hidden[relations.cell] & (relations.cell != total)
    return of[take], relations.cell[take]


def _together(pattern: Pattern, cell: Ints, of: Ints, pools: int) -> tuple[Sums, Bools]:
    """Sums of cells with their contributions merged, and where these are certain."""
    table = pattern.table
    value = np.bincount(of, weights=table.value[cell], minlength=pools)
    records, owners, exact = None, None, np.ones(pools, dtype=np.bool_)
    if table.contributions is not None:
        records = _by_record(table.contributions.take(cell), of, value)
    if table.owners is not None:
        owners, exact = _by_owner(table.owners.take(cell), table.value[cell], of, value)
    return Sums(table.name, value, records, owners, table.counts), exact


def _by_record(kept: Contributions, of: Ints, value: Floats) -> Contributions:
    """Every record lies in one cell only: the largest of the pool are among the largest of its cells."""
    pools = len(value)
    merged = pool(Lists(of, kept.largest, kept.who, np.zeros(len(of))), pools)
    count = np.bincount(of, weights=kept.count, minlength=pools).astype(np.int64)
    size = None if kept.size is None else np.bincount(of, weights=kept.size, minlength=pools)
    return _contributions(merged, count, size, kept, of)


def _by_owner(kept: Contributions, value: Floats, of: Ints, together: Floats) -> tuple[Contributions, Bools]:
    """Owners may have part in several cells, also in cells that do not list them."""
    pools = len(together)
    unlisted = _unlisted(kept, value)
    merged = pool(Lists(of, kept.largest, kept.who, unlisted), pools)
    complete = merged.unlisted == 0
    most = np.zeros(pools, dtype=np.int64)
    np.maximum.at(most, of, kept.count)
    size = None if kept.size is None else np.where(complete, merged.size, np.abs(together))
    return _contributions(merged, np.maximum(merged.listed, most), size, kept, of), complete


def _unlisted(kept: Contributions, value: Floats) -> Floats:
    """What a contributor that a cell does not list can add to it at most."""
    shown, size = np.abs(kept.largest), value if kept.size is None else kept.size
    left = np.maximum(size - shown.sum(axis=1), 0.0)
    if kept.weight is None:
        left[kept.count <= shown.shape[1]] = 0.0
    return np.minimum(left, shown[:, -1]) if shown.shape[1] else left


def _contributions(
    merged: Pooled, count: Ints, size: Floats | None, kept: Contributions, of: Ints
) -> Contributions:
    weight = None if kept.weight is None else np.bincount(of, weights=kept.weight, minlength=len(count))
    return Contributions(count, merged.largest, np.full(merged.largest.shape, -1), size, weight)
