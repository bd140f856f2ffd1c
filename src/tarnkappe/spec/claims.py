"""A claim is a sentence for the reader and a check for the machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tarnkappe.language import NOTHING, Text


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


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a method promises about the data before and after it."""

    says: Text
    check: Callable[[Any, Any, Any], bool] | None = None
    """(method, before, after) -> does it hold?"""
    holds: Holds = Holds.ALWAYS
    proof: str = ""
    """Where the proof is, for example ``docs/proofs/discrete-laplace.md``."""
    when: Callable[[Any], bool] | None = None
    """(method) -> is the claim made with these parameters? Without it, always."""

    def __post_init__(self) -> None:
        if self.holds is Holds.BY_PROOF and not self.proof:
            raise TypeError(f"claim {self.says.en!r} holds by proof but names none")
        if self.holds is not Holds.BY_PROOF and self.check is None:
            raise TypeError(f"claim {self.says.en!r} has no check")
        if self.says == NOTHING or not self.says.de:
            raise TypeError("a claim needs its sentence in both languages")

    def applies(self, method: Any) -> bool:
        return self.when is None or self.when(method)
