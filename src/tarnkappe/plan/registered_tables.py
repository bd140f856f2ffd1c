"""Tables of earlier releases of the register: protected and audited together with those of the plan, without being named.

The register keeps codes, suppressed cells, what was required of them and fingerprints of contributors, no values. Where the data is the same as then the values are added
up again from it; where it is another edition, or the table was made of the result of steps, it is made again of the contributors that are found again
(`earlier_editions`). What was changed by noise, or has no contributors, cannot be made again, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.data.contributor_signs import Contributed, contributions_of, lowest_cells, packed
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.pattern_set import as_published
from tarnkappe.data.release_signature import ReleaseSignature
from tarnkappe.data.table import Table
from tarnkappe.data.table_signature import TableSignature, table_signature
from tarnkappe.data.tabulate import laid_records, tabulate
from tarnkappe.errors import TarnkappeError
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.plan.earlier_editions import (
    EarlierEditions,
    EarlierTable,
    House,
    earlier_edition,
    suppressed_rows,
    with_requirements,
)
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
    """Those of the same data."""
    editions: EarlierEditions = field(default_factory=EarlierEditions)
    """Those of other editions, or of what steps made of it."""
    lost: tuple[str, ...] = ()
    """Titles and names of those that cannot be made again."""

    @property
    def count(self) -> int:
        return len(self.patterns) + len(self.editions.tables)

    def gate(self, tables: Sequence[TableEntry]) -> Iterator[GateEntry]:
        """That the tables of the plan were held against those of the register, and which not."""
        if not tables or not (self.count or self.lost):
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
            says.filled(count=self.count), held=True,
            because=because.filled(names=listed(list(self.lost))) if self.lost else NOTHING, public=False,
        )  # fmt: skip


def registered_tables(
    releases: Sequence[ReleaseSignature], source: str, house: House, trees: Sequence[Hierarchy], least: int
) -> RegisteredTables:
    """The tables of earlier releases: those of the same data with their values, others as far as contributors are found again.

    `trees` are the hierarchies of the tables of the plan; what came or went of fewer than `least` contributors must not become known.
    """
    patterns: list[Pattern] = []
    lost: list[str] = []
    again: dict[str, list[TableSignature]] = {}
    for release in releases:
        for table in release.tables:
            made = _pattern(table, house.original) if release.source == source else None
            named = replace(table, name=f"{release.title}: {table.name}")
            if made is None:
                again.setdefault(release.source, []).append(named)
            else:
                patterns.append(made)
    found: list[EarlierTable] = []
    for number, tables in enumerate(again.values(), 1):
        made_again, missing = earlier_edition(tables, house, number, trees)
        found += made_again
        lost += missing
    return RegisteredTables(tuple(patterns), EarlierEditions(tuple(found), house, least), tuple(lost))


def signatures_of(tables: Sequence[TableEntry], house: House) -> tuple[TableSignature, ...]:
    """What is entered of the tables of a plan; those from files of cells have no contributors."""
    return tuple(_signature(entry, house) for entry in tables)


def _signature(entry: TableEntry, house: House) -> TableSignature:
    table, described = entry.pattern.table, entry.plan.described
    plain = table_signature(entry.pattern, described.value, sizes(table.value), original=_repeatable(entry))
    if described.file is not None:
        return plain
    data = house.original if described.source == "original" else house.result
    laid = laid_records(data, [tree.name for tree in table.dimensions], described.value, weighted=described.weighted)
    cells, place = lowest_cells(table, laid)
    amount = np.where(laid.there, laid.amount, np.nan)
    _, who, what = contributions_of(house.original, data, amount, house.signer)
    return replace(plain, lowest=cells, contributors=packed(Contributed(who, what, place), len(cells)))


def _repeatable(entry: TableEntry) -> bool:
    """Whether a table is made of records as they were read."""
    return entry.plan.described.file is None and not entry.pattern.table.measure.endswith(AFTER_STEPS)


def _pattern(table: TableSignature, data: Microdata) -> Pattern | None:
    """A table again, with values from the same data."""
    needed = {*table.trees, *((table.value,) if table.value else ())}
    if not table.original or table.changed or not needed <= set(data.names):
        return None
    made = _tabulated(table, data)
    rows = None if made is None else suppressed_rows(table, made)
    if made is None or rows is None:
        return None
    sure = np.zeros(len(made), dtype=np.bool_)
    return as_published(with_requirements(replace(made, measure=table.measure), table, rows, sure, _REASON))


def _tabulated(table: TableSignature, data: Microdata) -> Table | None:
    trees = table.hierarchies
    shaped = shaped_by(data, list(trees.values()))
    try:
        return tabulate(shaped, list(trees), table.value, name=table.name, weighted=table.weighted)
    except TarnkappeError:
        return None
