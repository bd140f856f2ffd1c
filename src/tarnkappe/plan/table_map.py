"""Plans of tables side by side: what every method or option costs on one table, in cells, value, respondents and time.

So the German Federal Statistical Office compared USBCSUP, CONFID, GHQUAR and τ-ARGUS (Wettig 2002, L1467-1527).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import Table
from tarnkappe.errors import InputWrong, TarnkappeError
from tarnkappe.errors.mapping import MapDataDiffers, MapEmpty, MapWithoutRecords
from tarnkappe.errors.release import Cancelled
from tarnkappe.io.paths import inside
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.check import check
from tarnkappe.plan.files import data_path, hash_of
from tarnkappe.plan.late import published_patterns
from tarnkappe.plan.ledger import TableEntry
from tarnkappe.plan.linking import entries
from tarnkappe.plan.model import Plan
from tarnkappe.plan.prepare import prepare
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.tables import Made, begun_tables, ties_of
from tarnkappe.plan.variants import Variant
from tarnkappe.randomness import fresh, look_up
from tarnkappe.spec import Json


@dataclass(frozen=True, slots=True)
class TableTrial:
    """What one plan does to one table. For the office: sums of hidden values stand in it."""

    name: str
    """The plan, or what makes it differ."""
    table: str = ""
    method: str = ""
    """Id of the method; empty where nothing protects."""
    changed: Mapping[str, Json] = field(default_factory=dict)
    cells: int = 0
    """Cells of the table before."""
    primary: int = 0
    secondary: int = 0
    altered: int = 0
    """Cells shown as something else: rounded, with noise, as a range."""
    lost: int = 0
    """Cells that the published table does not have any more: merged codes, coarser levels."""
    value: float = 0.0
    """Sum of the sizes of the cells suppressed to protect others."""
    value_share: float = 0.0
    """As a share of the sizes of all cells."""
    respondents: int | None = None
    """Contributors to these cells; None where they are not known."""
    distance: float = 0.0
    """How far altered cells are from their values on average, as a share; for ranges half their width."""
    cpu: float = 0.0
    """Seconds of processor time for protection and audit of the whole plan."""
    held: bool = False
    because: Text = NOTHING
    """What the audit says, or why the plan could not be run."""

    @property
    def hidden(self) -> int:
        """Cells that do not show their value to protect others."""
        return self.secondary + self.altered + self.lost


@dataclass(frozen=True, slots=True)
class TableMap:
    """Plans of the same tables side by side."""

    trials: tuple[TableTrial, ...]

    @property
    def best(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Table -> criterion (cells, value, cpu) -> the plans that hold and cost least."""
        criteria: Mapping[str, Callable[[TableTrial], float]] = {
            "cells": lambda t: t.hidden, "value": lambda t: t.value, "cpu": lambda t: round(t.cpu, 2),
        }  # fmt: skip
        out: dict[str, dict[str, tuple[str, ...]]] = {}
        for table in dict.fromkeys(trial.table for trial in self.trials if trial.held):
            able = [trial for trial in self.trials if trial.table == table and trial.held]
            least = {name: min(map(cost, able)) for name, cost in criteria.items()}
            out[table] = {
                name: tuple(trial.name for trial in able if cost(trial) == least[name])
                for name, cost in criteria.items()
            }
        return out


def only_tables(found: Sequence[Variant]) -> bool:
    """Whether all plans that are sound publish tables and no records."""
    plans = [plan for plan in map(_checked, found) if isinstance(plan, Plan)]
    return bool(plans) and all(plan.tables and not plan.releases_data for plan in plans)


def map_tables(found: Sequence[Variant], progress: Progress | None = None) -> TableMap:
    """Protect and audit the tables of every plan; nothing is released."""
    progress = progress or Progress()
    checked = [_checked(variant) for variant in found]
    sound = [plan for plan in checked if isinstance(plan, Plan)]
    for plan in sound:
        if plan.releases_data or not plan.tables:
            raise MapWithoutRecords(plan=plan.file)
    _refuse_other_data(sound)
    progress.expect_also(sum(2 * len(plan.tables) for plan in sound))
    trials = [trial for v, p in zip(found, checked, strict=True) for trial in _tried(v, p, progress)]
    if not any(trial.table for trial in trials):
        lines = [(f"  {t.name}: {t.because.en}", f"  {t.name}: {t.because.de}") for t in trials]
        raise MapEmpty(reasons=Text("\n".join(en for en, _ in lines), "\n".join(de for _, de in lines)))
    return TableMap(tuple(trials))


