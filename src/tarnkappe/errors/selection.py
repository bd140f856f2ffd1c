"""Errors about leaving records out and about substitutes for columns."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class StrataThin(Refused):
    code = "method.strata-thin"
    says = Text(
        "A sample would leave fewer than {needed} units in {count} strata.",
        "Eine Stichprobe ließe in {count} Schichten weniger als {needed} Einheiten übrig.",
    )
    fix = Text(
        "Raise share, lower at_least, or form larger strata.",
        "Erhöhen Sie share, senken Sie at_least oder bilden Sie größere Schichten.",
    )


class ShareUnknown(InputWrong):
    code = "method.share-unknown"
    says = Text(
        "{count} values of the column {name!r} have no share.",
        "Für {count} Werte der Spalte {name!r} fehlt ein Anteil.",
    )
    fix = Text(
        "Give a share for every value of the column, and one for missing values if there are any ('').",
        "Geben Sie für jeden Wert der Spalte einen Anteil an, und einen für fehlende Werte, falls es sie gibt ('').",
    )


class TooFewLeftOut(Refused):
    code = "method.too-few-left-out"
    says = Text(
        "Only {count} contributors {which} would be left out; a total published elsewhere gives their values away.",
        "Nur {count} Beitragende {which} fielen weg; eine anderswo veröffentlichte Summe verriete ihre Werte.",
    )
    fix = Text(
        "Move the limits so that {needed} or more, or none, are left out at each end; keep units of unknown size where they are few.",
        "Verschieben Sie die Grenzen, sodass an jedem Ende mindestens {needed} oder keine wegfallen; behalten Sie Einheiten unbekannter Größe, "
        "wenn es wenige sind.",
    )


class TooYoung(Refused):
    code = "method.too-young"
    says = Text(
        "The data is {found} months old at the release, {needed} are required.",
        "Die Daten sind zur Freigabe {found} Monate alt, verlangt sind {needed}.",
    )
    fix = Text("Release later, or shorten the lag.", "Geben Sie später frei oder verkürzen Sie die Frist.")


class TailDominated(Refused):
    code = "method.tail-dominated"
    says = Text(
        "Column {name!r}: one value dominates those beyond the {side} limit, their mean would give it away ({rule}).",
        "Spalte {name!r}: Ein Wert beherrscht die jenseits der {side} Grenze, ihr Mittelwert verriete ihn ({rule}).",
    )
    fix = Text(
        "Use microdata.top-bottom-code, which shows no total of them, or move the limit.",
        "Nutzen Sie microdata.top-bottom-code, das keine Summe davon zeigt, oder verschieben Sie die Grenze.",
    )


class Recoverable(Refused):
    code = "method.recoverable"
    says = Text(
        "The dropped column {name!r} can be computed from columns that stay: {how}.",
        "Die entfernte Spalte {name!r} lässt sich aus verbliebenen errechnen: {how}.",
    )
    fix = Text(
        "Drop or mask one of them as well. If a later step masks one, say leak: masked-later.",
        "Entfernen oder verändern Sie auch eine davon. Verändert ein späterer Schritt eine davon, sagen Sie leak: masked-later.",
    )


class ShareAboveOne(InputWrong):
    code = "method.share-above-one"
    says = Text(
        "{count} values of {name!r} lie above the stated largest value (first in record {first}).",
        "{count} Werte von {name!r} liegen über dem angegebenen größten Wert (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Check numerator and denominator, or leave at_most out.",
        "Prüfen Sie Zähler und Nenner oder lassen Sie at_most weg.",
    )


class PeriodTwice(InputWrong):
    code = "method.period-twice"
    says = Text(
        "{count} units have more than one record in a period (first in record {first}).",
        "{count} Einheiten haben mehr als einen Datensatz in einer Periode (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Name the column that tells the units apart, or sum the records of a unit beforehand.",
        "Nennen Sie die Spalte, die die Einheiten unterscheidet, oder fassen Sie Datensätze einer Einheit vorher zusammen.",
    )


class StillAlone(Refused):
    code = "method.still-alone"
    says = Text(
        "{count} units to be split have a combination of keys that too few other contributors have: their parts could be added up again.",
        "{count} zu zerlegende Einheiten haben eine Schlüsselkombination, die zu wenige andere Beitragende haben: Ihre Teile ließen sich wieder "
        "addieren.",
    )
    fix = Text(
        "Generalise the keys first, or leave these units out.",
        "Vergröbern Sie zuerst die Schlüssel oder lassen Sie diese Einheiten weg.",
    )
