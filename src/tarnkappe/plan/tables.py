"""The tables of a plan: build, mark, protect, audit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from tarnkappe.data.hierarchy import TOTAL, Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.errors.tables import MarksContradict, TotalMissing
from tarnkappe.io.cells import CellColumns, CellFile, read_cells, table_of
from tarnkappe.io.marks import read_marks, with_marks
from tarnkappe.io.paths import inside
from tarnkappe.language import Text, listed
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.plan.ledger import ClaimEntry, GateEntry, TableEntry
from tarnkappe.plan.model import Plan, TableDescription, TablePlan
from tarnkappe.plan.progress import Progress
from tarnkappe.randomness import Secret, stream
from tarnkappe.spec import Holds, Rule, TableMethod


def protected_tables(
    plan: Plan, original: Microdata, result: Microdata, secret: Secret, progress: Progress
) -> Iterator[TableEntry]:
    """Every table of a plan, protected and audited."""
    used: dict[str, int] = {}
    for wanted in plan.tables:
        name = wanted.described.name
        progress.next(Text(f"table {name}", f"Tabelle {name}"))
        began = time.perf_counter()
        data = original if wanted.described.source == "original" else result
        pattern = marked(wanted, built(wanted.described, data, plan.folder), plan.folder)
        claims: tuple[ClaimEntry, ...] = ()
        if wanted.protect:
            nth = used[wanted.protect.id] = used.get(wanted.protect.id, -1) + 1
            start, pattern = pattern, wanted.protect.protect(pattern, stream(secret, wanted.protect.id, nth))
            claims = tuple(claims_of(wanted.protect, start, pattern))
        yield TableEntry(wanted, pattern, wanted.audit.measure(pattern), claims, time.perf_counter() - began)


def built(described: TableDescription, data: Microdata, folder: Path) -> Table:
    """The table as described: tabulated from the data, or read from a file of cells."""
    if described.file is None:
        return tabulate(data, described.by, described.value, name=described.name)
    columns = CellColumns(**described.columns.model_dump())
    columns = replace(columns, value=described.value) if described.value else columns
    cells = read_cells(CellFile(inside(folder, described.file), described.by, columns))
    hierarchies = {
        name: dimension(described.hierarchies.get(name), name, cells, folder) for name in described.by
    }
    return table_of(cells, hierarchies, columns, described.name, described.tolerance)


def dimension(described: HierarchyDescription | None, name: str, cells: Microdata, folder: Path) -> Hierarchy:
    """The hierarchy of a dimension of a cell file, whose total is there; without a description all codes lie below it."""
    column = cells.column(name)
    hierarchy = build_hierarchy(described or HierarchyDescription(total=TOTAL), name, column, folder)
    if hierarchy.total not in column.distinct():
        raise TotalMissing(name=name, total=hierarchy.total)
    return hierarchy


def marked(wanted: TablePlan, table: Table, folder: Path) -> Pattern:
    """The table with what the office has decided beforehand and the cells that its rules mark."""
    pattern = Pattern(table)
    if wanted.described.marks is not None:
        pattern = with_marks(pattern, read_marks(inside(folder, wanted.described.marks), wanted.described.by))
    return ruled(pattern, wanted.rules)


def ruled(pattern: Pattern, rules: Iterable[Rule]) -> Pattern:
    """With the cells that rules mark; none of them may have to stay open."""
    for rule in rules:
        pattern = pattern.marked(rule.mark(pattern.table))
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


def claims_of(method: TableMethod, before: Pattern, after: Pattern) -> Iterator[ClaimEntry]:
    """The claims of a method; one that is broken in this run is our fault."""
    for side in ("preserves", "protects"):
        for claim in getattr(method, side):
            if claim.applies(method):
                always = claim.holds is Holds.ALWAYS
                if always and claim.check is not None and not claim.check(method, before, after):
                    raise ClaimBroken(number=after.table.name, id=method.id, claim=claim.says)
                yield ClaimEntry(side, claim.says, claim.holds, True if always else None)
