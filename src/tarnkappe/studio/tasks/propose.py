"""What the data itself tells: roles and hierarchies to propose, the risk on the keys, and a first plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Lang, Text
from tarnkappe.plan.answers import Answers
from tarnkappe.plan.document import parse
from tarnkappe.plan.drivers import KeyRisk, key_risk
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.plan.new_plan import new_plan
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.propose import Proposal, propose
from tarnkappe.plan.similar import Similar, similar
from tarnkappe.spec.parameters import fit, fit_or_raise
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.roles import roles_by_column

_READING = Text("reading the file", "die Datei wird gelesen")
_PROPOSING = Text(
    "looking at names, values and combinations", "Namen, Werte und Kombinationen werden angesehen"
)
_ALIKE = Text("looking for columns that say the same", "Spalten, die dasselbe sagen, werden gesucht")


@dataclass(frozen=True, slots=True)
class Proposed:
    """What is proposed for a file, and which columns say the same."""

    proposal: Proposal
    alike: tuple[Similar, ...]


@dataclass(frozen=True, slots=True)
class Advised:
    """A first plan that runs, from the answers and the data."""

    content: Mapping[str, Any]
    remarks: tuple[Text, ...]


def proposed(desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any]) -> Proposed:
    """Propose for a file as it is read, without what people have decided."""
    progress.expect_also(3)
    progress.next(_READING)
    found = desk.raw(folder, data)
    progress.next(_PROPOSING)
    proposal = propose(found, str(data["file"]))
    progress.next(_ALIKE)
    return Proposed(proposal, similar(found, proposal.dependencies))


def risk_of_keys(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], keys: tuple[str, ...],
    fixed: tuple[str, ...],
) -> KeyRisk | None:  # fmt: skip
    """How many records are unique on the keys as they are chosen now; None without keys."""
    del progress
    found = desk.raw(folder, data)
    known = [name for name in keys if name in found.names]
    return key_risk(found, known, [name for name in fixed if name in known]) if known else None


def levels(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], hierarchies: Mapping[str, Any]
) -> Mapping[str, tuple[str, ...]]:
    """Column -> names of the levels of its hierarchy, the total first; those that cannot be built are left out."""
    del progress
    found = desk.raw(folder, data)
    out = {}
    for name, given in hierarchies.items():
        described, _ = fit(HierarchyDescription, given)
        if described is None or name not in found.names:
            continue
        try:
            out[name] = build_hierarchy(described, name, found.column(name), folder).level_names
        except TarnkappeError:  # told on the page of the hierarchies
            continue
    return out


def advised(desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any], lang: Lang) -> Advised:
    """The plan that follows from the data and from what a draft says of roles, release and process."""
    progress.expect_also(2)
    progress.next(_READING)
    reading = reading_of(content["data"])
    found = desk.raw(folder, reading)
    progress.next(_PROPOSING)
    told = {
        "title": content.get("title"),
        "kind": content.get("release", {}).get("kind"),
        "process": content.get("process", {}),
        "roles": {name: list(roles) for name, roles in roles_by_column(content["data"]).items()},
    }
    answers = fit_or_raise(Answers, {name: part for name, part in told.items() if part}, "plan")
    made = new_plan(found, reading, folder, answers, lang)
    return Advised(dict(parse(made.text).content), made.proposal.remarks)
