"""Tables that share cells: linked, overlapping and late tables as one stock of physical cells.

Two cells are the same when their tables add up the same measure and both cells cover the same leaves in every variable; a
variable that a table does not have is at its total (Wettig 2002, L1223). Tables of different measures, turnover and employees
for instance, share nothing. A cell that a table could have and does not list is empty there, and published as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.meanings import WHOLE, meanings
from tarnkappe.data.relations import Relations, joined, relations_of
from tarnkappe.data.table import Nodes, Table
from tarnkappe.errors.linked import SharedValuesDiffer
from tarnkappe.language import listed


class Laid(NamedTuple):
    """Where the cells of a table lie."""

    measure: str
    dimensions: tuple[Hierarchy, ...]
    cells: Nodes


@dataclass(frozen=True, slots=True, eq=False)
class Stock:
    """The physical cells behind several tables."""

    numbers: tuple[Ints, ...]
    """For every table the physical cell of each of its cells."""
    key: Ints
    """(cells, 1 + variables) measure and meaning of every physical cell."""
    empty: Bools
    """Cells that some table could have and does not list."""

    def __len__(self) -> int:
        return len(self.key)

    @property
    def tables_of(self) -> Ints:
        """In how many tables every cell stands."""
        times = np.zeros(len(self), dtype=np.int64)
        for cells in self.numbers:
            times[np.unique(cells)] += 1
        return times


def stock(parts: Sequence[Laid]) -> Stock:
    """Number the cells of several tables so that the same cell has one number."""
    variables = sorted({h.name for part in parts for h in part.dimensions})
    meant = _meant(parts, variables)
    keys = [_key(part, variables, found) for part, found in zip(parts, meant, strict=True)]
    which = np.unique([part.measure for part in parts], return_inverse=True)[1]
    for key, measure in zip(keys, which, strict=True):
        key[:, 0] = measure
    physical, number = _rows(np.concatenate(keys))
    numbers = tuple(np.split(number, np.cumsum([len(key) for key in keys])[:-1]))
    empty = np.zeros(len(physical), dtype=np.bool_)
    for cells, measure, found in zip(numbers, which, meant, strict=True):
        spanned = physical[:, 0] == measure
        for column, meaning in enumerate(found, start=1):
            spanned &= np.isin(physical[:, column], WHOLE if meaning is None else meaning)
        spanned[cells] = False
        empty |= spanned
    return Stock(numbers, physical, empty)


def _meant(parts: Sequence[Laid], variables: list[str]) -> list[list[Ints | None]]:
    """By table and variable what its codes mean; None where the table does not have the variable."""
    out: list[list[Ints | None]] = [[None] * len(variables) for _ in parts]
    for column, name in enumerate(variables):
        having = [(i, h) for i, part in enumerate(parts) for h in part.dimensions if h.name == name]
        for (i, _), found in zip(having, meanings([h for _, h in having]), strict=True):
            out[i][column] = found
    return out


def _key(part: Laid, variables: list[str], meant: list[Ints | None]) -> Ints:
    """Room for the measure, then the meaning of every cell along each variable."""
    key = np.full((len(part.cells), 1 + len(meant)), WHOLE, dtype=np.int64)
    place = {h.name: j for j, h in enumerate(part.dimensions)}
    for column, (name, found) in enumerate(zip(variables, meant, strict=True), start=1):
        if found is not None:
            key[:, column] = found[part.cells[:, place[name]]]
    return key


def _rows(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct rows and, for every row, which of them it is; one column after the other, so nothing overflows."""
    number = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        values, place = np.unique(column, return_inverse=True)
        number = np.unique(number * len(values) + place, return_inverse=True)[1].astype(np.int64)
    first = np.unique(number, return_index=True)[1]
    return keys[first], number


