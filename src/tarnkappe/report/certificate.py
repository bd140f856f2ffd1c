"""certificate.json: what was promised about a release and held; enough for `verify` to count again.

Methods stand with id and revision, never with a parameter. Of the gates only those that may be public, with the
value that was found and what is needed to find it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarnkappe.data.contributors import units_shown
from tarnkappe.errors.release import GateClosed
from tarnkappe.language import Text
from tarnkappe.plan.ledger import ClaimEntry, GateEntry, Run, StepEntry, TableEntry, parameters
from tarnkappe.plan.model import Gate
from tarnkappe.report.columns import empty_cells
from tarnkappe.spec import Measure, plain
from tarnkappe.spec.told_figures import counted, of_many, stated

FORMAT = 1


def certificate(run: Run, files: Mapping[str, str]) -> dict[str, Any]:
    """Certify a release: `files` maps the names of the external files to their SHA-256."""
    closed = [gate for gate in run.gates if not gate.held]
    if closed:
        reasons = Text(*("\n".join(f"  {g.says.in_(lang)}" for g in closed) for lang in ("en", "de")))
        raise GateClosed(reasons=reasons)
    document: dict[str, Any] = plain(
        {
            "tarnkappe": stated(FORMAT),
            "title": run.plan.title,
            "release": run.plan.release.kind.value,
            "date": run.started.date().isoformat(),
            "records": counted(len(run.after) if run.plan.releases_data else 0),
            "columns": {
                name: {
                    "kind": column.kind.value,
                    "roles": [role.value for role in run.after.roles_of(name)],
                    "empty": empty_cells(run.after, name),
                }
                for name, column in (run.after.columns.items() if run.plan.releases_data else ())
            },
            "methods": [_method(step) for step in run.steps],
            "tables": {entry.name: _table(entry) for entry in run.tables},
            "verdict": run.colour.value,
            "accepted": [{"what": one.what, "says": one.says, "reason": one.reason} for one in run.accepted],
            "gates": [_gate(gate, run) for gate in run.gates if gate.public],
            "versions": {
                "tarnkappe": run.versions.tarnkappe,
                "python": run.versions.python,
                **run.versions.packages,
            },
            "files": dict(files),
        }
    )
    return document


def _method(step: StepEntry) -> dict[str, Any]:
    return {
        "step": counted(step.number),
        "id": step.method.id,
        "revision": stated(step.method.revision),
        "title": step.method.title,
        "claims": [_claim(claim) for claim in step.claims if claim.kept is not False],
    }


def _table(entry: TableEntry) -> dict[str, Any]:
    """What was promised of a table and held; rules and their parameters stay in the house."""
    protect = entry.plan.protect
    return {
        "by": [h.name for h in entry.pattern.table.dimensions],
        "cells": counted(len(entry.pattern.table)),
        "suppressed": counted(int(entry.pattern.suppressed.sum())),
        "method": {"id": protect.id, "revision": stated(protect.revision), "title": protect.title}
        if protect
        else None,
        "claims": [_claim(claim) for claim in entry.claims if claim.kept is not False],
        "audit": {
            "measure": entry.plan.audit.id,
            "holds": bool(entry.audit.value),
            "computable": counted(int(np.count_nonzero(entry.audit.per_cell.get("leaks", ())))),
        },
    }


def _claim(claim: ClaimEntry) -> dict[str, Any]:
    return {
        "side": claim.side,
        "says": claim.says,
        "holds": claim.holds.value,
        "checked": claim.kept is True,
    }


def _gate(entry: GateEntry, run: Run) -> dict[str, Any]:
    out: dict[str, Any] = {"says": entry.says, "held": entry.held, "policy": entry.of_policy}
    if entry.gate is not None:
        gate = entry.gate
        out |= {
            "measure": gate.measure.id,
            "revision": stated(gate.measure.revision),
            "parameters": stated(parameters(gate.measure)) if isinstance(gate.measure, Measure) else {},
            "at_least": stated(gate.at_least),
            "at_most": stated(gate.at_most),
            "holds": stated(gate.holds),
            "value": of_many(_value(gate, run)),
            **({} if units_shown(run.after) else {"units": "not told by the file"}),
            "recount": isinstance(gate.measure, Measure) and gate.measure.alone and gate.against is None,
        }
    return out


def _value(gate: Gate, run: Run) -> float | None:
    """What the measure found on the result."""
    taken = (gate.measure, gate.against)
    return next((e.after.value for e in run.measures if (e.measure, e.against) == taken), None)
