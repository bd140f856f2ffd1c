"""The attack on cells and sums of any origin: a table, or several that share cells, taken together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.attack.attacker import Attacker
from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.hidden import hidden
from tarnkappe.attack.insiders import Breach, breaches, owed_of
from tarnkappe.attack.intervals import CLOSE, Asked, Intervals, intervals
from tarnkappe.attack.respondents import Respondents, respondents_of
from tarnkappe.attack.tree import published
from tarnkappe.attack.whole_counts import whole_counts
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.relations import Relations
from tarnkappe.data.ties import Ties
from tarnkappe.solve.highs import Highs


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """What lies before the attacker, and what he must not find."""

    relations: Relations
    value: Floats
    hidden: Bools
    low: Floats
    high: Floats
    needs: Bools
    down: Floats
    up: Floats
    """How far below and above its value the interval of a cell must reach."""
    span: Floats
    """How wide the interval must be at least, wherever it lies; 0 where nothing is asked."""
    counts: Bools
    inside: Respondents | None
    """Who attacks from inside; None: nobody is reckoned with, or known."""
    tied: bool = False
    """Cells of several measures may hang together."""

    @property
    def whole(self) -> bool:
        """All hidden cells are counts."""
        return bool(self.counts[self.hidden].all() and self.hidden.any())

    def hiding(self, cells: Bools) -> Joint:
        return replace(self, hidden=cells)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What the attacker finds, cell by cell."""

    intervals: Intervals
    disclosed: Bools
    """Hidden cells that he knows exactly."""
    narrow: Bools
    """Cells whose interval is narrower than required, or that some table shows."""
    breaches: tuple[Breach, ...]
    """Looked for only where outsiders find nothing."""
    needs: Bools
    """Cells that must have an interval."""

    @property
    def holds(self) -> bool:
        return not (self.narrow.any() or self.breaches)

    @property
    def unsure(self) -> bool:
        """It holds, but only if counts could be broken numbers."""
        relaxed = self.intervals.relaxed
        return self.holds and relaxed is not None and bool((relaxed & self.needs).any())


def joint_of(over: PatternSet, attacker: Attacker, doubt: Floats | None = None) -> Joint:
    """All tables of a set as their readers see them; `doubt` says how wide an interval must be at all, beside what is required."""
    bounds = [_known(p) for p in over.patterns]
    value = over.tables.value
    low, high = over.largest([b[0] for b in bounds]), -over.largest([-b[1] for b in bounds])
    if attacker.prior is not None:
        reach = np.abs(value) * attacker.prior / 100
        low, high = np.maximum(low, value - reach), np.minimum(high, value + reach)
    empty = over.tables.stock.empty
    joint = Joint(
        over.relations(), value, over.hidden, np.where(empty, value, np.minimum(low, value)),
        np.where(empty, value, np.maximum(high, value)), over.needs, over.lower, over.upper,
        over.span if doubt is None else np.maximum(over.span, doubt), over.counts,
        respondents_of(over, attacker.insiders, attacker.coalition),
    )  # fmt: skip
    return joint if over.ties is None else _tied(joint, over.ties)


def _tied(joint: Joint, ties: Ties) -> Joint:
    """With the cells that only ties have: nobody sees them, nobody knows them from inside, and nothing is asked of them."""
    none, nothing = np.zeros(ties.own, dtype=np.bool_), np.zeros(ties.own)
    return replace(
        joint,
        tied=True,
        value=np.concatenate([joint.value, ties.value]),
        hidden=np.concatenate([joint.hidden, ~none]),
        low=np.concatenate([joint.low, ties.low]),
        high=np.concatenate([joint.high, ties.high]),
        needs=np.concatenate([joint.needs, none]),
        down=np.concatenate([joint.down, nothing]),
        up=np.concatenate([joint.up, nothing]),
        span=np.concatenate([joint.span, nothing]),
        counts=np.concatenate([joint.counts, ties.counts]),
        inside=None if joint.inside is None else joint.inside.widened(ties.value),
    )


def _known(pattern: Pattern) -> tuple[Floats, Floats]:
    """What is known of every cell beforehand, and by its published range."""
    low, high = published(pattern)
    return np.where(pattern.hidden, low, pattern.low), np.where(pattern.hidden, high, pattern.high)


def ends(joint: Joint) -> Intervals:
    """An outsider's intervals over all sums, each to its end."""
    far = np.where(joint.hidden, np.inf, 0.0)
    return _intervals(joint, far, far)


def _intervals(joint: Joint, down: Floats, up: Floats) -> Intervals:
    """An outsider's intervals over all sums, as far as asked for."""
    asked = Asked(down, up, whole=joint.whole)
    found = intervals(joint.relations, joint.value, joint.hidden, joint.low, joint.high, asked)
    return _whole(_among_others(found, joint, down, up), joint)


def _among_others(found: Intervals, joint: Joint, down: Floats, up: Floats) -> Intervals:
    """Counts that are tied to other measures are whole all the same; those that must stay in doubt must be able to differ by 1."""
    if joint.whole or not (joint.tied and joint.counts[joint.hidden].any()):
        return found
    doubt = np.where(joint.counts & joint.needs, 1.0, 0.0)
    wanted = joint.needs | (joint.span > 0)
    goals = np.where(wanted, np.maximum(down, doubt), 0.0), np.where(wanted, np.maximum(up, doubt), 0.0)
    system = hidden(joint.relations, joint.value, joint.hidden, joint.low, joint.high)
    return whole_counts(found, system, joint.value, joint.counts & joint.hidden, goals, Highs())


def attacked(joint: Joint, *, exact: bool = False) -> Found:
    """What outsiders find, as far as intervals are required or with `exact` to their ends, and what insiders do."""
    needs = (np.maximum(need, joint.span) for need in (joint.down, joint.up))
    found = ends(joint) if exact else _intervals(joint, *needs)
    slack = CLOSE * sizes(joint.value)
    below, above = joint.value - found.low, found.high - joint.value
    disclosed = joint.hidden & found.exact & (below + above <= slack)
    narrow = joint.needs & (
        ~joint.hidden | disclosed | (below < joint.down - slack) | (above < joint.up - slack)
    )
    narrow |= (joint.span > 0) & (below + above < joint.span - slack)
    inside = () if narrow.any() or joint.inside is None else _inside(joint, joint.inside)
    return Found(found, disclosed, narrow, inside, joint.needs | (joint.span > 0))


def _inside(joint: Joint, known: Respondents) -> tuple[Breach, ...]:
    low, high = joint.low, joint.high
    if joint.whole:
        low, high = np.ceil(low - CLOSE), np.floor(high + CLOSE)
    system = hidden(joint.relations, joint.value, joint.hidden, low, high)
    owed = owed_of(system, joint.needs, (joint.down, joint.up), joint.value, whole=joint.whole)
    return tuple(breaches(system, known.inside.within(joint.hidden), owed, Highs(), known.shares))


def _whole(found: Intervals, joint: Joint) -> Intervals:
    """Counts are whole numbers: bounds are rounded inwards."""
    if not joint.counts.any():
        return found
    low = np.where(joint.counts, np.ceil(found.low - CLOSE), found.low)
    high = np.where(joint.counts, np.floor(found.high + CLOSE), found.high)
    return replace(found, low=low, high=high)
