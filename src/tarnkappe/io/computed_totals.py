"""Files of cells without sums: they are computed, so that everything that adds up is there to be protected.

A sum is computed where no cell of the file has its code: the total of a dimension, or a code between. Codes that occur are
left as they are; what is wrong with them is told when the table is made. Where a code is everywhere the sum of all others beside
it, it is the sum itself under another name, and that is for the office to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.table import Contributions, Nodes
from tarnkappe.errors.tables import TotalMissing
from tarnkappe.kernels.exact import added
from tarnkappe.kernels.recoding import merge_largest

CLOSE = 1e-9
"""Sums agree up to this share."""


class Rows(NamedTuple):
    """Cells as a file has them, in its order."""

    nodes: Nodes
    value: Floats
    contributions: Contributions | None
    owners: Contributions | None
    computed: tuple[str, ...] = ()
    """Dimensions with sums that the file does not have."""


def with_sums(rows: Rows, hierarchies: Sequence[Hierarchy]) -> Rows:
    """The cells of a file, and behind them the sums that it does not have."""
    for j, hierarchy in enumerate(hierarchies):
        inner = np.flatnonzero(~hierarchy.is_leaf)
        for node in inner[np.argsort(-hierarchy.level[inner], kind="stable")].tolist():
            parts = np.flatnonzero(hierarchy.parent[rows.nodes[:, j]] == node)
            if len(parts) and not (rows.nodes[:, j] == node).any():
                rows = _with_sum(rows, parts, j, hierarchy, node)
    return rows


def _with_sum(rows: Rows, parts: Ints, j: int, hierarchy: Hierarchy, node: int) -> Rows:
    """With the sums along one dimension that have one code."""
    nodes = rows.nodes[parts].copy()
    nodes[:, j] = node
    new, into = np.unique(nodes, axis=0, return_inverse=True)
    into = into.reshape(-1).astype(np.int64)
    if _by_another_name(rows, parts, j, into):
        raise TotalMissing(name=hierarchy.name, total=str(hierarchy.codes[node]))
    kept = []
    for given, by_owner in ((rows.contributions, False), (rows.owners, True)):
        sums = None if given is None else _merged(given.take(parts), into, len(new), by_owner=by_owner)
        if given is not None and sums is None:
            raise TotalMissing(name=hierarchy.name, total=str(hierarchy.codes[node]))
        kept.append(None if given is None or sums is None else _both(given, sums))
    return Rows(
        np.concatenate([rows.nodes, new.astype(np.int32)]),
        np.concatenate([rows.value, added(rows.value[parts], into, len(new))]),
        kept[0], kept[1], tuple(dict.fromkeys((*rows.computed, hierarchy.name))),
    )  # fmt: skip


def _by_another_name(rows: Rows, parts: Ints, j: int, into: Ints) -> bool:
    """Whether one of the codes holds in every sum as much as all others together."""
    codes, code = np.unique(rows.nodes[parts, j], return_inverse=True)
    by_code = np.zeros((len(codes), int(into.max()) + 1))
    np.add.at(by_code, (code.reshape(-1), into), rows.value[parts])
    everything = by_code.sum(axis=0)
    close = CLOSE * np.abs(by_code).sum(axis=0)
    alike = np.abs(2 * by_code - everything) <= close
    return bool(alike.all(axis=1).any()) and len(codes) > 1 and bool((by_code != 0).any())


def _merged(kept: Contributions, into: Ints, size: int, *, by_owner: bool) -> Contributions | None:
    """The contributions to sums; None where somebody may have part in several cells and not all are listed."""
    found = merge_largest(into, size, kept.largest, kept.who)
    several = np.bincount(into, kept.count > 0, minlength=size) > 1
    meeting: Bools = several & (by_owner or bool(found.shared.any()))
    unlisted = np.bincount(into, (kept.who >= 0).sum(axis=1) < kept.count, minlength=size) > 0
    if (meeting & unlisted).any():
        return None
    count = np.where(meeting, found.known, np.bincount(into, kept.count, minlength=size)).astype(np.int64)
    sizes = None if kept.size is None else added(kept.size, into, size) - found.netted
    return Contributions(count, found.largest, found.who, sizes)


def _both(one: Contributions, two: Contributions) -> Contributions:
    sizes = None if one.size is None or two.size is None else np.concatenate([one.size, two.size])
    return Contributions(
        np.concatenate([one.count, two.count]), np.concatenate([one.largest, two.largest]),
        np.concatenate([one.who, two.who]), sizes,
    )  # fmt: skip
