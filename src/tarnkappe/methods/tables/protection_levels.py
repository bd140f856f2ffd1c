"""How far an attacker's interval of a confidential cell must reach: the protection levels, for every method that suppresses."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.pattern import Pattern, Sensitivity
from tarnkappe.data.table import Table
from tarnkappe.spec import TableMethod

USUAL = 118.0
"""Width in percent of the cell where nothing is said: 100/85, for a dominance rule with k = 85 (Wettig 2002, L1418)."""
LEAST = 1e-6
"""A cell of a table of values is protected by at least this share of it, a count by at least 1."""


class Suppressing(TableMethod):
    """A method that suppresses, with the protection levels it has to reach.

    A level is how far below and above its value the attacker's interval of a confidential cell must reach. By default it is what
    the rule asks that marks the cell: the normed sensitivity S* of USBCSUP. CONFID asks for half of it, τ-ARGUS for percents of the
    value, GHQUAR for a width of the interval, wherever it lies.
    """

    levels: Literal["sensitivity", "half", "percent", "span"] = "sensitivity"
    """What is required of confidential cells: what their rule asks, half of it, that the interval reaches from down_to to up_to percent
    of the value, or only the width that span says. | Was für vertrauliche Zellen verlangt wird: was ihre Regel verlangt, die Hälfte
    davon, dass das Intervall von down_to bis up_to Prozent des Werts reicht, oder nur die Breite, die span nennt."""
    down_to: Annotated[float, Field(ge=0, le=100)] = 82
    """For levels percent: down to so many percent of the value. | Für levels percent: bis auf so viel Prozent des Werts hinunter."""
    up_to: Annotated[float, Field(ge=100)] = 118
    """For levels percent: up to so many percent of the value. | Für levels percent: bis auf so viel Prozent des Werts hinauf."""
    span: Annotated[float, Field(ge=0)] | None = None
    """Width of the interval in percent of the cell, required of all confidential cells; without it 118, and only of those that no rule
    asks more for. 0 lets them be in doubt only. | Breite des Intervalls in Prozent der Zelle, verlangt für alle vertraulichen Zellen; ohne
    Angabe 118, und nur für die, für die keine Regel mehr verlangt. Bei 0 müssen sie nur ungewiss sein."""

    range_base: Literal["value", "largest"] = "value"
    """What span is a percentage of: the value of the cell, or the largest cell among those that are suppressed as its partners. | Wovon
    span ein Prozentsatz ist: vom Wert der Zelle oder von der größten Zelle unter denen, die als ihre Partner gesperrt sind."""

    two_sided: bool = True
    """Must the interval reach as far as levels says on either side of the value? If not, it must only be as wide as both sides together,
    wherever it lies: less is suppressed, and the value may stand at an end of its interval. | Muss das Intervall auf jeder Seite des Werts so weit
    reichen, wie levels sagt? Wenn nicht, muss es nur so breit sein wie beide Seiten zusammen, wo immer es liegt: es wird weniger
    gesperrt, und der Wert kann am Rand seines Intervalls stehen."""

    suppresses: ClassVar[bool] = True

    def asks(self, found: Sensitivity, table: Table) -> Sensitivity:
        lower, upper, width = found.lower, found.upper, found.span
        if self.levels == "half":
            lower, upper = (_half(side, table) for side in (lower, upper))
        elif self.levels == "percent":
            lower, upper = self._percents(table)
        elif self.levels == "span":
            lower = upper = np.zeros(len(table))
        if not self.two_sided:
            lower, upper, width = self._sides(lower, upper, np.zeros(len(table)) if width is None else width)
        if self.span is not None or self.levels == "span":
            wide = self._wide(table)
            width = wide if width is None else np.maximum(width, wide)
        lower, upper = (np.where(found.cells, side, 0.0) for side in (lower, upper))
        return replace(
            found, lower=lower, upper=upper, span=None if width is None else np.where(found.cells, width, 0.0)
        )

    def requires(self, pattern: Pattern) -> Pattern:
        """Cells that are marked without a rule get the percents, or the span where nothing else is asked of them."""
        table, unasked = pattern.table, pattern.primary & ~pattern.asked
        if self.levels == "percent":
            lower, upper, width = self._sides(*self._percents(table), pattern.span)
            pattern = replace(
                pattern,
                lower=np.where(unasked, lower, pattern.lower),
                upper=np.where(unasked, upper, pattern.upper),
                span=np.where(unasked, width, pattern.span),
            )
            unasked = pattern.primary & ~pattern.asked
        wanted = unasked if self.span is None else pattern.primary
        return replace(
            pattern, span=np.where(wanted, np.maximum(pattern.span, self._wide(table)), pattern.span)
        )

    def _sides(self, lower: Floats, upper: Floats, width: Floats) -> tuple[Floats, Floats, Floats]:
        """(below, above, width): as they are, or both sides as one width that may lie anywhere (Wettig 2002, L1418)."""
        if self.two_sided:
            return lower, upper, width
        nothing = np.zeros(len(lower))
        return nothing, nothing, np.maximum(width, lower + upper)

    @property
    def share(self) -> float:
        """The width as a share of what it is measured by."""
        return (USUAL if self.span is None else self.span) / 100

    def _wide(self, table: Table) -> Floats:
        return self.share * np.abs(table.value)

    def _percents(self, table: Table) -> tuple[Floats, Floats]:
        """Percents of the value (τ-ARGUS: 82 and 118 for a threshold of 85; Wettig 2002, L1420-1424); a count can differ by 1."""
        size = np.abs(table.value)
        least = np.ones(len(table)) if table.counts else LEAST * size
        lower, upper = (1 - self.down_to / 100) * size, (self.up_to / 100 - 1) * size
        if not table.signed:
            return np.minimum(np.maximum(lower, least), size), np.maximum(upper, least)
        return np.maximum(lower, least), np.maximum(upper, least)


def _half(side: Floats, table: Table) -> Floats:
    """Half of what a rule asks (CONFID, Wettig 2002, L1432), and of counts at least 1 where it asks for anything."""
    return np.maximum(side / 2, np.minimum(side, 1.0)) if table.counts else side / 2