def _checked(variant: Variant) -> Plan | TarnkappeError:
    try:
        return check(variant.document, variant.folder, outside=variant.outside)
    except InputWrong as problem:
        return problem


def _refuse_other_data(plans: Sequence[Plan]) -> None:
    """Tables of one name come from the same file."""
    first: dict[str, tuple[str, str]] = {}
    for plan in plans:
        for table in plan.tables:
            own = table.described
            path = _source(plan, own.file)
            before = first.setdefault(own.name, (hash_of(path), plan.file))
            if before[0] != hash_of(path):
                raise MapDataDiffers(first=before[1], second=plan.file)


def _source(plan: Plan, file: str | None) -> Path:
    if file is not None:
        return inside(plan.folder, file)
    assert plan.data is not None, "a table without a file is made of the data"
    return data_path(plan.folder, plan.data)


def _tried(variant: Variant, plan: Plan | TarnkappeError, progress: Progress) -> list[TableTrial]:
    if isinstance(plan, TarnkappeError):
        return [_failed(variant, plan)]
    try:
        data = prepare(plan)
        secret = look_up(plan.secret, plan.folder) if plan.secret else fresh()
        begun = begun_tables(plan, Made(data, data), secret, progress)
        earlier = published_patterns(plan.published, [b.pattern.table for b in begun], plan.folder)
        began = time.process_time()
        done = entries(begun, earlier, progress, ties_of(plan, begun, earlier))
        cpu = time.process_time() - began
    except Cancelled:
        raise
    except TarnkappeError as problem:
        return [_failed(variant, problem)]
    return [_trial(variant, b.pattern, entry, cpu) for b, entry in zip(begun, done, strict=True)]


def _failed(variant: Variant, problem: TarnkappeError) -> TableTrial:
    said = Text(" ".join(problem.what.en.split()), " ".join(problem.what.de.split()))
    return TableTrial(variant.name, changed=dict(variant.changed), because=said)


def _trial(variant: Variant, before: Pattern, entry: TableEntry, cpu: float) -> TableTrial:
    after, table = entry.pattern, before.table
    same = len(after.table) == len(table) and np.array_equal(after.table.value, table.value)
    secondary = after.suppressed & ~after.primary
    size = np.abs(after.table.value)
    kept = after.table.contributions
    protect = entry.plan.protect
    return TableTrial(
        variant.name, entry.name, protect.id if protect else "", dict(variant.changed), len(table),
        int(before.primary.sum()), int(secondary.sum()), int((after.status > Status.SECONDARY).sum()),
        0 if same else _gone(table, after.table), float(size[secondary].sum()),
        float(size[secondary].sum() / max(float(size.sum()), 1e-300)),
        None if kept is None else int(kept.count[secondary].sum()), _distance(after), cpu,
        bool(entry.audit.value) and entry.audit.trusted, entry.audit.because,
    )  # fmt: skip


def _gone(table: Table, after: Table) -> int:
    """Cells of the table that the published one does not have: found by their codes."""
    now = {tuple(str(h.codes[n]) for h, n in zip(after.dimensions, row, strict=True)) for row in after.cells}
    old = (tuple(str(h.codes[n]) for h, n in zip(table.dimensions, row, strict=True)) for row in table.cells)
    return sum(codes not in now for codes in old)


def _distance(after: Pattern) -> float:
    altered = after.status > Status.SECONDARY
    if not altered.any():
        return 0.0
    value = after.table.value
    far = np.abs((value if after.shown is None else after.shown) - value)
    if after.shown_low is not None and after.shown_high is not None:
        far = np.where(after.status == Status.RANGE, (after.shown_high - after.shown_low) / 2, far)
    return float(np.mean(far[altered] / np.maximum(np.abs(value[altered]), 1.0)))
