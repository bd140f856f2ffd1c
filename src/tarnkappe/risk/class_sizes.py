"""The sizes of the equivalence classes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.kernels.candidate_units import class_units
from tarnkappe.kernels.classes import classes
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.counting import (
    BANDS,
    COUNTED,
    NO_KEY,
    UNITS,
    Ints,
    banded,
    nothing_known,
    printed,
    units_of_classes,
)
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.microdata import Microdata

_OF_UNITS = Text(
    "On average {value} units share their keys.", "Im Mittel teilen sich {value} Einheiten ihre Schlüssel."
)
_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


@measure(
    "risk.class-sizes",
    title=Text("Sizes of equivalence classes", "Größen der Äquivalenzklassen"),
    does=Text(
        "Shows how large the groups of records are that agree on all keys.",
        "Zeigt, wie groß die Gruppen von Datensätzen sind, die in allen Schlüsseln übereinstimmen.",
    ),
    sources=(Source("dav2025", "section 4.2: equivalence classes"),),
    reads=Text(
        "On average {value} records share their keys.",
        "Im Mittel teilen sich {value} Datensätze ihre Schlüssel.",
    ),
    knows=Text(
        "The release as it is printed: missing equals only missing, suppressed only suppressed.",
        "Die Freigabe, wie sie gedruckt ist: fehlend gleicht nur fehlend, unterdrückt nur unterdrückt.",
    ),
    goal=Goal.HIGH,
    bounds=(1, math.inf),
    alone=True,
    does_not=(
        Text(
            "tell the worst case: a large average goes with unique records; see risk.k-anonymity",
            "den schlimmsten Fall zeigen: auch bei großem Mittel gibt es einzigartige Datensätze; siehe "
            "risk.k-anonymity",
        ),
        Text(
            "take the attacker's view of suppressed keys",
            "bei unterdrückten Schlüsseln die Sicht des Angreifers einnehmen",
        ),
    ),
    revision=2,
    example={"keys": ["sex", "year"]},
)
class ClassSizes(Measure):
    """The average size of an equivalence class, with a histogram and quantiles of the sizes.

    The classes divide the file as it is printed, so that they add up: a missing key is a category, a
    suppressed one is another. Quantiles are those of the classes and, beside them, of the records: half of
    the classes may be unique while half of the records sit in classes of a hundred. Where several records are one unit's, units are counted, as in
    `risk.k-anonymity`.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer
    kennen kann; ohne Angabe die mit der Rolle key."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        found = classes(printed(after, self.keys))
        units = units_of_classes(after)
        sizes = class_units(found, units)
        own = sizes[found.ids]
        unknown = nothing_known(after, self.keys)
        return Finding(
            value=float(sizes.mean()),
            trusted=not unknown,
            because=NO_KEY if unknown else NOTHING,
            baseline=None if before is None else self._mean(before),
            details={
                "keys": after.keys(self.keys),
                **({} if units is None else {COUNTED: UNITS}),
                "records": len(after),
                "classes": len(found.sizes),
                "bands": _histogram(sizes, found.sizes),
                "quantiles": {"classes": _quantiles(sizes), "records": _quantiles(own)},
            },
            per_record=own.astype(np.float64),
            reads=NOTHING if units is None else _OF_UNITS,
        )

    def _mean(self, data: Microdata) -> float:
        return float(class_units(classes(printed(data, self.keys)), units_of_classes(data)).mean())


def _histogram(sizes: Ints, records: Ints) -> list[dict[str, Json]]:
    """Classes and records in every band."""
    bands = banded(sizes, "classes")
    for band, (low, high) in zip(bands, BANDS, strict=True):
        band["records"] = int(records[(sizes >= low) & (sizes <= (high or np.inf))].sum())
    return bands


def _quantiles(sizes: Ints) -> dict[str, int]:
    """Sizes that so many percent do not exceed."""
    found = np.quantile(sizes, _SHARES, method="inverted_cdf")
    return {f"{share:.0%}"[:-1]: int(size) for share, size in zip(_SHARES, found, strict=True)}
