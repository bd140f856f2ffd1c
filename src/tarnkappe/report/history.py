"""The history of a project folder: every release below it, read from its ledger, and every run that was refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tarnkappe.errors.process import NotAFolder
from tarnkappe.io.documents import read_json
from tarnkappe.language import Text
from tarnkappe.report.refusals import FOLDER, kept
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


class _Words(BaseModel):
    en: str
    de: str


class _Refusal(BaseModel):
    title: str
    started: str
    plan: dict[str, Any]
    says: _Words
    records: _Records | None = None
    measures: tuple[_Measure, ...] = ()
    gates: tuple[_Gate, ...] = ()


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
    source: dict[str, Any] = field(default_factory=dict, repr=False)
    """The plan itself."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "folder": self.folder, "started": self.started, "title": self.title, "plan": self.plan,
            "records": self.records, "gates": {"all": self.gates, "held": self.held},
            "figures": self.figures, "sealed": self.sealed,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of the past that was refused."""

    folder: str
    """Where its plan lies."""
    record: str
    """Name of what was written down of it there."""
    started: str
    title: str
    plan: str
    """SHA-256 of the plan: equal plans have equal ones."""
    says: Text
    """Why; no value of a record is in it."""
    records: int | None
    """None where it did not come to an end."""
    gates: int
    held: int
    figures: dict[str, float]
    """Measure -> what was reached."""
    source: dict[str, Any] = field(default_factory=dict, repr=False)
    """The plan itself."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "folder": self.folder, "started": self.started, "title": self.title, "plan": self.plan,
            "refused": {"en": self.says.en, "de": self.says.de}, "records": self.records,
            "gates": {"all": self.gates, "held": self.held}, "figures": self.figures,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class History:
    """All releases below a folder, the oldest first."""

    runs: tuple[Past, ...]
    unreadable: tuple[str, ...]
    """Folders whose ledger cannot be read."""
    refused: tuple[Attempt, ...] = ()
    """Runs that released nothing, the oldest first."""


def history(folder: Path) -> History:
    """Find the ledgers below a folder and read them."""
    if not folder.is_dir():
        raise NotAFolder(folder=str(folder))
    found: list[Past] = []
    unreadable: list[str] = []
    for path in _ledgers(folder):
        name = path.parent.parent.relative_to(folder).as_posix()
        try:
            found.append(_past(name, read_json(path)))
        except (OSError, ValueError, ValidationError):
            unreadable.append(name)
    refused = sorted(_attempts(folder), key=lambda one: (one.started, one.folder))
    runs = sorted(found, key=lambda one: (one.started, one.folder))
    return History(tuple(runs), tuple(unreadable), tuple(refused))


def _ledgers(folder: Path) -> Iterator[Path]:
    for depth in range(DEEPEST + 1):
        yield from sorted(folder.glob("*/" * depth + LEDGER))


def _attempts(folder: Path) -> Iterator[Attempt]:
    """Refused runs of all plans below a folder; records that cannot be read are passed over."""
    for depth in range(DEEPEST + 1):
        for home in sorted(folder.glob("*/" * depth + FOLDER.as_posix())):
            place = home.parent.parent
            for record, content in kept(place):
                with suppress(ValidationError):
                    yield _attempt(place.relative_to(folder).as_posix(), record, content)


def _attempt(name: str, record: str, content: dict[str, Any]) -> Attempt:
    told = _Refusal.model_validate(content)
    return Attempt(
        folder=name, record=record, started=told.started, title=told.title, plan=_fingerprint(told.plan),
        says=Text(told.says.en, told.says.de), records=told.records.after if told.records else None,
        gates=len(told.gates), held=sum(gate.held for gate in told.gates), figures=_figures(told.measures),
        source=told.plan,
    )  # fmt: skip


def _fingerprint(plan: dict[str, Any]) -> str:
    return hashlib.sha256(as_json(plan).encode()).hexdigest()


def _figures(measures: tuple[_Measure, ...]) -> dict[str, float]:
    values = {m.id: m.after.value for m in reversed(measures)}
    return {id: value for id in FIGURES if (value := values.get(id)) is not None}


def _past(name: str, content: dict[str, Any]) -> Past:
    told = _Ledger.model_validate(content)
    return Past(
        folder=name, started=told.started, title=told.title, plan=_fingerprint(told.plan),
        records=told.records.after, gates=len(told.gates), held=sum(gate.held for gate in told.gates),
        figures=_figures(told.measures),
        sealed=sealed(content).get(SEAL) == content.get(SEAL), source=told.plan,
    )  # fmt: skip
