"""Who attacks tables, and what is said where the attack stays undecided."""

from __future__ import annotations

from dataclasses import dataclass

from tarnkappe.language import Text


@dataclass(frozen=True, slots=True, eq=False)
class Attacker:
    """What the attacker of a set of tables knows."""

    prior: float | None = None
    """Every cell up to so many percent."""
    insiders: str = "owners"
    coalition: int = 1


RELAXED = Text(
    "some intervals are wide enough only if counts could be broken numbers; whole numbers were not found in the time given",
    "einige Intervalle sind nur weit genug, wenn Anzahlen gebrochen sein könnten; ganze Zahlen fanden sich in der gegebenen Zeit nicht",
)
