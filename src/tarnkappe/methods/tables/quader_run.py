"""The course of the Quader method: protect, repair what single cuboids cannot do, clean up, prove.

Every cell that needs protection ends with a witness: movements of hidden cells that keep all sums of the whole table. Cuboids of
one subtable are no such proof (aligned subtables can still leak, Wettig 2002, L1235-1253), so after the sweeps every
pivot is looked at again over the whole tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.cuboids import both_ways, most_corners
from tarnkappe.attack.intervals import CLOSE, Asked, intervals
from tarnkappe.attack.naming import LEFT_OUT
from tarnkappe.attack.progress import say
from tarnkappe.attack.repair import Repair, Wanted, laid_out
from tarnkappe.attack.shares import Shares, shares_of
from tarnkappe.attack.witnesses import Room, Witnesses, joined, moving
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import Relations, relations_of
from tarnkappe.errors.unsafe_tables import PriorTooNarrow, Unprotectable
from tarnkappe.kernels.quader import STAGED, THROUGHOUT, Space, new_space
from tarnkappe.kernels.subtables import sweeps
from tarnkappe.kernels.witnesses import (
    CHECK,
    IMPROVE,
    PROTECT,
    RELEASE,
    Book,
    chosen,
    corners,
    new_book,
    work,
)
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.methods.tables.quader_goals import Choices, Start, contributions_of, least_doubt, start_of
from tarnkappe.methods.tables.quader_joint import MOST, Joint
from tarnkappe.methods.tables.quader_order import doublings, neighbourhood
from tarnkappe.methods.tables.quader_proof import Proof, Views, owed_down, prove, too_short
from tarnkappe.solve.highs import Highs

POLISH = 3
"""So often superfluous cells are shown again and cheaper cuboids looked for,"""
ENOUGH = 0.005
"""unless a round changes no more than this share of the hidden cells,"""
MANY = 2_000
"""or there are so many pivots that a further round costs more time than it saves cells."""
MENDING = 3
"""So often what the last check finds is mended."""
NEARBY = 1500
"""Movements that shun many single respondents are looked for among so many cells."""
FEW = 500
"""For more pivots than that the intervals of all of them are found before a program is made for each."""
INSIDE = Text(
    "Against outsiders it could be reached, but not against those who alone contribute to a cell beside: {cells}. {how} "
    "(and insiders: none of the method).",
    "Gegen Außenstehende wäre er erreichbar, nicht aber gegen die, die zu einer Zelle daneben allein beitragen: {cells}. {how} "
    "(und insiders: none beim Verfahren).",
)
WIDER = Text(
    "An interval as wide as the cell itself asks could be reached, but not one measured by the largest of its partners (range_base: largest).",
    "Ein Intervall, so breit wie es die Zelle selbst verlangt, wäre erreichbar, nicht aber eines, das an der größten ihrer "
    "Partnerzellen gemessen wird (range_base: largest).",
)
_REPAIRED = Text(
    "{done} of {count} cells that need more than a cuboid",
    "{done} von {count} Zellen, für die ein Quader nicht genügt",
)
UNEVEN = Text(
    "Numbers of very different size stand side by side.",
    "Zahlen sehr verschiedener Größe stehen nebeneinander.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A safe pattern, and how it came about."""

    hidden: Bools
    pivot: Ints
    """The cells that had to be protected."""
    down: Floats
    up: Floats
    """How far the interval of every pivot is proven to reach; the true interval may be wider."""
    span: Floats
    """How wide it must be, where that depends on the cuboid too."""
    sweeps: int
    """Rounds over the subtables; 0 where none were made."""
    repaired: int
    """Pivots that took a linear program."""
    released: int
    """Cells that were hidden on the way and shown again."""


def run(pattern: Pattern, choices: Choices, only: Bools | None = None) -> Outcome:
    """Protect a pattern, or refuse; `only` says which hidden cells are looked at, if not all: the others are proven.

    In small tables all confidential cells are then looked at together, and what costs less is taken.
    """
    first = _one_by_one(pattern, choices, only)
    return first if only is not None or choices.share else _together(pattern, choices, first)


