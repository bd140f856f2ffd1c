"""Unbiased random rounding."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.attack.rounded import Originals, before_random, of_parts_only
from tarnkappe.data.column import Bools
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.kernels.rounding import loss, split, unbiased
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
from tarnkappe.methods.tables.drawing import draws
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Holds, Maturity, Source, TableMethod, table_method
from tarnkappe.spec.conditions import unless, where
from tarnkappe.spec.limits import ForAnalysis


def _rounded(m: RoundRandom, before: Pattern) -> Bools:
    """Cells that are multiples of the base themselves; with margins add that is the lowest level."""
    cells = changeable(before, m.id, inner=m.margins == "exact")
    return cells & before.table.inner if m.margins == "add" else cells


def _neighbours(m: RoundRandom, before: Pattern, after: Pattern) -> bool:
    cells = _rounded(m, before)
    if after.shown is None or not np.all(after.status[cells] == Status.ROUNDED):
        return False
    down, r = split(before.table.value, m.base)
    either = (after.shown == down) | ((after.shown == down + m.base) & (r > 0))
    return bool(np.all(either[cells]))


def _others_open(m: RoundRandom, before: Pattern, after: Pattern) -> bool:
    return unchanged_elsewhere(before, after, changeable(before, m.id, inner=m.margins == "exact"))


def _right_on_average(m: RoundRandom, before: Pattern, after: Pattern) -> bool:
    """(b-r)/b · hb + r/b · (h+1)b = N."""
    del after
    down, r = split(before.table.value, m.base)
    mean = (m.base - r) / m.base * down + r / m.base * (down + m.base)
    return bool(np.allclose(mean, before.table.value, rtol=1e-12, atol=1e-9))


def _withstands(m: RoundRandom, before: Pattern, after: Pattern) -> bool:
    return not found_out(before, after, m.originals(after)).any()


@table_method(
    "table.round-random",
    title=Text("Round at random", "Zufälliges Runden"),
    does=Text(
        "Values of the table were rounded at random to one of the two neighbouring multiples of a base, right on average.",
        "Die Werte der Tabelle wurden zufällig auf eines der beiden benachbarten Vielfachen einer Basis gerundet, im Mittel richtig.",
    ),
    sources=(
        Source("wettig2002", "2.3.4, random rounding (L868-895)"),
        Source("hundepool2012", "ch. 5, random rounding"),
    ),
    preserves=(
        Claim(Text("every value on average", "jeden Wert im Mittel"), _right_on_average, Holds.ON_AVERAGE),
        Claim(
            Text(
                "every rounded value to within less than the base; multiples of the base stay",
                "jeden gerundeten Wert auf weniger als eine Basis genau; Vielfache der Basis bleiben",
            ),
            _neighbours,
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
                "an attacker who knows the base and uses all sums keeps an interval at least as wide as required for every marked "
                "cell; without a rule, no rounded cell can be computed exactly",
                "einem Angreifer, der die Basis kennt und alle Summen nutzt, bleibt für jede markierte Zelle ein mindestens so "
                "breites Intervall wie verlangt; ohne Regel ist keine gerundete Zelle genau bestimmbar",
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
            "hide empty cells, nor make all values of the interval equally likely",
            "leere Zellen verbergen oder alle Werte des Intervalls gleich wahrscheinlich machen",
        ),
        Text(
            "withstand averaging when lasting is off and a cell is published more than once",
            "ohne lasting der Mittelung standhalten, wenn eine Zelle mehrmals veröffentlicht wird",
        ),
        Text(
            "withstand somebody who knows every change of a cell over many editions: each edition in which its records are others is a draw of its own",
            "jemandem standhalten, der über viele Ausgaben jede Änderung einer Zelle kennt: Jede Ausgabe, in der ihre Datensätze andere sind, ist eine "
            "eigene Ziehung",
        ),
        Text(
            "recognise a cell of a file of cells again whose dimension or code is called otherwise in another table",
            "eine Zelle einer Datei von Zellen wiedererkennen, deren Dimension oder Code in einer anderen Tabelle anders heißt",
        ),
    ),
    example={"base": 10, "margins": "add", "lasting": False, "series": "persons"},
    maturity=Maturity.REPLICATED,
    random=True,
    revision=2,
)
class RoundRandom(TableMethod):
    """Round every cell up or down at random, so that it is right on average.

    With N = h·b + r, 0 ≤ r < b, a cell becomes (h+1)·b with probability r/b and h·b otherwise; multiples of the base stay. That
    holds for negative and for broken values too. By default (`lasting`) chance is fixed by the secret and the records in the
    cell: the same cell gets the same rounding in every table and every run, so that nobody can average it out of repeated
    publications; and a cell whose records have changed is drawn anew, so that the difference of two editions is not the change. In files of cells, where
    records are not known, the codes and the value of a cell stand for them. The result is attacked like that of
    conventional rounding and refused when it leaves too little room. The reason of the cells tells the information loss Σ|N - N′|.
    """

    base: Annotated[int, Field(ge=2)] = 5
    """Results are multiples of this number. | Ergebnisse sind Vielfache dieser Zahl."""
    margins: Literal["round", "exact", "add"] = "round"
    """round: sums are rounded too, each for itself; exact: they stay, except those with a single part; add: they are added up from
    what is shown, so that the table stays additive. | round: auch Summen werden gerundet, jede für sich; exact: sie bleiben, außer mit
    nur einem Teil; add: sie werden aus dem Gezeigten gebildet, sodass die Tabelle additiv bleibt."""
    lasting: bool = True
    """A cell with the same records is rounded alike in every table and run with this secret. | Eine Zelle mit denselben Datensätzen wird in
    jeder Tabelle und jedem Lauf mit diesem Geheimnis gleich gerundet."""
    series: str = ""
    """What is measured: tables with the same word draw alike, others apart. | Was gemessen wird: Tabellen mit demselben Wort ziehen
    gleich, andere getrennt."""

    def originals(self, after: Pattern) -> Originals:
        """The originals that an attacker thinks possible, cell by cell."""
        found = before_random(after, self.base)
        return of_parts_only(found, after.table) if self.margins == "add" else found

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        table = pattern.table
        cells = changeable(pattern, self.id, inner=self.margins == "exact")
        u = draws(table, stream, self.id, lasting=self.lasting, series=self.series)
        shown = np.where(cells, unbiased(table.value, self.base, u), table.value)
        if self.margins == "add":
            shown = np.where(cells, added_up(table, shown), table.value)
        because = Text(
            "rounded at random to a multiple of {base}; information loss {lost}",
            "zufällig auf ein Vielfaches von {base} gerundet; Informationsverlust {lost}",
        ).filled(base=self.base, lost=told(loss(table.value, shown)))
        after = changed(pattern, cells, shown, Status.ROUNDED, because)
        return refuse_found_out(self.id, pattern, after, self.originals(after))
