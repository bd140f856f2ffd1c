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
from tarnkappe.methods.tables.protection_levels import Suppressing
from tarnkappe.methods.tables.quader_goals import Choices
from tarnkappe.methods.tables.quader_run import Outcome
from tarnkappe.methods.tables.quader_sums import guarded
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Maturity, Source, table_method

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
            "protect against several single respondents who act together",
            "schützt nicht vor mehreren Einzelmeldern, die gemeinsam handeln",
        ),
    ),
    example={
        "levels": "percent", "down_to": 90.0, "up_to": 115.0, "span": 20.0, "range_base": "largest", "cost": "log", "margins": "weight",
        "zeros": "one-parity", "insiders": "contributors", "extend": "always", "max_sweeps": 5,
    },
    maturity=Maturity.REPLICATED,
    revision=4,
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
        del stream
        pattern = self.requires(pattern)
        done = self.run(pattern)
        if self.range_base == "largest":
            span = np.zeros(len(pattern.table))
            span[done.pivot] = done.span
            pattern = replace(
                pattern, span=np.where(pattern.primary, np.maximum(pattern.span, span), pattern.span)
            )
        asked_for = (pattern.mark == Mark.SUPPRESS) & (pattern.status == Status.OPEN)
        return pattern.with_secondary(asked_for, ASKED_FOR).with_secondary(done.hidden, BECAUSE)

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
            ),
        )
