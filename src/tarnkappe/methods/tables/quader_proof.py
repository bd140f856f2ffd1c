"""What the witnesses of a pattern prove: against outsiders, and against everybody who knows a cell because it is his alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.attack.shares import Shares
from tarnkappe.attack.witnesses import Room, Witnesses, reach, valid
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.kernels.witnesses import Goals

NEARLY = 1 - 1e-6
"""A goal is reached up to this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """Pairs of a pivot (its place among the goals) and an insider who knows a cell that its witnesses move."""

    goal: Ints
    insider: Ints

    def __len__(self) -> int:
        return len(self.goal)


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """How far the interval of every pivot is proven to reach, and what is not proven."""

    down: Floats
    up: Floats
    short: Bools
    """By pivot: too little against outsiders."""
    seen: Views
    """Too little against these insiders."""

    @property
    def holds(self) -> bool:
        return not self.short.any() and len(self.seen) == 0


def too_short(goals: Goals, down: Floats, up: Floats) -> Bools:
    """Pivots whose interval does not reach as far as required."""
    return (up < NEARLY * goals.up) | (down < NEARLY * goals.down) | (up + down < NEARLY * goals.span)


def prove(
    relations: Relations, room: Room, goals: Goals, owner: Ints, shares: Shares | None, witnesses: Witnesses
) -> Proof:
    """Check every witness against all sums of the table and the prior bounds, and see what is left of each goal."""
    good = valid(relations, room, witnesses)
    down, up = (side[goals.pivot] for side in reach(len(owner), witnesses, good))
    return Proof(
        down, up, too_short(goals, down, up), _seen_through(goals, owner, shares, witnesses, np.flatnonzero(good))
    )  # fmt: skip


def owed_down(goals: Goals, shares: Shares | None, views: Views) -> Floats:
    """How far below a pivot an insider's interval must reach: his own share in the cell is no secret to him."""
    down = goals.down[views.goal]
    return (
        down if shares is None else np.minimum(down, shares.without(goals.pivot[views.goal], views.insider))
    )


def _seen_through(
    goals: Goals, owner: Ints, shares: Shares | None, witnesses: Witnesses, good: Ints
) -> Views:
    """Insiders against whom the witnesses that leave their cells alone prove too little."""
    place = np.full(len(owner), -1, dtype=np.int64)
    place[goals.pivot] = np.arange(len(goals.pivot))
    column = np.repeat(np.arange(len(witnesses)), np.diff(witnesses.start))
    goal, insider = place[witnesses.pivot], owner[witnesses.cell]
    looks_on = (insider >= 0) & (insider != goals.own[goal[column]]) & (goals.guard[goal[column]] >= 0)
    many = int(owner.max(initial=0)) + 1
    knows = np.unique(column[looks_on] * many + insider[looks_on])
    pairs = np.unique(goal[column[looks_on]] * many + insider[looks_on])
    views = Views(pairs // many, pairs % many)
    down, up = _left(goal[good], _own_moves(witnesses)[good], good, views, knows, many)
    asked_up, asked_down = goals.up[views.goal], owed_down(goals, shares, views)
    asked = asked_up + goals.down[views.goal] > 0
    lack = np.where(
        asked, (up < NEARLY * asked_up) | (down < NEARLY * asked_down), up + down < NEARLY * goals.guard[views.goal]
    )  # fmt: skip
    return Views(views.goal[lack], views.insider[lack])


def _own_moves(witnesses: Witnesses) -> Floats:
    """How far every witness moves the cell that it was made for."""
    column = np.repeat(np.arange(len(witnesses)), np.diff(witnesses.start))
    own = witnesses.cell == witnesses.pivot[column]
    moves = np.bincount(column[own], weights=witnesses.amount[own], minlength=len(witnesses))
    return moves.astype(np.float64)


def _left(
    goal: Ints, moves: Floats, witness: Ints, views: Views, knows: Ints, many: int
) -> tuple[Floats, Floats]:
    """For every pair, the farthest moves down and up among the witnesses that the insider cannot see through."""
    order = np.argsort(goal, kind="stable")
    first, last = (np.searchsorted(goal[order], views.goal, side=s) for s in ("left", "right"))
    pair = np.repeat(np.arange(len(views)), last - first)
    at = order[np.arange(len(pair)) - np.repeat(np.cumsum(last - first) - last, last - first)]
    blind = ~np.isin(witness[at] * many + views.insider[pair], knows)
    down, up = np.zeros(len(views)), np.zeros(len(views))
    np.maximum.at(up, pair[blind], moves[at[blind]])
    np.maximum.at(down, pair[blind], -moves[at[blind]])
    return down, up
