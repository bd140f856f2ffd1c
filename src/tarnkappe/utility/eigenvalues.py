"""Eigenvalues of the correlation matrices before and after."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tarnkappe.kernels.main_axes import compared_eigenvalues
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.utility.comparing import joined
from tarnkappe.utility.complete import OfMatrices

if TYPE_CHECKING:
    from tarnkappe.data.microdata import Microdata


@measure(
    "utility.eigenvalues",
    title=Text("Eigenvalues before and after", "Eigenwerte vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the eigenvalues of the standardised numeric columns before and after: how their variation spreads over directions.",
        "Vergleicht die Eigenwerte der standardisierten numerischen Spalten vorher und nachher: wie sich ihre Streuung auf Richtungen verteilt.",
    ),
    sources=(
        Source(
            "dav2025", "section 6.3: absolute and relative differences of eigenvalues, robust form (D-U07)"
        ),
        Source("rousseeuw1999", "robust covariance"),
    ),
    reads=Text(
        "The eigenvalues differ by {value} in total (0: not at all; their sum is the number of columns).",
        "Die Eigenwerte unterscheiden sich insgesamt um {value} (0: gar nicht; ihre Summe ist die Zahl der Spalten).",
    ),
    knows=Text(
        "The records that have all values, in the original and in the release.",
        "Die Datensätze mit allen Werten, im Original und in der Freigabe.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "see that directions turned while their variation stayed; see utility.components",
            "sehen, ob sich Richtungen gedreht haben, deren Streuung blieb; siehe utility.components",
        ),
        Text(
            "see changes of means and variances: the columns are standardised in each file",
            "Veränderungen von Mittelwerten und Varianzen sehen: Die Spalten werden in jeder Datei standardisiert",
        ),
        Text("use weights when it is robust", "in der robusten Form Gewichte verwenden"),
    ),
    words={
        "eigenvalues_after": Text("eigenvalues after", "Eigenwerte nachher"),
        "eigenvalues_before": Text("eigenvalues before", "Eigenwerte vorher"),
        "relative_difference": Text("sum of the relative differences", "Summe der relativen Differenzen"),
    },
    example={"columns": ["income", "wealth", "employees"], "weighted": False, "robust": True},
)
class Eigenvalues(OfMatrices):
    """The sum of the absolute differences of the eigenvalues of the two correlation matrices.

    The columns are standardised in each file, so the eigenvalues of each add up to the number of columns.
    The relative form, Σ|λ - λ'| / λ, stands in the details; an eigenvalue below a millionth of their mean
    counts as zero, its difference is divided by the mean and counted as guarded. With `robust`, the
    matrices are those of the core of the records (minimum covariance determinant). Only records with
    all values are used.
    """

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        found = self.matrices(after, before)
        if found.doubt:
            because = joined(found.doubt, found.because)
            return Finding(math.nan, trusted=False, because=because, details=found.told)
        apart = compared_eigenvalues(found.before, found.after)
        return Finding(
            value=apart.absolute,
            because=found.because,
            details={
                "eigenvalues_before": apart.before,
                "eigenvalues_after": apart.after,
                "relative_difference": apart.relative,
                "guarded": apart.guarded,
                "columns": found.names,
                **found.told,
            },
        )
