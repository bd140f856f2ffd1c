"""Witnesses: deviations that keep every published sum and so prove how far the interval of a cell reaches.

Whoever hides cells can hand in, for every cell that needs protection, movements of hidden cells. To check them takes no knowledge of
how they were found: multiply by the relations, compare with the attacker's prior bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.kernels.kept_sums import keeps
from tarnkappe.kernels.unknowns import Incidence, incidence

ROUNDING = 1e-6
"""A sum is kept, and a bound is met, up to this share of the largest movement."""


@dataclass(frozen=True, slots=True, eq=False)
class Witnesses:
    """Movement w moves the cells cell[start[w]:start[w+1]] by `amount`, to prove the interval of `pivot[w]`."""

    pivot: Ints
    start: Ints
    cell: Ints
    amount: Floats

    def __len__(self) -> int:
        return len(self.pivot)


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """Which cells are hidden, and how far each may lie below and above its value by prior knowledge."""

    hidden: Bools
    down: Floats
    up: Floats


def valid(relations: Relations, room: Room, witnesses: Witnesses) -> Bools:
    """Which movements keep every sum, move hidden cells only and stay within the prior bounds."""
    by_relation = relations.matrix()
    by_cell = by_relation.tocsc()
    return allowed(incidence(by_relation, by_cell), by_cell.data, room, witnesses)


def allowed(tied: Incidence, coefficient: Floats, room: Room, witnesses: Witnesses) -> Bools:
    """As `valid`, with the sums at hand; `coefficient` in the order of `tied.relation`."""
    columns = np.repeat(np.arange(len(witnesses)), np.diff(witnesses.start))
    size = np.zeros(len(witnesses))
    np.maximum.at(size, columns, np.abs(witnesses.amount))
    slack = ROUNDING * size[columns]
    wrong = ~room.hidden[witnesses.cell]
    wrong |= witnesses.amount > room.up[witnesses.cell] + slack
    wrong |= -witnesses.amount > room.down[witnesses.cell] + slack
    good: Bools = keeps(tied, coefficient, witnesses.start, witnesses.cell, witnesses.amount, ROUNDING)
    good[columns[wrong]] = False
    return good


def reach(cells: int, witnesses: Witnesses, good: Bools) -> tuple[Floats, Floats]:
    """How far down and up every cell's interval is proven to reach by the movements made for it."""
    columns = np.repeat(np.arange(len(witnesses)), np.diff(witnesses.start))
    own = (witnesses.cell == witnesses.pivot[columns]) & good[columns]
    down, up = np.zeros(cells), np.zeros(cells)
    np.maximum.at(up, witnesses.cell[own], witnesses.amount[own])
    np.maximum.at(down, witnesses.cell[own], -witnesses.amount[own])
    return down, up


def moving(witnesses: Witnesses, cell: int) -> Witnesses:
    """Those movements that move a cell, as proofs of its interval."""
    size = np.diff(witnesses.start)
    columns = np.repeat(np.arange(len(witnesses)), size)
    which = np.zeros(len(witnesses), dtype=np.bool_)
    which[columns[witnesses.cell == cell]] = True
    kept = which[columns]
    start = np.concatenate([[0], np.cumsum(size[which])]).astype(np.int64)
    return Witnesses(np.full(int(which.sum()), cell), start, witnesses.cell[kept], witnesses.amount[kept])


def joined(parts: list[Witnesses]) -> Witnesses:
    """Several sets of witnesses as one."""
    offsets = np.cumsum([0, *(len(p.cell) for p in parts)])
    starts = [p.start[:-1] + offset for p, offset in zip(parts, offsets, strict=False)]
    return Witnesses(
        np.concatenate([p.pivot for p in parts]),
        np.concatenate([*starts, [offsets[-1]]]).astype(np.int64),
        np.concatenate([p.cell for p in parts]),
        np.concatenate([p.amount for p in parts]),
    )
