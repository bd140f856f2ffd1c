"""The files a plan names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tarnkappe.io.paths import inside
from tarnkappe.plan.document import Place
from tarnkappe.plan.model import Plan, PlanDescription, TableDescription, TablePlan


def input_hashes(plan: Plan) -> dict[str, str]:
    """SHA-256 of every file a plan reads."""
    named = [name for _, name in named_files(plan)]
    return {name: hash_of(inside(plan.folder, name)) for name in named}


def named_files(plan: Plan | PlanDescription) -> Iterator[tuple[Place, str]]:
    """Every file a plan names, each with its place."""
    if plan.data:
        yield ("data", "file"), plan.data.file
        for column, h in plan.data.hierarchies.items():
            if h.file:
                yield ("data", "hierarchies", column, "file"), h.file
    tables: list[TableDescription] = [t.described if isinstance(t, TablePlan) else t for t in plan.tables]
    for number, described in enumerate(tables):
        if described.file:
            yield ("tables", number, "file"), described.file
        if described.marks:
            yield ("tables", number, "marks"), described.marks
        for dimension, h in described.hierarchies.items():
            if h.file:
                yield ("tables", number, "hierarchies", dimension, "file"), h.file


def hash_of(path: Path) -> str:
    """SHA-256 of a file, in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
