"""The Mincer equation before and after: what schooling and experience earn."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tarnkappe.data.formula import Form, Formula, Term
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import original
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.utility.compared_models import ComparesModels
from tarnkappe.utility.estimating import Setting

Name = Annotated[str, Field(min_length=1)]


@measure(
    "utility.mincer",
    title=Text("Mincer equation before and after", "Mincer-Gleichung vorher und nachher"),
    compares=True,
    does=Text(
        "Explains income by schooling, experience and sex in both files and compares the coefficients.",
        "Erklärt das Einkommen in beiden Dateien durch Bildung, Berufserfahrung und Geschlecht und vergleicht die Koeffizienten.",
    ),
    sources=(
        Source("dav2025", "section 6.5: linear regression of income on sex, education and experience (specification, D-U12)"),
        Source("mincer1974", "logarithm of income, with the square of experience"),
        Source("karr2006", "overlap of confidence intervals"),
    ),
    reads=Text(
        "On average a share of {value} of the overlap of the confidence intervals is lost.",
        "Im Mittel geht ein Anteil von {value} der Überlappung der Konfidenzintervalle verloren.",
    ),
    knows=Text(
        "All records of each file that have income, schooling, experience and sex.",
        "Alle Datensätze jeder Datei mit Einkommen, Bildung, Berufserfahrung und Geschlecht.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "take selection into account: only records with an income above 0 enter the logarithmic form",
            "Selektion berücksichtigen: In die logarithmische Form gehen nur Datensätze mit einem Einkommen über 0 ein",
        ),
        Text(
            "correct for what protection did to the data",
            "korrigieren, was der Schutz an den Daten verändert hat",
        ),
    ),
    example={
        "target": "income", "schooling": "employees", "experience": "age", "sex": "sex", "kind": "plain", "weighted": True,
        "confidence": 0.9,
    },
)  # fmt: skip
class Mincer(ComparesModels):
    """What is lost of the overlap of the confidence intervals in a Mincer equation.

    ln(income) = β₀ + β₁·schooling + β₂·experience + β₃·experience² + β₄·sex, or with `kind: plain` income itself without the square.
    Schooling and sex may be categories; experience is a number. How coefficients are compared is said at `utility.regression`.
    """

    target: Name
    """Column of the income. | Spalte des Einkommens."""
    schooling: Name
    """Column of the education: years or degrees. | Spalte der Bildung: Jahre oder Abschlüsse."""
    experience: Name
    """Column of the years of experience, or the age. | Spalte der Berufserfahrung in Jahren oder das Alter."""
    sex: Name
    """Column of the sex. | Spalte des Geschlechts."""
    kind: Literal["logarithm", "plain"] = "logarithm"
    """Logarithm of income with the square of experience, or income as it is. | Logarithmus des Einkommens mit dem Quadrat der Erfahrung
    (logarithm) oder Einkommen, wie es ist (plain)."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        log = self.kind == "logarithm"
        form: Form = "log" if log else "plain"
        square = (Term(self.experience, "square"),) if log else ()
        terms = (Term(self.schooling), Term(self.experience), *square, Term(self.sex))
        formula = Formula(Term(self.target, form), terms)
        return self.compared(after, before, formula, Setting("gaussian", "none", (), None, self.confidence))
