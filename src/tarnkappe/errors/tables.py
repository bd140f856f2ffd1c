"""Errors about tables."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class NotAdditive(InputWrong):
    code = "table.not-additive"
    says = Text(
        "The table {name!r} does not add up at: {sums}.", "Die Tabelle {name!r} geht nicht auf bei: {sums}."
    )
    fix = Text(
        "Correct the cells, give all parts of each sum, or state a tolerance if the table was rounded.",
        "Berichtigen Sie die Zellen, geben Sie alle Teile jeder Summe an oder nennen Sie bei gerundeten Tabellen eine Toleranz.",
    )


class CellTwice(InputWrong):
    code = "table.cell-twice"
    says = Text(
        "The table {name!r} has {count} cells twice, the first is {cell}.",
        "Die Tabelle {name!r} hat {count} Zellen doppelt, die erste ist {cell}.",
    )
    fix = Text("Give every cell once.", "Geben Sie jede Zelle einmal an.")


class ValueMissing(InputWrong):
    code = "table.value-missing"
    says = Text(
        "The table {name!r} has {count} cells without a value, the first is {cell}.",
        "Die Tabelle {name!r} hat {count} Zellen ohne Wert, die erste ist {cell}.",
    )
    fix = Text("Give a number for every cell.", "Geben Sie für jede Zelle eine Zahl an.")


class CountNegative(InputWrong):
    code = "table.count-negative"
    says = Text("The table {name!r} has a negative count at {cell}.", "Die Tabelle {name!r} hat bei {cell} eine negative Anzahl.")
    fix = Text("Counts are 0 or more.", "Anzahlen sind 0 oder größer.")


class MoreThanCounted(InputWrong):
    code = "table.more-than-counted"
    says = Text(
        "{count} cells of the table {name!r} have more largest contributions than contributors, the first is {cell}.",
        "{count} Zellen der Tabelle {name!r} haben mehr größte Beiträge als Beitragende, die erste ist {cell}.",
    )
    fix = Text("Check the columns of counts and of contributions.", "Prüfen Sie die Spalten der Anzahlen und der Beiträge.")


class TableTooWide(InputWrong):
    code = "table.too-wide"
    says = Text(
        "The dimensions of the table {name!r} have too many codes together.",
        "Die Dimensionen der Tabelle {name!r} haben zusammen zu viele Codes.",
    )
    fix = Text("Use fewer dimensions or coarser ones.", "Nehmen Sie weniger oder gröbere Dimensionen.")


class NoDimension(InputWrong):
    code = "table.no-dimension"
    says = Text("A table needs at least one dimension.", "Eine Tabelle braucht mindestens eine Dimension.")
    fix = Text("Name columns under by.", "Nennen Sie Spalten unter by.")


class InnerCode(InputWrong):
    code = "table.inner-code"
    says = Text(
        "Column {name!r}: {count} records have a code that is a sum of others in its hierarchy (first in record {first}).",
        "Spalte {name!r}: {count} Datensätze haben einen Code, der in der Hierarchie Summe anderer ist (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Give these records a code of the lowest level, or add one for what is not divided further.",
        "Geben Sie diesen Datensätzen einen Code der untersten Ebene oder ergänzen Sie einen für nicht weiter Gegliedertes.",
    )


class CodeUnknown(InputWrong):
    code = "table.code-unknown"
    says = Text(
        "Dimension {name!r}: {count} cells have a code that its hierarchy does not know (first in row {first}).",
        "Dimension {name!r}: {count} Zellen haben einen Code, den ihre Hierarchie nicht kennt (zuerst in Zeile {first}).",
    )
    fix = Text(
        "Add the code to the hierarchy, or name the code of the total with total:.",
        "Ergänzen Sie den Code in der Hierarchie oder nennen Sie den Code der Summe mit total:.",
    )
