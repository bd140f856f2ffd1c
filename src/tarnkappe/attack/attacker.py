"""Who attacks a set of tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Attacker:
    """What the attacker of a set of tables knows."""

    prior: float | None = None
    """Every cell up to so many percent."""
    insiders: str = "owners"
    coalition: int = 1
