"""A claim is a sentence for the reader and a check for the machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from tarnkappe.language import NOTHING, Text
from tarnkappe.spec.conditions import Condition


class Holds(StrEnum):
    """When a claim holds."""

    ALWAYS = "always"
    """Checked after every run."""
    ON_AVERAGE = "on-average"
    """Checked over many seeds in the tests."""
    BY_PROOF = "by-proof"
    """Has a proof note and a distribution test."""

    @property
    def text(self) -> Text:
        return _HOLDS[self]


_HOLDS = {
    Holds.ALWAYS: Text("checked in every run", "in jedem Lauf geprüft"),
    Holds.ON_AVERAGE: Text("on average over the randomness", "im Mittel über den Zufall"),
    Holds.BY_PROOF: Text("by proof", "durch Beweis"),
}
_WHERE_IT_IS_MADE = {
    **_HOLDS,
    Holds.ALWAYS: Text("checked in every such run", "in jedem solchen Lauf geprüft"),
}
_MADE = Text("{when}: {holds}", "{when}: {holds}")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a method promises about the data before and after it."""

    says: Text
    check: Callable[[Any, Any, Any], bool] | None = None
    """(method, before, after) -> does it hold?"""
    holds: Holds = Holds.ALWAYS
    proof: str = ""
    """Where the proof is, for example ``docs/proofs/discrete-laplace.md``."""
    when: Condition | None = None
    """With which parameters the claim is made. Without it, always."""

    def __post_init__(self) -> None:
        if self.holds is Holds.BY_PROOF and not self.proof:
            raise TypeError(f"claim {self.says.en!r} holds by proof but names none")
        if self.holds is not Holds.BY_PROOF and self.check is None:
            raise TypeError(f"claim {self.says.en!r} has no check")
        if self.says == NOTHING or not self.says.de:
            raise TypeError("a claim needs its sentence in both languages")

    def applies(self, method: Any) -> bool:
        return self.when is None or self.when(method)

    def only(self, condition: Condition) -> Claim:
        """The same claim, made only where this holds as well."""
        return replace(self, when=self.when & condition if self.when else condition)

    @property
    def told(self) -> Text:
        """When it is made and how it is known, for a card that does not know the parameters."""
        if self.when is None:
            return self.holds.text
        return _MADE.filled(when=self.when.says, holds=_WHERE_IT_IS_MADE[self.holds])
