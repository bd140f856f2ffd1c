"""Run the plan of a draft: protect, measure, judge, and release if every condition holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarnkappe.language import Lang, Text
from tarnkappe.plan.ledger import GateEntry, MeasureEntry, Run
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.run import run
from tarnkappe.report.numbers import shown
from tarnkappe.report.release import write_release
from tarnkappe.studio.desk import Desk, checked


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure on both sides; None where there is no number."""

    id: str
    title: Text
    before: float | None
    after: float | None
    trusted: bool
    reads: Text


@dataclass(frozen=True, slots=True)
class Judged:
    """A condition and whether it held."""

    says: Text
    held: bool
    because: Text


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run; nothing was written unless `released`."""

    title: str
    released: bool
    measures: tuple[Measured, ...]
    gates: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Into:
    """Where a release goes, in which language its documents open, and whether an older one may give way."""

    folder: Path
    lang: Lang = "en"
    replace: bool = False


def run_plan(
    desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any], into: Into | None
) -> Ran:
    """Run a plan; without a destination it is only tried."""
    del desk  # a release reads its file itself, as `tarnkappe run` does
    plan = checked(folder, content)
    if into:
        progress.expect_also((len(plan.release.formats) if plan.releases_data else 0) + 1)
    done = run(plan, progress)
    held = all(gate.held for gate in done.gates)
    if into and held:
        into.folder.parent.mkdir(parents=True, exist_ok=True)
        write_release(done, into.folder, replace=into.replace, lang=into.lang, progress=progress)
    return ran(done, released=into is not None and held)


def ran(done: Run, *, released: bool) -> Ran:
    """A run in plain words and numbers."""
    return Ran(done.plan.title, released, tuple(map(measured, done.measures)), tuple(map(judged, done.gates)))


def measured(entry: MeasureEntry) -> Measured:
    """A measure as it is told."""
    after = entry.after.value
    return Measured(
        entry.measure.id, entry.measure.title, _finite(entry.before.value) if entry.before else None, _finite(after),
        entry.after.trusted, entry.measure.reads.filled(value=shown(after)),
    )  # fmt: skip


def judged(gate: GateEntry) -> Judged:
    """A condition as it is told."""
    return Judged(gate.says, gate.held, gate.because)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
