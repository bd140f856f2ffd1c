"""Those who contribute to tables that share cells: who alone stands behind a cell, and what each of them gives to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.attack.shares import Shares, named, shares_of, soles
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.table import Contributions, Table


class Respondents(NamedTuple):
    """What insiders of a set know of its physical cells."""

    owner: Ints
    """Who alone contributes to a cell; -1 where several do, or nobody knows."""
    shares: Shares | None
    """What those who stand alone behind some cell give to all; None where contributions may be negative, or none are told."""


class _Told(NamedTuple):
    """What one table tells of its contributors."""

    table: Table
    kept: Contributions
    cells: Ints
    """The physical cell of every cell."""
    offset: int
    """Where its numbers of contributors begin; the same for tables of one source."""


def respondents_of(over: PatternSet, insiders: str) -> Respondents | None:
    """Who attacks a set from inside; None where nobody is reckoned with or known.

    Tables of one source number their contributors alike. Elsewhere two numbers are the same contributor when both stand
    alone behind the same cell.
    """
    told = list(_told(over, insiders))
    if not told:
        return None
    sole = [soles(one.table, one.kept) for one in told]
    cell = np.concatenate([one.cells[s >= 0] for one, s in zip(told, sole, strict=True)])
    label = np.concatenate([s[s >= 0] + one.offset for one, s in zip(told, sole, strict=True)])
    labels, person = _persons(cell, label, len(over))
    owner = np.full(len(over), -1, dtype=np.int64)
    owner[cell] = person[np.searchsorted(labels, label)]
    return Respondents(owner, _shares(over, told, labels, person))


def _told(over: PatternSet, insiders: str) -> list[_Told]:
    offsets: dict[str, int] = {}
    out, taken = [], 0
    tables = over.tables
    for number, (table, cells) in enumerate(zip(tables.tables, tables.numbers, strict=True)):
        kept = _kept(table, insiders)
        if kept is None:
            continue
        source = f"{table.source} {kept is table.owners}" if table.source else f"#{number}"
        offset = offsets.setdefault(source, taken)
        taken = max(taken, offset + max(int(kept.who.max(initial=0)) + 1, len(table)))
        out.append(_Told(table, named(table, kept), cells, offset))
    return out


def _kept(table: Table, insiders: str) -> Contributions | None:
    if insiders == "none":
        return None
    return (table.owners or table.contributions) if insiders == "owners" else table.contributions


def _persons(cell: Ints, label: Ints, cells: int) -> tuple[Ints, Ints]:
    """The distinct labels, and for each the number of the person it stands for."""
    labels, place = np.unique(label, return_inverse=True)
    size = cells + len(labels)
    graph = coo_array((np.ones(len(cell), np.int8), (cell, cells + place)), shape=(size, size))
    person = connected_components(graph, directed=False)[1][cells:]
    return labels, person.astype(np.int64)


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
    """The persons behind some numbers; -1 for those who stand alone nowhere."""
    if len(labels) == 0:
        return np.full(who.shape, -1, dtype=np.int64)
    label = who + offset
    at = np.minimum(np.searchsorted(labels, label), len(labels) - 1)
    return np.where((who >= 0) & (labels[at] == label), person[at], -1)
