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


def told(narrow: int, inside: int, unions: int) -> Text:
    """What the attack finds, in numbers."""
    text = Text(
        f"{narrow} cells are too narrow for an outsider, {inside} for an insider",
        f"{narrow} Zellen sind für Außenstehende zu eng, {inside} für Beteiligte",
    )
    if not unions:
        return text
    return Text(
        f"{text.en}; {unions} sums of suppressed cells are themselves confidential",
        f"{text.de}; {unions} Summen gesperrter Zellen sind selbst vertraulich",
    )


RELAXED = Text(
    "some intervals are wide enough only if counts could be broken numbers; whole numbers were not found in the time given",
    "einige Intervalle sind nur weit genug, wenn Anzahlen gebrochen sein könnten; ganze Zahlen fanden sich in der gegebenen Zeit nicht",
)
