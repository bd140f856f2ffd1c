"""Do the rules of `need` decide as the office did? Past decisions, replayed: the way to calibrate points and thresholds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tarnkappe.data.table import Table
from tarnkappe.plan.need import Rules, assess
from tarnkappe.plan.need_facts import Facts


@dataclass(frozen=True, slots=True)
class Decided:
    """A table of the past and what the office decided: publish, mask or expert."""

    table: Table
    facts: Facts
    verdict: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often the rules decide as the office did."""

    decided: int
    agreed: int
    too_lax: int
    """The rules would have published what the office protected."""
    verdicts: Mapping[tuple[str, str], int]
    """(office, rules) -> how often."""
    differing: tuple[str, ...]
    """Names of the tables that were decided otherwise."""

    @property
    def share(self) -> float:
        """Share of the decisions that agree; 1 where there are none."""
        return self.agreed / self.decided if self.decided else 1.0


def agreement(decisions: Iterable[Decided], rules: Rules | None = None) -> Agreement:
    """Replay past decisions."""
    past = list(decisions)
    found = [assess(d.table, d.facts, rules).verdict for d in past]
    pairs = Counter((d.verdict, verdict) for d, verdict in zip(past, found, strict=True))
    return Agreement(
        len(past),
        sum(n for (office, ours), n in pairs.items() if office == ours),
        sum(n for (office, ours), n in pairs.items() if ours == "publish" != office),
        pairs,
        tuple(d.table.name for d, verdict in zip(past, found, strict=True) if verdict != d.verdict),
    )
