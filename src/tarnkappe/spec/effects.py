"""What to expect of analyses after each method: table A.2 of Gottschalk (2002), as printed and as its own text corrects it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tarnkappe.language import NOTHING, Text
from tarnkappe.spec.conditions import Condition, unless


class Effect(StrEnum):
    """What becomes of an estimate."""

    UNBIASED = "unbiased"
    BIASED = "biased"
    SMALLER = "smaller"
    EITHER = "un-/biased"
    MIS_SPECIFIED = "mis-specified"
    NONE = "–"

    @property
    def text(self) -> Text:
        return _WORDS[self]


_WORDS = {
    Effect.UNBIASED: Text("unbiased", "unverzerrt"),
    Effect.BIASED: Text("biased", "verzerrt"),
    Effect.SMALLER: Text("smaller", "kleiner"),
    Effect.EITHER: Text("unbiased or biased", "unverzerrt oder verzerrt"),
    Effect.MIS_SPECIFIED: Text("model mis-specified", "Modell fehlspezifiziert"),
    Effect.NONE: Text("not applicable", "entfällt"),
}
ESTIMATES = {
    "means": Text("means", "Mittelwerte"),
    "variances": Text("variances", "Varianzen"),
    "regression": Text("regression coefficients", "Regressionskoeffizienten"),
    "univariate": Text("univariate distributions", "univariate Verteilungen"),
    "multivariate": Text("multivariate distributions", "multivariate Verteilungen"),
}
U, B, S, E, M, X = (Effect.UNBIASED, Effect.BIASED, Effect.SMALLER, Effect.EITHER, Effect.MIS_SPECIFIED, Effect.NONE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One method of the table."""

    method: Text
    kind: Text
    effects: tuple[Effect, Effect, Effect, Effect, Effect]
    """On the five estimates, as the running text has them."""
    here: tuple[str, ...]
    """Ids of the catalogue."""
    printed: tuple[Effect, ...] = ()
    """Where the table prints something else: all five, as printed."""
    remark: Text = NOTHING
    """What differs, and why the text is followed."""
    when: Condition | None = None
    """With which parameters the method of the catalogue is this one."""

    @property
    def as_printed(self) -> tuple[Effect, ...]:
        return self.printed or self.effects


_COARSER = Text("coarsening", "Vergröberung")
_AS_THEY_ARE = Text("no direct modification", "keine direkte Veränderung")
_WRONG = Text("wrong values", "verfälschte Werte")
_MERGED = Text(
    "The table prints one entry, un-/biased, for both kinds of distributions; the text (section 4.3) says that swapping keeps univariate "
    "distributions and loses multivariate ones.",
    "Die Tabelle druckt für beide Arten von Verteilungen einen Eintrag, un-/verzerrt; der Text (Abschnitt 4.3) sagt, dass Vertauschen "
    "univariate Verteilungen erhält und multivariate verliert.",
)
TABLE: tuple[Row, ...] = (
    Row(Text("Grouping", "Gruppierung"), _COARSER, (B, B, B, B, B), ("microdata.band", "microdata.generalise")),
    Row(Text("Truncation", "Stutzung"), _COARSER, (B, B, B, B, B), ("microdata.top-bottom-code",)),
    Row(Text("Variable suppression", "Entfernen von Variablen"), _AS_THEY_ARE, (X, X, M, X, X), ("microdata.drop",)),
    Row(Text("New construction of variables", "Neukonstruktion von Variablen"), _AS_THEY_ARE, (X, X, M, X, X), ("microdata.combine",)),
    Row(
        Text("Local suppression", "Entfernung einzelner Werte"), _AS_THEY_ARE, (B, B, B, B, B),
        ("microdata.local-suppression", "microdata.suppress-at-risk", "microdata.suppress-cells"),
    ),
    Row(Text("Release of outdated data", "Weitergabe veralteter Daten"), _AS_THEY_ARE, (U, U, U, U, U), ("microdata.age",)),
    Row(Text("Sub-sample, random", "Substichprobe, zufällig"), _AS_THEY_ARE, (U, U, E, U, U), ("microdata.sample",)),
    Row(
        Text("Sub-sample, systematic", "Substichprobe, systematisch"), _AS_THEY_ARE, (B, B, E, B, B),
        ("microdata.cut-off", "microdata.suppress-records"),
    ),
    Row(
        Text("Data swapping", "Data Swapping"), _WRONG, (U, U, E, U, B),
        ("microdata.half-swap", "microdata.rank-swap", "microdata.swap"), printed=(U, U, E, E, E), remark=_MERGED,
    ),
    Row(Text("Imputation", "Einschätzen einzelner Werte"), _WRONG, (U, S, B, B, B), ("microdata.impute",)),
    Row(Text("Resampling", "Resampling"), _WRONG, (U, U, U, U, U), ()),
    Row(
        Text("Microaggregation", "Mikroaggregation"), _WRONG, (U, S, B, B, B),
        ("microdata.axis-average", "microdata.cluster-average", "microdata.mdav", "microdata.rank-average"),
    ),
    Row(Text("Naive noise", "Naive Überlagerung"), _WRONG, (U, B, B, B, B), ("microdata.noise",)),
    Row(
        Text("Kim", "Kim"), _WRONG, (U, U, E, B, B), ("microdata.correlated-noise",), printed=(U, U, B, B, B),
        remark=Text(
            "The table prints biased regression coefficients; the text says that the covariance matrix is kept, so regressions among columns "
            "that were masked together are consistent. Biased are models that mix masked and other columns, and models that are not linear.",
            "Die Tabelle druckt verzerrte Regressionskoeffizienten; der Text sagt, dass die Kovarianzmatrix erhalten bleibt: Regressionen unter "
            "gemeinsam überlagerten Spalten sind konsistent. Verzerrt sind Modelle aus überlagerten und anderen Spalten und nichtlineare Modelle.",
        ),
        when=unless("kim", "no"),
    ),
    Row(
        Text("Sullivan", "Sullivan"), _WRONG, (U, U, B, U, B), ("microdata.sullivan",), printed=(U, U, B, B, B),
        remark=Text(
            "The table prints biased univariate distributions; the text says that Sullivan's method keeps them.",
            "Die Tabelle druckt verzerrte univariate Verteilungen; der Text sagt, dass Sullivans Verfahren sie erhält.",
        ),
    ),
    Row(Text("Multiplicative noise", "Multiplikative Überlagerung"), _WRONG, (U, B, B, B, B), ("microdata.factor-noise",)),
)  # fmt: skip
"""In the order of the print. Every number of the second half stands for both kinds of distributions there."""
SOURCE = Text("Gottschalk (2002), table A.2", "Gottschalk (2002), Tabelle A.2")


def effect_of(id: str) -> Row | None:
    """What the table says of a method of the catalogue."""
    return next((row for row in TABLE if id in row.here), None)