@dataclass(frozen=True, slots=True, eq=False)
class TableSet:
    """Tables with a physical number for every cell. Frozen; refuses tables that contradict each other."""

    tables: tuple[Table, ...]
    stock: Stock = field(init=False)
    value: Floats = field(init=False)
    """Of every physical cell."""
    home: Ints = field(init=False)
    """(cells, 2) the first table that has a cell, and its row there."""

    def __post_init__(self) -> None:
        found = stock([Laid(t.measure, t.dimensions, t.cells) for t in self.tables])
        home = np.full((len(found), 2), -1, dtype=np.int64)
        for number in reversed(range(len(self.tables))):
            cells = found.numbers[number]
            home[cells, 0], home[cells, 1] = number, np.arange(len(cells))
        value = np.zeros(len(found))
        for number, table in enumerate(self.tables):
            mine = home[:, 0] == number
            value[mine] = table.value[home[mine, 1]]
        for name, made in (("stock", found), ("home", home), ("value", value)):
            object.__setattr__(self, name, made)
        home.flags.writeable = value.flags.writeable = False
        self._refuse()

    def _refuse(self) -> None:
        """The same cell has the same value everywhere, up to what sums may be off."""
        off = self.stock.empty & (np.abs(self.value) > 1e-12)
        for table, cells in zip(self.tables, self.numbers, strict=True):
            slack = table.tolerance * np.maximum(np.abs(table.value), np.abs(self.value[cells])) + 1e-12
            first = np.array([t.tolerance for t in self.tables])[self.home[cells, 0]]
            slack = np.maximum(slack, first * np.abs(self.value[cells]))
            off[cells] |= np.abs(table.value - self.value[cells]) > slack
        wrong = np.flatnonzero(off)
        if len(wrong):
            cells_named = listed([self.spelt(int(c)) for c in wrong[:20]])
            raise SharedValuesDiffer(names=self.named, count=len(wrong), cells=cells_named)

    def __len__(self) -> int:
        """How many physical cells there are."""
        return len(self.stock)

    def __repr__(self) -> str:
        return f"TableSet({self.named}: {len(self):,} cells, {int(self.shared.sum()):,} of them shared)"

    @property
    def numbers(self) -> tuple[Ints, ...]:
        """For every table the physical cell of each of its cells."""
        return self.stock.numbers

    @property
    def shared(self) -> Bools:
        """Cells that stand in several tables."""
        return np.asarray(self.stock.tables_of > 1)

    @property
    def named(self) -> str:
        return listed([table.name for table in self.tables])

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions of all tables, one after the other, as `relations.along` counts them."""
        return tuple(h.name for table in self.tables for h in table.dimensions)

    def spelt(self, cell: int) -> str:
        """A cell by the first table that has it and its codes there."""
        table, row = self.home[cell]
        return f"{self.tables[table].name}: {self.tables[table].spelt(int(row))}"

    def relations(self) -> Relations:
        """All sums of all tables over the physical cells."""
        parts, before = [], 0
        for table, cells in zip(self.tables, self.numbers, strict=True):
            part = without_loops(relations_of(table).renumbered(cells, len(self)))
            parts.append(replace(part, along=part.along + before))
            before += len(table.dimensions)
        return joined(parts, len(self))

    def spread(self, over: Floats | Ints | Bools, table: int) -> Floats | Ints | Bools:
        """What holds of physical cells, for the cells of one table."""
        out: Floats | Ints | Bools = over[self.numbers[table]]
        return out


def groups(tables: Sequence[Table]) -> list[list[int]]:
    """Which tables hang together by shared cells, in their order."""
    out = []
    for measure in dict.fromkeys(t.measure for t in tables):
        of = [i for i, t in enumerate(tables) if t.measure == measure]
        parts = [[0]]
        if len(of) > 1:
            parts = grouped(stock([Laid(measure, tables[i].dimensions, tables[i].cells) for i in of]))
        out += [[of[i] for i in part] for part in parts]
    return sorted(out)


def grouped(found: Stock) -> list[list[int]]:
    """Which tables hang together by the cells of a stock."""
    tables = len(found.numbers)
    which = np.repeat(np.arange(tables), [len(n) for n in found.numbers])
    cell = np.concatenate(found.numbers) + tables
    size = tables + len(found)
    graph = coo_array((np.ones(len(cell), np.int8), (which, cell)), shape=(size, size))
    label = connected_components(graph, directed=False)[1][:tables]
    return [np.flatnonzero(label == part).tolist() for part in dict.fromkeys(label.tolist())]


def known_empty(table: Table) -> Bools:
    """Cells that nothing can be in: sums without a part, and parts of sums that are not there."""
    out = np.zeros(len(table), dtype=np.bool_)
    for j, dimension in enumerate(table.dimensions):
        parts = np.bincount(table.up[table.up[:, j] >= 0, j], minlength=len(table))
        out |= ~dimension.is_leaf[table.cells[:, j]] & (parts == 0)
        out |= (table.cells[:, j] != 0) & (table.up[:, j] < 0)
    return out


def without_loops(relations: Relations) -> Relations:
    """Without sums whose only part is the very same cell: a code with one code below it."""
    sizes = np.diff(relations.start)
    of = np.repeat(np.arange(len(relations)), sizes)
    same = (relations.cell == relations.total[of]) & (relations.coefficient > 0)
    keep = np.ones(len(relations), dtype=np.bool_)
    keep[of[same]] = False
    if keep.all():
        return relations
    start = np.concatenate([[0], np.cumsum(sizes[keep])]).astype(np.int64)
    return Relations(
        relations.cells, start, relations.cell[keep[of]], relations.coefficient[keep[of]],
        relations.total[keep], relations.along[keep],
    )  # fmt: skip
