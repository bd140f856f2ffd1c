"""Errors about exchanging values between records: PRAM, swapping and shuffling."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class NoPartner(Refused):
    code = "exchange.no-partner"
    says = Text(
        "{who}: {count} records find no partner to exchange {name!r} with, or so few contributors that it would be known with whom.",
        "{who}: {count} Datensätze finden keinen Partner, um {name!r} zu tauschen, oder so wenige Beitragende, dass bekannt wäre, mit wem.",
    )
    fix = Text(
        "Use fewer or coarser columns for the groups, or say under too_small what happens to them.",
        "Bilden Sie die Gruppen aus weniger oder gröberen Spalten, oder sagen Sie unter too_small, was mit ihnen geschieht.",
    )


class WindowTooWide(InputWrong):
    code = "exchange.window-too-wide"
    says = Text(
        "Column {name!r}: the window reaches {window} away in rank; nobody is farther away than {found}.",
        "Spalte {name!r}: Das Fenster reicht in den Rängen {window} weit; weiter entfernt als {found} ist niemand.",
    )
    fix = Text("Make the window narrower.", "Wählen Sie ein engeres Fenster.")


class NotMarkov(InputWrong):
    code = "exchange.not-markov"
    says = Text(
        "The matrix of transition probabilities is none: {count} of its rows do not sum to 1 (first: row {first}).",
        "Die Matrix der Übergangswahrscheinlichkeiten ist keine: {count} ihrer Zeilen haben nicht die Summe 1 (zuerst Zeile {first}).",
    )
    fix = Text(
        "Row k holds the probabilities that the value k becomes each of the values.",
        "Zeile k enthält die Wahrscheinlichkeiten, dass aus dem Wert k jeder der Werte wird.",
    )


class MatrixIncomplete(InputWrong):
    code = "exchange.matrix-incomplete"
    says = Text(
        "Column {name!r}: {count} values are without a row in the matrix (first in record {first}).",
        "Spalte {name!r}: {count} Werte haben keine Zeile in der Matrix (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Give every value its row; a value that stays has probability 1 for itself.",
        "Geben Sie jedem Wert seine Zeile; ein Wert, der bleibt, hat für sich selbst die Wahrscheinlichkeit 1.",
    )


class BlocksIncomplete(InputWrong):
    code = "exchange.blocks-incomplete"
    says = Text(
        "Column {name!r}: {count} values stand in none of its blocks (first in record {first}).",
        "Spalte {name!r}: {count} Werte stehen in keinem ihrer Blöcke (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Name every value of the column under blocks; one that is to stay is a block of its own.",
        "Nennen Sie unter blocks jeden Wert der Spalte; einer, der bleiben soll, ist ein Block für sich.",
    )


class OrderIncomplete(InputWrong):
    code = "exchange.order-incomplete"
    says = Text(
        "Column {name!r}: {count} of its values are not in the given order.",
        "Spalte {name!r}: {count} ihrer Werte stehen nicht in der angegebenen Reihenfolge.",
    )
    fix = Text(
        "Name every value of the column under order, and check the spelling, upper and lower case and leading zeros.",
        "Nennen Sie unter order jeden Wert der Spalte, und prüfen Sie Schreibweise, Groß- und Kleinschreibung und führende Nullen.",
    )


class ForbiddenMade(Refused):
    code = "exchange.forbidden-made"
    says = Text(
        "{who} would give {count} records a combination that is forbidden.",
        "{who} gäbe {count} Datensätzen eine verbotene Kombination.",
    )
    fix = Text(
        "Treat the columns of the combination jointly, or name the others of them under within.",
        "Behandeln Sie die Spalten der Kombination gemeinsam (joint), oder nennen Sie die übrigen unter within.",
    )


class CorrelationsMissed(Refused):
    code = "exchange.correlations-missed"
    says = Text(
        "{who}: after {steps} steps the correlations are off by {reached} on average; {wanted} was asked for.",
        "{who}: Nach {steps} Schritten weichen die Korrelationen im Mittel um {reached} ab; verlangt war {wanted}.",
    )
    fix = Text(
        "Allow more steps or a larger tolerance, lower the share, or exchange within coarser groups.",
        "Erlauben Sie mehr Schritte oder eine größere Toleranz, senken Sie den Anteil (share), oder tauschen Sie in gröberen Gruppen.",
    )


class RateMissed(Refused):
    code = "exchange.rate-missed"
    says = Text(
        "{who}: only {reached} of {wanted} units could be exchanged.",
        "{who}: Nur {reached} von {wanted} Einheiten konnten getauscht werden.",
    )
    fix = Text(
        "Lower the share, or ask for less similar partners.",
        "Senken Sie den Anteil (share), oder verlangen Sie weniger ähnliche Partner.",
    )


class CompanionOpen(Refused):
    code = "exchange.companion-open"
    says = Text(
        "Column {name!r} would be changed at random while {other!r}, which tells it or follows from it, stays as it is: the change is undone or seen.",
        "Die Spalte {name!r} würde zufällig verändert, während {other!r}, die sie verrät oder aus ihr folgt, bleibt, wie sie ist: Die Änderung wird "
        "rückgängig gemacht oder erkannt.",
    )
    fix = Text(
        "Name both under columns with joint: true, drop one of them in an earlier step, or name the coarser one under within. If a later step masks one, say leak: masked-later.",
        "Nennen Sie beide unter columns mit joint: true, entfernen Sie eine in einem früheren Schritt, oder nennen Sie die gröbere unter within. Verändert ein späterer Schritt "
        "eine davon, sagen Sie leak: masked-later.",
    )


class GapsTell(Refused):
    code = "exchange.gaps-tell"
    says = Text(
        "Column {name!r} would be changed at random, but it follows from which cells are missing in {others}.",
        "Die Spalte {name!r} würde zufällig verändert, folgt aber daraus, welche Zellen in {others} fehlen.",
    )
    fix = Text(
        "Drop these columns in an earlier step or fill their gaps (microdata.impute). If a later step does it, say leak: masked-later.",
        "Entfernen Sie diese Spalten in einem früheren Schritt, oder füllen Sie ihre Lücken (microdata.impute). Tut das ein späterer Schritt, sagen Sie leak: masked-later.",
    )


class AloneTooOften(Refused):
    code = "exchange.alone-too-often"
    says = Text(
        "{who}: of records that stand alone in the release a share of {share} would be matched rightly; {asked} is allowed.",
        "{who}: Von Datensätzen, die in der Freigabe allein stehen, würde ein Anteil von {share} richtig zugeordnet; erlaubt ist {asked}.",
    )
    fix = Text(
        "Substitute more, make identifying columns coarser so that fewer stand alone, or raise alone.",
        "Ersetzen Sie mehr (substituted), vergröbern Sie identifizierende Spalten, damit weniger allein stehen, oder erhöhen Sie alone.",
    )


class Determined(InputWrong):
    code = "exchange.determined"
    says = Text(
        "Columns are determined by each other: {names}.", "Spalten sind durcheinander bestimmt: {names}."
    )
    fix = Text(
        "Leave one of them out; what another column determines is not protected by an exchange.",
        "Lassen Sie eine weg; was eine andere Spalte bestimmt, schützt kein Tausch.",
    )
