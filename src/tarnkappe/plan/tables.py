"""The tables of a plan: build, mark, protect, audit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.digest import digest_of_cells
from tarnkappe.data.found_relations import found_relations
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.record_marks import with_marks as with_record_marks
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.tables import DimensionUnknown, MarksContradict
from tarnkappe.io.argus import ENDING, ArgusFile, read_argus
from tarnkappe.io.cells import CellColumns, CellFile, read_cells
from tarnkappe.io.jj import ENDING as JJ
from tarnkappe.io.jj import pattern_of_jj, read_jj
from tarnkappe.io.last_table import with_last
from tarnkappe.io.marks import read_marks, with_marks
from tarnkappe.io.paths import inside
from tarnkappe.io.patterns import pattern_of
from tarnkappe.language import Text, listed
from tarnkappe.plan.beside_records import beside_records, masked, refuse_true_sums
from tarnkappe.plan.changes_by_steps import Left
from tarnkappe.plan.hierarchies import (
    HierarchyDescription,
    build_hierarchy,
    code_columns,
    placed,
)
from tarnkappe.plan.late import published_patterns, refuse_strangers
from tarnkappe.plan.ledger import GateEntry, StepEntry, TableEntry
from tarnkappe.plan.linking import Begun, entries
from tarnkappe.plan.measure_relations import AFTER_STEPS, MeasureRelation, found_limits, measure_relations
from tarnkappe.plan.model import Plan, TableDescription, TablePlan
from tarnkappe.plan.naming_codes import refuse_naming_codes
from tarnkappe.plan.policy_gates import refuse_unmarked
from tarnkappe.plan.progress import Progress
from tarnkappe.randomness import Secret, stream
from tarnkappe.spec import Rule, TableMethod
from tarnkappe.spec.step import drawn_for
from tarnkappe.vocab import Role

LARGEST, MOST = 3, 100
"""So many of the largest contributions to a cell are kept, and so many where a rule looks at more."""


_HOLDS = Text(
    "table {name}: no published sum gives away what is protected",
    "Tabelle {name}: keine veröffentlichte Summe verrät Geschütztes",
)
_MASKED = Text(
    "table {name}: no published sum gives away true values that are protected; the records beside it add up to the masked values of suppressed cells",
    "Tabelle {name}: keine veröffentlichte Summe verrät geschützte wahre Werte; die Datensätze daneben ergeben die veränderten Werte gesperrter Zellen",
)


class Made(NamedTuple):
    """The records before the steps, after those that the plan names, and as they are released."""

    original: Microdata
    result: Microdata
    released: Microdata | None = None
    """None: no records are released."""
    stages: tuple[Microdata, ...] = ()
    """The data after every step."""


def stages_of(steps: Iterable[StepEntry]) -> tuple[Microdata, ...]:
    """The data after every step."""
    return tuple(step.after for step in steps if step.after is not None)


def protected_tables(
    plan: Plan, made: Made, secret: Secret, progress: Progress, registered: Sequence[Pattern] = ()
) -> Iterator[TableEntry]:
    """Every table of a plan, protected and audited; those that share cells together, also with earlier ones of a register."""
    begun = begun_tables(plan, made, secret, progress)
    named = published_patterns(plan.published, [b.pattern.table for b in begun], plan.folder)
    refuse_strangers(named, [b.laid for b in begun])
    earlier = [*named, *registered]
    yield from entries(
        begun, earlier, progress, ties_of(plan, begun, earlier), Left(made.released, made.stages)
    )


def ties_of(plan: Plan, begun: Sequence[Begun], published: Sequence[Pattern]) -> list[MeasureRelation]:
    """What is declared or found between the measures of tables, where there are several."""
    measures = {p.table.measure for p in (*(b.pattern for b in begun), *published)}
    if len(measures) < 2:
        return []
    data = next((b.data for b in begun if b.data is not None), None)
    known = list(plan.relations)
    if data is not None:
        values = [b.plan.described.value for b in begun if b.plan.described.value is not None]
        values += [p.table.measure for p in published]
        known += [*found_relations(data), *found_limits(data, list(dict.fromkeys(values)))]
    return list(measure_relations(known, measures))


def begun_tables(plan: Plan, made: Made, secret: Secret, progress: Progress) -> list[Begun]:
    """Every table of a plan with the cells that its rules mark."""
    used: dict[str, int] = {}
    begun = []
    if any(getattr(wanted.protect, "lasting", False) for wanted in plan.tables):
        made = Made(*with_record_marks(made.original, made.result), made.released, made.stages)
    for wanted in plan.tables:
        name = wanted.described.name
        progress.next(Text(f"table {name}", f"Tabelle {name}"))
        began = time.perf_counter()
        data = made.original if wanted.described.source == "original" else made.result
        pattern = marked(wanted, started(wanted.described, data, plan.folder, wanted.rules), plan.folder)
        refuse_unmarked(plan, wanted, pattern)
        pattern = measured(
            wanted.described, pattern, changed=_changed(wanted.described, made.original, made.result)
        )
        pattern = _beside_records(wanted, pattern, data, made)
        drawn = None
        if wanted.protect:
            nth = used[wanted.protect.id] = used.get(wanted.protect.id, -1) + 1
            read = digest_of_cells(pattern.table)
            drawn = stream(secret, wanted.protect.id, nth, drawn_for=drawn_for(wanted.protect, read))
        records = data if wanted.described.file is None else None
        begun.append(Begun(wanted, pattern, drawn, time.perf_counter() - began, records))
    return begun


def _beside_records(wanted: TablePlan, pattern: Pattern, data: Microdata, made: Made) -> Pattern:
    """With what released records tell of its cells; where steps have changed the values, the true ones must not follow from the records."""
    described = wanted.described
    if made.released is None or described.file is not None:
        return pattern
    if described.source == "result" and masked(described.value, made.original, made.result):
        refuse_true_sums(wanted, pattern.table, made.original, made.result, made.released)
        return pattern
    return beside_records(described, pattern, data, made.released)


def _of_masked(entry: TableEntry, made: Made) -> bool:
    """Whether a table adds up masked values that the released records show."""
    described = entry.plan.described
    if made.released is None or described.file is not None or described.source != "result":
        return False
    shown = described.value in made.released.columns
    return shown and masked(described.value, made.original, made.result)


def measured(described: TableDescription, pattern: Pattern, *, changed: bool) -> Pattern:
    """The table with what it adds up; steps that change the numbers make another measure of them."""
    table = pattern.table
    measure = described.measure or table.measure
    if described.file and not table.counts:
        measure = described.measure or described.value or described.columns.value
    if changed:  # records may have other places after the steps
        table = replace(table, source=f"{table.source}{AFTER_STEPS}")
        measure = f"{measure}{AFTER_STEPS}"
    return replace(pattern, table=replace(table, measure=measure))


def _changed(described: TableDescription, original: Microdata, result: Microdata) -> bool:
    """Whether the steps have changed what a table is made of."""
    if described.file is not None or described.source == "original" or original is result:
        return False
    weights = original.role(Role.WEIGHT) if described.weighted else ()
    used = (*described.by, *((described.value,) if described.value else ()), *weights)
    same = np.array_equal(original.rows, result.rows)
    return not same or any(original.columns.get(n) is not result.columns.get(n) for n in used)


def started(
    described: TableDescription, data: Microdata, folder: Path, rules: Sequence[Rule] = ()
) -> Pattern:
    """The table as described; a file of cells comes with all that it says of them, one from records with what the rules look at."""
    ending = Path(described.file).suffix.lower() if described.file else ""
    if described.file and ending == JJ:
        pattern = pattern_of_jj(
            read_jj(inside(folder, described.file)), _trees(described, folder), described.tolerance
        )
        return replace(pattern, table=pattern.table.renamed(described.name))
    if described.file is None:
        largest = min(max(LARGEST, *(rule.looks_at for rule in rules), 0), MOST)
        table = tabulate(
            data, described.by, described.value, name=described.name, largest=largest, empty=described.empty,
            weighted=described.weighted,
        )  # fmt: skip
        refuse_naming_codes(table, data)
        return Pattern(table)
    if ending != ENDING:
        return _read(described, inside(folder, described.file), folder)
    metadata = inside(folder, described.metadata) if described.metadata else None
    value = described.value or described.columns.value
    pattern = read_argus(
        ArgusFile(inside(folder, described.file), metadata, value, described.encoding, described.tolerance)
    )
    names = tuple(tree.name for tree in pattern.table.dimensions)
    for name in {*described.by, *names}:
        if name not in names or name not in described.by:
            raise DimensionUnknown(name=described.name, dimension=name, hint=did_you_mean(name, names))
    return replace(pattern, table=pattern.table.renamed(described.name))


def _trees(described: TableDescription, folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies of a JJ file, which has no codes of its own: those that are described."""
    none = Column.texts_of([None])
    said = {name: described.hierarchies.get(name) or HierarchyDescription(tree=[]) for name in described.by}
    return {name: build_hierarchy(one, name, none, folder) for name, one in said.items()}


