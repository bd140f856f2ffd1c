"""Principal components before and after."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field
from scipy.linalg import subspace_angles

from tarnkappe.kernels.main_axes import leading
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.utility.comparing import joined
from tarnkappe.utility.complete import OfMatrices

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata

ENOUGH = 0.8
"""Without a number, as many components are compared as explain this share of the variance."""
CLOSE = 0.05
"""Two eigenvalues nearer than this, relative to the larger, leave their directions undecided."""
_UNDECIDED = Text(
    "The variances of the last component compared and of the next are nearly equal: which of the two comes first is chance.",
    "Die Varianzen der letzten verglichenen und der nächsten Komponente sind fast gleich: Welche vorn liegt, ist Zufall.",
)


@measure(
    "utility.components",
    title=Text("Principal components before and after", "Hauptkomponenten vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the directions of the first principal components before and after.",
        "Vergleicht die Richtungen der ersten Hauptkomponenten vorher und nachher.",
    ),
    sources=(
        Source("dav2025", "section 6.3: eigenvalues and principal components (D-U07)"),
        Source("krzanowski1979", "angles between the spaces of the first components"),
    ),
    reads=Text(
        "A share of {value} of the space of the first components is turned out of place.",
        "Ein Anteil von {value} des Raums der ersten Komponenten ist aus seiner Lage gedreht.",
    ),
    knows=Text(
        "The records that have all values, in the original and in the release.",
        "Die Datensätze mit allen Werten, im Original und in der Freigabe.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "see how much variation the components carry; see utility.eigenvalues",
            "sehen, wie viel Streuung die Komponenten tragen; siehe utility.eigenvalues",
        ),
        Text(
            "notice that components changed places among those that are compared",
            "merken, ob verglichene Komponenten untereinander die Plätze tauschten",
        ),
        Text("use weights when it is robust", "in der robusten Form Gewichte verwenden"),
    ),
    words={
        "angles": Text("angles between the spaces, in degrees", "Winkel zwischen den Räumen in Grad"),
        "components": Text("components compared", "verglichene Komponenten"),
        "explained_after": Text(
            "share of the variance explained after", "erklärter Anteil der Varianz nachher"
        ),
        "explained_before": Text(
            "share of the variance explained before", "erklärter Anteil der Varianz vorher"
        ),
    },
    example={
        "columns": ["income", "wealth", "employees"],
        "weighted": False,
        "robust": True,
        "components": 1,
    },
)
class Components(OfMatrices):
    """One minus the mean squared cosine of the angles between the spaces of the first components.

    The components are those of the standardised columns (of the core of the records with `robust`). 0
    means that the first components span the same space, 1 that they are at right angles throughout.
    The angles stand in the details, the largest first, with the share of the variance that the components
    explain in each file. Without `components`, as many are compared as explain four fifths of the variance of
    the original, one fewer than there are columns at most. Where the next component carries nearly as much
    variance as the last one compared, the space is not well defined: the value is then marked.
    """

    components: Annotated[int, Field(ge=1)] | None = None
    """Number of components; without it, as many as explain four fifths of the variance. | Zahl der
    Komponenten; ohne Angabe so viele, wie vier Fünftel der Varianz erklären."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        found = self.matrices(after, before)
        if found.doubt:
            because = joined(found.doubt, found.because)
            return Finding(math.nan, trusted=False, because=because, details=found.told)
        values, new = (
            np.asarray(np.linalg.eigvalsh(m)[::-1], dtype=np.float64) for m in (found.before, found.after)
        )
        count = self._count(values)
        turned = subspace_angles(leading(found.before, count), leading(found.after, count))
        undecided = values[count - 1] - values[count] < CLOSE * values[count - 1]
        return Finding(
            value=float(np.mean(np.sin(turned) ** 2)),
            trusted=not undecided,
            because=joined(_UNDECIDED if undecided else NOTHING, found.because),
            details={
                "components": count,
                "angles": np.degrees(turned),
                "explained_before": float(values[:count].sum() / values.sum()),
                "explained_after": float(new[:count].sum() / new.sum()),
                "columns": found.names,
                **found.told,
            },
        )

    def _count(self, values: Floats) -> int:
        most = len(values) - 1
        if self.components is not None:
            return min(self.components, most)
        explained = np.cumsum(values) / values.sum()
        return min(int(np.searchsorted(explained, ENOUGH)) + 1, most)
