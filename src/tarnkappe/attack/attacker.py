"""Who attacks tables, and what is said where the attack stays undecided."""

from __future__ import annotations

from dataclasses import dataclass

from tarnkappe.language import Text

SMALL = 500
"""Where no more cells are hidden, the intervals told are exact unless somebody wants it otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Attacker:
    """What the attacker of a set of tables knows."""

    prior: float | None = None
    """Every cell up to so many percent."""
    insiders: str = "owners"
    coalition: int = 1
    exact: bool | None = None
    """Every interval is followed to its end; None: where no more than `SMALL` cells are hidden."""

    def to_the_end(self, hidden: int) -> bool:
        """Whether the intervals of so many hidden cells are followed to their ends."""
        return hidden <= SMALL if self.exact is None else self.exact


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
