"""Errors about imputed values."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class FitTooWeak(Refused):
    code = "method.fit-too-weak"
    says = Text(
        "The columns given for {name!r} explain too little of it: {found} of its variation in records left out of the fit, {needed} is "
        "required.",
        "Die angegebenen Spalten erklären {name!r} zu wenig: {found} der Streuung in nicht angepassten Datensätzen, verlangt ist "
        "{needed}.",
    )
    fix = Text(
        "Name columns that depend more closely on it, or lower fit: results will then lose their dependencies.",
        "Nennen Sie Spalten, die enger davon abhängen, oder senken Sie fit: Ergebnisse verlieren dann Zusammenhänge.",
    )


class TooCloseToTruth(Refused):
    code = "method.too-close-to-truth"
    says = Text(
        "{count} imputed values of {name!r} lie within {apart} of the true ones: they are not protected.",
        "{count} eingesetzte Werte von {name!r} liegen näher als {apart} an den wahren: sie sind nicht geschützt.",
    )
    fix = Text(
        "Use a model with a random part, other columns, or too_close: suppress.",
        "Nehmen Sie ein Modell mit Zufallsanteil, andere Spalten oder too_close: suppress.",
    )


class NothingToLearnFrom(InputWrong):
    code = "method.nothing-to-learn-from"
    says = Text(
        "Column {name!r}: {found} values are left to learn from, {needed} are needed.",
        "Spalte {name!r}: Es bleiben {found} Werte zum Lernen, nötig sind {needed}.",
    )
    fix = Text(
        "Impute fewer cells, take larger strata under within, or take the values from all cells with the model hot-deck.",
        "Ersetzen Sie weniger Zellen, nehmen Sie größere Schichten unter within, oder nehmen Sie das Modell hot-deck.",
    )
