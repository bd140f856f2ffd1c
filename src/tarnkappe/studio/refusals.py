"""Releases that were refused: kept beside those that were made, so that the history of a folder is whole."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tarnkappe.io.paths import inside
from tarnkappe.io.staging import plainly
from tarnkappe.language import Text
from tarnkappe.report.release import as_json
from tarnkappe.spec import plain

FOLDER = ".tarnkappe/refused"
"""In the folder of the plan; for the office alone."""
KEPT = 200
"""The oldest go first."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One release that was refused."""

    id: str
    started: str
    title: str
    says: Text
    """Why, in words; no value of a record is among them."""


class _Words(BaseModel):
    en: str
    de: str


class _Kept(BaseModel):
    started: str
    title: str
    plan: dict[str, Any]
    says: _Words


def keep(folder: Path, title: str, plan: Mapping[str, Any], says: Text) -> None:
    """Write down that a release was refused."""
    home = folder / FOLDER
    started = datetime.now(UTC)
    content = {"started": started.isoformat(timespec="seconds"), "title": title, "plan": plan, "says": says}
    name = f"{started:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}.json"
    with plainly(home):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(home / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(as_json(plain(content)))
    for old in sorted(home.glob("*.json"))[:-KEPT]:
        old.unlink(missing_ok=True)


def refusals(folder: Path) -> list[Refusal]:
    """All that are kept, the oldest first; what cannot be read is passed over."""
    found = []
    for file in sorted((folder / FOLDER).glob("*.json")):
        with suppress(OSError, ValueError, ValidationError):
            kept = _read(file)
            says = Text(kept.says.en, kept.says.de)
            found.append(Refusal(file.stem, kept.started, kept.title, says))
    return found


def plan_of_refusal(folder: Path, id: str) -> dict[str, Any]:
    """The plan that was refused."""
    return _read(inside(folder / FOLDER, f"{id}.json")).plan


def _read(file: Path) -> _Kept:
    return _Kept.model_validate(json.loads(file.read_bytes()))
