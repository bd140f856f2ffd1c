"""Correlations after masking against what Moore's law predicts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.data.quantities import LEAST
from tarnkappe.kernels.moments import pearson
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.utility.same_records import Beside, RecordByRecord, not_the_same

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata

_NO_CORRELATION = Text(
    f"constant, or fewer than {LEAST} values observed together with another column",
    f"konstant oder weniger als {LEAST} Werte zusammen mit einer anderen Spalte vorhanden",
)
_NOTHING = Text("No pair of columns has a correlation.", "Kein Spaltenpaar hat eine Korrelation.")


@measure(
    "utility.attenuation",
    title=Text("Correlations against Moore's prediction", "Korrelationen gegen Moores Vorhersage"),
    compares=True,
    does=Text(
        "Compares the correlations after masking with those that masking each column on its own should leave.",
        "Vergleicht die Korrelationen nach der Maskierung mit denen, die nach unabhängiger Maskierung der Spalten zu erwarten sind.",
    ),
    sources=(
        Source("hoehne2010", "section 2.2.3 and appendix 2, theorem 5: attenuation (U07)"),
        Source("moore1996", "correlations after rank swapping"),
    ),
    reads=Text(
        "On average a correlation lies {value} off what masking column by column predicts.",
        "Im Mittel liegt eine Korrelation {value} neben dem, was eine spaltenweise Maskierung erwarten lässt.",
    ),
    knows=Text(
        "The records that both files have; each pair of columns uses the records that have both values in both files.",
        "Die Datensätze, die beide Dateien haben; jedes Spaltenpaar nutzt die Datensätze mit beiden Werten in beiden Dateien.",
    ),
    goal=Goal.LOW,
    bounds=(0, 2),
    does_not=(
        Text(
            "measure the loss itself, which is the difference of correlations: see utility.correlations",
            "den Verlust selbst messen, also die Differenz der Korrelationen: siehe utility.correlations",
        ),
        Text(
            "hold as a prediction where columns were masked together or means and variances changed",
            "als Vorhersage gelten, wo Spalten gemeinsam maskiert oder Mittelwerte und Varianzen verändert wurden",
        ),
    ),
    words={
        "actual_loss": Text("mean change of a correlation", "mittlere Veränderung einer Korrelation"),
        "pairs_of_columns": Text("pairs of columns", "Spaltenpaare"),
        "predicted_loss": Text(
            "change of a correlation predicted by Moore's law",
            "nach Moores Gesetz erwartete Veränderung einer Korrelation",
        ),
        "with_own_original": Text(
            "correlation with the original column", "Korrelation mit der ursprünglichen Spalte"
        ),
    },
    example={"columns": ["income", "employees"]},
)
class Attenuation(RecordByRecord):
    """Correlations after against R_j · R_k · r, column correlations before/after times the original correlation.

    If every column is masked on its own and keeps its mean and variance, correlations are on average
    multiplied by the correlations R of the two columns with their own originals (Moore; Höhne, theorem 5).
    Near 0 the release behaves as the law says, so whoever knows R can correct correlations by dividing.
    A large value means that columns were masked together, which usually keeps more. The details
    give the correlation of each column with its original, and the mean loss that was predicted and that
    occurred.
    """

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.beside(after, before, needed=2)
        unlike = not_the_same(sides)
        if unlike is not None:
            return unlike
        before_r, after_r, own = _correlated(sides)
        predicted = own[:, None] * own[None, :] * before_r
        pairs = np.tril_indices(len(sides.names), -1)
        apart = np.abs(after_r - predicted)
        there = ~np.isnan(apart[pairs])
        np.fill_diagonal(apart, np.nan)
        without = [n for n, row in zip(sides.names, apart, strict=True) if np.isnan(row).all()]
        return Finding(
            value=_mean(apart[pairs][there]),
            trusted=bool(there.any()),
            because=joined(left_out(without, _NO_CORRELATION), sides.because())
            or (NOTHING if there.any() else _NOTHING),
            details={
                "with_own_original": dict(zip(sides.names, own, strict=True)),
                "predicted_loss": _mean(np.abs(predicted - before_r)[pairs][there]),
                "actual_loss": _mean(np.abs(after_r - before_r)[pairs][there]),
                "pairs_of_columns": int(there.sum()),
                **sides.told(),
            },
        )


def _correlated(sides: Beside) -> tuple[Floats, Floats, Floats]:
    """Correlations before, after, and of every column with its original, over cells that both files show."""
    gaps = np.isnan(sides.x) | np.isnan(sides.y)
    x, y = (np.where(gaps, np.nan, part) for part in (sides.x, sides.y))
    own = [pearson(np.column_stack([x[:, j], y[:, j]]), LEAST)[0, 1] for j in range(len(sides.names))]
    return pearson(x, LEAST), pearson(y, LEAST), np.array(own)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan
