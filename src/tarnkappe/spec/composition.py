"""Which steps may follow which: what a step leaves behind in some columns, and what undoes it when it is done there later.

Methods declare what they leave (`Method.leaves_behind`); what a later step does follows from what it declares anyway: the values it
replaces, the cells it hides, records that it leaves out or makes up. No rule names a method.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from tarnkappe.data.microdata import Roles
from tarnkappe.language import Text

if TYPE_CHECKING:
    from tarnkappe.spec.contract import Method


class Mark(StrEnum):
    """What a step leaves behind."""

    TOLD_LIMIT = "told-limit"
    COUNTED = "counted"
    GROUPS = "groups"
    FITTED = "fitted"
    MATRIX = "matrix"
    PROMISED = "promised"

    @property
    def text(self) -> Text:
        return _MARKS[self]


_MARKS = {
    Mark.TOLD_LIMIT: Text(
        "many records with one value that the documents tell",
        "viele Datensätze mit einem Wert, den die Dokumente nennen",
    ),
    Mark.COUNTED: Text(
        "classes of records that were counted on the keys",
        "Klassen von Datensätzen, die an den Schlüsseln gezählt wurden",
    ),
    Mark.GROUPS: Text("groups of k with a common value", "Gruppen von k mit einem gemeinsamen Wert"),
    Mark.FITTED: Text(
        "weights that were fitted to told totals of the values",
        "Gewichte, die an genannte Summen der Werte angepasst sind",
    ),
    Mark.MATRIX: Text(
        "told probabilities of exchange, by which receivers correct their counts",
        "genannte Wahrscheinlichkeiten des Austauschs, mit denen Empfänger ihre Zählungen korrigieren",
    ),
    Mark.PROMISED: Text(
        "values that would come back if no later step masked what they were computed with",
        "Werte, die zurückkämen, wenn kein späterer Schritt verändert, womit sie berechnet sind",
    ),
}


class Trace(NamedTuple):
    """What a step leaves behind, and in which columns."""

    mark: Mark
    columns: tuple[str, ...]


class Act(StrEnum):
    """What a later step does."""

    SHARED_NOISE = "shared-noise"
    MASKS = "masks"
    HIDES = "hides"
    LOSES = "loses"
    MAKES = "makes"

    @property
    def text(self) -> Text:
        return _ACTS[self]


_ACTS = {
    Act.SHARED_NOISE: Text(
        "draws noise for these columns that other values have in common",
        "zieht für diese Spalten Überlagerungen, die andere Werte mit ihnen gemeinsam haben",
    ),
    Act.MASKS: Text("replaces values of these columns", "ersetzt Werte dieser Spalten"),
    Act.HIDES: Text("suppresses cells of these columns", "unterdrückt Zellen dieser Spalten"),
    Act.LOSES: Text("leaves records out", "lässt Datensätze weg"),
    Act.MAKES: Text("makes records up", "erfindet Datensätze"),
}


@dataclass(frozen=True, slots=True)
class Order:
    """What must not be done after something was left behind, why, and what to do instead."""

    after: Mark
    acts: tuple[Act, ...]
    why: Text
    instead: Text
    unless: Mark | None = None
    """Steps that leave this behind in the same columns may: they would be undone if they came first."""

    def broken_by(self, trace: Trace, step: Method, roles: Roles) -> Act | None:
        """What a later step does that must not be done."""
        own = {
            name for left in step.leaves_behind(roles) if left.mark is self.unless for name in left.columns
        }
        if own & set(trace.columns):
            return None
        done = set(acts_of(step, trace.columns, roles))
        return next((act for act in self.acts if act in done), None)


_BEFORE = Text("Put this step before that one.", "Stellen Sie diesen Schritt vor jenen.")
ORDERS: tuple[Order, ...] = (
    Order(
        Mark.TOLD_LIMIT,
        (Act.SHARED_NOISE,),
        Text(
            "records at the limit are flagged and the limit is told, so that what is shown tells the noise of each of them, and with it "
            "the values that have this noise in common",
            "Datensätze an der Grenze sind gekennzeichnet, und die Grenze wird genannt: Was gezeigt wird, verrät die Überlagerung jedes von "
            "ihnen und damit die Werte, die sie teilen",
        ),
        Text(
            "Put the noise first: then the limit cuts values that are masked already.",
            "Überlagern Sie zuerst: Dann schneidet die Grenze Werte ab, die schon verändert sind.",
        ),
    ),
    Order(
        Mark.COUNTED,
        (Act.LOSES, Act.MASKS),
        Text(
            "classes that were counted become smaller, or others, and what was said of them no longer holds",
            "gezählte Klassen werden kleiner oder andere, und was von ihnen gesagt wurde, gilt nicht mehr",
        ),
        _BEFORE,
    ),
    Order(
        Mark.GROUPS,
        (Act.LOSES,),
        Text(
            "of a group fewer than k are left, whose value is no longer that of k records of the release",
            "von einer Gruppe bleiben weniger als k, deren Wert nicht mehr der von k Datensätzen der Freigabe ist",
        ),
        _BEFORE,
        unless=Mark.COUNTED,
    ),
    Order(
        Mark.FITTED,
        (Act.MASKS, Act.HIDES, Act.LOSES, Act.MAKES),
        Text(
            "the told total, less what is left, gives back what was hidden, and the weights keep the true values that they were fitted to",
            "die genannte Summe, vermindert um das Verbliebene, gibt zurück, was verborgen wurde, und die Gewichte bewahren die wahren Werte, an "
            "die sie angepasst sind",
        ),
        _BEFORE,
    ),
    Order(
        Mark.MATRIX,
        (Act.LOSES,),
        Text(
            "values and combinations may be lost that the correction needs, and a correction without them is wrong",
            "es können Werte und Kombinationen verloren gehen, die die Korrektur braucht, und ohne sie ist sie falsch",
        ),
        _BEFORE,
        unless=Mark.COUNTED,
    ),
)
"""Every pair of a mark and an act that is refused before data is read."""
NOT_KEPT = Text(
    "says leak: masked-later, and no later step changes {names}. Add a step that does, or say leak: refuse.",
    "sagt leak: masked-later, und kein späterer Schritt verändert {names}. Ergänzen Sie einen solchen Schritt, oder sagen Sie leak: refuse.",
)
ANY_NUMBER = Text("a column of numbers", "eine Spalte mit Zahlen")


def acts_of(step: Method, columns: Sequence[str], roles: Roles) -> Iterator[Act]:
    """What a step does to these columns, or to the records, as far as parameters and roles tell."""
    masked = set(step.masks()) & set(columns)
    if masked and step.shares_draws():
        yield Act.SHARED_NOISE
    if masked:
        yield Act.MASKS
    if set(step.hides(roles)) & set(columns):
        yield Act.HIDES
    if step.loses_records:
        yield Act.LOSES
    if step.makes_records:
        yield Act.MAKES


def counts_again(trace: Trace, step: Method, roles: Roles) -> bool:
    """Whether a later step counts the same classes, or finer ones, itself."""
    own = [t for t in step.leaves_behind(roles) if t.mark is Mark.COUNTED]
    return trace.mark is Mark.COUNTED and any(set(t.columns) >= set(trace.columns) for t in own)


def keeps_promise(trace: Trace, step: Method) -> bool:
    """Whether a later step changes or takes away one of the columns; of any columns where none are named."""
    done = {*step.masks(), *step.treated_columns(), *step.drops()}
    return bool(done & set(trace.columns)) if trace.columns else bool(done)
