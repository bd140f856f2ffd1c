"""The history of a project folder: every release below it, read from its ledger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tarnkappe.errors.process import NotAFolder
from tarnkappe.language import Text
from tarnkappe.report.release import SEAL, as_json, sealed
from tarnkappe.report.verify import LEDGER

FIGURES = {
    "risk.k-anonymity": Text("k", "k"),
    "risk.reidentification": Text("risk", "Risiko"),
    "utility.moments": Text("mean error", "Mittelwertfehler"),
}
"""The measures shown, where a run has taken them, with short names."""
DEEPEST = 4
"""Folders are searched this far down."""


class _Finding(BaseModel):
    value: float | None


class _Measure(BaseModel):
    id: str
    after: _Finding


class _Gate(BaseModel):
    held: bool


class _Records(BaseModel):
    after: int


class _Ledger(BaseModel):
    title: str
    started: str
    plan: dict[str, Any]
    records: _Records
    measures: tuple[_Measure, ...]
    gates: tuple[_Gate, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """One release of the past."""

    folder: str
    started: str
    title: str
    plan: str
    """SHA-256 of the plan: equal plans have equal ones."""
    records: int
    gates: int
    held: int
    figures: dict[str, float]
    """Measure -> what it found on the release."""
    sealed: bool
    """The ledger is as it was written."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "folder": self.folder, "started": self.started, "title": self.title, "plan": self.plan,
            "records": self.records, "gates": {"all": self.gates, "held": self.held},
            "figures": self.figures, "sealed": self.sealed,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class History:
    """All releases below a folder, the oldest first."""

    runs: tuple[Past, ...]
    unreadable: tuple[str, ...]
    """Folders whose ledger cannot be read."""


def history(folder: Path) -> History:
    """Find the ledgers below a folder and read them."""
    if not folder.is_dir():
        raise NotAFolder(folder=str(folder))
    found: list[Past] = []
    unreadable: list[str] = []
    for path in _ledgers(folder):
        name = path.parent.parent.relative_to(folder).as_posix()
        try:
            found.append(_past(name, json.loads(path.read_text("utf-8"))))
        except (OSError, ValueError, ValidationError):
            unreadable.append(name)
    return History(tuple(sorted(found, key=lambda one: (one.started, one.folder))), tuple(unreadable))


def _ledgers(folder: Path) -> Iterator[Path]:
    for depth in range(DEEPEST + 1):
        yield from sorted(folder.glob("*/" * depth + LEDGER))


def _past(name: str, content: dict[str, Any]) -> Past:
    told = _Ledger.model_validate(content)
    values = {m.id: m.after.value for m in reversed(told.measures)}
    plan = hashlib.sha256(as_json(told.plan).encode()).hexdigest()
    return Past(
        folder=name, started=told.started, title=told.title, plan=plan, records=told.records.after,
        gates=len(told.gates), held=sum(gate.held for gate in told.gates),
        figures={id: value for id in FIGURES if (value := values.get(id)) is not None},
        sealed=sealed(content).get(SEAL) == content.get(SEAL),
    )  # fmt: skip
