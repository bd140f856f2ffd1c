"""Conventional rounding."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.attack.rounded import Originals, before_nearest, of_parts_only
from tarnkappe.data.column import Bools
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.kernels.rounding import loss, nearest
from tarnkappe.language import Text
from tarnkappe.methods.tables.changed import (
    added_up,
    adds_up,
    changeable,
    changed,
    found_out,
    refuse_found_out,
    told,
    unchanged_elsewhere,
)
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Maturity, Source, TableMethod, table_method
from tarnkappe.spec.conditions import unless, where
from tarnkappe.spec.limits import ForAnalysis


def _rounded(m: RoundConventional, before: Pattern) -> Bools:
    """Cells that are multiples of the base themselves; with margins add that is the lowest level."""
    cells = changeable(before, m.id, inner=m.margins == "exact")
    return cells & before.table.inner if m.margins == "add" else cells


def _near(m: RoundConventional, before: Pattern, after: Pattern) -> bool:
    cells = _rounded(m, before)
    if after.shown is None:
        return False
    return bool(np.all(np.abs(after.shown - before.table.value)[cells] <= m.base / 2 + 1e-9))


def _multiples(m: RoundConventional, before: Pattern, after: Pattern) -> bool:
    cells = _rounded(m, before)
    return after.shown is not None and bool(
        np.all(after.status[cells] == Status.ROUNDED) and np.all(np.mod(after.shown[cells], m.base) == 0)
    )


def _others_open(m: RoundConventional, before: Pattern, after: Pattern) -> bool:
    return unchanged_elsewhere(before, after, changeable(before, m.id, inner=m.margins == "exact"))


def _withstands(m: RoundConventional, before: Pattern, after: Pattern) -> bool:
    return not found_out(before, after, m.originals(after)).any()


@table_method(
    "table.round-conventional",
    title=Text("Round to the nearest multiple", "Runden auf das nächste Vielfache"),
    does=Text(
        "Values of the table were rounded to the nearest multiple of a base.",
        "Die Werte der Tabelle wurden auf das nächste Vielfache einer Basis gerundet.",
    ),
    sources=(
        Source("wettig2002", "2.3.4, conventional rounding (L806-866)"),
        Source("hundepool2012", "ch. 5, conventional rounding"),
    ),
    preserves=(
        Claim(
            Text(
                "every rounded value to within half the base",
                "jeden gerundeten Wert auf eine halbe Basis genau",
            ),
            _near,
        ),
        Claim(
            Text(
                "the table adds up, except around sums that must stay open",
                "die Tabelle geht auf, außer um Summen, die offen bleiben müssen",
            ),
            adds_up,
            when=where("margins", "add"),
        ),
        Claim(
            Text(
                "sums of several cells, and cells that must stay open, exactly",
                "Summen mehrerer Zellen und Zellen, die offen bleiben müssen, genau",
            ),
            _others_open,
            when=where("margins", "exact"),
        ),
    ),
    protects=(
        Claim(
            Text(
                "rounded cells are multiples of the base, with margins add those of the lowest level",
                "gerundete Zellen sind Vielfache der Basis, mit margins add die der untersten Ebene",
            ),
            _multiples,
        ),
        Claim(
            Text(
                "an attacker who uses the rounding rule and all sums keeps an interval at least as wide as required for every marked "
                "cell; without a rule, no rounded cell can be computed exactly",
                "einem Angreifer, der Rundungsregel und alle Summen nutzt, bleibt für jede markierte Zelle ein mindestens so breites "
                "Intervall wie verlangt; ohne Regel ist keine gerundete Zelle genau bestimmbar",
            ),
            _withstands,
        ),
    ),
    does_not=(
        Text(
            "reckon with contributors who know what they contribute themselves",
            "mit Beteiligten rechnen, die ihren eigenen Beitrag kennen",
        ),
        ForAnalysis("keep the table additive", "die Tabelle additiv lassen", unless("margins", "add")),
        ForAnalysis(
            "keep sums as near as cells: errors add up",
            "Summen so genau lassen wie Zellen: Fehler summieren sich",
            where("margins", "add"),
        ),
        Text(
            "keep the interval in the middle of the true value: required is its width",
            "das Intervall mittig um den wahren Wert legen: verlangt ist seine Breite",
        ),
        Text(
            "hide cells that the table does not have: they are known to be empty",
            "Zellen verbergen, die die Tabelle nicht hat: sie sind als leer bekannt",
        ),
        Text(
            "hold when the same cells are published elsewhere exactly or with another base",
            "halten, wenn dieselben Zellen anderswo genau oder mit anderer Basis veröffentlicht werden",
        ),
        Text(
            "prove whole-number solutions in three or more dimensions: the audit is one of linear programs",
            "in drei und mehr Dimensionen ganzzahlige Lösungen beweisen: geprüft wird mit linearen Programmen",
        ),
    ),
    example={"base": 10, "margins": "add"},
    maturity=Maturity.REPLICATED,
)
class RoundConventional(TableMethod):
    """Round every cell to the nearest multiple of a base.

    With N = h·b + r, 0 ≤ r < b, a remainder below b/2 goes down and all others up: half goes up, also for negative values (-2.5 at
    base 5 becomes 0). Values need not be whole. Simple and precise, but sums no longer add up, and where margins are
    published exactly rounded zeros can be unmasked. So the result is attacked: every table that fits the rounded values, the
    exact ones and the sums is possible for an attacker, and the rounding is refused when that leaves too little room.
    The reason of the cells tells the information loss L = Σ|N - N′|.
    """

    base: Annotated[int, Field(ge=2)] = 5
    """Results are multiples of this number. | Ergebnisse sind Vielfache dieser Zahl."""
    margins: Literal["round", "exact", "add"] = "round"
    """round: sums are rounded too, each for itself; exact: they stay, except those with a single part; add: they are added up from
    what is shown, so that the table stays additive. | round: auch Summen werden gerundet, jede für sich; exact: sie bleiben, außer mit
    nur einem Teil; add: sie werden aus dem Gezeigten gebildet, sodass die Tabelle additiv bleibt."""

    def originals(self, after: Pattern) -> Originals:
        """The originals that an attacker thinks possible, cell by cell."""
        found = before_nearest(after, self.base)
        return of_parts_only(found, after.table) if self.margins == "add" else found

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        del stream
        value = pattern.table.value
        cells = changeable(pattern, self.id, inner=self.margins == "exact")
        shown = np.where(cells, nearest(value, self.base), value)
        if self.margins == "add":
            shown = np.where(cells, added_up(pattern.table, shown), value)
        because = Text(
            "rounded to the nearest multiple of {base}; information loss {lost}",
            "auf das nächste Vielfache von {base} gerundet; Informationsverlust {lost}",
        ).filled(base=self.base, lost=told(loss(value, shown)))
        after = changed(pattern, cells, shown, Status.ROUNDED, because)
        return refuse_found_out(self.id, pattern, after, self.originals(after))
