"""Errors of measures that compare categories or fit models on two files."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class CategoriesNeeded(InputWrong):
    code = "utility.categories-needed"
    says = Text(
        "{who} needs at least {needed} columns with categories in both files; there are {found}.",
        "{who} braucht mindestens {needed} Spalten mit Kategorien in beiden Dateien; es gibt {found}.",
    )
    fix = Text(
        "Name the columns under columns; numbers then count as categories too.",
        "Nennen Sie die Spalten unter columns; Zahlen zählen dann auch als Kategorien.",
    )


class NothingShared(InputWrong):
    code = "utility.nothing-shared"
    says = Text(
        "{who} finds no column that both files have in the same form.",
        "{who} findet keine Spalte, die beide Dateien in gleicher Form haben.",
    )


class ModelImpossible(InputWrong):
    code = "utility.model-impossible"
    says = Text(
        "The model cannot be fitted to the original: {why}.",
        "Das Modell lässt sich für das Original nicht schätzen: {why}.",
    )
    fix = Text(
        "Choose another model; the comparison needs one that the original allows.",
        "Wählen Sie ein anderes Modell; der Vergleich braucht eines, das das Original zulässt.",
    )


class PanelNeedsUnit(InputWrong):
    code = "utility.panel-unit"
    says = Text(
        "The panel estimator {effects!r} needs a unit, and first differences need a period.",
        "Der Panelschätzer {effects!r} braucht eine Einheit, erste Differenzen brauchen eine Periode.",
    )
    fix = Text(
        "Name the columns under unit and period, or give a column the role 'period'.",
        "Nennen Sie die Spalten unter unit und period, oder geben Sie einer Spalte die Rolle 'period'.",
    )


class PartUnfit(InputWrong):
    code = "utility.score-part"
    says = Text(
        "Part {number} of the score ({id}) does not fit: {why}.",
        "Teil {number} der Gesamtnote ({id}) passt nicht: {why}.",
    )
