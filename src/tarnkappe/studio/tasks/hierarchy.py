"""Hierarchies as they would be: levels, how coarse each makes the data, the tree, and what has no place in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.hierarchy import Hierarchy, Placed
from tarnkappe.data.intervals import Cuts
from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.hierarchies import HierarchyDescription, tree_of
from tarnkappe.plan.ladders import described
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.progress import Progress
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.reading_part import reading_of

LISTED = 200
"""Codes below one code that are shown."""
GROUPED = 2_000
"""Categories that can be grouped by hand; longer lists need a file."""


@dataclass(frozen=True, slots=True)
class LevelSeen:
    """A level and how coarse it makes the data."""

    name: str
    codes: int
    """Codes of the hierarchy on this level."""
    shown: int
    """Different values of the data when it is generalised to this level."""
    smallest: int
    """Records of the rarest of them."""


@dataclass(frozen=True, slots=True)
class Node:
    """A code of the tree."""

    code: str
    label: str
    records: int
    below: int
    """Codes right below it."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A code of the data that has no place in the hierarchy."""

    code: str
    records: int


@dataclass(frozen=True, slots=True)
class Tried:
    """A hierarchy on the data."""

    size: int
    levels: tuple[LevelSeen, ...]
    """From the total downward."""
    top: Node
    children: tuple[Node, ...]
    lost: tuple[Lost, ...]
    """The most frequent codes without a place."""
    lost_codes: int
    lost_records: int


@dataclass(frozen=True, slots=True)
class Category:
    """A value of a column, to be grouped."""

    code: str
    records: int


@dataclass(frozen=True, slots=True)
class Grouped:
    """The categories of a column and where each stands now."""

    categories: tuple[Category, ...]
    parents: Mapping[str, str]
    """Code or group -> the group above it; those right below the total are left out."""
    total: int
    """Different categories; more than are listed where the list is too long."""


def _column(desk: Desk, folder: Path, data: Mapping[str, Any], name: str) -> Column:
    return desk.raw(folder, reading_of(data)).column(name)


def tried(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], name: str, given: Mapping[str, Any]
) -> Tried:
    """What a hierarchy does to a column; codes that it does not know are told, not refused."""
    del progress
    column = _column(desk, folder, data, name)
    tree = tree_of(fit_or_raise(HierarchyDescription, given, name), name, column, folder)
    placed = tree.place(column)
    records = _records(placed)
    lost = np.flatnonzero(placed.unknown)
    spelt = column.distinct()
    most = lost[np.argsort(-records[lost], kind="stable")][:LISTED]
    counts = _counts(tree, placed, records)
    return Tried(
        size=len(tree), levels=tuple(_levels(tree, placed, records)), top=_node(tree, counts, 0),
        children=_below(tree, counts, 0), lost_codes=len(lost), lost_records=int(records[lost].sum()),
        lost=tuple(Lost(str(spelt[i]), int(records[i])) for i in most),
    )  # fmt: skip


def _records(placed: Placed) -> Ints:
    """How many records hold every distinct value."""
    return np.bincount(placed.cells[placed.cells >= 0], minlength=len(placed.nodes))


def _levels(tree: Hierarchy, placed: Placed, records: Ints) -> list[LevelSeen]:
    known = placed.used & (placed.nodes >= 0)
    out = []
    for number, name in enumerate(tree.level_names):
        at = tree.ancestors(number)[placed.nodes[known]]
        sizes = np.bincount(at, weights=records[known], minlength=len(tree)).astype(np.int64)
        sizes = sizes[sizes > 0]
        codes = int((tree.level == number).sum())
        out.append(LevelSeen(name, codes, len(sizes), int(sizes.min()) if len(sizes) else 0))
    return out


def _counts(tree: Hierarchy, placed: Placed, records: Ints) -> Ints:
    """Records at or below every code: children stand behind their parents, so one pass from the end adds them up."""
    counts = np.zeros(len(tree), dtype=np.int64)
    known = placed.nodes >= 0
    np.add.at(counts, placed.nodes[known], records[known])
    for position in range(len(tree) - 1, 0, -1):
        counts[tree.parent[position]] += counts[position]
    return counts


def _node(tree: Hierarchy, counts: Ints, position: int) -> Node:
    below = int((tree.parent == position).sum())
    return Node(str(tree.codes[position]), str(tree.labels[position]), int(counts[position]), below)


def _below(tree: Hierarchy, counts: Ints, position: int) -> tuple[Node, ...]:
    return tuple(_node(tree, counts, int(p)) for p in np.flatnonzero(tree.parent == position)[:LISTED])


def below(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], name: str, given: Mapping[str, Any],
    code: str,
) -> tuple[Node, ...]:  # fmt: skip
    """The codes right below a code."""
    del progress
    column = _column(desk, folder, data, name)
    tree = tree_of(fit_or_raise(HierarchyDescription, given, name), name, column, folder)
    placed = tree.place(column)
    position = int(tree.positions([code])[0])
    return _below(tree, _counts(tree, placed, _records(placed)), position) if position >= 0 else ()


def proposed_ladder(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], name: str
) -> Mapping[str, Any] | None:
    """The natural hierarchy of a column, if it has one."""
    del progress
    topic = topic_of(name)
    found = described(_column(desk, folder, data, name), topic.hint if topic else "")
    return found[0] if found else None


def quantiles(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], name: str, classes: int, levels: int
) -> Mapping[str, Any]:  # fmt: skip
    """Limits of about equally large classes; every coarser level keeps every second limit."""
    del progress
    points = Cuts.at_quantiles(_column(desk, folder, data, name), name, classes).points[0]
    cuts = [[int(p) if float(p).is_integer() else p for p in points]]
    while len(cuts) < levels and len(cuts[0]) > 1:
        cuts.insert(0, cuts[0][1::2])
    return {"cuts": cuts if len(cuts) > 1 else cuts[0]}


def grouped(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], name: str,
    given: Mapping[str, Any] | None,
) -> Grouped:  # fmt: skip
    """The categories of a column, the most frequent first, and the groups that its hierarchy gives them."""
    del progress
    column = _column(desk, folder, data, name)
    codes, _ = column.true_codes()
    spelt = column.distinct()
    records = np.bincount(codes[(codes >= 0) & (codes < len(spelt))], minlength=len(spelt))
    used = np.flatnonzero(records)
    most = used[np.argsort(-records[used], kind="stable")][:GROUPED]
    categories = tuple(Category(str(spelt[i]), int(records[i])) for i in most)
    return Grouped(categories, _parents(given, name, column, folder), len(used))


def _parents(given: Mapping[str, Any] | None, name: str, column: Column, folder: Path) -> dict[str, str]:
    if not given:
        return {}
    try:
        tree = tree_of(fit_or_raise(HierarchyDescription, given, name), name, column, folder)
    except TarnkappeError:
        return {}
    return {str(tree.codes[i]): str(tree.codes[p]) for i, p in enumerate(tree.parent) if p > 0}