def _together(pattern: Pattern, choices: Choices, first: Outcome) -> Outcome:
    """What protects all confidential cells of a small table together, where it costs less than what was found for one after the other."""
    if len(first.pivot) > MOST:
        return first
    start = start_of(pattern, choices)
    joint = Joint(relations_of(pattern.table), start.cells, chosen(start.goals, np.flatnonzero(~start.given)))
    wanted = joint.cheaper(first.hidden) if joint.small else None
    if wanted is None:
        return first
    new = wanted & (pattern.status == Status.OPEN)
    hiding = replace(pattern, status=np.where(new, np.uint8(Status.SECONDARY), pattern.status))
    try:
        found = _one_by_one(hiding, choices)
    except (PriorTooNarrow, Unprotectable):
        return first
    if joint.cost(found.hidden) >= joint.cost(first.hidden):
        return first
    mine = np.isin(found.pivot, first.pivot)
    down, up, span = (side[mine] for side in (found.down, found.up, found.span))
    return replace(found, pivot=found.pivot[mine], down=down, up=up, span=span, sweeps=first.sweeps)


def _one_by_one(pattern: Pattern, choices: Choices, only: Bools | None = None) -> Outcome:
    start = start_of(pattern, choices, only)
    dimensions, most = start.lattice.up.shape[1], most_corners(pattern.table)
    book = new_book(len(start.goals.pivot), len(pattern.table), most)
    shares = shares_of(pattern.table, contributions_of(pattern.table, choices.insiders))
    space = new_space(dimensions, most)
    return _Run(pattern, choices, start, space, book, relations_of(pattern.table), shares).outcome()


