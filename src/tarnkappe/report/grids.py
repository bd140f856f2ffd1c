"""A table as a person reads it: rows indented by level, columns grouped under their heads, further dimensions as layers.

Wide tables are split like those of a yearbook: first the upper level of the columns, then one sheet for the parts of
every column. What does not fit is left out from below, so the sums a reader looks for first are always there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.table import Table
from tarnkappe.language import NOTHING, Text, same

MOST_CELLS = 3000
"""Cells shown of one table."""
MOST_COLUMNS = 12
"""Columns of one sheet: what fits on a page."""
_LONG = 60
"""A sheet with more rows begins folded."""
_DEEPEST = 6
"""Deeper rows are not indented further."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of the page."""

    says: Text
    kind: str = ""
    """Its class in the style sheet."""
    why: tuple[Text, ...] = ()
    """Lines that open beside it; for the office alone."""


EMPTY = Cell(NOTHING, "none")
Writer = Callable[[int], Cell]
"""From the number of a cell to what is shown of it."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of one column or of a group of them."""

    code: str
    label: str
    across: int = 1
    down: int = 1
    own: bool = False
    """The sum of the group above it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row with its place in the hierarchy."""

    code: str
    label: str
    depth: int
    inner: bool
    """Other rows stand below it."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One rectangle of cells."""

    title: str
    """Which part of the table it is; empty for all of it."""
    heads: tuple[tuple[Head, ...], ...]
    """By line; empty where there is one column only."""
    rows: tuple[Row, ...]

    @property
    def folded(self) -> bool:
        return len(self.rows) > _LONG


@dataclass(frozen=True, slots=True)
class Grid:
    """The sheets of a table, the first of them open."""

    sheets: tuple[Sheet, ...]
    shown: int
    """Cells of the table that stand on some sheet."""
    cells: int


