"""Small counts."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools
from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.sums import Sums, sums_of
from tarnkappe.data.table import Table
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.counted import refuse_values
from tarnkappe.methods.tables.primary.protection import protected, scale
from tarnkappe.spec import Rule, Source, rule


@rule(
    "rule.small-counts",
    title=Text("small counts", "kleine Anzahlen"),
    does=Text("Small counts are confidential.", "Kleine Anzahlen sind vertraulich."),
    sources=(
        Source("wettig2002", "2.1.1, minimum frequency, applied to the counts themselves"),
        Source("hundepool2012", "ch. 5, frequency tables"),
    ),
    flags=Text("Counts from 1 to n.", "Anzahlen von 1 bis n."),
    does_not=(
        Text("mark zeros: see the rule of shares", "markiert Nullen nicht: dafür die Regel der Anteile"),
        Text(
            "see that all units of a row fall into one category: that is group disclosure",
            "erkennt nicht, dass alle Einheiten einer Zeile in eine Kategorie fallen: das ist Gruppenaufdeckung",
        ),
    ),
    example={"n": 3, "safety": 20},
    revision=2,
)
class SmallCounts(Rule):
    """Mark small counts in a table that counts units.

    The required protection is `safety` percent of the count and at least 1. Where records have weights, respondents are counted.
    """

    n: Annotated[int, Field(ge=1)] = 2
    """Largest count that is not published. | Größte Anzahl, die nicht veröffentlicht wird."""
    safety: Annotated[float, Field(gt=0)] = 10
    """Required protection in percent of the value. | Verlangter Schutz in Prozent des Wertes."""

    def mark(self, table: Table) -> Sensitivity:
        cells = self.sensitive(sums_of(table))
        return protected(table, cells, self.safety / 100 * scale(table), self.title)

    def sensitive(self, sums: Sums) -> Bools:
        told = sums.unweighted or sums
        refuse_values(told.name, self.title, counts=told.counts)
        return np.asarray((told.value > 0) & (told.value <= self.n))
