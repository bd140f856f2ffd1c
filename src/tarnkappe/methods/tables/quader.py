"""The Quader (hypercube) method of secondary suppression."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.cuboids import with_cuboids
from tarnkappe.attack.intervals import CLOSE, Asked, intervals
from tarnkappe.data.column import Bools
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.language import Text
from tarnkappe.methods.tables.drawing import draws
from tarnkappe.methods.tables.protection_levels import Suppressing
from tarnkappe.methods.tables.quader_goals import Choices
from tarnkappe.methods.tables.quader_run import Outcome
from tarnkappe.methods.tables.quader_sums import guarded
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Maturity, Source, table_method

SMALL = 200
"""Cells of a table for which every table that fits could be written out, or parts of it."""
SPREAD = 0.6
"""Logarithm of the largest factor that is drawn: it costs 1 to 3 % more cells."""
BECAUSE = Text(
    "suppressed so that others cannot be worked out", "gesperrt, damit andere nicht errechnet werden können"
)
ASKED_FOR = Text("suppressed because the office asks for it", "auf Wunsch der Stelle gesperrt")


class Loss(NamedTuple):
    """What suppression costs on one level: how many dimensions of a cell are totals."""

    level: int
    cells: int
    suppressed: int
    value: float
    """Sum of the sizes of the suppressed cells."""
    respondents: int
    log: float


def losses(pattern: Pattern) -> tuple[Loss, ...]:
    """The information loss by all measures, split by level (Wettig 2002, L549-557)."""
    table, hidden, level = pattern.table, pattern.suppressed, pattern.table.aggregation()
    size = np.abs(table.value)
    count = np.zeros(len(table), np.int64) if table.contributions is None else table.contributions.count
    out = []
    for at in range(len(table.dimensions) + 1):
        gone = hidden & (level == at)
        out.append(
            Loss(at, int((level == at).sum()), int(gone.sum()), float(size[gone].sum()), int(count[gone].sum()),
                 float(np.log1p(size[gone]).sum()))
        )  # fmt: skip
    return tuple(out)


def _kept_open(m: Quader, before: Pattern, after: Pattern) -> bool:
    """No cell that must stay open is suppressed, nothing that was suppressed is shown, no value is changed."""
    del m
    shown_again = before.suppressed & ~after.suppressed
    return (
        not (after.suppressed & before.forced_open).any()
        and not shown_again.any()
        and after.shown is before.shown
    )


def _intervals_hold(m: Quader, before: Pattern, after: Pattern) -> bool:
    """The attacker's interval of every primary cell reaches as far as required."""
    del m, before
    value = after.table.value
    asked = Asked(
        *(np.where(after.primary, np.maximum(n, after.span), 0.0) for n in (after.lower, after.upper))
    )
    asked = with_cuboids(asked, after.table, after.suppressed, after.low, after.high)
    found = intervals(relations_of(after.table), value, after.suppressed, after.low, after.high, asked)
    slack = CLOSE * sizes(value)
    narrow = (value - found.low < after.lower - slack) | (found.high - value < after.upper - slack)
    narrow |= found.high - found.low < after.span - slack
    return not narrow[after.primary].any()


