"""The tables of a plan: build, mark, protect, audit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import flat, tabulate
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.io.cells import CellColumns, CellFile, read_cells, table_of
from tarnkappe.io.paths import inside
from tarnkappe.language import Text
from tarnkappe.plan.hierarchies import build_hierarchy
from tarnkappe.plan.ledger import ClaimEntry, GateEntry, TableEntry
from tarnkappe.plan.model import Plan, TableDescription, TablePlan
from tarnkappe.plan.progress import Progress
from tarnkappe.randomness import Secret, stream
from tarnkappe.spec import Holds, TableMethod


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
        pattern = marked(wanted, built(wanted.described, data, plan.folder))
        claims: tuple[ClaimEntry, ...] = ()
        if wanted.protect:
            nth = used[wanted.protect.id] = used.get(wanted.protect.id, -1) + 1
            start, pattern = pattern, wanted.protect.protect(pattern, stream(secret, wanted.protect.id, nth))
            claims = tuple(_claims(wanted.protect, start, pattern))
        yield TableEntry(wanted, pattern, wanted.audit.measure(pattern), claims, time.perf_counter() - began)


def built(described: TableDescription, data: Microdata, folder: Path) -> Table:
    """The table as described: tabulated from the data, or read from a file of cells."""
    if described.file is None:
        return tabulate(data, described.by, described.value, name=described.name)
    columns = CellColumns(**described.columns.model_dump())
    cells = read_cells(CellFile(inside(folder, described.file), described.by, columns))
    hierarchies = {name: _dimension(described, name, cells, folder) for name in described.by}
    return table_of(cells, hierarchies, columns, described.name, described.tolerance)


def _dimension(described: TableDescription, name: str, cells: Microdata, folder: Path) -> Hierarchy:
    """The hierarchy of a dimension of a cell file; without a description, the total and the codes below it."""
    column = cells.column(name)
    if name in described.hierarchies:
        return build_hierarchy(described.hierarchies[name], name, column, folder)
    return flat(name, [str(code) for code in column.distinct()])


def marked(wanted: TablePlan, table: Table) -> Pattern:
    """The table with the cells that its rules mark."""
    pattern = Pattern(table)
    for rule in wanted.rules:
        pattern = pattern.marked(rule.mark(table))
    return pattern


def gates_of(tables: tuple[TableEntry, ...]) -> Iterator[GateEntry]:
    """Every table must hold against its audit; no plan can leave that out."""
    for entry in tables:
        says = Text(
            f"table {entry.name}: no published sum gives away what is protected",
            f"Tabelle {entry.name}: keine veröffentlichte Summe verrät Geschütztes",
        )
        yield GateEntry(says=says, held=bool(entry.audit.value) and entry.audit.trusted, because=entry.audit.because)


def _claims(method: TableMethod, before: Pattern, after: Pattern) -> Iterator[ClaimEntry]:
    for side in ("preserves", "protects"):
        for claim in getattr(method, side):
            if claim.applies(method):
                always = claim.holds is Holds.ALWAYS
                if always and claim.check is not None and not claim.check(method, before, after):
                    raise ClaimBroken(number=after.table.name, id=method.id, claim=claim.says)
                yield ClaimEntry(side, claim.says, claim.holds, True if always else None)
