"""Certain bounds: averages of sorted values enclose the true ones between their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.data.strata import strata_of
from tarnkappe.kernels.order_bounds import order_bounds
from tarnkappe.kernels.proportions import share_of
from tarnkappe.language import Text
from tarnkappe.risk.values_learnt import OnValues, Sides, Useful, by_column, counted, near
from tarnkappe.spec import Finding, Goal, Json, Maturity, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata


@measure(
    "risk.certain-bounds",
    title=Text("Certain bounds of averaged values", "Sichere Schranken gemittelter Werte"),
    does=Text(
        "Computes from neighbouring averages between which bounds a true value must lie, and counts the values enclosed too closely.",
        "Berechnet aus benachbarten Mittelwerten, zwischen welchen Schranken ein wahrer Wert liegen muss, und zählt die zu eng "
        "eingeschlossenen.",
    ),
    sources=(
        Source(
            "hoehne2010",
            "3.2, inequalities 3.2-3 to 3.2-5: certain interval in univariate microaggregation (R08)",
        ),
    ),
    reads=Text(
        "A share of {value} of the values is enclosed closely for certain.",
        "Ein Anteil von {value} der Werte ist mit Sicherheit eng eingeschlossen.",
    ),
    knows=Text(
        "The attacker knows which released record is whose, and that every column was sorted and averaged by itself, in the strata.",
        "Der Angreifer weiß, welcher freigegebene Datensatz wem gehört und dass jede Spalte für sich sortiert und gemittelt wurde, in den "
        "Schichten.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "apply where columns were averaged together, or otherwise changed: the bounds then do not hold, see valid",
            "gelten, wo Spalten gemeinsam gemittelt oder anders verändert wurden: Dann stimmen die Schranken nicht, siehe valid",
        ),
        Text(
            "count values that are near to the average without being enclosed: see risk.interval-disclosure",
            "Werte zählen, die dem Mittelwert nahe, aber nicht eingeschlossen sind: siehe risk.interval-disclosure",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "valid": Text("values between their bounds", "Werte zwischen ihren Schranken"),
    },
    example={"columns": ["income", "wealth"], "within": ["region"], "weighted": True, "f": 0.1},
)
class CertainBounds(OnValues):
    """The share of values whose bounds lie closer together than the part f of the upper one: so closely the attacker knows it for certain.

    The bounds come from the neighbouring averages and from what the other members of a group can have at most. *Valid* is
    the share of values that lie between their bounds; where that is not 1, the attacker's assumption is wrong, and values outside their
    bounds do not count. The baseline is the share of averages that are within f of the true value by themselves: the attacker
    cannot know which.
    """

    f: Useful = 0.05
    """Relative width below which a value counts as enclosed. | Relative Breite, unter der ein Wert als eingeschlossen gilt."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before)
        low, high = self._bounds(after, sides)
        slack = 1e-12 * np.abs(sides.x)
        valid = np.asarray((low <= sides.x + slack) & (sides.x - slack <= high))
        narrow = high - low <= self.f * (1 - 1e-8) * np.maximum(np.abs(low), np.abs(high))
        hit = np.asarray(valid & narrow)
        there, released = sides.there, near(sides.y, sides.x, self.f)
        details: dict[str, Json] = {
            "f": self.f,
            "valid": share_of(*counted(valid, there), sides.weights),
            "columns": by_column(sides, hit, there, released),
        }
        baseline = share_of(*counted(released, there), sides.weights)
        return self.finding(after, sides, counted(hit, there), baseline, details)

    def _bounds(self, after: Microdata, sides: Sides) -> tuple[Floats, Floats]:
        """Bounds of every released value in its stratum."""
        low, high = np.full(sides.shown.shape, np.nan), np.full(sides.shown.shape, np.nan)
        for block in strata_of(after, self.within).blocks():
            for j in range(len(sides.names)):
                seen = block[~np.isnan(sides.shown[block, j])]
                low[seen, j], high[seen, j] = order_bounds(sides.shown[seen, j])
        return low[sides.place], high[sides.place]
