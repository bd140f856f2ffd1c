"""about.json: what the people who receive a release may and must know.

The fact of protection, what was done in kind, the limits for analysis, the data dictionary, and what corrected
estimates need (DAV 2025, step 11, external documentation). Never a seed, never a parameter: knowing them weakens the
protection (Höhne 2010, attack models). Counts and shares are those of the released file alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tarnkappe.data.column import Bools, Column
from tarnkappe.language import Text
from tarnkappe.plan.ledger import Run, StepEntry, TableEntry
from tarnkappe.report.axes import SMALLEST
from tarnkappe.report.columns import empty_cells, touched
from tarnkappe.report.deviations import deviations
from tarnkappe.report.guide import COMMAND, guide
from tarnkappe.spec import Method, plain
from tarnkappe.spec.limits import for_analysis
from tarnkappe.spec.told_figures import counted, of_many, stated
from tarnkappe.vocab import Role

FORMAT = 1
MOST_VALUES = 500
"""A column with more categories lists only those that have a label."""
ANONYMISED = Text(
    "The records in this file were anonymised before the release. Values may differ from those collected.",
    "Die Datensätze wurden vor der Freigabe anonymisiert. Werte können von den erhobenen abweichen.",
)
PSEUDONYMISED = Text(
    "The records in this file were protected and carry pseudonyms: they are still personal data. Values may differ from "
    "what was collected.",
    "Die Datensätze dieser Datei wurden geschützt und tragen Pseudonyme: Sie sind weiterhin personenbezogen. Werte können "
    "von den erhobenen abweichen.",
)
PROTECTED = Text(
    "The records in this file were protected before the release, but less was asked of the protection than is usual, for the reasons given "
    "here. Treat them as personal data. Values may differ from those collected.",
    "Die Datensätze dieser Datei wurden vor der Freigabe geschützt, doch an den Schutz wurden aus den hier genannten Gründen geringere "
    "Anforderungen gestellt als üblich. Behandeln Sie sie als personenbezogen. Werte können von den erhobenen abweichen.",
)
UNCHANGED = Text(
    "No step changed the values in this file to protect the records; names and other direct identifiers are not in it. Treat the records as "
    "personal data.",
    "Kein Schritt hat die Werte dieser Datei zum Schutz der Datensätze verändert; Namen und andere direkte Identifikatoren sind nicht "
    "enthalten. Behandeln Sie die Datensätze als personenbezogen.",
)
FORBIDDEN = Text(
    "Do not try to find out whom a record belongs to, and do not link it with other data for that purpose.",
    "Versuchen Sie nicht herauszufinden, zu wem ein Datensatz gehört, auch nicht durch Verknüpfen mit anderen "
    "Daten.",
)
TABLES_UNCHANGED = Text(
    "No cell of these tables was suppressed or changed.",
    "In diesen Tabellen wurde keine Zelle gesperrt oder verändert.",
)
TABLES = Text(
    "These tables were protected before publication. Some cells may be suppressed, rounded or shown as a range.",
    "Die Tabellen wurden vor der Veröffentlichung geschützt. Zellen können gesperrt, gerundet oder als Spanne angegeben sein.",
)
FORBIDDEN_IN_TABLES = Text(
    "Do not try to work out what is suppressed, and do not link the tables with other data for that purpose.",
    "Versuchen Sie nicht, Gesperrtes zu errechnen, auch nicht durch Verknüpfen mit anderen Daten.",
)
SPREADSHEETS = Text(
    "In CSV and Excel files, a text that a spreadsheet would run as a formula is written with a leading "
    "apostrophe (').",
    "In CSV- und Excel-Dateien steht vor einem Text, den eine Tabellenkalkulation als Formel ausführen würde, "
    "ein Apostroph (').",
)
EMPTY = Text(
    "Suppressed means: taken away to protect. Missing means: not there in the original. A share is left out (null) "
    "where it stands for fewer than three cells.",
    "Unterdrückt heißt: zum Schutz entfernt. Fehlend heißt: schon im Original nicht vorhanden. Ein Anteil entfällt "
    "(null), wo er für weniger als drei Zellen steht.",
)


def about(run: Run) -> dict[str, Any]:
    """The external documentation as data."""
    document: dict[str, Any] = plain(
        {
            "tarnkappe": stated(FORMAT),
            "title": run.plan.title,
            "release": _release(run),
            "date": run.started.date().isoformat(),
            "made_with": f"tarnkappe {run.versions.tarnkappe}",
            "records": counted(len(run.after) if run.plan.releases_data else 0),
            "anonymised": _says(run),
            "accepted": [{"says": one.says, "reason": one.reason} for one in run.accepted],
            "forbidden": FORBIDDEN if run.plan.releases_data else FORBIDDEN_IN_TABLES,
            "methods": [_method(step, run) for step in run.steps],
            "columns": _columns(run) if run.plan.releases_data else [],
            "tables": [_table(entry) for entry in run.tables],
            "intended": _intended(run),
            "guide": guide(run),
            "correct": COMMAND,
            "cells": EMPTY,
            "spreadsheets": SPREADSHEETS,
            "limits": _limits(run),
            "expected_deviations": deviations(run),
            "corrections": [
                {
                    "step": counted(step.number),
                    "method": step.method.id,
                    "title": step.method.title,
                    "facts": step.tells,
                }
                for step in run.steps
                if step.tells
            ],
        }
    )
    return document


def _release(run: Run) -> dict[str, Any]:
    """The kind of release, the degree of anonymity and the way of access, as the plan tells them."""
    told = run.plan.release
    return {
        "kind": told.kind.value,
        "says": told.kind.text,
        "anonymity": {"degree": told.anonymity.value, "says": told.anonymity.text}
        if told.anonymity
        else None,
        "access": {"way": told.access.value, "says": told.access.text} if told.access else None,
    }


def _intended(run: Run) -> dict[str, Any]:
    """For whom and for what the release is meant, as its plan tells recipients; nothing else of the process."""
    process = run.plan.process
    if process is None:
        return {"for": None, "agreement": None, "analyses": []}
    audience = process.audience
    return {"for": audience.who, "agreement": audience.agreement, "analyses": list(process.use.analyses)}


def _limits(run: Run) -> list[dict[str, Any]]:
    """What the methods do not do for those who analyse the data; what they do not protect is for the office."""
    told: dict[type[Method], dict[Text, None]] = {}
    for step in run.steps:
        told.setdefault(type(step.method), {}).update(dict.fromkeys(for_analysis(step.method)))
    return [
        {"method": c.id, "title": c.title, "does_not": list(limits)} for c, limits in told.items() if limits
    ]


def _says(run: Run) -> Text:
    """What was done, in one sentence: "anonymised" only where a step protected the records and the conditions on it held."""
    if not run.plan.releases_data:
        touched_cells = any(entry.pattern.hidden.any() for entry in run.tables)
        return (
            TABLES if touched_cells or any(entry.plan.protect for entry in run.tables) else TABLES_UNCHANGED
        )
    if not any(protecting(step, run.before.role(Role.IDENTIFIER)) for step in run.steps):
        return UNCHANGED
    if any(step.method.still_personal for step in run.steps):
        return PSEUDONYMISED
    return ANONYMISED if conditions_held(run) else PROTECTED


def protecting(step: StepEntry, identifiers: Collection[str]) -> bool:
    """Whether a step of the plan has protected anything: it changed, hid or removed what is no direct identifier."""
    if step.implied or step.method.still_personal or not step.method.protects:
        return False
    changed = any(touched(change) for name, change in step.changes.items() if name not in identifiers)
    return changed or step.records_after != step.records_before


def conditions_held(run: Run) -> bool:
    """Whether a condition on the risk of the records was asked and met, and none of the policy was done without."""
    asked = any(entry.gate and entry.gate.measure.id.startswith("risk.") for entry in run.gates)
    none_to_find = any(entry.of_policy and entry.gate is None for entry in run.gates)
    return run.released and (asked or none_to_find) and not run.less


def _method(step: StepEntry, run: Run) -> dict[str, Any]:
    """A step in kind: its name, what it does, and the released columns it touched."""
    return {
        "step": counted(step.number),
        "id": step.method.id,
        "title": step.method.title,
        "does": step.method.does,
        "columns": [n for n, c in step.changes.items() if n in run.after.names and touched(c)],
    }


def _columns(run: Run) -> list[dict[str, Any]]:
    released = run.after.sealed()
    return [
        {
            "name": name,
            "label": column.label,
            "kind": column.kind.value,
            "kind_says": column.kind.text,
            "roles": [{"role": role.value, "says": role.text} for role in released.roles_of(name)],
            "values": _values(column),
            "empty": empty_cells(released, name),
            "share_missing": _share(column.missing),
            "share_suppressed": _share(column.suppressed),
            "treatment": [
                {"step": counted(s.number), "method": s.method.id, "does": s.method.does}
                for s in run.steps
                if name in s.changes and touched(s.changes[name])
            ],
        }
        for name, column in released.columns.items()
    ]


def _table(entry: TableEntry) -> dict[str, Any]:
    """A table for its readers: its dimensions with all codes, and what was done in kind."""
    protect = entry.plan.protect
    return {
        "name": entry.name,
        "file": f"tables/{entry.name}.csv",
        "signed": bool((entry.pattern.low < 0).any()),
        "measure": entry.pattern.table.measure,
        "weighted": None if entry.plan.described.file else entry.pattern.table.weighted,
        "unlinked": entry.plan.described.unlinked is not None,
        "shares_cells_with": [other["table"] for other in entry.audit.details.get("linked", ())],
        "method": {"title": protect.title, "does": protect.does, "does_not": for_analysis(protect)}
        if protect
        else None,
        "dimensions": [
            {
                "name": h.name,
                "total": h.total,
                "codes": [
                    {"code": code, "parent": h.codes[parent] if parent >= 0 else None, "label": label}
                    for code, parent, label in zip(h.codes, h.parent, h.labels, strict=True)
                ],
            }
            for h in entry.pattern.table.dimensions
        ],
    }


def _share(cells: Bools) -> float | None:
    """The share of cells; None where it would stand for one or two of them."""
    count = int(cells.sum())
    return None if 0 < count < SMALLEST else of_many(count / max(len(cells), 1))


def _values(column: Column) -> list[dict[str, str]]:
    """The categories of the released column with their labels."""
    if column.categories is None:
        return []
    labels = {str(code): label for code, label in zip(column.categories, _labels(column), strict=True)}
    listed = labels if len(labels) <= MOST_VALUES else {c: label for c, label in labels.items() if label}
    return [{"value": code, "label": label} for code, label in listed.items()]


def _labels(column: Column) -> list[str]:
    """The label of every category: that of the column, else that of its hierarchy."""
    codes = [] if column.categories is None else [str(code) for code in column.categories]
    own = [column.value_labels.get(code, "") for code in codes]
    if column.hierarchy is None:
        return own
    places = column.hierarchy.positions(codes)
    said = [str(column.hierarchy.labels[place]) if place >= 0 else "" for place in places]
    return [label or other for label, other in zip(own, said, strict=True)]