@table_method(
    "table.quader",
    title=Text("Quader method", "Quaderverfahren"),
    does=Text(
        "Further cells were suppressed so that no suppressed value can be worked out from sums too closely.",
        "Weitere Zellen wurden gesperrt, damit sich kein gesperrter Wert aus Summen zu genau errechnen lässt.",
    ),
    sources=(
        Source("wettig2002", "ch. 4, Quaderverfahren (L1003-1297)"),
        Source("hundepool2012", "ch. 4, hypercube method (GHMITER)"),
    ),
    preserves=(
        Claim(
            Text(
                "every published cell shows its true value, and cells that must stay open do",
                "jede veröffentlichte Zelle zeigt ihren wahren Wert, und offen zu haltende Zellen bleiben offen",
            ),
            _kept_open,
        ),
    ),
    protects=(
        Claim(
            Text(
                "from all sums of the whole table together no primary cell can be worked out more closely than its "
                "rule allows",
                "aus allen Summen der ganzen Tabelle zusammen lässt sich keine Primärzelle genauer errechnen, als ihre "
                "Regel erlaubt",
            ),
            _intervals_hold,
        ),
    ),
    does_not=(
        Text(
            "protect against tables that share cells with this one and are published apart",
            "schützt nicht gegen getrennt veröffentlichte Tabellen mit gemeinsamen Zellen",
        ),
        Text(
            "find the least loss: it is a heuristic, good and fast",
            "findet nicht den kleinsten Verlust: es ist ein Näherungsverfahren, gut und schnell",
        ),
        Text(
            "hide all that the program itself tells: in 3 × 3 tables of counts somebody who ran it on every table that fits found 11 of 119 "
            "primary cells beyond those that sums give where the values decide, and 2 of 99 where costs are drawn from the secret; without a "
            "secret in the plan, and in larger tables, the values decide",
            "verbirgt nicht alles, was das Programm selbst verrät: in 3 × 3-Tabellen von Anzahlen fand, wer es auf alle passenden Tabellen "
            "anwandte, 11 von 119 Primärzellen über das hinaus, was Summen zeigen, wo die Werte entscheiden, und 2 von 99, wo Kosten aus dem "
            "Geheimnis gezogen sind; ohne Geheimnis im Plan und in größeren Tabellen entscheiden die Werte",
        ),
        Text(
            "reckon with it that nobody hides a zero: with zeros not-usable a suppressed count is at least 1, and whoever knows that finds "
            "some cells of small tables from the sums alone",
            "rechnet nicht damit, dass keine Null gesperrt wird: mit zeros: not-usable ist eine gesperrte Anzahl mindestens 1, und wer das "
            "weiß, findet in kleinen Tabellen manche Zellen schon aus den Summen",
        ),
        Text(
            "protect against several single respondents who act together",
            "schützt nicht vor mehreren Einzelmeldern, die gemeinsam handeln",
        ),
    ),
    example={
        "levels": "percent", "down_to": 90.0, "up_to": 115.0, "span": 20.0, "range_base": "largest", "two_sided": False, "cost": "log",
        "margins": "weight",
        "zeros": "one-parity", "insiders": "contributors", "extend": "always", "draw": "widely", "max_sweeps": 5,
    },
    maturity=Maturity.REPLICATED,
    random=True,
    revision=5,
)  # fmt: skip
class Quader(Suppressing):
    """Suppress, for every cell that needs protection, the other corners of a cuboid of cells.

    The corners of a cuboid can move together, every second one up and the others down, without changing any sum. So nobody can
    tell where they stand, as far as the smallest corner allows. For each primary cell the cheapest cuboid is taken whose corners
    can move as far as the cell's protection asks; cells already suppressed cost nothing.

    In a table with subtotals a cuboid must keep the sums of all levels: its edges are paths through the tree, down to the lowest
    level and, where nothing cheaper exists, up to the total. Where no single cuboid is enough, a linear program finds the
    cheapest combination. Superfluous suppressions are taken back at the end. The result is proven over the whole table; if the
    protection cannot be reached, the table is refused.

    A single respondent knows his own cell. Each primary cell therefore has a cuboid without single-respondent cells of others, or two
    cuboids that share none. Whoever contributes to a cell knows his own share in it: below the cell he is owed no more than the rest.

    The suppressed parts of a published total are known in sum. Where a rule of the table would not let that sum be known, one more part
    is suppressed and protected, the cheapest that helps; this too is left out without insiders.
    """

    cost: Literal["value", "count", "log", "digits", "constant", "weight", "lexicographic"] = "value"
    """What a suppression costs: value, respondents, logarithm of the value, its number of digits, 1, the costs of the cells, or
    first the number of cells and then the value. | Was eine Sperrung kostet: Wert, Befragte, Logarithmus des Werts, dessen
    Stellenzahl, 1, die Kosten der Zellen, oder erst die Zahl der Zellen und dann der Wert."""
    margins: Literal["avoid", "weight", "ignore"] = "ignore"
    """Totals: suppress as few as possible, make them dearer by their level, or treat them like other cells. | Summen: so wenige wie
    möglich sperren, nach Ebene verteuern oder wie andere Zellen behandeln."""
    zeros: Literal["not-usable", "one-parity", "free"] = "not-usable"
    """May zeros be suppressed: no; where an interval is left; like other cells. | Dürfen Nullen gesperrt werden: nein; wo ein
    Intervall bleibt; wie andere Zellen."""
    insiders: Literal["owners", "contributors", "none"] = "owners"
    """Whose knowledge of the cells they alone contribute to is reckoned with; owners where the table has them. | Wessen Wissen über allein
    gemeldete Zellen berücksichtigt wird; Eigentümer, wo bekannt."""
    extend: Literal["second-stage", "always", "off"] = "second-stage"
    """Cuboids over several levels: where the lowest level has none, always, or only to repair what sweeps over the subtables leave
    open. | Quader über mehrere Ebenen: wo die unterste keinen hat, immer, oder nur zur Nachbesserung nach dem Durchlaufen der
    Untertabellen."""
    draw: Literal["costs", "widely", "nothing"] = "costs"
    """costs: in tables of up to 200 cells what a suppression costs is multiplied by a factor from 0.55 to 1.8 that is drawn from the secret for
    every cell; widely: from 0.3 to 3.3, in tables of every size; nothing: the values decide. Drawn is only where the plan names a secret: else
    every run would suppress other cells. | costs: In Tabellen bis 200 Zellen wird, was eine Sperrung kostet, mit einem Faktor von 0,55 bis 1,8
    multipliziert, der je Zelle aus dem Geheimnis gezogen wird; widely: von 0,3 bis 3,3, in Tabellen jeder Größe; nothing: Die Werte entscheiden.
    Gezogen wird nur, wo der Plan ein Geheimnis nennt: sonst sperrte jeder Lauf andere Zellen."""
    max_sweeps: Annotated[int, Field(ge=1, le=1000)] = 100
    """With extend off: so often the subtables are gone through at most; what is then open is repaired over the whole table. | Mit extend
    off: so oft werden die Untertabellen höchstens durchlaufen; was dann offen ist, wird über die ganze Tabelle nachgebessert."""

    def may_hide(self, pattern: Pattern) -> Bools:
        """As its policy for zeros says; what everybody knows cannot be hidden."""
        usable = ~pattern.forced_open & (pattern.high > pattern.low)
        return usable if self.zeros != "not-usable" else usable & (pattern.table.value != 0)

    @property
    def needs_marks(self) -> bool:
        return True

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        pattern = self.requires(pattern)
        done = self.run(self._priced(pattern, stream))
        if self.range_base == "largest":
            span = np.zeros(len(pattern.table))
            span[done.pivot] = done.span
            pattern = replace(
                pattern, span=np.where(pattern.primary, np.maximum(pattern.span, span), pattern.span)
            )
        asked_for = (pattern.mark == Mark.SUPPRESS) & (pattern.status == Status.OPEN)
        return pattern.with_secondary(asked_for, ASKED_FOR).with_secondary(done.hidden, BECAUSE)

    def _priced(self, pattern: Pattern, stream: Stream) -> Pattern:
        """With costs that nobody knows who does not have the secret; the same cell costs the same in every run and every table."""
        table, wide = pattern.table, self.draw == "widely"
        drawn = wide or (self.draw == "costs" and len(table) <= SMALL)
        if not (drawn and stream and stream.kept):
            return pattern
        place = 2.0 * draws(table, stream, "costs of suppressions", lasting=True) - 1.0
        factor = np.exp(SPREAD * (2.0 if wide else 1.0) * place)
        return replace(pattern, again=factor if pattern.again is None else factor * pattern.again)

    def run(self, pattern: Pattern) -> Outcome:
        """Protect, and tell how: the proven intervals, sweeps, repairs, releases."""
        return guarded(
            self.requires(pattern),
            Choices(
                self.id,
                self.cost,
                self.margins,
                self.zeros,
                self.insiders,
                self.extend,
                self.max_sweeps,
                self.share if self.range_base == "largest" else 0.0,
                self.two_sided,
            ),
        )
