"""The files a plan names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tarnkappe.io.argus import ENDING, RECORDS, files_beside
from tarnkappe.io.paths import anywhere, inside, seen_from
from tarnkappe.io.released import ABOUT
from tarnkappe.io.staging import MARK
from tarnkappe.plan.document import Place
from tarnkappe.plan.model import DataDescription, Plan, PlanDescription, TableDescription, TablePlan

DATA_FILE: Place = ("data", "file")


def input_hashes(plan: Plan) -> dict[str, str]:
    """SHA-256 of every file a plan reads."""
    named = {name: path_of(plan, plan.folder, place, name) for place, name in named_files(plan)}
    named |= {name: inside(plan.folder, name) for name in _earlier_tables(plan)}
    named |= {seen_from(plan.folder, path)[0]: path for path in _argus_files(plan)}
    return {name: hash_of(path) for name, path in named.items()}


def path_of(plan: Plan | PlanDescription, folder: Path, place: Place, name: str) -> Path:
    """Where a file that a plan names lies: in the folder of the plan or below, the data also where the plan says that it is outside."""
    return data_path(folder, plan.data) if plan.data and place == DATA_FILE else inside(folder, name)


def data_path(folder: Path, data: DataDescription) -> Path:
    """Where the data of a plan lies."""
    return anywhere(folder, data.file) if data.outside else inside(folder, data.file)


def named_files(plan: Plan | PlanDescription) -> Iterator[tuple[Place, str]]:
    """Every file a plan names, each with its place."""
    if plan.data:
        yield DATA_FILE, plan.data.file
        for column, h in plan.data.hierarchies.items():
            if h.file:
                yield ("data", "hierarchies", column, "file"), h.file
    tables: list[TableDescription] = [t.described if isinstance(t, TablePlan) else t for t in plan.tables]
    for number, described in enumerate(tables):
        yield from _table_files(("tables", number), described)
    yield from _earlier_files(plan)
    yield from _registers(plan)
    yield from _process_files(plan)


def _process_files(plan: Plan | PlanDescription) -> Iterator[tuple[Place, str]]:
    """The policy, the frame of the process, and earlier releases that the result must agree with."""
    if plan.release.policy:
        yield ("release", "policy"), plan.release.policy
    if plan.process and plan.process.frame:
        yield ("process", "frame"), plan.process.frame
    for number, rule in enumerate(plan.consistency):
        if rule.release:
            yield ("consistency", number, "release"), f"{rule.release}/{MARK}"


def _table_files(place: Place, described: TableDescription) -> Iterator[tuple[Place, str]]:
    for part in ("file", "metadata", "marks"):
        if (name := getattr(described, part)) is not None:
            yield (*place, part), name
    if described.last is not None:
        yield (*place, "last"), described.last.path(described.name)
    for dimension, h in described.hierarchies.items():
        if h.file:
            yield (*place, "hierarchies", dimension, "file"), h.file


def _argus_files(plan: Plan) -> Iterator[Path]:
    """The files that a table or the records of τ-ARGUS bring with them."""
    if plan.data and Path(plan.data.file).suffix.lower() == RECORDS:
        yield from files_beside(data_path(plan.folder, plan.data))
    for described in (t.described for t in plan.tables):
        if described.file and Path(described.file).suffix.lower() == ENDING:
            metadata = inside(plan.folder, described.metadata) if described.metadata else None
            yield from files_beside(inside(plan.folder, described.file), metadata)


def _earlier_files(plan: Plan | PlanDescription) -> Iterator[tuple[Place, str]]:
    for number, earlier in enumerate(plan.published):
        if earlier.release:
            yield ("published", number, "release"), f"{earlier.release}/{ABOUT}"
        if earlier.file:
            yield ("published", number, "file"), earlier.file
        for dimension, h in earlier.hierarchies.items():
            if h.file:
                yield ("published", number, "hierarchies", dimension, "file"), h.file


def _registers(plan: Plan | PlanDescription) -> Iterator[tuple[Place, str]]:
    """Registers that gates and measures are held against, each once; in a plan that is not checked yet they stand as written."""
    if isinstance(plan, Plan):
        for register in plan.registers:
            yield ("release_if",), register.file
        return
    for part in ("release_if", "measures"):
        for number, entry in enumerate(getattr(plan, part)):
            said = entry.get("against") if isinstance(entry, dict) else None
            name = said.get("file") if isinstance(said, dict) else said
            if isinstance(name, str) and name:
                yield (part, number, "against"), name


def _earlier_tables(plan: Plan) -> Iterator[str]:
    """The table files of the earlier releases that a plan names."""
    home = plan.folder.resolve()
    for earlier in plan.published:
        if earlier.release:
            folder = inside(plan.folder, earlier.release)
            for path in sorted((*folder.glob("tables/*.csv"), *folder.glob("internal/tables/*.csv"))):
                yield path.relative_to(home).as_posix()


def hash_of(path: Path) -> str:
    """SHA-256 of a file, in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
