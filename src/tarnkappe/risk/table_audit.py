"""The audit of a protected table: can an attacker work out too much from what is published?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tarnkappe.attack.attacker import RELAXED, Attacker, told
from tarnkappe.attack.circles import circles_of
from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.cuboids import with_cuboids
from tarnkappe.attack.hidden import Hidden, hidden
from tarnkappe.attack.insiders import Breach, breaches, owed_of
from tarnkappe.attack.intervals import CLOSE, Asked, Intervals, intervals
from tarnkappe.attack.rounded import Originals, unsafe
from tarnkappe.attack.shares import named, shares_of
from tarnkappe.attack.tree import published
from tarnkappe.attack.union import Unions, named_sums, union_test
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import Relations, relations_of
from tarnkappe.data.table import Contributions, Table
from tarnkappe.language import Text
from tarnkappe.risk.audit_details import counted, inside, leaks
from tarnkappe.solve.highs import Highs
from tarnkappe.spec import Finding, Goal, Source, TableMeasure, table_measure


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What the audit found, cell by cell."""

    intervals: Intervals
    disclosed: Bools
    """Cells an attacker knows exactly."""
    narrow: Bools
    """Primary cells whose interval is narrower than required."""
    breaches: tuple[Breach, ...]
    """Looked for only when the table holds against outsiders."""
    unions: Unions
    """Sums of suppressed cells that the rules of the table do not allow to be known."""

    @property
    def holds(self) -> bool:
        return not (self.narrow.any() or self.breaches or len(self.unions))


