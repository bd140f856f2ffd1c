"""From the description of the data in a plan to Microdata: read, give roles, attach hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tarnkappe.data.microdata import NEEDS_NUMBERS, Microdata
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.data import ColumnMissing, EmptyData, RoleKind
from tarnkappe.io.options import HowRead, ReadOptions
from tarnkappe.io.read import read_telling
from tarnkappe.language import Text
from tarnkappe.plan.check_relations import measures_of_tables, refuse_untrue, unfit_relations
from tarnkappe.plan.document import Place
from tarnkappe.plan.files import data_path
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.plan.model import DataDescription, Plan
from tarnkappe.plan.problems import Problem, wrong
from tarnkappe.plan.progress import Progress
from tarnkappe.spec import Measure
from tarnkappe.vocab import Kind

_FOR_KIND = {"bands": Kind.NUMBER, "cuts": Kind.NUMBER, "dates": Kind.DATE}
"""Ways of building a hierarchy that are for one kind of column."""


def prepare(plan: Plan, progress: Progress | None = None) -> Microdata:
    """Read the data of a plan; every column name that does not fit is reported at once, with its line.

    A plan whose tables all come from files has no data: no columns and no records.
    """
    if plan.data is None:
        return Microdata({})
    return fitted_to(plan, plan.data, read_raw(plan, plan.data, progress))


def fitted_to(plan: Plan, description: DataDescription, data: Microdata) -> Microdata:
    """Data that was read, with the roles and hierarchies of a plan."""
    problems = [*_unknown_names(plan, data), *_unfit_roles(plan, data), *unfit_relations(plan, data)]
    if problems:
        raise wrong(plan.file, problems, plan.lines)
    if len(data) == 0:
        raise EmptyData
    refuse_untrue(plan, data)
    return described(data, description, plan.folder)


def read_raw(plan: Plan, description: DataDescription, progress: Progress | None = None) -> Microdata:
    """The data of a plan as it stands in the file; that its encoding had to be assumed is told with the progress."""
    file = data_path(plan.folder, description)
    data, found = _read(file, description.options)
    if found and found.assumed and progress:
        progress.within(found.notice(file.name))
    return data


def _read(file: Path, options: ReadOptions) -> tuple[Microdata, HowRead | None]:
    """Read the data; where a type is given to a column that is not there, read on to find what else is wrong."""
    try:
        return read_telling(file, options)
    except ColumnMissing:
        return read_telling(file, replace(options, types={}))


def described(data: Microdata, description: DataDescription, folder: Path) -> Microdata:
    """The same data with the roles and hierarchies of a description."""
    named = {name: replace(data.column(name), label=label) for name, label in description.labels.items()}
    data = data.with_columns(named).told(description.roles)
    return with_hierarchies(data, description.hierarchies, folder)


def with_hierarchies(
    data: Microdata, descriptions: dict[str, HierarchyDescription], folder: Path
) -> Microdata:
    """Attach hierarchies to columns; one without any value is of the kind that its hierarchy is for."""
    data = data.empty_as({n: kind for n, d in descriptions.items() if (kind := _FOR_KIND.get(d.way))})
    return data.with_columns(
        {
            name: replace(data.column(name), hierarchy=build_hierarchy(d, name, data.column(name), folder))
            for name, d in descriptions.items()
        }
    )


def _unknown_names(plan: Plan, data: Microdata) -> Iterator[Problem]:
    known = set(data.names)
    if plan.data:
        for role, names in plan.data.roles.items():
            yield from _missing(("data", "roles", role.value), names, known)
        yield from _missing(("data", "hierarchies"), plan.data.hierarchies, known)
        yield from _missing(("data", "types"), plan.data.types, known)
        yield from _missing(("data", "labels"), plan.data.labels, known)
    for number, relation in enumerate(plan.relations):
        yield from _missing(("relations", number), relation.columns, known | measures_of_tables(plan))
    for number, step in enumerate(plan.steps):
        yield from _missing(("steps", number), step.named_columns(), known)
        known |= set(step.adds())
    for place, measure in _measures(plan):
        yield from _missing(place, measure.named_columns(), known)
    for number, rule in enumerate(plan.consistency):
        yield from _missing(("consistency", number), rule.named, known)
    if plan.process:
        use = ("process", "use")
        yield from _missing((*use, "granularity"), plan.process.use.granularity, known)
        yield from _missing((*use, "dispensable"), plan.process.use.dispensable, known)
    for number, table in enumerate(plan.tables):
        if table.described.file is None:
            value = (table.described.value,) if table.described.value else ()
            yield from _missing(("tables", number), (*table.described.by, *value), known)


def _measures(plan: Plan) -> Iterator[tuple[Place, Measure]]:
    for number, asked in enumerate(plan.measures):
        yield ("measures", number), asked.measure
    for number, gate in enumerate(plan.gates):
        if isinstance(gate.measure, Measure):
            yield ("release_if", number), gate.measure


def _unfit_roles(plan: Plan, data: Microdata) -> Iterator[Problem]:
    for role in NEEDS_NUMBERS:
        for name in plan.having(role):
            if name in data.columns and not (data.column(name).kind.is_number or data.column(name).empty):
                problem = RoleKind(name=name, role=role.value, found=data.column(name).kind.text)
                yield Problem(("data", "roles", role.value), problem.what)


def _missing(place: Place, names: Iterable[str], known: set[str]) -> Iterator[Problem]:
    for name in names:
        if name not in known:
            says = Text(
                "the data has no column {name!r}. {hint}", "die Daten haben keine Spalte {name!r}. {hint}"
            )
            yield Problem(place, says.filled(name=name, hint=did_you_mean(name, known)))
