"""A regression before and after: the coefficients an analyst would publish."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from tarnkappe.data.formula import parse_formula
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import original
from tarnkappe.errors.correct import FormulaWrong
from tarnkappe.errors.models import PanelNeedsUnit
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.spec.fields import Unit
from tarnkappe.utility.compared_models import ComparesModels
from tarnkappe.utility.estimating import Effects, Setting
from tarnkappe.vocab import Role


@measure(
    "utility.regression",
    title=Text("Regression before and after", "Regression vorher und nachher"),
    compares=True,
    does=Text(
        "Fits the same regression to both files and compares coefficients, confidence intervals, signs, significance and fit.",
        "Schätzt dieselbe Regression für beide Dateien und vergleicht Koeffizienten, Konfidenzintervalle, Vorzeichen, Signifikanz und Anpassung.",
    ),
    sources=(
        Source("dav2025", "sections 6.3 and 6.5: confidence intervals and regression parameters (specification, D-U08, D-U11)"),
        Source("karr2006", "overlap of confidence intervals"),
        Source("gottschalk2002", "regression coefficients and R² (specification, G-U03), models that become impossible (G-U09)"),
        Source("hoehne2010", "section 3.3.3: coefficients of least squares (U08)"),
        Source("wooldridge2010", "10.5 and 10.6: within and first-difference estimators"),
    ),
    reads=Text(
        "On average a share of {value} of the overlap of the confidence intervals is lost.",
        "Im Mittel geht ein Anteil von {value} der Überlappung der Konfidenzintervalle verloren.",
    ),
    knows=Text(
        "All records of each file that have every value the model needs.",
        "Alle Datensätze jeder Datei, die alle Werte haben, die das Modell braucht.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "correct for what protection did to the data: that is what `tarnkappe correct` is for",
            "korrigieren, was der Schutz an den Daten verändert hat: Dafür gibt es `tarnkappe correct`",
        ),
        Text(
            "read interactions in a formula, nor random effects",
            "Interaktionen in einer Formel oder zufällige Effekte lesen",
        ),
        Text(
            "show coefficients of categories with fewer than ten records, though they count",
            "Koeffizienten von Kategorien mit weniger als zehn Datensätzen zeigen; sie zählen aber mit",
        ),
    ),
    example={
        "formula": "log(income) ~ age + sex", "family": "gaussian", "effects": "within", "unit": "household", "period": "year",
        "weighted": True, "confidence": 0.9,
    },
)  # fmt: skip
class Regression(ComparesModels):
    """What is lost of the overlap of the confidence intervals of a model's coefficients.

    For every coefficient of the original, the overlap is the mean of the shares of the two intervals that they have in common: 1 for equal
    intervals, 0 where they only touch, negative where they are apart (then counted as 0 in the value). The value is 1 - the mean
    over all coefficients but the constant. Also told: whether the new estimate lies in the old interval, changes of sign and of
    significance, and R² (for logistic and Poisson models McFadden's: 1 - deviance/deviance of the mean).

    Columns of categories enter as indicators; the most frequent category that both files have is what others are compared with, and
    ``region[3]`` is the third category of `region` in the order of spelling. A category that the release does not have counts as
    lost. Records with a gap, or without a logarithm where one is needed, are not used. Where the release does not allow the model, because
    columns are gone or numbers became classes, the value is 1 and the reason is told.

    `effects` are for panels: *within* takes out the mean of every unit, *differences* the value of the period before; both are linear, without
    weights, with intervals that are robust against correlation within units.
    """

    formula: Annotated[str, Field(min_length=3)]
    """The model, as in ``log(income) ~ age + age**2 + C(region)``. | Das Modell, wie in ``log(income) ~ age + age**2 + C(region)``."""
    family: Literal["gaussian", "logistic", "poisson"] | None = None
    """Least squares, logistic or Poisson regression; without it, logistic for categories and else least squares. | Kleinste Quadrate,
    logistische oder Poisson-Regression; ohne Angabe logistisch bei Kategorien, sonst kleinste Quadrate."""
    effects: Effects = "none"
    """Panel estimator: none, within units or differences between periods. | Panelschätzer: keiner (none), innerhalb der Einheiten (within) oder
    Differenzen zwischen Perioden (differences)."""
    unit: Unit = ()
    """Columns that name the unit of a panel. | Spalten, die die Einheit eines Panels nennen."""
    period: str | None = None
    """Column of the period; without it, the one with that role. | Spalte der Periode; ohne Angabe die mit dieser Rolle."""

    @field_validator("formula")
    @classmethod
    def _can_be_read(cls, words: str) -> str:
        try:
            parse_formula(words)
        except FormulaWrong as wrong:
            raise ValueError(wrong.what) from None
        return words

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*super().named_columns(), *parse_formula(self.formula).columns)))

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        formula = parse_formula(self.formula)
        outcome = before.column(formula.outcome.column)
        family = self.family or ("gaussian" if outcome.kind.is_number else "logistic")
        period = self.period or next(iter(before.role(Role.PERIOD)), None)
        if self.effects == "none":
            return self.compared(after, before, formula, Setting(family, "none", (), None, self.confidence))
        if not self.unit or (self.effects == "differences" and period is None) or family != "gaussian":
            raise PanelNeedsUnit(effects=self.effects)
        used = period if self.effects == "differences" else None
        return self.compared(
            after, before, formula, Setting(family, self.effects, self.unit, used, self.confidence)
        )
