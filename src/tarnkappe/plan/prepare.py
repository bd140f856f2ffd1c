"""From the description of the data in a plan to Microdata: read, give roles, attach hierarchies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tarnkappe.data.microdata import NEEDS_NUMBERS, Microdata
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.data import ColumnMissing, EmptyData, RoleKind
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.read import read_with
from tarnkappe.language import Text
from tarnkappe.plan.check import Problem, wrong
from tarnkappe.plan.document import Place
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.plan.model import DataDescription, Plan


def prepare(plan: Plan) -> Microdata:
    """Read the data of a plan; every column name that does not fit is reported at once, with its line."""
    data = _read(inside(plan.folder, plan.data.file), plan.data.options)
    problems = [*_unknown_names(plan, data), *_unfit_roles(plan, data)]
    if problems:
        raise wrong(plan.file, problems, plan.lines)
    if len(data) == 0:
        raise EmptyData
    return described(data, plan.data, plan.folder)


def _read(file: Path, options: ReadOptions) -> Microdata:
    """Read the data; where a type is given to a column that is not there, read on to find what else is wrong."""
    try:
        return read_with(file, options)
    except ColumnMissing:
        return read_with(file, replace(options, types={}))


def described(data: Microdata, description: DataDescription, folder: Path) -> Microdata:
    """The same data with the roles and hierarchies of a description."""
    data = data.with_roles(description.roles)
    return with_hierarchies(data, description.hierarchies, folder)


def with_hierarchies(
    data: Microdata, descriptions: dict[str, HierarchyDescription], folder: Path
) -> Microdata:
    """Attach hierarchies to columns."""
    return data.with_columns(
        {
            name: replace(data.column(name), hierarchy=build_hierarchy(d, name, data.column(name), folder))
            for name, d in descriptions.items()
        }
    )


def input_hashes(plan: Plan) -> dict[str, str]:
    """SHA-256 of every file a plan reads."""
    named = [plan.data.file, *(h.file for h in plan.data.hierarchies.values() if h.file)]
    return {name: hash_of(inside(plan.folder, name)) for name in named}


def hash_of(path: Path) -> str:
    """SHA-256 of a file, in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unknown_names(plan: Plan, data: Microdata) -> Iterator[Problem]:
    known = set(data.names)
    for role, names in plan.data.roles.items():
        yield from _missing(("data", "roles", role.value), names, known)
    yield from _missing(("data", "hierarchies"), plan.data.hierarchies, known)
    yield from _missing(("data", "types"), plan.data.types, known)
    for number, step in enumerate(plan.steps):
        yield from _missing(("steps", number), step.named_columns(), known)
        known |= set(step.adds())


def _unfit_roles(plan: Plan, data: Microdata) -> Iterator[Problem]:
    for role in NEEDS_NUMBERS:
        for name in plan.data.roles.get(role, ()):
            if name in data.columns and not data.column(name).kind.is_number:
                problem = RoleKind(name=name, role=role.value, found=data.column(name).kind.text)
                yield Problem(("data", "roles", role.value), problem.what)


def _missing(place: Place, names: Iterable[str], known: set[str]) -> Iterator[Problem]:
    for name in names:
        if name not in known:
            says = Text("the data has no column {name!r}. {hint}", "die Daten haben keine Spalte {name!r}. {hint}")
            yield Problem(place, says.filled(name=name, hint=did_you_mean(name, known)))
