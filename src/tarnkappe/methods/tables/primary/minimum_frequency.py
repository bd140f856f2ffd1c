"""The minimum frequency rule."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools
from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.sums import Sums, sums_of
from tarnkappe.data.table import Table
from tarnkappe.errors.tables import CountsMissing
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.contributed import Contributed
from tarnkappe.methods.tables.primary.protection import protected, scale
from tarnkappe.spec import Maturity, Source, rule


@rule(
    "rule.minimum-frequency",
    title=Text("minimum frequency rule", "Mindestfallzahlregel"),
    does=Text(
        "Cells to which too few contribute are confidential.",
        "Zellen, zu denen zu wenige beitragen, sind vertraulich.",
    ),
    sources=(
        Source("wettig2002", "2.1.1, avoiding exact disclosure"),
        Source("hundepool2012", "ch. 4, threshold rule"),
    ),
    flags=Text(
        "Cells with at least one contributor and fewer than n, or fewer than coalition + 2.",
        "Zellen mit mindestens einem Beitragenden und weniger als n oder weniger als coalition + 2.",
    ),
    does_not=(
        Text(
            "see that one contributor makes up nearly all of a cell: add a dominance or p % rule for that",
            "erkennt nicht, dass ein Beitragender fast die ganze Zelle ausmacht: dafür Dominanz- oder p-%-Regel ergänzen",
        ),
        Text("mark empty cells", "markiert leere Zellen nicht"),
    ),
    example={"n": 4, "coalition": 3, "weighted": True, "safety": 15, "by": "contributor"},
    maturity=Maturity.REPLICATED,
    revision=3,
)
class MinimumFrequency(Contributed):
    """Mark cells with too few contributors.

    A cell of one contributor *is* that contributor's value; with two, each finds the other by subtraction. Whoever knows m
    contributions, his own or those of a coalition, finds another one unless there are two more: the smallest count that is
    published is the larger of `n` and `coalition` + 2. The required protection is `safety` percent of the value, and at least 1 for counts.

    Records are counted, whatever their weights; with `weighted` the units they stand for, as τ-ARGUS counts them, must be enough
    as well. A table that counts units and comes without contributions is taken at its own counts.
    """

    n: Annotated[int, Field(ge=1)] = 3
    """Smallest number of contributors that is published. | Kleinste Zahl von Beitragenden, die veröffentlicht wird."""
    coalition: Annotated[int, Field(ge=0)] = 1
    """So many contributors act together and know what each of them contributes. | So viele Beitragende handeln gemeinsam und kennen ihre Beiträge."""
    safety: Annotated[float, Field(gt=0)] = 10
    """Required protection in percent of the value. | Verlangter Schutz in Prozent des Wertes."""

    @property
    def least(self) -> int:
        """The smallest number of contributors that is published."""
        return max(self.n, self.coalition + 2)

    def mark(self, table: Table) -> Sensitivity:
        cells = self.sensitive(sums_of(table))
        return protected(table, cells, self.safety / 100 * scale(table), self.title)

    def sensitive(self, sums: Sums) -> Bools:
        kept = self.held(sums)
        if kept is None and not sums.counts:
            raise CountsMissing(rule=self.title, name=sums.name)
        found = sums.value if kept is None else kept.count
        if self.weighted and kept is not None and kept.weight is not None:
            found = np.minimum(found, kept.weight)
        return np.asarray((found > 0) & (found < self.least))
