"""Those who contribute to tables that share cells: who alone stands behind a cell, and what each of them gives to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.attack.circles import Circles, circles_of
from tarnkappe.attack.shares import Shares, named, shares_of
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.relations import Relations
from tarnkappe.data.table import Contributions, Table


class Respondents(NamedTuple):
    """What insiders of a set know of its physical cells."""

    inside: Circles
    """Who contributes to cells of few contributors."""
    shares: Shares | None
    """What those who are told of there give to all cells; None where contributions may be negative, or none are told."""

    @property
    def owner(self) -> Ints:
        """Who alone contributes to a cell; -1 where several do, or nobody knows."""
        return self.inside.sole

    def widened(self, value: Floats) -> Respondents:
        """With further cells of which nobody knows anything."""
        nobody = np.full((len(value), self.inside.members.shape[1]), -1, dtype=np.int64)
        inside = Circles(np.concatenate([self.inside.members, nobody]))
        shares = self.shares
        if shares is not None:
            many = shares.who.shape[1]
            shares = Shares(
                np.concatenate([shares.value, value]),
                np.concatenate([shares.who, np.full((len(value), many), -1, dtype=np.int64)]),
                np.concatenate([shares.largest, np.zeros((len(value), many))]),
            )
        return Respondents(inside, shares)


class _Told(NamedTuple):
    """What one table tells of its contributors."""

    table: Table
    kept: Contributions
    cells: Ints
    """The physical cell of every cell."""
    offset: int
    """Where its numbers of contributors begin; the same for tables of one source."""


def respondents_of(over: PatternSet, insiders: str, together: int = 1) -> Respondents | None:
    """Who attacks a set from inside, up to so many together; None where nobody is reckoned with or known.

    Tables of one source number their contributors alike. Elsewhere two numbers are the same contributor when both stand
    alone behind the same cell, or give the same amount to it and nobody can give as much.
    """
    told = list(_told(over, insiders, together))
    if not told:
        return None
    each = [circles_of(one.table, one.kept, together) for one in told]
    labelled = [
        np.where(c.members >= 0, c.members + one.offset, -1) for one, c in zip(told, each, strict=True)
    ]
    sole = [c.sole for c in each]
    cell = np.concatenate([one.cells[s >= 0] for one, s in zip(told, sole, strict=True)])
    label = np.concatenate([s[s >= 0] + one.offset for one, s in zip(told, sole, strict=True)])
    largest = _largest(told)
    labels = np.unique(np.concatenate([*(m[m >= 0] for m in labelled), largest.label]))
    meets, which = np.concatenate([cell, len(over) + largest.place]), np.concatenate([label, largest.label])
    person = _persons(meets, np.searchsorted(labels, which), len(over) + len(largest.place), len(labels))
    members = np.full((len(over), together), -1, dtype=np.int64)
    for one, mine in zip(told, labelled, strict=True):
        new = (mine[:, 0] >= 0) & (members[one.cells, 0] < 0)
        members[one.cells[new]] = np.where(
            mine >= 0, np.append(person, -1)[np.searchsorted(labels, mine)], -1
        )[new]
    untold = np.ones(len(over), dtype=np.bool_)
    for one in told:
        untold[one.cells] = False
    _parts_too(over.tables.relations(), members, untold)
    return Respondents(Circles(members), _shares(over, told, labels, person))


def _parts_too(relations: Relations, members: Ints, untold: Bools) -> None:
    """Parts of a sum with one contributor are his too, where no table tells who contributes to them."""
    size = np.diff(relations.start)
    total, part = np.repeat(relations.total, size), relations.cell
    use = (total >= 0) & (part != total) & untold[part]
    total, part = total[use], part[use]
    while True:
        sole = Circles(members).sole
        new = (sole[total] >= 0) & (members[part, 0] < 0)
        if not new.any():
            return
        members[part[new], 0] = sole[total[new]]


class _Largest(NamedTuple):
    """Largest contributors: the place where the same contribution to the same cell meets, and their number."""

    place: Ints
    label: Ints


def _largest(told: Sequence[_Told]) -> _Largest:
    """The largest contributors of cells in which nobody else can give as much; each contribution is told by its cell, amount and count."""
    cells, amounts, counts, labels = [], [], [], []
    for one in told:
        kept = one.kept
        if kept.size is not None or kept.who.shape[1] == 0 or kept.largest.shape[1] == 0:
            continue
        top, value = kept.largest[:, 0], one.table.value
        rest = kept.largest[:, 1] if kept.largest.shape[1] > 1 else value - top
        alone = np.flatnonzero((kept.who[:, 0] >= 0) & (top > np.maximum(rest, 0.0)))
        cells.append(one.cells[alone])
        amounts.append(top[alone])
        counts.append(kept.count[alone].astype(np.float64))
        labels.append(kept.who[alone, 0] + one.offset)
    if not cells:
        return _Largest(np.zeros(0, np.int64), np.zeros(0, np.int64))
    facts = np.stack(
        [np.concatenate(cells).astype(np.float64), *(np.concatenate(x) for x in (amounts, counts))]
    )
    place = np.unique(facts, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return _Largest(place, np.concatenate(labels).astype(np.int64))


def _told(over: PatternSet, insiders: str, together: int) -> list[_Told]:
    offsets: dict[str, int] = {}
    out, taken = [], 0
    tables = over.tables
    for number, (table, cells) in enumerate(zip(tables.tables, tables.numbers, strict=True)):
        kept = _kept(table, insiders)
        if kept is None:
            continue
        source = f"{table.source} {kept is table.owners}" if table.source else f"#{number}"
        offset = offsets.setdefault(source, taken)
        numbers = (
            max(int(kept.who.max(initial=0)), len(table)) + 1
        )  # those whom nobody names are numbered after them
        taken = max(taken, offset + numbers + (together * len(table) if together > 1 else 0))
        out.append(_Told(table, named(table, kept), cells, offset))
    return out


def _kept(table: Table, insiders: str) -> Contributions | None:
    if insiders == "none":
        return None
    return (table.owners or table.contributions) if insiders == "owners" else table.contributions


def _persons(cell: Ints, place: Ints, cells: int, labels: int) -> Ints:
    """For every label the number of the person it stands for; labels that stand alone behind one cell are one person."""
    size = cells + labels
    graph = coo_array((np.ones(len(cell), np.int8), (cell, cells + place)), shape=(size, size))
    return connected_components(graph, directed=False)[1][cells:].astype(np.int64)


def _shares(over: PatternSet, told: Sequence[_Told], labels: Ints, person: Ints) -> Shares | None:
    each = [shares_of(one.table, one.kept) for one in told]
    if any(shares is None for shares in each):
        return None
    many = max((shares.who.shape[1] for shares in each if shares is not None), default=0)
    who = np.full((len(over), many), -1, dtype=np.int64)
    largest: Floats = np.zeros((len(over), many))
    new: Bools = np.ones(len(over), dtype=np.bool_)
    for one, shares in zip(told, each, strict=True):
        assert shares is not None
        rows = np.flatnonzero(new[one.cells])
        into, width = one.cells[rows], shares.who.shape[1]
        who[into, :width] = _numbered(shares.who[rows], one.offset, labels, person)
        largest[into, :width] = shares.largest[rows]
        new[one.cells] = False
    return Shares(over.tables.value, who, largest)


def _numbered(who: Ints, offset: int, labels: Ints, person: Ints) -> Ints:
    """The persons behind some numbers; -1 for those who are told of nowhere else."""
    if len(labels) == 0:
        return np.full(who.shape, -1, dtype=np.int64)
    label = who + offset
    at = np.minimum(np.searchsorted(labels, label), len(labels) - 1)
    return np.where((who >= 0) & (labels[at] == label), person[at], -1)