@table_measure(
    "risk.table-audit",
    title=Text("Audit of the table", "Prüfung der Tabelle"),
    does=Text(
        "The attacker's interval of every suppressed cell was computed from all published sums.",
        "Aus allen veröffentlichten Summen wurde für jede gesperrte Zelle das Intervall eines Angreifers berechnet.",
    ),
    sources=(
        Source("wettig2002", "2.2.3 value ranges; 3.2 CONFID, routine BOUND"),
        Source("hundepool2012", "ch. 4, auditing"),
    ),
    reads=Text(
        "{value} (1: the table holds, 0: it does not)", "{value} (1: die Tabelle hält, 0: sie hält nicht)"
    ),
    knows=Text(
        "all published cells, that the sums are right, and bounds for every cell (by default: not negative); insiders "
        "also know the cells to which they alone contribute, those of a coalition the cells to which nobody else does, and the sum of "
        "the suppressed parts of a published total, from which they may learn no more of each other than the rules allow",
        "alle veröffentlichten Zellen, dass die Summen stimmen, und Grenzen für jede Zelle (sonst: nicht negativ); "
        "Beteiligte kennen außerdem die Zellen, zu denen sie allein beitragen, gemeinsam Handelnde die, zu denen sonst niemand beiträgt, "
        "und die Summe der gesperrten Teile einer veröffentlichten Summe, aus der sie übereinander nicht mehr erfahren dürfen, als die "
        "Regeln erlauben",
    ),
    does_not=(
        Text(
            "cover tables that are published elsewhere and share cells with this one, unless they are audited together",
            "anderswo veröffentlichte Tabellen mit gemeinsamen Zellen erfassen, außer bei gemeinsamer Prüfung",
        ),
        Text(
            "use knowledge of the suppression method itself",
            "Wissen über das Sperrverfahren selbst nutzen",
        ),
        Text(
            "demand room on both sides of a rounded or perturbed cell: its interval must be wide enough, and the true value may lie at an end of it",
            "bei gerundeten und überlagerten Zellen, deren Intervall breit genug sein muss und an dessen Ende der wahre Wert liegen kann, "
            "Spielraum nach beiden Seiten verlangen",
        ),
    ),
    goal=Goal.HIGH,
    bounds=(0, 1),
    example={"prior": 50, "insiders": "none", "coalition": 2, "exact": True},
    revision=3,
)
class TableAudit(TableMeasure):
    """Audit a table with suppressed cells, ours or another program's.

    Plain subtraction comes first, then feasible deviations on small neighbourhoods (in large tables cuboids of suppressed cells, each
    checked against all sums), then linear programs over whole connected components. The result is exact where it matters: a cell counts as protected only when its required interval is proven.
    Required is how far the interval of a cell must reach below and above its value, and how wide it must be wherever it lies.
    Counts are whole numbers: only movements by whole numbers prove an interval, and bounds are rounded inwards. Cells shown as ranges
    are known within their range, rounded and perturbed ones within what their method tells of the original; of these the
    interval must be as wide as the required protections below and above together, wherever it lies.

    The suppressed parts of a published total are known in sum. So this sum, with its contributions merged, must pass the rules that have
    marked cells of the table (Wettig 2002, 2.2.1); without insiders it need not.
    """

    prior: Annotated[float, Field(gt=0)] | None = None
    """The attacker knows every cell up to so many percent. | Der Angreifer kennt jede Zelle auf so viel Prozent genau."""
    insiders: Literal["owners", "contributors", "none"] = "owners"
    """Who also attacks from inside; owners where the table has them. | Wer auch von innen angreift; Eigentümer, wo bekannt."""
    coalition: Annotated[int, Field(ge=1, le=3)] = 1
    """So many insiders act together. | So viele Beteiligte handeln gemeinsam."""
    exact: bool | None = None
    """Tell every interval to its end; by default where at most 500 cells are hidden. | Jedes Intervall bis zu seinem Ende angeben; sonst bei bis zu 500 verborgenen Zellen."""

    def attacker(self) -> Attacker:
        return Attacker(self.prior, self.insiders, self.coalition, self.exact)

    def measure(self, pattern: Pattern) -> Finding:
        found = self.audit(pattern)
        unsure = found.holds and _unsure(pattern, found.intervals)
        told = self._told(pattern, found.intervals)
        details = dict(self._details(pattern, found))
        return Finding(
            float(found.holds),
            trusted=not unsure,
            because=RELAXED if unsure else _because(found, details["insiders"]),
            details=details,
            per_cell={
                "low": told.low,
                "high": told.high,
                "exact": told.exact,
                "leaks": found.narrow | found.disclosed,
            },
        )

    def _told(self, pattern: Pattern, proven: Intervals) -> Intervals:
        """The intervals that are told: an outsider's, to their ends or else as far as they were proven."""
        if proven.exact.all() or not self.attacker().to_the_end(int(pattern.hidden.sum())):
            return proven
        return self._attacked(pattern, exact=True)

    def intervals(self, pattern: Pattern) -> tuple[Floats, Floats]:
        found = self._attacked(pattern, exact=True)
        return found.low, found.high

    def audit(self, pattern: Pattern, *, exact: bool = False) -> Audit:
        """The audit cell by cell; with `exact` every interval to its end, not only as far as required."""
        relations, value = relations_of(pattern.table), pattern.table.value
        low, high = self._bounds(pattern)
        changed = _changed(pattern)
        down, up, span = (np.where(changed, 0.0, n) for n in (pattern.lower, pattern.upper, pattern.span))
        found = self._attacked(pattern, exact=exact)
        slack = CLOSE * sizes(value)
        narrow = (value - found.low < down - slack) | (found.high - value < up - slack)
        narrow |= found.high - found.low < span - slack
        disclosed = pattern.hidden & found.exact & (found.high - found.low <= slack)
        narrow = pattern.needs & ~changed & (narrow | disclosed)
        if changed.any():
            narrow |= unsafe(pattern, Originals(low, high), changed & _marked(pattern))
        found_inside = () if narrow.any() else tuple(self._inside(pattern, relations, low, high))
        return Audit(found, disclosed, narrow, found_inside, self._unions(pattern, relations, disclosed))

    def _attacked(self, pattern: Pattern, *, exact: bool) -> Intervals:
        """An outsider's intervals, as far as required or to their ends."""
        table, (low, high) = pattern.table, self._bounds(pattern)
        far = np.where(pattern.hidden, np.inf, 0.0)
        sides = (np.maximum(need, pattern.span) for need in (pattern.lower, pattern.upper))
        needs = (np.where(_changed(pattern), 0.0, need) for need in sides)
        asked = Asked(*((far, far) if exact else needs), whole=table.counts)
        asked = with_cuboids(asked, table, pattern.hidden, low, high)
        found = intervals(relations_of(table), table.value, pattern.hidden, low, high, asked)
        return _whole(found) if table.counts else found

    def _unions(self, pattern: Pattern, relations: Relations, disclosed: Bools) -> Unions:
        """What rules say of the sums of suppressed cells; who attacks from inside subtracts his own contribution from them."""
        judges = () if self.insiders == "none" else pattern.judges
        shown = replace(pattern, status=np.where(disclosed, np.uint8(Status.OPEN), pattern.status))
        return union_test(shown, relations, judges)

    def _details(self, pattern: Pattern, found: Audit) -> Iterator[tuple[str, Any]]:
        yield from counted(pattern, found.intervals, found.disclosed, found.narrow)
        relations = relations_of(pattern.table)
        system = hidden(relations, pattern.table.value, pattern.hidden, *self._bounds(pattern))
        yield "leaks", leaks(pattern, relations, system, found.intervals, found.narrow)
        yield "breaches", len(found.breaches)
        yield "insiders", self._named(pattern, found)
        yield "unions", named_sums(pattern.table, relations, found.unions)

    def _named(self, pattern: Pattern, found: Audit) -> list[dict[str, Any]]:
        """Cells of which insiders see too much, and who these are."""
        kept = self._kept(pattern.table) if found.breaches else None
        if kept is None:
            return []
        who = circles_of(pattern.table, kept, self.coalition).within(pattern.hidden)
        return inside(pattern, found.breaches, who, lambda breach: self._seen(pattern, breach))

    def _bounds(self, pattern: Pattern) -> tuple[Floats, Floats]:
        low, high = published(pattern)
        if self.prior is None:
            return low, high
        reach = np.abs(pattern.table.value) * self.prior / 100
        return np.maximum(low, pattern.table.value - reach), np.minimum(high, pattern.table.value + reach)

    def _inside(self, pattern: Pattern, relations: Relations, low: Floats, high: Floats) -> Iterator[Breach]:
        kept, table, whole = self._kept(pattern.table), pattern.table, pattern.table.counts
        if kept is None:
            return
        if whole:
            low, high = np.ceil(low - CLOSE), np.floor(high + CLOSE)
        system = hidden(relations, table.value, pattern.hidden, low, high)
        inside = circles_of(table, kept, self.coalition).within(pattern.hidden)
        owed = owed_of(system, pattern.needs, (pattern.lower, pattern.upper), table.value, whole=whole)
        yield from breaches(system, inside, owed, Highs(), shares_of(table, kept))

    def _seen(self, pattern: Pattern, breach: Breach) -> tuple[Relations, Hidden]:
        """The table as some insiders see it: the cells that nobody else fills are known to them."""
        kept, relations = self._kept(pattern.table), relations_of(pattern.table)
        assert kept is not None, "there are insiders"
        circles = circles_of(pattern.table, kept, self.coalition)
        known = circles.known(np.arange(len(pattern.table)), breach.insiders)
        hides = pattern.hidden & ~known
        return relations, hidden(relations, pattern.table.value, hides, *self._bounds(pattern))

    def _kept(self, table: Table) -> Contributions | None:
        """Who contributes, as far as insiders are reckoned with."""
        kept = (table.owners or table.contributions) if self.insiders == "owners" else table.contributions
        return None if self.insiders == "none" or kept is None else named(table, kept)


def _changed(pattern: Pattern) -> Bools:
    return np.isin(pattern.status, (Status.ROUNDED, Status.PERTURBED))


def _whole(found: Intervals) -> Intervals:
    """Whole numbers only: bounds are rounded inwards."""
    low, high = np.ceil(found.low - CLOSE), np.floor(found.high + CLOSE)
    return replace(found, low=low, high=high)


def _because(found: Audit, insiders: list[dict[str, Any]]) -> Text:
    if found.holds:
        return Text(
            "every protected cell has its required interval",
            "jede geschützte Zelle hat ihr verlangtes Intervall",
        )
    return told(int(found.narrow.sum()), len(found.breaches), len(found.unions), insiders)


def _marked(pattern: Pattern) -> Bools:
    """Changed cells that rules mark: their reason is not the last one, which is that of the change; all where no rule was applied."""
    last = len(pattern.reasons) - 1
    return np.asarray(pattern.needs | (pattern.reason < last) | (last < 2))


def _unsure(pattern: Pattern, found: Intervals) -> bool:
    """Does a required interval rest on values that are not whole numbers?"""
    return found.relaxed is not None and bool((found.relaxed & pattern.needs).any())
