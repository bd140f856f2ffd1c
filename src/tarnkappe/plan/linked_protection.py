"""Protect tables that share cells: table by table until nothing changes, then over all sums together.

Aligned tables are each safe and can still leak together (Wettig 2002, L1233-1253). So after the tables have been brought into line
the attacker's intervals are computed over the sums of all of them; for every cell that is too narrow the cheapest further
cells are found by a linear program over all sums, and hidden everywhere. Tables that are published already do not change:
what they show stays open, and where that is in the way the set is refused (L1223).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from tarnkappe.attack.attacker import Attacker
from tarnkappe.attack.closeness import unit_of
from tarnkappe.attack.further import SUMS, further
from tarnkappe.attack.naming import LEFT_OUT, insider, known_cells
from tarnkappe.attack.repair import FARTHEST, Repair, Wanted, laid_out
from tarnkappe.attack.together import Joint, attacked, joint_of
from tarnkappe.attack.witnesses import Room, Witnesses
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Mark
from tarnkappe.data.pattern_set import HIDDEN_ELSEWHERE, PatternSet
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table_set import known_empty
from tarnkappe.errors.linked import LinkedUnprotectable, ToldTogether
from tarnkappe.errors.unsafe_tables import Unprotectable
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.progress import Progress
from tarnkappe.randomness import Stream
from tarnkappe.solve.highs import Highs
from tarnkappe.spec import TableMethod

ROUNDS = 100
"""Most rounds over the tables (Wettig 2002, L1350)."""
TURNS = 12
"""Most turns of attacking all tables together and repairing."""
CLEANED = 10_000
"""With more cells to protect, superfluous suppressions are not looked for: it takes some 10 ms a cell,"""
CLEANED_INSIDE = 2_000
"""and three times as long where somebody attacks from inside."""
TOLD = 50
"""After so many cells it is said how far the search for superfluous suppressions has come."""
FARTHER = 3
"""Where whole numbers need more room, it is looked for among cells that are so many sums away at most."""
NEARBY = 300
"""Cells choose anew among so many around them, and only where that fails among all."""
ENOUGH = 1 + 1e-8
"""Movements by linear programs may be so much too short."""
LEAST = 1e-6
"""A cell is open to doubt when its interval is at least this share of it wide; a count must be able to differ by 1."""
BECAUSE = Text(
    "suppressed so that others cannot be worked out from the linked tables",
    "gesperrt, damit andere nicht aus den verknüpften Tabellen errechnet werden können",
)
ASKED_FOR = Text("suppressed because the office asks for it", "auf Wunsch der Stelle gesperrt")
_INSIDE = Text(
    "Against outsiders it could be reached, but not against those inside; the first of them: {who}. {how}.",
    "Gegen Außenstehende wäre er erreichbar, nicht aber gegen Beteiligte; als ersten: {who}. {how}.",
)
_WAY = Text(
    "These cells are published or must stay open, and are in the way: {cells}.",
    "Diese Zellen sind veröffentlicht oder müssen offen bleiben und stehen im Weg: {cells}.",
)


_TABLE = Text(
    "linked tables: table {name}, round {round}", "verknüpfte Tabellen: Tabelle {name}, Runde {round}"
)
_ATTACK = Text(
    "linked tables: attacked together, turn {turn}", "verknüpfte Tabellen: gemeinsam angegriffen, {turn}. Mal"
)
_FEWER = Text(
    "linked tables: superfluous suppressions, {done} of {count} cells",
    "verknüpfte Tabellen: überflüssige Sperrungen, {done} von {count} Zellen",
)


class Member(NamedTuple):
    """How one table of a set is protected: by a method, or not at all (then it takes over what the others hide)."""

    method: TableMethod | None
    stream: Stream | None = None


def protect_linked(
    start: PatternSet, members: Sequence[Member], attacker: Attacker, progress: Progress | None = None
) -> PatternSet:
    """Protect an aligned set, or refuse. Every method must be one that suppresses."""
    progress = progress or Progress()
    asked = start.anywhere([p.mark == Mark.SUPPRESS for p in start.patterns])
    patterns = [
        p if m.method is None else m.method.requires(p) for p, m in zip(start.patterns, members, strict=True)
    ]
    start = replace(start, patterns=tuple(patterns), given=start.tables).with_hidden(asked, ASKED_FOR)
    done = _in_line(start, members, attacker, progress)
    spans = [replace(p, span=now.span) for p, now in zip(start.patterns, done.patterns, strict=True)]
    start = replace(start, patterns=tuple(spans), given=start.tables)
    together = _Together.of(start, members, attacker, progress)
    together.hide(done.suppressed)
    together.repair()
    together.clean_up()
    together.guard()
    return start.with_hidden(together.hidden, BECAUSE)


def protect_further(
    start: PatternSet,
    members: Sequence[Member],
    attacker: Attacker,
    hidden: Bools,
    progress: Progress,
) -> PatternSet:
    """Protect a set in which cells are hidden already and that more ties than shared cells; nothing changes where that is enough."""
    asked = start.anywhere([p.mark == Mark.SUPPRESS for p in start.patterns])
    start = start.with_hidden(asked, ASKED_FOR)
    together = _Together.of(start, members, attacker, progress)
    together.hide(hidden)
    if not attacked(together.joint.hiding(together.hidden)).holds:
        together.repair()
        together.clean_up()
        together.guard()
    return start.with_hidden(together.hidden, BECAUSE)


def _in_line(
    now: PatternSet, members: Sequence[Member], attacker: Attacker, progress: Progress
) -> PatternSet:
    """Table by table, each with what the others hide, until nothing changes; and what its method then requires of cells.

    A table that cannot protect what others hide in it is passed over: over all sums together another way may be found.
    """
    seen: dict[int, int] = {}
    for round_ in range(1, ROUNDS + 1):
        before = int(now.suppressed.sum())
        for number, (method, stream) in enumerate(members):
            pattern = now.patterns[number]
            hidden = int(pattern.suppressed.sum())
            if method is None or seen.get(number) == hidden:
                continue
            _say(progress, _TABLE, name=pattern.table.name, round=round_)
            try:
                done = method.protect(pattern.known_within(attacker.prior), stream)  # type: ignore[arg-type]
            except Unprotectable:
                seen[number] = hidden
                continue
            seen[number] = int(done.suppressed.sum())
            cells = np.zeros(len(now), dtype=np.bool_)
            cells[now.tables.numbers[number][done.suppressed]] = True
            now = now.with_hidden(cells, HIDDEN_ELSEWHERE)
            wide = np.where(pattern.primary, np.maximum(pattern.span, done.span), pattern.span)
            mine = (replace(p, span=wide) if i == number else p for i, p in enumerate(now.patterns))
            now = replace(now, patterns=tuple(mine), given=now.tables)
        if int(now.suppressed.sum()) == before:
            break
    return now


@dataclass(slots=True, eq=False)
class _Together:
    over: PatternSet
    joint: Joint
    attacker: Attacker
    hidden: Bools
    kept: Bools
    """Hidden whatever happens."""
    barred: Bools
    cost: Floats
    progress: Progress
    solver: Highs = field(default_factory=Highs)
    unit: float = field(init=False)
    """What is usual in the tables, at most 1."""

    def __post_init__(self) -> None:
        self.unit = unit_of(self.joint.value)

    @classmethod
    def of(
        cls, start: PatternSet, members: Sequence[Member], attacker: Attacker, progress: Progress
    ) -> _Together:
        joint = joint_of(start, attacker, _doubt(start))
        wide = start.widened
        usable = [
            np.zeros(len(p.table), np.bool_) if m.method is None else m.method.may_hide(p)
            for p, m in zip(start.patterns, members, strict=True)
        ]
        empty = start.anywhere([known_empty(p.table) for p in start.patterns])
        barred = wide(~start.anywhere(usable) | start.forced_open | empty, beyond=True) | (
            joint.high <= joint.low
        )
        kept = wide(start.suppressed.copy(), beyond=True)
        return cls(start, joint, attacker, kept.copy(), kept, barred, wide(start.cost(), 0.0), progress)

    @property
    def coalition(self) -> int:
        return self.attacker.coalition

    def hide(self, cells: Bools) -> None:
        self.hidden |= self.over.widened(cells, beyond=False)

    # -- hide more ------------------------------------------------------------------------------------------

    def repair(self) -> None:
        """Attack everything together and hide what is missing, until the attack finds nothing."""
        wanted: list[tuple[int, tuple[int, ...]]] = []
        for turn in range(1, TURNS + 1):
            _say(self.progress, _ATTACK, turn=turn)
            found = attacked(self.joint.hiding(self.hidden))
            wanted = [(int(c), ()) for c in np.flatnonzero(found.narrow)]
            wanted += [(b.cell, b.insiders) for b in found.breaches]
            if not wanted:
                return
            before = self.hidden.copy()
            helper = self._repair(self.hidden, self.barred)
            lost = [w for w in wanted if not self._help(helper, self.hidden, *w)]
            if lost:
                self._refuse(lost)
            if (self.hidden == before).all():  # broken numbers could move them: whole numbers need more room
                lost = [w for w in wanted if not self._more_room(w[0])]
                if lost:
                    self._refuse(lost)
        self._refuse(wanted)

    def _more_room(self, cell: int) -> bool:
        """Hide the cheapest cell that may be hidden and stands in a sum with the cell, or with one that is hidden beside it."""
        relations, around = self.joint.relations, np.array([cell])
        row = np.repeat(np.arange(len(relations)), np.diff(relations.start))
        for _ in range(FARTHER):
            around = np.unique(relations.cell[np.isin(row, row[np.isin(relations.cell, around)])])
            may = around[~self.hidden[around] & ~self.barred[around]]
            if len(may):
                self.hidden[may[np.argmin(self.cost[may])]] = True
                return True
            around = around[self.hidden[around]]
        return False

    def guard(self) -> None:
        """Hide and protect further cells where the sum of suppressed parts of a published total is itself confidential."""
        order = np.argsort(np.argsort(self.cost, kind="stable"), kind="stable")
        least = self.over.widened(_least(self.over), 0.0)
        for _ in range(ROUNDS if self.attacker.insiders != "none" else 0):
            more, lost = self._further(order)
            if not more.any() and len(lost):
                raise LinkedUnprotectable(
                    names=self.over.named, count=len(lost), cells=self.over.listed(lost), why=SUMS
                )
            if not more.any():
                return
            self.hidden |= more
            self.joint = replace(
                self.joint, span=np.where(more, np.maximum(self.joint.span, least), self.joint.span)
            )
            self.repair()

    def _further(self, order: Ints) -> tuple[Bools, Ints]:
        """By physical cell: what to hide next, and totals that nothing helps."""
        now, lost = self.over.with_hidden(self.hidden, BECAUSE), []
        more = np.zeros(len(self.hidden), dtype=np.bool_)
        for pattern, cells in zip(now.patterns, self.over.tables.numbers, strict=True):
            found = further(pattern, relations_of(pattern.table), ~self.barred[cells], order[cells])
            more[cells[found.cells]] = True
            lost.append(cells[found.lost])
        return more, np.unique(np.concatenate(lost))

    def _repair(self, hidden: Bools, barred: Bools) -> Repair:
        room = Room(
            hidden, np.maximum(self.joint.value - self.joint.low, 0.0),
            np.maximum(self.joint.high - self.joint.value, 0.0),
        )  # fmt: skip
        ties = self.over.ties
        scale = 1.0 if ties is None else max(1.0, float(np.abs(ties.relations.coefficient).max(initial=1.0)))
        return Repair(self.joint.relations, room, barred, self.cost, self.solver, FARTHEST * scale)

    def _help(
        self, repair: Repair, hidden: Bools, cell: int, group: tuple[int, ...], *, nearby: bool = False
    ) -> bool:
        """Hide the cheapest cells that let one cell move as far as it must, whatever a group of insiders knows."""
        found = self._movements(repair, cell, group, NEARBY) if nearby else None
        found = found or self._movements(repair, cell, group)
        if found is not None:
            hidden[found.cell] = True
        return found is not None

    def _movements(
        self, repair: Repair, cell: int, group: tuple[int, ...], most: int | None = None
    ) -> Witnesses | None:
        """The cheapest movements; with `most` only among so many cells around."""
        inside = self.joint.inside
        everything = np.arange(len(self.hidden))
        fixed = (
            np.zeros(len(everything), np.bool_) if inside is None else inside.inside.known(everything, group)
        )
        fixed[cell] = False
        shunned = None if inside is None else inside.owner >= 0
        best: Witnesses | None = None
        for up, down in self._amounts(repair.room, cell, group):
            found = repair.movements(Wanted(cell, up, down, fixed, shunned=shunned), frozen=False, most=most)
            if found is not None and (best is None or repair.price(found) < repair.price(best)):
                best = found
        return best

    def _amounts(self, room: Room, cell: int, group: tuple[int, ...]) -> Iterator[tuple[float, float]]:
        """How far up and down: as required, or the span laid upwards or downwards first."""
        up, down = self._owed(cell, group)
        if self.joint.counts[cell]:
            up, down = float(np.ceil(up)), float(np.ceil(down))
        asked, span = self.joint.up[cell] + self.joint.down[cell] > 0, float(self.joint.span[cell])
        if (
            group
        ):  # the width is for outsiders; an insider must not know the cell exactly, unless all of it is his
            span = 0.0 if asked or self._rest(cell, group) <= 0 else min(span, self._least(cell))
        yield from laid_out(up, down, span, (float(room.up[cell]), float(room.down[cell])))

    def _owed(self, cell: int, group: tuple[int, ...]) -> tuple[float, float]:
        """What a cell needs above and below; insiders know their own shares (docs/decisions/0010)."""
        up, down = float(self.joint.up[cell]), float(self.joint.down[cell])
        rest = self._rest(cell, group)
        return (0.0 if rest <= 0 < self.joint.value[cell] else up), min(down, rest)

    def _rest(self, cell: int, group: tuple[int, ...]) -> float:
        """What is left of a cell without the shares of a group, where these tell anything."""
        shares = None if self.joint.inside is None else self.joint.inside.shares
        return np.inf if shares is None or not group else shares.rest(cell, group)

    def _least(self, cell: int) -> float:
        """So far a cell must be able to move for somebody who must not know it exactly."""
        size = max(self.unit, abs(float(self.joint.value[cell])))
        return 1.0 if self.joint.counts[cell] else 2 * LEAST * size

    # -- hide less ------------------------------------------------------------------------------------------

    def clean_up(self) -> None:
        """Show again what no cell needs: every cell chooses anew among the hidden ones, and the attack decides."""
        pivots = np.flatnonzero(self.joint.needs | (self.joint.span > 0))
        most = CLEANED if self.joint.inside is None else CLEANED_INSIDE
        if (self.hidden == self.kept).all() or len(pivots) > most or self.coalition > 1:
            return
        hidden = self.kept.copy()
        repair, proven = self._repair(hidden, ~self.hidden), _Proven.nothing(len(hidden))
        size = np.maximum(self.joint.up + self.joint.down, self.joint.span)[pivots]
        for number, cell in enumerate(pivots[np.lexsort((pivots, -size))]):
            if number % TOLD == 0:
                _say(self.progress, _FEWER, done=number, count=len(pivots))
            if not proven.enough(self.joint, int(cell)) and not self._chosen_anew(repair, proven, int(cell)):
                return
        if attacked(self.joint.hiding(hidden)).holds:
            self.hidden = hidden

    def _chosen_anew(self, repair: Repair, proven: _Proven, cell: int) -> bool:
        found = self._movements(repair, cell, (), NEARBY) or self._movements(repair, cell, ())
        if found is None:
            return False
        hidden, inside = repair.room.hidden, self.joint.inside
        hidden[found.cell] = True
        alone = np.zeros(0, np.int64) if inside is None else np.setdiff1d(inside.owner[found.cell], [-1])
        if len(alone) == 0:
            proven.learn(found)
        if inside is None:
            return True
        others = [int(o) for o in alone if o != inside.owner[cell]]
        return all(self._help(repair, hidden, cell, (o,), nearby=True) for o in others)

    # -- refuse ---------------------------------------------------------------------------------------------

    def _refuse(self, lost: Sequence[tuple[int, tuple[int, ...]]]) -> None:
        cells = np.unique([cell for cell, _ in lost])
        unseen = cells[self.over.tables.home[cells, 0] >= len(self.over.published)]
        if len(unseen):
            raise ToldTogether(names=self.over.named, count=len(unseen), cells=self.over.listed(unseen))
        way = self._in_the_way(lost[:5])
        why = _WAY.filled(cells=self.over.listed(way)) if len(way) else self._from_inside(lost)
        raise LinkedUnprotectable(
            names=self.over.named, count=len(cells), cells=self.over.listed(cells), why=why
        )

    def _from_inside(self, lost: Sequence[tuple[int, tuple[int, ...]]]) -> Text:
        """Who attacks from inside, where nobody else stands in the way."""
        known, group = self.joint.inside, lost[0][1]
        if known is None or not all(group for _, group in lost):
            return NOTHING
        cells = known_cells(known.inside.within(self.hidden), group, self.over.spelt)
        return _INSIDE.filled(who=insider(len(group), cells), how=LEFT_OUT)

    def _in_the_way(self, lost: Sequence[tuple[int, tuple[int, ...]]]) -> Ints:
        """The cells that would have to be hidden and must stay open."""
        forced = self.over.widened(self.over.forced_open & ~self.over.tables.stock.empty, beyond=False)
        free = self._repair(self.hidden, self.barred & ~forced)
        found = [self._movements(free, *w) for w in lost]
        moved = np.concatenate([np.zeros(0, np.int64), *(f.cell for f in found if f is not None)])
        return np.unique(moved[forced[moved]])


class _Proven(NamedTuple):
    """How far down and up movements of cells that nobody knows alone have moved every cell so far."""

    down: Floats
    up: Floats

    @classmethod
    def nothing(cls, cells: int) -> _Proven:
        return cls(np.zeros(cells), np.zeros(cells))

    def learn(self, found: Witnesses) -> None:
        np.maximum.at(self.up, found.cell, found.amount)
        np.maximum.at(self.down, found.cell, -found.amount)

    def enough(self, joint: Joint, cell: int) -> bool:
        """Nothing more has to be hidden for a cell."""
        down, up = self.down[cell] * ENOUGH, self.up[cell] * ENOUGH
        return bool(up >= joint.up[cell] and down >= joint.down[cell] and up + down >= joint.span[cell])


def _say(progress: Progress, what: Text, **facts: object) -> None:
    progress.within(what.filled(**facts))


def _doubt(start: PatternSet) -> Floats:
    """How wide an interval must be where nothing is required of it: some doubt at all."""
    unasked = start.primary & (start.lower + start.upper + start.span == 0)
    return np.where(unasked, _least(start), 0.0)


def _least(start: PatternSet) -> Floats:
    """How wide an interval must be for a cell to be in doubt at all."""
    size = np.abs(start.tables.value)
    smallest = float(np.min(size, where=size > 0, initial=np.inf))
    least = LEAST * np.where(size > 0, size, smallest if np.isfinite(smallest) else 1.0)
    return np.where(start.counts, 1.0, least)


def suppressing(methods: Sequence[TableMethod | None]) -> bool:
    """Whether all methods of a set do nothing but suppress."""
    return all(method is None or method.suppresses for method in methods)
