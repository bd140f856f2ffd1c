"""From records to a table: sums and counts of all cells on all levels, with the largest contributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.hierarchy import TOTAL, Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.table import Contributions, Table
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.tables import InnerCode, NoDimension
from tarnkappe.kernels.coding import dense_codes
from tarnkappe.kernels.tabulation import Levels, Tallied, tally
from tarnkappe.vocab import Role

UNKNOWN = "?"
"""Code of records whose value along a dimension is missing."""


def tabulate(
    data: Microdata, by: Sequence[str], value: str | None = None, *, name: str = "", largest: int = 3
) -> Table:
    """Add up `value` (or count records) by the columns `by`, on all levels of their hierarchies.

    A record is one contributor; records of one owner (role `owner`) also count together. Weights (role `weight`) multiply
    values and counts. A missing value contributes nothing. A missing category gets the code ``?``.
    """
    if len(by) == 0:
        raise NoDimension
    if len(data) == 0:
        raise EmptyData
    placed = [_placed(data, column) for column in by]
    amount, there = _amount(data, value)
    nodes = [nodes[there] for _, nodes in placed]
    dimensions = tuple(hierarchy for hierarchy, _ in placed)
    levels = [_levels(h) for h in dimensions]
    record = tally(nodes, amount, np.flatnonzero(there), levels, largest)
    owner = data.role(Role.OWNER)
    owners = None
    if owner:
        whose = dense_codes(data.column(owner[0]).true_codes()[0])[0][there]
        owners = _contributions(tally(nodes, amount, whose, levels, largest))
    return Table(
        name or (value or "count"), dimensions, record.cells, record.total, _contributions(record), owners,
        counts=value is None and not data.role(Role.WEIGHT),
    )  # fmt: skip


def _contributions(found: Tallied) -> Contributions:
    return Contributions(found.count, found.largest, found.who)


def _amount(data: Microdata, value: str | None) -> tuple[Floats, np.ndarray]:
    """What every record adds to its cells, and which records add anything."""
    amount = np.ones(len(data)) if value is None else data.numbers([value], "tabulate")[:, 0]
    weight = data.role(Role.WEIGHT)
    if weight:
        amount = amount * data.numbers(weight, "tabulate")[:, 0]
    there = ~np.isnan(amount)
    return amount[there], there


def _placed(data: Microdata, name: str) -> tuple[Hierarchy, Ints]:
    """The hierarchy of a dimension and the leaf of every record."""
    column = data.column(name)
    hierarchy = column.hierarchy or flat(name, column.distinct().tolist())
    found = hierarchy.place(column)
    found.refuse_unknown(name)
    nodes = np.where(found.cells >= 0, found.nodes[found.cells], -1)
    if (nodes < 0).any():
        hierarchy = _with_unknown(hierarchy)
        nodes = np.where(nodes < 0, len(hierarchy) - 1, nodes)
    inner = ~hierarchy.is_leaf[nodes]
    if inner.any():
        raise InnerCode(name=name, count=int(inner.sum()), first=int(np.argmax(inner)) + 1)
    return hierarchy, nodes


def flat(name: str, codes: Sequence[str]) -> Hierarchy:
    """A dimension without levels: the total and the codes below it."""
    total = TOTAL
    while total in codes:
        total += "*"
    return Hierarchy(name, np.array([total, *codes], dtype=object), np.array([-1] + [0] * len(codes)))


def _with_unknown(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy with one more code below the total; it stands last, so the others keep their positions."""
    return Hierarchy(
        hierarchy.name, np.append(hierarchy.codes, UNKNOWN), np.append(hierarchy.parent, 0),
        np.append(hierarchy.labels, ""), np.append(hierarchy.level, 1), hierarchy.level_names,
    )  # fmt: skip


def _levels(hierarchy: Hierarchy) -> Levels:
    return Levels(hierarchy.level, tuple(hierarchy.ancestors(at) for at in range(hierarchy.depth + 1)))
