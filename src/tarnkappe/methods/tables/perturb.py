"""Random perturbation with a given distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.attack.rounded import Originals, before_noise
from tarnkappe.data.column import Floats
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import Table
from tarnkappe.kernels.rounding import drawn, limited, loss, netted_loss
from tarnkappe.language import Text
from tarnkappe.methods.tables.changed import (
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
from tarnkappe.spec.conditions import where
from tarnkappe.spec.limits import ForAnalysis

Noise = Annotated[Mapping[int, Annotated[int, Field(ge=1, le=10**6)]], Field(min_length=2, max_length=10_001)]
"""Offset -> so many parts of the whole."""


def _as_distributed(m: Perturb, before: Pattern, after: Pattern) -> bool:
    """Every change is one of the offsets, or what cutting off at 0 leaves of it."""
    cells = changeable(before, m.id, inner=m.scope == "inner")
    if after.shown is None or not np.all(after.status[cells] == Status.PERTURBED):
        return False
    change = (after.shown - before.table.value)[cells]
    near = (change > min(m.noise) - 1e-6) & (change < max(m.noise) + 1e-6)
    cut = (after.shown[cells] == 0) & (m.clip == "zero")
    return bool(np.all(near & (cut | (np.abs(change - np.rint(change)) < 1e-6))))


def _others_open(m: Perturb, before: Pattern, after: Pattern) -> bool:
    return unchanged_elsewhere(before, after, changeable(before, m.id, inner=m.scope == "inner"))


def _right_on_average(m: Perturb, before: Pattern, after: Pattern) -> bool:
    """Σ e·P(e) over the offsets that any value allows is 0."""
    del before, after
    reach = sorted({abs(e) for e in m.noise})
    return all(sum(e * parts for e, parts in m.noise.items() if abs(e) <= most) == 0 for most in reach)


def _not_negative(m: Perturb, before: Pattern, after: Pattern) -> bool:
    del m
    signed = bool((before.table.value < 0).any())
    return signed or (after.shown is not None and bool(np.all(after.shown >= 0)))


def _withstands(m: Perturb, before: Pattern, after: Pattern) -> bool:
    return not found_out(before, after, m.originals(after)).any()


@table_method(
    "table.perturb",
    title=Text("Random noise in a table", "Zufallsüberlagerung einer Tabelle"),
    does=Text(
        "A random number with a known distribution and mean 0 was added to values of the table.",
        "Zu Werten der Tabelle wurde eine Zufallszahl mit bekannter Verteilung und Mittel 0 addiert.",
    ),
    sources=(
        Source("wettig2002", "2.3.5, random perturbation (L938-1001)"),
        Source("hundepool2012", "ch. 5, random perturbation"),
    ),
    preserves=(
        Claim(
            Text("every value on average", "jeden Wert im Mittel"),
            _right_on_average,
            Holds.ON_AVERAGE,
            when=where("clip", "unbiased"),
        ),
        Claim(
            Text(
                "sums of several cells, and cells that must stay open, exactly",
                "Summen mehrerer Zellen und Zellen, die offen bleiben müssen, genau",
            ),
            _others_open,
            when=where("scope", "inner"),
        ),
        Claim(
            Text(
                "tables without negative values get none", "Tabellen ohne negative Werte bekommen keine"
            ),
            _not_negative,
        ),
    ),
    protects=(
        Claim(
            Text(
                "every change is one of the given offsets, or is cut off at zero",
                "jede Veränderung ist eine der angegebenen oder bei null abgeschnitten",
            ),
            _as_distributed,
        ),
        Claim(
            Text(
                "an attacker who knows the distribution and uses all sums keeps an interval at least as wide as required for every "
                "marked cell; without a rule, no changed cell can be computed exactly",
                "einem Angreifer, der die Verteilung kennt und alle Summen nutzt, bleibt für jede markierte Zelle ein mindestens so "
                "breites Intervall wie verlangt; ohne Regel ist keine veränderte Zelle genau bestimmbar",
            ),
            _withstands,
        ),
    ),
    does_not=(
        Text(
            "reckon with contributors who know what they contribute themselves",
            "mit Beteiligten rechnen, die ihren eigenen Beitrag kennen",
        ),
        ForAnalysis("keep the table additive", "die Additivität der Tabelle erhalten"),
        ForAnalysis("keep small values right on average: what would be negative is raised to 0", "kleine Werte im Mittel richtig lassen: was negativ würde, wird auf 0 gesetzt", where("clip", "zero")),
        Text(
            "make all values of the interval equally likely, nor hide cells that the table does not have",
            "alle Werte des Intervalls gleich wahrscheinlich machen oder Zellen verbergen, die die Tabelle nicht hat",
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
    ),
    example={
        "noise": {-3: 1, -2: 1, -1: 2, 0: 2, 1: 2, 2: 1, 3: 1}, "scope": "all", "clip": "unbiased", "lasting": False, "series": "persons",
    },
    maturity=Maturity.REPLICATED,
    random=True,
    revision=2,
)  # fmt: skip
class Perturb(TableMethod):
    """Add random numbers with mean 0 to the cells.

    `noise` gives the distribution as parts of a whole: {-1: 1, 0: 2, 1: 1} is -1 and 1 with a quarter each and 0 with a half. With the
    scope `inner` totals stay as they are; either way sums no longer add up. In tables without negative values no result is
    negative: `clip: zero` sets it to 0, which raises small cells on average (a 1 with the default noise to 10/9); `unbiased`
    allows only noise that is no larger than the value itself, which needs a symmetric distribution and leaves zeros as they are. In tables
    with negative values nothing is cut. By default (`lasting`) chance is fixed by the secret and the records in a cell, so that it cannot be averaged out of
    repeated publications, and a cell whose records have changed is drawn anew, so that the difference of two editions is not the change. In files of cells,
    where records are not known, the codes and the value of a cell stand for them.

    The result is attacked and refused when it leaves too little room. The reason of the cells tells the information loss Σ|X - X′|,
    and for comparison the printed formula that nets errors within the rows of the first dimension.
    """

    noise: Noise = Field(default_factory=lambda: {-2: 1, -1: 2, 0: 3, 1: 2, 2: 1})
    """Offset to how many parts of the whole have it, without gaps and with mean 0. | Veränderung und wie viele Teile des Ganzen sie
    haben, ohne Lücken und mit Mittel 0."""
    scope: Literal["inner", "all"] = "inner"
    """inner: only the lowest level, with sums that have a single part; all: totals too. | inner: nur die unterste Ebene, dazu Summen mit
    einem Teil; all: auch die Summen."""
    clip: Literal["zero", "unbiased"] = "zero"
    """What keeps results from being negative: set them to 0, or limit the noise by the value. | Was negative Ergebnisse verhindert: auf
    0 setzen oder das Rauschen durch den Wert begrenzen."""
    lasting: bool = True
    """A cell with the same records is changed alike in every table and run with this secret. | Eine Zelle mit denselben Datensätzen wird in
    jeder Tabelle und jedem Lauf mit diesem Geheimnis gleich verändert."""
    series: str = ""
    """What is measured: tables with the same word draw alike, others apart. | Was gemessen wird: Tabellen mit demselben Wort ziehen
    gleich, andere getrennt."""

    @model_validator(mode="after")
    def _a_distribution(self) -> Self:
        if sum(offset * parts for offset, parts in self.noise.items()) != 0:
            raise ValueError(Text("the mean of noise must be 0", "das Mittel von noise muss 0 sein"))
        if len(self.noise) != max(self.noise) - min(self.noise) + 1:
            raise ValueError(
                Text(
                    "noise must give every whole number from its smallest to its largest offset: gaps would rule out originals",
                    "noise muss jede ganze Zahl von der kleinsten bis zur größten Veränderung angeben: Lücken schlössen Werte aus",
                )
            )
        if self.clip == "unbiased" and any(self.noise.get(-e) != parts for e, parts in self.noise.items()):
            raise ValueError(
                Text(
                    "clip unbiased needs noise that is symmetric around 0",
                    "clip unbiased braucht um 0 symmetrisches noise",
                )
            )
        return self

    def originals(self, after: Pattern) -> Originals:
        """The originals that an attacker thinks possible, cell by cell."""
        return before_noise(after, min(self.noise), max(self.noise), self.clip)

    def noisy(self, table: Table, u: Floats) -> Floats:
        """The values with noise, chosen by numbers that are uniform in [0, 1)."""
        value = table.value
        if (value < 0).any():
            return value + drawn(self.noise, u)
        if self.clip == "unbiased":
            return value + limited(self.noise, value, u)
        out: Floats = np.maximum(value + drawn(self.noise, u), 0.0)
        return out

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        table = pattern.table
        cells = changeable(pattern, self.id, inner=self.scope == "inner")
        u = draws(table, stream, self.id, lasting=self.lasting, series=self.series)
        shown = np.where(cells, self.noisy(table, u), table.value)
        netted = netted_loss(table.value, shown, table.cells[:, 0].astype(np.int64))
        because = Text(
            "changed by random noise; information loss {lost} ({netted} with errors netted in the rows)",
            "durch Zufallszahlen verändert; Informationsverlust {lost} ({netted}, wenn Fehler in den Zeilen verrechnet werden)",
        ).filled(lost=told(loss(table.value, shown)), netted=told(netted))
        after = changed(pattern, cells, shown, Status.PERTURBED, because)
        return refuse_found_out(self.id, pattern, after, self.originals(after))
