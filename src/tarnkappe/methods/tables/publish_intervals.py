"""Intervals in place of suppressions."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from tarnkappe.attack.circles import circles_of
from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.hidden import hidden
from tarnkappe.attack.insiders import breaches, owed_of
from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.attack.rounded import CLOSE, is_whole
from tarnkappe.attack.shares import named, shares_of
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import AlreadyProtected
from tarnkappe.language import Text, listed
from tarnkappe.randomness import Stream
from tarnkappe.solve.highs import Highs
from tarnkappe.spec import Claim, Source, TableMethod, table_method


def _known_to_all(pattern: Pattern) -> tuple[Floats, Floats]:
    """Bounds that everybody knows: no negative values where there are none, structural zeros.

    Not what the office says an attacker may know beforehand: bounds around the true values must never be published.
    """
    value = pattern.table.value
    zero = pattern.mark == Mark.ZERO
    low = np.full(len(value), -np.inf if (value < 0).any() else 0.0)
    return np.where(zero, value, low), np.where(zero, value, np.inf)


def _ends(pattern: Pattern, hidden: Bools, low: Floats, high: Floats, asked: Asked) -> tuple[Floats, Floats]:
    """The attacker's interval of every hidden cell."""
    value = pattern.table.value
    found = intervals(
        relations_of(pattern.table), np.zeros(len(value)), hidden, low - value, high - value, asked
    )
    return value + found.low, value + found.high


