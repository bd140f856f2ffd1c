"""Tables of earlier releases of the register: protected and audited together with those of the plan, without being named.

The register keeps codes, suppressed cells and what was required of them as shares, no values. Where the data is the same as then the values are added up again from it; where it is another edition, or
the table was made of the result of steps or changed by noise, it cannot be made again, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.insiders import LEAST
from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.pattern_set import as_published
from tarnkappe.data.release_signature import ReleaseSignature
from tarnkappe.data.table_signature import TableSignature, table_signature
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors import TarnkappeError
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.plan.ledger import GateEntry, TableEntry
from tarnkappe.plan.measure_relations import AFTER_STEPS
from tarnkappe.plan.unseen import shaped_by

_REASON = Text(
    "suppressed in an earlier release of the register", "in einer früheren Freigabe des Registers gesperrt"
)


@dataclass(frozen=True, slots=True, eq=False)
class RegisteredTables:
    """The tables of a register, as far as they can be made again."""

    patterns: tuple[Pattern, ...] = ()
    lost: tuple[str, ...] = ()
    """Titles and names of those that cannot."""

    def gate(self, tables: Sequence[TableEntry]) -> Iterator[GateEntry]:
        """That the tables of the plan were held against those of the register, and which not."""
        if not tables or not (self.patterns or self.lost):
            return
        says = Text(
            "the tables were protected and audited together with {count} of the register",
            "die Tabellen wurden gemeinsam mit {count} aus dem Register geschützt und geprüft",
        )
        because = Text(
            "these cannot be made again from the data and were not taken in: {names}",
            "diese lassen sich aus den Daten nicht wieder bilden und sind nicht einbezogen: {names}",
        )
        yield GateEntry(
            says.filled(count=len(self.patterns)), held=True,
            because=because.filled(names=listed(list(self.lost))) if self.lost else NOTHING, public=False,
        )  # fmt: skip


def registered_tables(releases: Sequence[ReleaseSignature], source: str, data: Microdata) -> RegisteredTables:
    """The tables of earlier releases, those of the same data with their values."""
    patterns, lost = [], []
    for release in releases:
        for table in release.tables:
            made = _pattern(table, data) if release.source == source else None
            if made is None:
                lost.append(f"{release.title}: {table.name}")
            else:
                patterns.append(made)
    return RegisteredTables(tuple(patterns), tuple(lost))


def signatures_of(tables: Sequence[TableEntry]) -> tuple[TableSignature, ...]:
    """What is entered of the tables of a plan; those from files of cells have no records to be made of again."""
    return tuple(
        table_signature(
            entry.pattern,
            entry.plan.described.value,
            sizes(entry.pattern.table.value),
            original=_repeatable(entry),
        )
        for entry in tables
    )


def _repeatable(entry: TableEntry) -> bool:
    """Whether a table is made of records as they were read."""
    return entry.plan.described.file is None and not entry.pattern.table.measure.endswith(AFTER_STEPS)


def _pattern(table: TableSignature, data: Microdata) -> Pattern | None:
    """A table again, with values from the same data."""
    needed = {*table.trees, *((table.value,) if table.value else ())}
    if not table.original or table.changed or not needed <= set(data.names):
        return None
    trees = table.hierarchies
    try:
        made = tabulate(
            shaped_by(data, list(trees.values())),
            list(trees),
            table.value,
            name=table.name,
            weighted=table.weighted,
        )
    except TarnkappeError:
        return None
    made = replace(made, measure=table.measure)
    places = [h.positions([cell[j] for cell in table.suppressed]) for j, h in enumerate(made.dimensions)]
    nodes = np.stack(places, axis=1).astype(np.int32)
    rows = made.find(nodes)
    if (nodes < 0).any() or (rows < 0).any():
        return None
    status = np.zeros(len(made), dtype=np.uint8)
    status[rows] = np.where(table.primary, Status.PRIMARY, Status.SECONDARY)
    hidden = status != Status.OPEN
    lower, upper, span = _required(table, rows, sizes(made.value))
    span = np.where(status == Status.PRIMARY, np.maximum(span, LEAST * sizes(made.value)), span)
    pattern = Pattern(
        made, status=status, reason=hidden.astype(np.int32), reasons=(NOTHING, _REASON), lower=lower, upper=upper,
        span=span,
    )  # fmt: skip
    return as_published(pattern)


def _required(table: TableSignature, rows: Ints, size: Floats) -> Floats:
    """How far down and up intervals had to reach and how wide they had to be; nothing where a register does not know it."""
    needs = np.zeros((3, len(size)))
    if table.required:
        needs[:, rows] = np.array(table.required).T * size[rows]
    return needs
