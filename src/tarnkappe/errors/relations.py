"""Errors about relations between columns: what adds up, is proportional or is never larger."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class RelationWrong(InputWrong):
    code = "relation.unreadable"
    says = Text(
        "The relation cannot be read at sign {place}: {why}.",
        "Die Beziehung ist an Zeichen {place} nicht lesbar: {why}.",
    )
    fix = Text(
        "Write it as turnover = domestic + foreign, gross = 1.19 * net or exports <= turnover. Names with blanks or signs stand in `backquotes`.",
        "Schreiben Sie sie wie turnover = domestic + foreign, gross = 1.19 * net oder exports <= turnover. Namen mit Leer- oder Sonderzeichen "
        "stehen in `Gravis`.",
    )


class RelationBroken(InputWrong):
    code = "relation.broken"
    says = Text(
        "The relation {relation} does not hold in {count} of {records} records (first in record {first}).",
        "Die Beziehung {relation} gilt in {count} von {records} Datensätzen nicht (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Correct the data or the relation, or leave the relation out: what holds in nearly all records is found without it.",
        "Berichtigen Sie die Daten oder die Beziehung, oder lassen Sie sie weg: Was in fast allen Datensätzen gilt, wird auch so gefunden.",
    )


class MaskedInPart(Refused):
    code = "relation.masked-in-part"
    says = Text(
        "Of the columns in {relation}, the plan masks {masked} and leaves {shown} as it is: what is masked can be computed, or narrowed down, from what stays.",
        "Von den Spalten in {relation} verändert der Plan {masked} und lässt {shown}, wie es ist: Was verändert wurde, lässt sich aus dem Übrigen errechnen oder eingrenzen.",
    )
    fix = Text(
        'Mask {shown} too, drop one of the columns, or write relations: ["{written}"] in the plan; then {follows} is computed from the others.',
        'Verändern Sie auch {shown}, entfernen Sie eine der Spalten, oder schreiben Sie relations: ["{written}"] in den Plan; dann wird {follows} aus den anderen errechnet.',
    )


class CannotFollow(Refused):
    code = "relation.cannot-follow"
    says = Text(
        "{name!r} follows from the other columns in {relation}, and {id} cannot leave it out.",
        "{name!r} folgt aus den anderen Spalten in {relation}, und {id} kann es nicht auslassen.",
    )
    fix = Text(
        "Take {name!r} out of the parameters of the step, or drop one of the columns.",
        "Nehmen Sie {name!r} aus den Parametern des Schritts, oder entfernen Sie eine der Spalten.",
    )
