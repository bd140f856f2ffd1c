"""Variants that were kept for comparison: in the session, and in a project folder for good."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.document import load, to_yaml
from tarnkappe.studio.draft import Content
from tarnkappe.studio.keeping import written
from tarnkappe.studio.sessions import Session
from tarnkappe.studio.shelter import PRIVATE

KEPT = "compare.kept"
"""Where a session remembers them."""
FOLDER = Path(".tarnkappe") / "variants"
"""In the project folder; a file for each file of data."""
Variant = tuple[str, Content]


def kept(session: Session) -> list[Variant]:
    """The variants of the data that is open, in the order in which they were kept."""
    if session.in_project:
        return _read(_place(session))
    found: list[Variant] = session.asides.get(KEPT, [])
    return list(found)


def keep(session: Session, variants: list[Variant]) -> None:
    """Put these in their place."""
    if not session.in_project:
        session.asides[KEPT] = variants
        return
    place = _place(session)
    if not variants:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    told = [{"name": name, "plan": dict(plan)} for name, plan in variants]
    written(place, to_yaml({"file": session.draft.get("data", "file"), "variants": told}))


def _place(session: Session) -> Path:
    file = str(session.draft.get("data", "file", default=""))
    return session.folder / FOLDER / f"{hashlib.sha256(file.encode()).hexdigest()[:16]}.yaml"


def _read(place: Path) -> list[Variant]:
    """What stands in a file; nothing where it is gone or somebody else has spoilt it."""
    if not place.is_file():
        return []
    try:
        content = load(place).content
        return [(str(one["name"]), dict(one["plan"])) for one in content["variants"]]
    except (TarnkappeError, KeyError, TypeError, ValueError):
        return []