def _exact(pattern: Pattern, hidden: Bools, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Both ends of every hidden cell. In tables of whole numbers they are rounded inwards, and what that rules out is used again."""
    asked = np.where(hidden, np.inf, 0.0)
    while True:
        low, high = _ends(pattern, hidden, low, high, Asked(asked, asked))
        inward = np.ceil(low - CLOSE), np.floor(high + CLOSE)
        if not is_whole(pattern.table):
            return low, high
        broken = (inward[0] > low + CLOSE) | (inward[1] < high - CLOSE)
        low, high = inward
        if not broken.any():
            return low, high


def _too_narrow(before: Pattern, low: Floats, high: Floats) -> Bools:
    """Primary cells whose interval within these bounds is not what they require, or is a point."""
    value = before.table.value
    least = CLOSE * sizes(value)
    down, up = (
        np.where(before.primary, np.maximum(np.maximum(need, before.span), least), 0.0)
        for need in (before.lower, before.upper)
    )
    found = _ends(before, before.suppressed, low, high, Asked(down, up))
    short = (value - found[0] < before.lower - least) | (found[1] - value < before.upper - least)
    narrow = found[1] - found[0] < np.maximum(before.span - least, least)
    return np.asarray(before.primary & (short | narrow))


def _breached(before: Pattern, low: Floats, high: Floats, insiders: str) -> Bools:
    """Primary cells that somebody who contributes to the table works out too closely by what he knows of his own."""
    table, out = before.table, np.zeros(len(before.table), dtype=np.bool_)
    kept = (table.owners or table.contributions) if insiders == "owners" else table.contributions
    if kept is None or insiders == "none":
        return out
    kept = named(table, kept)
    system = hidden(relations_of(table), table.value, before.suppressed, low, high)
    owed = owed_of(system, before.primary, (before.lower, before.upper), table.value)
    inside = circles_of(table, kept, 1).within(before.suppressed)
    for breach in breaches(system, inside, owed, Highs(), shares_of(table, kept)):
        out[breach.cell] = True
    return out


def _nothing_new(m: PublishIntervals, before: Pattern, after: Pattern) -> bool:
    """With the ranges as bounds the attacker's intervals are the ranges, as they are without them."""
    del m
    hidden = before.suppressed
    ranged = after.status == Status.RANGE
    if after.shown_low is None or after.shown_high is None:
        return not hidden.any()
    low, high = _known_to_all(before)
    size = 10 * CLOSE * sizes(before.table.value)
    without = _exact(before, hidden, low, high)
    low, high = np.where(ranged, after.shown_low, low), np.where(ranged, after.shown_high, high)
    given = _exact(before, hidden, low, high)
    for shown, alone, known in (
        (after.shown_low, without[0], given[0]),
        (after.shown_high, without[1], given[1]),
    ):
        near = np.isclose(shown, alone, rtol=0, atol=size) & np.isclose(known, alone, rtol=0, atol=size)
        if not np.all(near[ranged]):
            return False
    return True


def _marked_keep_theirs(m: PublishIntervals, before: Pattern, after: Pattern) -> bool:
    del m
    ranged = after.status == Status.RANGE
    if after.shown_low is None or after.shown_high is None:
        return not before.suppressed.any()
    low = np.where(ranged, np.maximum(before.low, after.shown_low), before.low)
    high = np.where(ranged, np.minimum(before.high, after.shown_high), before.high)
    return not _too_narrow(before, low, high).any()


def _hold_values(m: PublishIntervals, before: Pattern, after: Pattern) -> bool:
    del m
    value, ranged = before.table.value, after.status == Status.RANGE
    if after.shown_low is None or after.shown_high is None:
        return not ranged.any()
    near = CLOSE * sizes(value)
    holds = (after.shown_low <= value + near) & (value - near <= after.shown_high)
    return bool(np.all(holds[ranged])) and np.array_equal(before.suppressed, after.suppressed | ranged)


@table_method(
    "table.publish-intervals",
    title=Text("Intervals in place of suppressions", "Intervalle statt Sperrungen"),
    does=Text(
        "Suppressed cells are shown as the interval that anybody could compute for them from the published sums.",
        "Gesperrte Zellen sind als das Intervall gezeigt, das jeder aus den veröffentlichten Summen für sie errechnen könnte.",
    ),
    sources=(
        Source("wettig2002", "2.2.3 value ranges; publishing them lowers the loss, L1533"),
        Source("hundepool2012", "ch. 4, feasibility intervals"),
    ),
    preserves=(
        Claim(
            Text(
                "every interval holds the true value, and no open cell is touched",
                "jedes Intervall enthält den wahren Wert, keine offene Zelle ist berührt",
            ),
            _hold_values,
        ),
    ),
    protects=(
        Claim(
            Text(
                "every interval is what an attacker computes without it: nothing more is given away",
                "jedes Intervall ist das, was ein Angreifer ohne es errechnet: mehr wird nicht preisgegeben",
            ),
            _nothing_new,
        ),
        Claim(
            Text(
                "every marked cell keeps the interval it requires, also for attackers with the stated prior knowledge",
                "jede markierte Zelle behält das verlangte Intervall, auch für Angreifer mit dem angegebenen Vorwissen",
            ),
            _marked_keep_theirs,
        ),
    ),
    does_not=(
        Text(
            "choose what is suppressed: it comes after a method that does",
            "wählen, was gesperrt wird: es folgt auf ein Verfahren, das dies tut",
        ),
        Text(
            "show intervals that have no end: such cells stay suppressed",
            "Intervalle ohne Ende zeigen: solche Zellen bleiben gesperrt",
        ),
        Text(
            "reckon with several contributors who act together: audit the suppressions with risk.table-audit for that",
            "mit mehreren Beteiligten rechnen, die gemeinsam handeln: dafür die Sperrungen mit risk.table-audit prüfen",
        ),
    ),
    example={"insiders": "contributors"},
)
class PublishIntervals(TableMethod):
    """Show every suppressed cell as the interval that all published sums leave for it.

    Use it after a method that suppresses: readers see how large a cell is roughly, and nobody learns more than he could work out
    himself. The intervals are exact (two linear programs per cell at most), in whole numbers where the table has only such. They
    use nothing but published cells, sums and, where no value is negative, that fact; bounds that the office assumes an attacker to know
    never enter them. Because anybody can compute them, they give nothing away to contributors either; but a table whose
    suppressions do not protect, against outsiders or against a single contributor, is refused.
    """

    insiders: Literal["owners", "contributors", "none"] = "owners"
    """Who may also attack from inside; owners where the table has them. | Wer auch von innen angreift; Eigentümer, wo bekannt."""

    @property
    def needs_marks(self) -> bool:
        return True

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        del stream
        table = pattern.table
        other = ~np.isin(pattern.status, (Status.OPEN, Status.PRIMARY, Status.SECONDARY))
        if other.any():
            raise AlreadyProtected(who=self.id, name=table.name, count=int(other.sum()))
        hidden = pattern.suppressed
        low, high = _exact(pattern, hidden, *_known_to_all(pattern))
        self._refuse(pattern, low, high)
        ranged = hidden & np.isfinite(low) & np.isfinite(high)
        low, high = (np.where(ranged, end, table.value) + 0.0 for end in (low, high))
        for end in (low, high):
            end.flags.writeable = False
        status = np.where(ranged, np.uint8(Status.RANGE), pattern.status)
        return replace(pattern, status=status, shown_low=low, shown_high=high)

    def _refuse(self, pattern: Pattern, low: Floats, high: Floats) -> None:
        """Nothing is shown of a table whose suppressions do not hold within these ranges and what an attacker knows beforehand."""
        narrow = _too_narrow(pattern, np.maximum(pattern.low, low), np.minimum(pattern.high, high))
        narrow |= (pattern.mark == Mark.SUPPRESS) & ~pattern.suppressed
        if not narrow.any():
            narrow |= _breached(pattern, pattern.low, pattern.high, self.insiders)
        if narrow.any():
            names = listed([pattern.table.spelt(int(i)) for i in np.flatnonzero(narrow)[:13]])
            best = _BEST.filled(count=int(narrow.sum()), names=names)
            raise Unattainable(who=self.id, goal=_GOAL, best=best, hint=_HINT)


_GOAL = Text("suppressions that protect every marked cell", "Sperrungen, die jede markierte Zelle schützen")
_BEST = Text(
    "{count} cells can be computed too closely: {names}", "{count} Zellen sind zu eng bestimmbar: {names}"
)
_HINT = Text(
    "Protect the table first, for example with table.quader.",
    "Schützen Sie die Tabelle zuerst, zum Beispiel mit table.quader.",
)
