"""Who attacks tables, and what is said where the attack stays undecided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tarnkappe.attack.naming import LEFT_OUT, insider
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


def told(narrow: int, breaches: int, unions: int, insiders: Sequence[Mapping[str, Any]] = ()) -> Text:
    """What the attack finds, in numbers, with the first insider and what leaves him out."""
    text = Text(
        f"{narrow} cells are too narrow for an outsider, {breaches} for an insider",
        f"{narrow} Zellen sind für Außenstehende zu eng, {breaches} für Beteiligte",
    )
    if insiders:
        cell, who = insiders[0]["cell"], insider(insiders[0]["together"], insiders[0]["knows"])
        text = Text(
            f"{text.en} (the first: {cell}; the insider: {who.en}. {LEFT_OUT.en})",
            f"{text.de} (als erste {cell}; beteiligt: {who.de}. {LEFT_OUT.de})",
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
