"""Errors about weights that shall reproduce totals."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class WeightNotPositive(InputWrong):
    code = "calibration.weight-not-positive"
    says = Text(
        "The weights in column {name!r} must be positive, but {count} are missing, zero or nearly so, negative or infinite (first in record {first}).",
        "Die Gewichte in Spalte {name!r} müssen positiv sein, aber {count} fehlen, sind null oder fast null, negativ oder unendlich (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Repair the weights, or leave those records out before this step.",
        "Berichtigen Sie die Gewichte oder lassen Sie diese Datensätze vor diesem Schritt weg.",
    )


class TotalUnknown(InputWrong):
    code = "calibration.total-unknown"
    says = Text(
        "{count} values of the column {name!r} have no total.",
        "Für {count} Werte der Spalte {name!r} fehlt eine Summe.",
    )
    fix = Text(
        "Give a total for every value that occurs; '' stands for missing or suppressed values.",
        "Geben Sie für jeden vorkommenden Wert eine Summe an; '' steht für fehlende oder unterdrückte Werte.",
    )


class TotalsApart(InputWrong):
    code = "calibration.totals-apart"
    says = Text(
        "The totals of the columns {names} do not add up to the same grand total.",
        "Die Summen der Spalten {names} ergeben nicht dieselbe Gesamtsumme.",
    )
    fix = Text(
        "Take all margins from the same source, or scale them to one grand total.",
        "Nehmen Sie alle Randsummen aus derselben Quelle oder rechnen Sie sie auf eine Gesamtsumme um.",
    )


class TotalsOutOfReach(Refused):
    code = "calibration.out-of-reach"
    says = Text(
        "No positive weights of the {records} records give the totals of {names}.",
        "Keine positiven Gewichte der {records} Datensätze ergeben die Summen von {names}.",
    )
    fix = Text(
        "Name fewer columns, or merge categories so that each has records.",
        "Nennen Sie weniger Spalten oder fassen Sie Kategorien zusammen, sodass jede Datensätze hat.",
    )


class WeightsTooFar(Refused):
    code = "calibration.too-far"
    says = Text(
        "A weight would change by the factor {reached:.3g}; at most {allowed:.3g} is allowed.",
        "Ein Gewicht änderte sich um den Faktor {reached:.3g}; erlaubt ist höchstens {allowed:.3g}.",
    )
    fix = Text(
        "Raise at_most, or name fewer or coarser totals.",
        "Erhöhen Sie at_most oder nennen Sie weniger oder gröbere Summen.",
    )
