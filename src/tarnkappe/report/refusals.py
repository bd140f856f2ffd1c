"""Runs that were refused: written down beside their plan, so that the history of a project is whole. No value of a record is in it.

Nothing of the release is written then (design 10); the record says when, which plan, what was reached and why it was not enough.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tarnkappe.language import Text
from tarnkappe.plan.ledger import Run
from tarnkappe.plan.model import Plan
from tarnkappe.plan.trial_cache import keep_out
from tarnkappe.spec import plain

FOLDER = Path(".tarnkappe") / "refused"
"""In the folder of the plan; for the office alone."""
KEPT = 200
"""The oldest go first."""


def keep(plan: Plan, says: Text, run: Run | None = None) -> None:
    """Write down that a run was refused, as far as it came; where nothing can be written, the refusal itself is what counts."""
    home, now = plan.folder / FOLDER, datetime.now(UTC)
    text = json.dumps(plain(_content(plan, says, run, now)), ensure_ascii=False, indent=2, allow_nan=False)
    with suppress(OSError):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep_out(home.parent)
        name = home / f"{now:%Y%m%dT%H%M%S.%f}-{secrets.token_hex(4)}.json"
        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:  # fmt: skip
            file.write(text + "\n")
        for old in sorted(home.glob("*.json"))[:-KEPT]:
            old.unlink(missing_ok=True)


def kept(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every record of a folder that can be read, by its name, the oldest first."""
    for file in sorted((folder / FOLDER).glob("*.json")):
        with suppress(OSError, ValueError):
            yield file.stem, json.loads(file.read_text("utf-8"))


def _content(plan: Plan, says: Text, run: Run | None, now: datetime) -> dict[str, Any]:
    started = run.started if run else now
    return {
        "tarnkappe": 1,
        "title": plan.title,
        "file": plan.file,
        "started": started.isoformat(timespec="seconds"),
        "plan": plan.source,
        "says": says,
        "records": {"before": len(run.before), "after": len(run.after)} if run else None,
        "measures": [{"id": m.measure.id, "after": m.after.as_json()} for m in run.measures] if run else [],
        "gates": [{"says": g.says, "held": g.held, "because": g.because} for g in run.gates] if run else [],
    }
