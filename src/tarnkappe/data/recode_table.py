"""Tables with fewer categories: merged along a dimension, or rolled up to a level. Sums and contributions are merged exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern
from tarnkappe.data.sums import Sums
from tarnkappe.data.table import Contributions, Merged, Nodes, Table
from tarnkappe.errors.recoding import GroupsUnfit, MergedMarks, NotMergeable
from tarnkappe.kernels.recoding import merge_largest
from tarnkappe.language import Text, listed


def merged(pattern: Pattern, dimension: int, groups: Mapping[str, str]) -> Pattern:
    """Put categories together: code -> new code. Cells of both are added up, and everything above stays as it is."""
    old = pattern.table.dimensions[dimension]
    _refuse_unfit(old, groups)
    codes = [groups.get(code, code) for code in old.codes]
    first = {code: i for i, code in reversed(list(enumerate(codes)))}
    places = sorted(first.values())
    number = {codes[i]: n for n, i in enumerate(places)}
    labels = ["" if old.codes[i] in groups else old.labels[i] for i in places]
    above = [-1 if old.parent[i] < 0 else number[codes[old.parent[i]]] for i in places]
    level = [min(old.level[j] for j in _members(codes, codes[i])) for i in places]
    new = Hierarchy(
        old.name, np.array([codes[i] for i in places], dtype=object), np.array(above, dtype=np.int32),
        np.array(labels, dtype=object), np.array(level, dtype=np.int32), old.level_names,
    )  # fmt: skip
    return _moved(pattern, dimension, new, new.positions(codes))


def rolled_up(pattern: Pattern, dimension: int, level: int | str) -> Pattern:
    """Leave out all categories below a level."""
    old = pattern.table.dimensions[dimension]
    number = old.level_number(level)
    kept = np.flatnonzero(old.level <= number)
    place = np.full(len(old) + 1, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    new = Hierarchy(
        old.name, old.codes[kept], place[old.parent[kept]].astype(np.int32), old.labels[kept], old.level[kept],
        old.level_names[: number + 1],
    )  # fmt: skip
    return _moved(pattern, dimension, new, place[:-1])


def merged_further(table: Table, dimension: int, place: Ints) -> dict[str, Merged]:
    """What the dimensions of a table were before codes of one of them went to other places; -1: left out."""
    tree = table.dimensions[dimension]
    before = table.merged.get(tree.name)
    now = Merged(tree, place.astype(np.int64)) if before is None else before.then(place)
    return {**table.merged, tree.name: now}


def united(table: Table, cells: Ints, into: Ints, size: int) -> Sums:
    """Sums of cells, with the contributions behind them: cell number `cells[i]` goes to the sum `into[i]`."""
    value = _added(into, table.value[cells], size)
    parts = [
        None if kept is None else _united(table, cells, kept.take(cells), into, size, by_owner=by_owner)
        for kept, by_owner in ((table.contributions, False), (table.owners, True))
    ]
    told = None if table.unweighted is None else united(table.unweighted, cells, into, size)
    return Sums(table.name, value, parts[0], parts[1], table.counts, told)


def _added(into: Ints, amount: Floats, size: int) -> Floats:
    return np.bincount(into, amount, minlength=size).astype(np.float64)


def _members(codes: list[str], code: str) -> list[int]:
    return [i for i, c in enumerate(codes) if c == code]


def _refuse_unfit(old: Hierarchy, groups: Mapping[str, str]) -> None:
    """Groups are made of siblings that the dimension has, all of the lowest level or none, under a code that is free."""
    place = dict(zip(groups, old.positions(list(groups)).tolist(), strict=True))
    kept = set(old.codes) - set(groups)
    by_group: dict[str, list[int]] = {}
    for code, new in groups.items():
        by_group.setdefault(new, []).append(place[code])
    alike = {new: {(old.parent[i], old.is_leaf[i]) for i in members} for new, members in by_group.items()}
    for why, wrong in (
        (_UNKNOWN, [code for code, i in place.items() if i < 0]),
        (_TOTAL, [code for code, i in place.items() if i == 0]),
        (_TAKEN, [new for new in by_group if new in kept]),
        (_APART, [new for new, kinds in alike.items() if len(kinds) > 1]),
    ):
        if wrong:
            raise GroupsUnfit(dimension=old.name, why=why, codes=listed(wrong))


_UNKNOWN = Text("the dimension does not have these codes", "die Dimension hat diese Codes nicht")
_TOTAL = Text("the total cannot be merged", "die Summe kann nicht zusammengefasst werden")
_TAKEN = Text("these new codes belong to other categories", "diese neuen Codes gehören zu anderen Kategorien")
_APART = Text(
    "only categories under one sum, all of the lowest level or all divided further, can be merged",
    "nur Kategorien unter einer Summe, alle auf der untersten Ebene oder alle weiter gegliedert, lassen sich zusammenfassen",
)


def _moved(pattern: Pattern, dimension: int, new: Hierarchy, place: Ints) -> Pattern:
    """The pattern with every category at its new place; -1 leaves it out. Cells made of several are open again."""
    old = pattern.table
    node = place[old.cells[:, dimension]]
    _refuse_unnamed(pattern, (node < 0) | (new.codes[node] != old.codes(dimension)))
    kept = np.flatnonzero(node >= 0)
    nodes = old.cells[kept].copy()
    nodes[:, dimension] = node[kept]
    distinct, into = _numbered(nodes)
    sums = united(old, kept, into, len(distinct))
    dimensions = (*old.dimensions[:dimension], new, *old.dimensions[dimension + 1 :])
    table = _made_of(old, dimensions, distinct, sums)
    table = replace(table, merged=merged_further(old, dimension, place))
    return _carried(pattern, table, kept, table.find(distinct)[into])


def _made_of(old: Table, dimensions: tuple[Hierarchy, ...], cells: Nodes, sums: Sums) -> Table:
    """A table with the sums of cells of another one; the same without weights, where it has any."""
    told = None
    if old.unweighted is not None and sums.unweighted is not None:
        told = _made_of(old.unweighted, dimensions, cells, sums.unweighted)
    return replace(
        old, dimensions=dimensions, cells=cells, value=sums.value, contributions=sums.contributions,
        owners=sums.owners, unweighted=told,
    )  # fmt: skip


def _refuse_unnamed(pattern: Pattern, gone: Bools) -> None:
    """A cell that must stay open, or is known already, keeps its code: without it the rest could not be judged."""
    lost = gone & np.isin(pattern.mark, (Mark.KEEP, Mark.PUBLISHED))
    if lost.any():
        cell = pattern.table.spelt(int(np.argmax(lost)))
        raise MergedMarks(name=pattern.table.name, count=int(lost.sum()), cell=cell)


def _numbered(nodes: Nodes) -> tuple[Nodes, Ints]:
    distinct, into = np.unique(nodes, axis=0, return_inverse=True)
    return distinct.astype(np.int32), into.reshape(-1).astype(np.int64)


def _carried(pattern: Pattern, table: Table, kept: Ints, into: Ints) -> Pattern:
    """Marks, prior bounds and costs of the new cells; a marked cell must not vanish in another."""
    size = len(table)
    mark = pattern.mark[kept]
    parts = np.bincount(into, minlength=size)
    lost = (parts[into] > 1) & np.isin(mark, (Mark.KEEP, Mark.SUPPRESS, Mark.PUBLISHED))
    if lost.any():
        first = pattern.table.spelt(int(kept[np.argmax(lost)]))
        raise MergedMarks(name=table.name, count=int(lost.sum()), cell=first)
    zeros = np.bincount(into, mark == Mark.ZERO, minlength=size)
    new_mark = np.zeros(size, dtype=np.uint8)
    new_mark[into] = np.where((parts > 1)[into] & (zeros < parts)[into], np.uint8(Mark.NONE), mark)

    def added(amount: Floats) -> Floats:
        return _added(into, amount[kept], size)

    cost = None if pattern.cost is None else added(pattern.cost)
    new = Pattern(table, mark=new_mark, low=added(pattern.low), high=added(pattern.high), cost=cost)
    alone = np.where(parts[into] == 1, kept, -1)
    source = np.full(size, -1, dtype=np.int64)
    source[into] = alone
    same = source >= 0
    return replace(
        new,
        status=np.where(same, pattern.status[source], new.status),
        lower=np.where(same, pattern.lower[source], 0.0),
        upper=np.where(same, pattern.upper[source], 0.0),
        span=np.where(same, pattern.span[source], 0.0),
    )


def _united(
    table: Table, cells: Ints, kept: Contributions, into: Ints, size: int, *, by_owner: bool
) -> Contributions:
    """The contributions to unions of cells.

    A record lies in one category only, so lists by record are joined exactly. An owner, or a contributor that is seen in several
    parts, must be added up: that is exact only where all of them are listed, and refused elsewhere.
    """
    found = merge_largest(into, size, kept.largest, kept.who)
    filled = np.bincount(into, kept.count > 0, minlength=size) > 1
    whole = np.bincount(into, (kept.who >= 0).sum(axis=1) < kept.count, minlength=size) == 0
    meeting = filled & (by_owner or bool(found.shared.any()))
    unknown = (meeting & ~whole)[into]
    if unknown.any():
        cell = table.spelt(int(cells[np.argmax(unknown)]))
        raise NotMergeable(name=table.name, count=int((meeting & ~whole).sum()), cell=cell)
    count = np.bincount(into, kept.count, minlength=size).astype(np.int64)
    return Contributions(
        np.where(meeting, found.known, count), found.largest, found.who,
        None if kept.size is None else _added(into, kept.size, size) - found.netted,
        None if kept.weight is None else _added(into, kept.weight, size),
    )  # fmt: skip
