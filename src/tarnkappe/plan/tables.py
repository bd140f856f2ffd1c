"""The tables of a plan: build, mark, protect, audit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.digest import digest_of_cells
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
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
from tarnkappe.plan.hierarchies import (
    HierarchyDescription,
    build_hierarchy,
    code_columns,
    placed,
)
from tarnkappe.plan.late import published_patterns
from tarnkappe.plan.ledger import GateEntry, TableEntry
from tarnkappe.plan.linking import Begun, entries
from tarnkappe.plan.model import Plan, TableDescription, TablePlan
from tarnkappe.plan.policy_gates import refuse_unmarked
from tarnkappe.plan.progress import Progress
from tarnkappe.randomness import Secret, stream
from tarnkappe.spec import Rule, TableMethod
from tarnkappe.spec.step import drawn_for
from tarnkappe.vocab import Role

LARGEST, MOST = 3, 100
"""So many of the largest contributions to a cell are kept, and so many where a rule looks at more."""
AFTER_STEPS = " (after the steps)"
"""The same numbers before and after steps that change them are two measures."""


def protected_tables(
    plan: Plan, original: Microdata, result: Microdata, secret: Secret, progress: Progress
) -> Iterator[TableEntry]:
    """Every table of a plan, protected and audited; those that share cells together."""
    begun = begun_tables(plan, original, result, secret, progress)
    earlier = published_patterns(plan.published, [b.pattern.table for b in begun], plan.folder)
    yield from entries(begun, earlier, progress)


def begun_tables(
    plan: Plan, original: Microdata, result: Microdata, secret: Secret, progress: Progress
) -> list[Begun]:
    """Every table of a plan with the cells that its rules mark."""
    used: dict[str, int] = {}
    begun = []
    for wanted in plan.tables:
        name = wanted.described.name
        progress.next(Text(f"table {name}", f"Tabelle {name}"))
        began = time.perf_counter()
        data = original if wanted.described.source == "original" else result
        pattern = marked(wanted, started(wanted.described, data, plan.folder, wanted.rules), plan.folder)
        refuse_unmarked(plan, wanted, pattern)
        pattern = measured(wanted.described, pattern, changed=_changed(wanted.described, original, result))
        drawn = None
        if wanted.protect:
            nth = used[wanted.protect.id] = used.get(wanted.protect.id, -1) + 1
            read = digest_of_cells(pattern.table)
            drawn = stream(secret, wanted.protect.id, nth, drawn_for=drawn_for(wanted.protect, read))
        begun.append(Begun(wanted, pattern, drawn, time.perf_counter() - began))
    return begun


def measured(described: TableDescription, pattern: Pattern, *, changed: bool) -> Pattern:
    """The table with what it adds up; steps that change the numbers make another measure of them."""
    table = pattern.table
    measure = described.measure or table.measure
    if described.file and not table.counts:
        measure = described.measure or described.value or described.columns.value
    return replace(pattern, table=replace(table, measure=f"{measure}{AFTER_STEPS}" if changed else measure))


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


def gates_of(tables: tuple[TableEntry, ...]) -> Iterator[GateEntry]:
    """Every table must hold against its audit; no plan can leave that out."""
    for entry in tables:
        says = Text(
            f"table {entry.name}: no published sum gives away what is protected",
            f"Tabelle {entry.name}: keine veröffentlichte Summe verrät Geschütztes",
        )
        yield GateEntry(
            says=says, held=bool(entry.audit.value) and entry.audit.trusted, because=entry.audit.because
        )
