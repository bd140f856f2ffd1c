"""Errors of corrected estimates: the formula, what a release tells, and what its data allow."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class FormulaWrong(InputWrong):
    code = "correct.formula"
    says = Text(
        "The formula cannot be read at sign {place}: {why}.",
        "Die Formel ist an Zeichen {place} nicht lesbar: {why}.",
    )
    fix = Text(
        "Write it as y ~ x1 + x2; allowed are log(x), x**2, C(x) for categories and - 1 for no constant. "
        "Names with blanks or signs stand in `backquotes`.",
        "Schreiben Sie sie wie y ~ x1 + x2; erlaubt sind log(x), x**2, C(x) für Kategorien und - 1 für keine Konstante. "
        "Namen mit Leer- oder Sonderzeichen stehen in `Gravis`.",
    )


class NoAbout(InputWrong):
    code = "correct.no-about"
    says = Text(
        "The folder {folder!r} has no readable about.json: it is no release, or a damaged one.",
        "Der Ordner {folder!r} hat keine lesbare about.json: Er ist keine Freigabe oder eine beschädigte.",
    )
    fix = Text(
        "Give the folder of a release, with about.json and the data in it.",
        "Geben Sie den Ordner einer Freigabe an, mit about.json und den Daten darin.",
    )


class NoRecords(InputWrong):
    code = "correct.no-records"
    says = Text(
        "The release {folder!r} holds no data file that fits its about.json.",
        "Die Freigabe {folder!r} enthält keine Datendatei, die zu ihrer about.json passt.",
    )
    fix = Text(
        "Estimates need the records: data.parquet, data.csv or another data file of the release, unchanged.",
        "Schätzungen brauchen die Datensätze: data.parquet, data.csv oder eine andere Datendatei der Freigabe, unverändert.",
    )


class NotTold(InputWrong):
    code = "correct.not-told"
    says = Text(
        "The release does not tell {what}; without it, column {name!r} (step {step}, {method}) cannot be corrected.",
        "Die Freigabe teilt {what} nicht mit; ohne diese Angabe lässt sich die Spalte {name!r} (Schritt {step}, {method}) nicht "
        "korrigieren.",
    )
    fix = Text(
        "Ask the office for it, leave the column out, or take it as it is with --as-is {name}.",
        "Erbitten Sie sie vom Amt, lassen Sie die Spalte weg, oder nehmen Sie sie mit --as-is {name}, wie sie ist.",
    )


class NoCorrection(Refused):
    code = "correct.no-correction"
    says = Text(
        "No correction is known for column {name!r} in this model (step {step}, {method}): {why}.",
        "Für die Spalte {name!r} ist in diesem Modell keine Korrektur bekannt (Schritt {step}, {method}): {why}.",
    )
    fix = Text(
        "Leave the column out, or take it as it is with --as-is {name}: estimates may then be biased.",
        "Lassen Sie die Spalte weg, oder nehmen Sie sie mit --as-is {name}, wie sie ist: Schätzungen können dann verzerrt sein.",
    )


class NotPositiveDefinite(Refused):
    code = "correct.not-positive-definite"
    says = Text(
        "The corrected moments of the {count} regressors are not positive definite (smallest eigenvalue {smallest} of 1): "
        "in these {records} records the noise is as large as what varies.",
        "Die korrigierten Momente der {count} Regressoren sind nicht positiv definit (kleinster Eigenwert {smallest} von 1): "
        "In diesen {records} Datensätzen ist die Überlagerung so groß wie das, was variiert.",
    )
    fix = Text(
        "Use more records or fewer masked regressors; regressors that go together (as turnover and employees do) first.",
        "Nehmen Sie mehr Datensätze oder weniger überlagerte Regressoren; zuerst solche, die zusammenhängen (wie Umsatz und "
        "Beschäftigte).",
    )


class Collinear(InputWrong):
    code = "correct.collinear"
    says = Text(
        "The regressors depend on each other: {names} can be computed from the others.",
        "Die Regressoren hängen voneinander ab: {names} lässt sich aus den anderen berechnen.",
    )
    fix = Text("Leave one of them out.", "Lassen Sie einen von ihnen weg.")


class TooFewRecords(Refused):
    code = "correct.too-few-records"
    says = Text(
        "{found} records can be used; {needed} are needed for this estimate.",
        "{found} Datensätze sind verwendbar; diese Schätzung braucht {needed}.",
    )
    fix = Text(
        "Records with an empty cell in one of the columns are left out; choose columns with fewer of them.",
        "Datensätze mit einer leeren Zelle in einer der Spalten entfallen; wählen Sie Spalten mit weniger davon.",
    )


class OutcomeWrong(InputWrong):
    code = "correct.outcome"
    says = Text(
        "The outcome {name!r} does not fit the model {family}: {why}.",
        "Die Zielgröße {name!r} passt nicht zum Modell {family}: {why}.",
    )


class LogarithmUndefined(InputWrong):
    code = "correct.logarithm"
    says = Text(
        "Column {name!r} has {count} values that are not above 0 (first in record {first}); they have no logarithm.",
        "Die Spalte {name!r} hat {count} Werte, die nicht über 0 liegen (zuerst in Datensatz {first}); sie haben keinen Logarithmus.",
    )


class TooManyCategories(InputWrong):
    code = "correct.too-many-categories"
    says = Text(
        "Column {name!r} has {count} categories; a regressor may have {most}.",
        "Die Spalte {name!r} hat {count} Kategorien; ein Regressor darf {most} haben.",
    )
    fix = Text("Choose a coarser column.", "Wählen Sie eine gröbere Spalte.")


class MatrixSingular(Refused):
    code = "correct.matrix-singular"
    says = Text(
        "The matrix by which {names} was changed cannot be inverted: the original frequencies cannot be told from it.",
        "Die Matrix, mit der {names} verändert wurde, ist nicht umkehrbar: Die ursprünglichen Häufigkeiten folgen nicht aus ihr.",
    )


class NotConverged(Refused):
    code = "correct.not-converged"
    says = Text(
        "The estimate does not converge: {why}.",
        "Die Schätzung konvergiert nicht: {why}.",
    )


class SeveralDiffer(InputWrong):
    code = "correct.files-differ"
    says = Text(
        "The {count} releases do not give the same coefficients: {names}.",
        "Die {count} Freigaben liefern nicht dieselben Koeffizienten: {names}.",
    )
    fix = Text(
        "Combining rules need files made alike from the same original.",
        "Kombinationsregeln brauchen gleichartig erzeugte Dateien desselben Originals.",
    )


class OptionWrong(InputWrong):
    code = "correct.option"
    says = Text("{option} is {given}; it must be {must}.", "{option} ist {given}; zulässig ist {must}.")