def _read(described: TableDescription, file: Path, folder: Path) -> Pattern:
    """The table of a file of cells, with what its columns say of status, marks, required protection, bounds and costs."""
    columns = CellColumns(**described.columns.model_dump())
    columns = replace(columns, value=described.value) if described.value else columns
    codes = code_columns(described.hierarchies, described.by)
    cells = read_cells(CellFile(file, codes, columns, described.options))
    hierarchies = {}
    for name in described.by:
        cells, hierarchies[name] = placed(described.hierarchies.get(name), name, cells, folder)
    return pattern_of(cells, hierarchies, columns, described.name, described.tolerance)


def marked(wanted: TablePlan, pattern: Pattern, folder: Path) -> Pattern:
    """The table with what the office has decided beforehand and the cells that its rules mark."""
    described = wanted.described
    if described.marks is not None:
        marks = read_marks(inside(folder, described.marks), described.by, described.encoding)
        pattern = with_marks(pattern, marks)
    if described.last is not None:
        file = inside(folder, described.last.path(described.name))
        pattern = with_last(pattern, file, described.last.cost, described.encoding)
    return ruled(pattern, wanted.rules, wanted.protect)


def ruled(pattern: Pattern, rules: Iterable[Rule], method: TableMethod | None = None) -> Pattern:
    """With the cells that rules mark, and what the method requires of them; none of them may have to stay open."""
    for rule in rules:
        found = rule.mark(pattern.table)
        found = found if method is None else method.asks(found, pattern.table)
        pattern = replace(pattern.marked(found), judges=(*pattern.judges, rule))
    pattern = pattern if method is None else method.requires(pattern)
    both = np.flatnonzero(pattern.primary & pattern.forced_open)
    if len(both):
        cells = listed([pattern.table.spelt(int(cell)) for cell in both])
        raise MarksContradict(name=pattern.table.name, count=len(both), cells=cells)
    return pattern


def gates_of(tables: tuple[TableEntry, ...], made: Made | None = None) -> Iterator[GateEntry]:
    """Every table must hold against its audit; no plan can leave that out. Where records beside a table add up to its masked values, that is said."""
    for entry in tables:
        says = _MASKED if made is not None and _of_masked(entry, made) else _HOLDS
        says = says.filled(name=entry.name)
        yield GateEntry(
            says=says, held=bool(entry.audit.value) and entry.audit.trusted, because=entry.audit.because
        )