@dataclass(slots=True, eq=False)
class _Run:
    pattern: Pattern
    choices: Choices
    start: Start
    space: Space
    book: Book
    relations: Relations
    shares: Shares | None
    moves: dict[int, Witnesses] = field(default_factory=dict)
    """By pivot: what a linear program found."""
    solved: list[Witnesses] = field(default_factory=list)
    """What programs found, each once."""

    def outcome(self) -> Outcome:
        left, rounds = self._order(), 0
        if (self.pattern.status == Status.SECONDARY).any():
            left = self._work(CHECK, left)
            left = self._not_held(left) if len(left) > FEW else self._repaired(left, frozen=True)
        if self.choices.extend == "off" and len(left):
            rounds = self._swept(left)
            left = self._work(CHECK, left)
        extended = THROUGHOUT if self.choices.extend == "always" else STAGED
        lost = self._repaired(self._work(PROTECT, left, extended), frozen=False)
        if len(lost):
            self._refuse(self.start.goals.pivot[lost], self._why(lost))
        return self._proven(rounds, self._polished())

    def _order(self) -> Ints:
        """The most demanding first; among those that ask for about as much, neighbours together."""
        goals = self.start.goals
        need = np.maximum(goals.up + goals.down, goals.span)
        beside = neighbourhood(self.start.lattice, goals.pivot)
        return np.lexsort((goals.pivot, -need, beside, -doublings(need)))

    def _dearest(self) -> Ints:
        """The cells that may be shown again, the dearest first; among those that cost about as much, neighbours together."""
        cells = self.start.cells
        rows = np.flatnonzero(cells.hidden & cells.spare)
        cost, beside = cells.cost[rows], neighbourhood(self.start.lattice, rows)
        return rows[np.lexsort((rows, -cost, beside, -doublings(cost), -cells.rank[rows]))]

    def _work(self, what: int, items: Ints, where: int = THROUGHOUT) -> Ints:
        s = self.start
        failed, self.book = work(
            s.lattice, s.cells, s.goals, self.book, items.astype(np.int64), (what, where), self.space
        )
        return failed

    def _swept(self, left: Ints) -> int:
        s, table = self.start, self.pattern.table
        depth = np.stack(
            [h.level[table.cells[:, j]] for j, h in enumerate(table.dimensions) if len(h) > 1], axis=1
        )
        goals = chosen(s.goals, left)
        least = np.zeros(len(table)) if self.choices.zeros == "free" else least_doubt(table)
        return sweeps(
            s.lattice, s.cells, goals, depth.astype(np.int64), least, self.space, self.choices.max_sweeps
        )

    # -- what cuboids cannot do -----------------------------------------------------------------------------

    def _not_held(self, left: Ints) -> Ints:
        """Pivots that the cells hidden beforehand do not protect.

        Their intervals, found for all of them together, say where a program for one of them can succeed.
        """
        if len(left) == 0:
            return left
        goals = self.start.goals
        down, up = np.zeros(len(self.pattern.table)), np.zeros(len(self.pattern.table))
        reach = np.where(goals.up + goals.down >= goals.span, 0.0, goals.span)[left]
        down[goals.pivot[left]] = np.maximum(goals.down[left], reach)
        up[goals.pivot[left]] = np.maximum(goals.up[left], reach)
        close = CLOSE * sizes(self.pattern.table.value)[goals.pivot]
        reached = (side + close for side in self._reach(Asked(down, up)))
        short = too_short(goals, *reached)[left]
        lost = self._repaired(left[~short], frozen=True)
        return left[short | np.isin(left, lost)]

    def _repaired(self, left: Ints, *, frozen: bool) -> Ints:
        """Linear programs for pivots without a cuboid; with `frozen` nothing is hidden. Return those without any help."""
        if len(left) == 0:
            return left
        repair, lost = self._repair(), []
        for number, i in enumerate(left):
            say(_REPAIRED, done=number, count=len(left))
            found = self._shared(int(i))
            if found is None:
                found = self._solved(repair, int(i), frozen=frozen)
            if found is None:
                lost.append(i)
            else:
                self._hide(int(i), found)
        return np.array(lost, dtype=np.int64)

    def _solved(self, repair: Repair, i: int, *, frozen: bool) -> Witnesses | None:
        """Movements of hidden cells, else (unless `frozen`) of open ones too; kept for other pivots."""
        found = self._movements(repair, i, frozen=True)
        if found is None and not frozen:
            found = self._movements(repair, i, frozen=False)
        if found is not None:
            self.solved.append(found)
        return found

    def _repair(self) -> Repair:
        cells = self.start.cells
        room = Room(cells.hidden, cells.down, cells.up)
        return Repair(self.relations, room, cells.barred, cells.rank + cells.cost, Highs())

    def _hide(self, i: int, found: Witnesses) -> None:
        """Keep the movements of a pivot, and the cells that they move hidden."""
        self.moves[i] = found
        self.start.cells.hidden[found.cell] = True
        self.start.cells.spare[found.cell] = False

    def _movements(self, repair: Repair, i: int, *, frozen: bool) -> Witnesses | None:
        """Movements of a pivot against outsiders and, where they are reckoned with, against every single respondent."""
        goals, cells = self.start.goals, self.start.cells
        others = (cells.owner >= 0) & (cells.owner != goals.own[i]) & (goals.guard[i] >= 0)
        nobody = self._larger(i)
        best: tuple[float, Witnesses] | None = None
        for up, down in self._amounts(i):
            for fixed in (others | nobody, nobody) if others.any() else (nobody,):
                wanted = Wanted(int(goals.pivot[i]), up, down, fixed, shunned=others)
                found = repair.movements(wanted, frozen=frozen, most=None if fixed is nobody else NEARBY)
                if found is None:
                    continue
                insiders = np.unique(cells.owner[found.cell][others[found.cell]])
                more = self._facing(repair, i, insiders, frozen=frozen)
                if more is not None:
                    whole = joined([found, *more])
                    price = repair.price(whole)
                    best = (price, whole) if best is None or price < best[0] else best
                    if price <= 0:
                        return whole
            if best is not None:
                return best[1]
        return None

    def _shared(self, i: int) -> Witnesses | None:
        """Movements found for other pivots, where they do for this one too: a sum and its only part move alike."""
        goals, cells = self.start.goals, self.start.cells
        if goals.share[i] > 0:  # they may move larger cells
            return None
        room, one = Room(cells.hidden, cells.down, cells.up), chosen(goals, np.array([i]))
        for found in self.solved:
            alike = moving(found, int(goals.pivot[i]))
            if (
                len(alike)
                and self._enough(i, alike)
                and prove(self.relations, room, one, cells.owner, self.shares, alike).holds
            ):
                return alike
        return None

    def _enough(self, i: int, found: Witnesses) -> bool:
        """Whether movements go far enough for a pivot, if they are right."""
        goals, own = self.start.goals, found.amount[found.cell == self.start.goals.pivot[i]]
        up, down = np.array([own.max(initial=0.0)]), np.array([-own.min(initial=0.0)])
        return not too_short(chosen(goals, np.array([i])), down, up)[0]

    def _facing(self, repair: Repair, i: int, insiders: Ints, *, frozen: bool) -> list[Witnesses] | None:
        """For each of some single respondents a movement that leaves his cells alone: one for all of them, or for either half."""
        if len(insiders) == 0:
            return []
        found = self._against(repair, i, insiders, frozen=frozen, most=NEARBY if len(insiders) > 1 else None)
        if found is not None:
            return [found]
        out: list[Witnesses] = []
        for half in np.array_split(insiders, 2) if len(insiders) > 1 else ():
            more = self._facing(repair, i, half, frozen=frozen)
            if more is None:
                return None
            out += more
        return out or None

    def _against(
        self, repair: Repair, i: int, insiders: Ints, *, frozen: bool, most: int | None = None
    ) -> Witnesses | None:
        """Movements that leave the cells of some single respondents alone."""
        goals, cells = self.start.goals, self.start.cells
        fixed = np.isin(cells.owner, insiders)
        views = Views(np.full(len(insiders), i), insiders)
        down = float(owed_down(goals, self.shares, views).max())
        least = float(goals.guard[i])
        amounts = [(goals.up[i], down)] if goals.up[i] + down > 0 else [(least, 0.0), (0.0, least)]
        for up, down in amounts:
            wanted = Wanted(int(goals.pivot[i]), float(up), float(down), fixed)
            found = repair.movements(wanted, frozen=frozen, most=most)
            if found is not None:
                return found
        return None

    def _why(self, lost: Ints) -> Text:
        """Whether it is only insiders, or only the largest partner that the width is measured by, who stand in the way."""
        repair, few = self._repair(), lost[:20].tolist()
        if all(self._movable(repair, i, self._larger(i)) for i in few):
            return INSIDE.filled(cells=self._sole(lost[:20]), how=LEFT_OUT)
        nobody = np.zeros(len(self.start.cells.hidden), dtype=np.bool_)
        return WIDER if all(self._movable(repair, i, nobody) for i in few) else NOTHING

    def _movable(self, repair: Repair, i: int, fixed: Bools) -> bool:
        """Whether a pivot gets what is required against outsiders with some cells held fixed."""
        asked = (Wanted(int(self.start.goals.pivot[i]), up, down, fixed) for up, down in self._amounts(i))
        return any(repair.movements(wanted, frozen=False) is not None for wanted in asked)

    def _larger(self, i: int) -> Bools:
        """Cells larger than a pivot, where the width is a share of the largest cell that moves: none of them does."""
        goals, size = self.start.goals, self.start.cells.size
        return np.asarray((goals.share[i] > 0) & (size > size[goals.pivot[i]]))

    def _sole(self, lost: Ints) -> str:
        """The cells with a sole contributor that stand in a sum with cells that cannot be protected."""
        table, relations = self.pattern.table, self.relations
        of = np.repeat(np.arange(len(relations)), np.diff(relations.start))
        near = np.isin(of, of[np.isin(relations.cell, self.start.goals.pivot[lost])])
        cells = np.unique(relations.cell[near])
        cells = np.setdiff1d(cells[self.start.cells.owner[cells] >= 0], self.start.goals.pivot[lost])
        return listed([table.spelt(int(c)) for c in cells[:20]])

    def _amounts(self, i: int) -> list[tuple[float, float]]:
        """How far up and down: as required, with what the span asks beyond upwards or downwards first."""
        goals, cells = self.start.goals, self.start.cells
        room = float(cells.up[goals.pivot[i]]), float(cells.down[goals.pivot[i]])
        return list(laid_out(float(goals.up[i]), float(goals.down[i]), float(goals.span[i]), room))

    # -- fewer cells ----------------------------------------------------------------------------------------

    def _polished(self) -> int:
        """Show again what is superfluous, the dearest first; look for cheaper cuboids; until nothing changes."""
        cells, count = self.start.cells, int(self.start.cells.hidden.sum())
        for _ in range(POLISH if len(self.start.goals.pivot) < MANY else 1):
            before = cells.hidden.copy()
            self._work(RELEASE, self._dearest())
            self._work(IMPROVE, self._order())
            if (before != cells.hidden).sum() <= ENOUGH * before.sum():
                break
        return count - int(cells.hidden.sum())

    # -- proof ----------------------------------------------------------------------------------------------

    def _proven(self, rounds: int, released: int) -> Outcome:
        """Check everything once more over the whole table; mend what arithmetic has spoilt, or refuse."""
        self._widen()
        proof = self._proof()
        for _ in range(MENDING):
            if proof.holds or not self._mended(proof):
                break
            proof = self._proof()
        goals, down, up, short = self.start.goals, proof.down, proof.up, proof.short
        if short.any():
            down, up = self._audited(short, down, up)
            short = too_short(goals, down, up)
        if short.any() or len(proof.seen):
            short[proof.seen.goal] = True
            self._refuse(goals.pivot[short], UNEVEN)
        hidden = self.start.cells.hidden
        return Outcome(hidden, goals.pivot, down, up, goals.span, rounds, len(self.moves), released)

    def _widen(self) -> None:
        """Where the width is a share of the largest corner: what it is, now that the cuboid of every pivot is known."""
        goals, size = self.start.goals, self.start.cells.size
        if not goals.share.any():
            return
        place, start, row, _ = corners(self.book)
        of, largest = np.repeat(place, np.diff(start)), np.zeros(len(goals.pivot))
        first = of % 2 == 0
        np.maximum.at(largest, of[first] // 2, size[row[first]])
        span = np.maximum(goals.span, goals.share * largest)
        self.start = replace(self.start, goals=goals._replace(span=span))

    def _proof(self) -> Proof:
        cells = self.start.cells
        witnesses = joined([*self._cuboids(), *self.moves.values()])
        room = Room(cells.hidden, cells.down, cells.up)
        return prove(self.relations, room, self.start.goals, cells.owner, self.shares, witnesses)

    def _mended(self, proof: Proof) -> bool:
        """Linear programs for what is not proven; False where there is none."""
        lost = self._repaired(np.flatnonzero(proof.short), frozen=False)
        if len(lost):
            return False
        repair = self._repair()
        for i, insider in zip(proof.seen.goal.tolist(), proof.seen.insider.tolist(), strict=True):
            if proof.short[i]:
                continue
            found = self._against(repair, i, np.array([insider]), frozen=False)
            if found is None:
                return False
            self._hide(i, joined([self.moves[i], found]) if i in self.moves else found)
        return True

    def _audited(self, short: Bools, down: Floats, up: Floats) -> tuple[Floats, Floats]:
        """Solve exactly what the witnesses leave open."""
        asked = np.zeros(len(self.start.cells.hidden))
        asked[self.start.goals.pivot[short]] = np.inf
        low, high = self._reach(Asked(asked, asked))
        return np.where(short, low, down), np.where(short, high, up)

    def _reach(self, asked: Asked) -> tuple[Floats, Floats]:
        """How far below and above every pivot an outsider's interval reaches, as far as it is asked for."""
        pattern, pivot = self.pattern, self.start.goals.pivot
        value, hidden = pattern.table.value, self.start.cells.hidden
        found = intervals(self.relations, value, hidden, pattern.low, pattern.high, asked)
        return (value - found.low)[pivot], (found.high - value)[pivot]

    def _cuboids(self) -> tuple[Witnesses, Witnesses]:
        """The cuboids of the book as movements up and down, as far as their corners allow."""
        goals, cells = self.start.goals, self.start.cells
        most = np.abs(self.pattern.table.value[goals.pivot]) + goals.up + goals.down + goals.span + 1.0
        return both_ways(self.book, goals.pivot, most, Room(cells.hidden, cells.down, cells.up))

    def _refuse(self, pivots: Ints, why: Text) -> None:
        table = self.pattern.table
        spelt = [table.spelt(int(c)) for c in np.sort(pivots)[:20]]
        raise Unprotectable(name=table.name, count=len(pivots), cells=listed(spelt), why=why)
