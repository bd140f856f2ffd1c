"""Further attacks on request, and the cells of tables that their rules mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.attack import Sides, attack
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.plan.model import ReleaseDescription, TablePlan
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.tables import marked, started
from tarnkappe.report.measures import value_of
from tarnkappe.spec import Measure, catalogue
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.studio.desk import Desk, checked
from tarnkappe.studio.tasks.risk import DRIVES, QUICK, stepped
from tarnkappe.vocab import Attacker


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one attack reached."""

    title: Text
    who: Text
    """The attacker, where the attack tells them apart."""
    does: Text
    before: Text
    """In the original; nothing where the attack compares the two."""
    after: Text
    says: Text
    doubt: Text


@dataclass(frozen=True, slots=True)
class Onslaught:
    """All attacks that were asked for."""

    outcomes: tuple[Outcome, ...]
    left: tuple[tuple[Text, Text], ...]
    """Attacks that could not be run: title and reason."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A table and the cells that its rules mark, by reason."""

    name: str
    cells: int
    by: tuple[str, ...]
    reasons: tuple[tuple[Text, int], ...]

    @property
    def primary(self) -> int:
        return sum(count for _, count in self.reasons)


def choices() -> dict[str, type[Measure]]:
    """The attacks that the page does not show anyway, by id."""
    return {
        cls.id: cls
        for cls in catalogue.measures()
        if cls.id.startswith("risk.")
        and cls.id not in (*QUICK, DRIVES)
        and not any(field.is_required() for field in cls.model_fields.values())
    }


def attacks(
    desk: Desk,
    progress: Progress,
    folder: Path,
    content: Mapping[str, Any],
    only: Sequence[str],
    *,
    result: bool,
) -> Onslaught:
    """Attack the result of the steps, or the original file as it is."""
    if result:
        done = stepped(desk, progress, folder, content)
        sides, attackers = Sides(done.before, done.after), done.plan.release.attackers
    else:
        data = desk.described(folder, content["data"])
        sides, attackers = Sides(data, data), attackers_of(content)
    found = attack(sides, attackers, tuple(only), progress=progress)
    left = tuple((one.measure.title, one.because) for one in found.left)
    return Onslaught(tuple(_outcome(entry, both=result) for entry in found.entries), left)


def attackers_of(content: Mapping[str, Any]) -> tuple[Attacker, ...]:
    """Against whom the draft guards."""
    return fit_or_raise(ReleaseDescription, content.get("release") or {}, "release").attackers


def _outcome(entry: MeasureEntry, *, both: bool) -> Outcome:
    measure, found = entry.measure, entry.after
    value = value_of(measure, found.value)
    who = getattr(measure, "attacker", None)
    before = value_of(measure, entry.before.value) if entry.before and both else NOTHING
    return Outcome(
        title=measure.title,
        who=who.text if isinstance(who, Attacker) else NOTHING,
        does=measure.does,
        before=before,
        after=value,
        says=(found.reads or measure.reads).filled(value=value),
        doubt=NOTHING if found.trusted else found.because,
    )


def marked_cells(
    desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any]
) -> tuple[Marked, ...]:
    """The cells of every table of a plan that its rules mark, in the original."""
    plan = checked(folder, {name: part for name, part in content.items() if name not in _ASIDE})
    data = desk.planned(plan)
    progress.expect_also(len(plan.tables))
    return tuple(_marked(wanted, data, folder, progress) for wanted in plan.tables)


_ASIDE = ("steps", "release_if", "measures", "published", "register", "consistency", "process")
"""Parts of a plan that the rules of tables do not need; they may still be incomplete."""


def _marked(wanted: TablePlan, data: Any, folder: Path, progress: Progress) -> Marked:
    name = wanted.described.name
    progress.next(Text(f"table {name}", f"Tabelle {name}"))
    pattern = marked(wanted, started(wanted.described, data, folder, wanted.rules), folder)
    counts = np.bincount(pattern.reason[pattern.primary], minlength=len(pattern.reasons))
    reasons = sorted(_reasons(pattern.reasons, counts.tolist()), key=lambda part: -part[1])
    by = tuple(tree.name for tree in pattern.table.dimensions)
    return Marked(name, len(pattern.table), by, tuple(reasons))


def _reasons(reasons: Sequence[Text], counts: Sequence[int]) -> Iterator[tuple[Text, int]]:
    """Equal reasons together, those of no cell left out."""
    out: dict[Text, int] = {}
    for because, count in zip(reasons, counts, strict=True):
        if count:
            out[because] = out.get(because, 0) + count
    yield from out.items()