def grid(table: Table, write: Writer) -> Grid:
    """Lay out a table, upper levels first, up to `MOST_CELLS` cells."""
    if not len(table):
        return Grid((), 0, 0)
    blocks = list(_blocks(table))
    rows = _fitting(table.dimensions[0], _present(table, 0), MOST_CELLS // len(blocks[0]))
    sheets: list[Sheet] = []
    found: list[Ints] = []
    room = MOST_CELLS
    for layer, block in product(_layers(table), blocks):
        room -= len(rows) * len(block)
        if room < 0 and sheets:
            break
        cells = _cells(table, rows, block, layer)
        if (cells >= 0).any():
            found.append(cells)
            sheets.append(_sheet(table, rows, block, layer, _written(cells, write)))
    seen = np.unique(np.concatenate([c.ravel() for c in found]))
    return Grid(tuple(sheets), int((seen >= 0).sum()), len(table))


# -- what is shown --------------------------------------------------------------------------------------------------


def _present(table: Table, j: int) -> Bools:
    """The codes of a dimension that some cell has, and all above them."""
    dimension = table.dimensions[j]
    used = np.bincount(table.cells[:, j], minlength=len(dimension)) > 0
    for node in range(len(dimension) - 1, 0, -1):  # from below: parents stand before their children
        used[dimension.parent[node]] |= used[node]
    return used


def _fitting(dimension: Hierarchy, used: Bools, most: int) -> Ints:
    """Whole levels from above as far as they fit; at least the first `most` codes of the level that does not."""
    for level in range(dimension.depth, 0, -1):
        nodes = np.flatnonzero(used & (dimension.level <= level))
        if len(nodes) <= most or level == 1:
            return nodes[: max(most, 1)]
    return np.flatnonzero(used)[: max(most, 1)]


def _blocks(table: Table) -> Iterator[Ints]:
    """The columns of every sheet: all of them, or a code with the codes right below it, upper levels first."""
    if len(table.dimensions) == 1:
        yield np.zeros(1, dtype=np.int64)
        return
    dimension, used = table.dimensions[1], _present(table, 1)
    nodes = np.flatnonzero(used)
    if len(nodes) <= MOST_COLUMNS:
        yield nodes
        return
    inner = np.unique(dimension.parent[nodes[1:]])
    for node in inner[np.argsort(dimension.level[inner], kind="stable")]:
        below = np.flatnonzero(used & (dimension.parent == node))
        for start in range(0, len(below), MOST_COLUMNS - 1):
            yield np.append(node, below[start : start + MOST_COLUMNS - 1])


def _layers(table: Table) -> Ints:
    """The combinations of codes of all further dimensions, totals first."""
    further = table.dimensions[2:]
    if not further:
        return np.zeros((1, 0), dtype=np.int64)
    sums = table.cells[(table.cells[:, :2] == 0).all(axis=1), 2:].astype(np.int64)
    level = sum((h.level[sums[:, j]] for j, h in enumerate(further)), np.zeros(len(sums), dtype=np.int64))
    return np.asarray(sums[np.argsort(level, kind="stable")])


def _cells(table: Table, rows: Ints, block: Ints, layer: Ints) -> Ints:
    """The number of the cell at every place of a sheet; -1 where the table has none."""
    nodes = np.zeros((len(rows) * len(block), len(table.dimensions)), dtype=np.int32)
    nodes[:, 0] = np.repeat(rows, len(block))
    if len(table.dimensions) > 1:
        nodes[:, 1] = np.tile(block, len(rows))
        nodes[:, 2:] = layer
    return table.find(nodes).reshape(len(rows), len(block))


# -- how it is shown ------------------------------------------------------------------------------------------------


def _written(cells: Ints, write: Writer) -> list[tuple[Cell, ...]]:
    return [tuple(write(int(cell)) if cell >= 0 else EMPTY for cell in row) for row in cells]


def _sheet(table: Table, rows: Ints, block: Ints, layer: Ints, written: list[tuple[Cell, ...]]) -> Sheet:
    dimension = table.dimensions[0]
    depth, inner = _depths(dimension, rows)
    lines = tuple(
        Row(str(dimension.codes[node]), str(dimension.labels[node]), min(above, _DEEPEST), has_parts, cells)
        for node, above, has_parts, cells in zip(rows, depth, inner, written, strict=True)
    )
    heads = tuple(map(tuple, _heads(table.dimensions[1], block))) if len(table.dimensions) > 1 else ()
    return Sheet(_title(table, block, layer), heads, lines)


def _depths(dimension: Hierarchy, nodes: Ints) -> tuple[list[int], list[bool]]:
    """How many of the shown codes stand above each of them, and which of them have others below."""
    place = {int(node): i for i, node in enumerate(nodes)}
    above = [place.get(int(dimension.parent[node]), -1) for node in nodes]
    parents = set(above)
    depth: list[int] = []
    for parent in above:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    return depth, [i in parents for i in range(len(nodes))]


def _heads(dimension: Hierarchy, nodes: Ints) -> list[list[Head]]:
    """Lines of heads: a group spans its parts, and its own sum comes first below it. The total stands alone."""
    depth, inner = _depths(dimension, nodes)
    lines: list[list[Head]] = [[] for _ in range(max(1, *depth))]
    for i, node in enumerate(nodes):
        code, label, line = str(dimension.codes[node]), str(dimension.labels[node]), max(depth[i] - 1, 0)
        if depth[i] == 0 or not inner[i]:
            lines[line].append(Head(code, label, down=len(lines) - line))
            continue
        size = next((k for k in range(i + 1, len(nodes)) if depth[k] <= depth[i]), len(nodes)) - i
        lines[line].append(Head(code, label, across=size))
        lines[line + 1].append(Head(code, label, down=len(lines) - line - 1, own=True))
    return lines


def _title(table: Table, block: Ints, layer: Ints) -> str:
    """The codes that a sheet is about, where they are not the total."""
    parts = [(h, int(node)) for h, node in zip(table.dimensions[2:], layer, strict=True)]
    if len(table.dimensions) > 1 and block[0]:
        parts.append((table.dimensions[1], int(block[0])))
    return " · ".join(f"{h.name}: {named(h, node)}" for h, node in parts)


def named(dimension: Hierarchy, node: int) -> str:
    """A code with its label, where it has one of its own."""
    code, label = str(dimension.codes[node]), str(dimension.labels[node])
    return code if label in ("", code) else f"{code} {label}"


def measure_of(value: str | None) -> Text:
    """What the cells of a table hold."""
    return same(value) if value else Text("number", "Anzahl")
