"""Files of cells with a column of codes per level, `0` standing for the total over that level, as the macro of Schenker 2019 reads them.

| Kreis | Quartier | value |          a row is the city (0, 0), a district (1, 0) or a quarter (1, 1);
|     0 |        0 |    28 |          one dimension is made of the columns, with a code for every node.
|     1 |        0 |     9 |
|     1 |        1 |     2 |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_pairs
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.hierarchy import LevelColumnsWrong

Path = tuple[str, ...]
"""The codes of a node, from the coarsest level to its own."""


class LevelColumns(NamedTuple):
    """Columns of one dimension, the finest first, as `ebene=quartier*kreis` of the macro lists them."""

    name: str
    columns: tuple[str, ...]
    zero: str
    """Stands in a column for the total over its level."""
    total: str
    """Code of the whole."""


def joined(cells: Microdata, levels: LevelColumns) -> tuple[Microdata, Hierarchy]:
    """The rows with one column of codes in place of one per level, and the hierarchy of these codes."""
    coarse = levels.columns[::-1]
    texts = [[str(text or "").strip() for text in cells.column(name).texts()] for name in coarse]
    paths = [_path(levels, row, codes) for row, codes in enumerate(zip(*texts, strict=True), 1)]
    nodes = _with_parents(paths)
    codes = _codes(nodes, coarse, levels.total)
    tree = from_pairs(
        levels.name, [codes[node] for node in nodes], [codes[node[:-1]] if node else None for node in nodes]
    ).worded(("total", *coarse), {})
    column = Column.texts_of([codes[path] for path in paths])
    kept = {name: c for name, c in cells.columns.items() if name not in levels.columns}
    return Microdata({levels.name: column, **kept}), tree


def _path(levels: LevelColumns, row: int, codes: Sequence[str]) -> Path:
    """The node of a row; below a total there is nothing, and no code is empty."""
    node = [code for code in codes if code != levels.zero]
    if "" in codes or list(codes[: len(node)]) != node:
        raise LevelColumnsWrong(name=levels.name, columns="*".join(levels.columns), row=row, zero=levels.zero)
    return tuple(node)


def _with_parents(paths: Sequence[Path]) -> list[Path]:
    """Every node with all nodes above it, in the order of the file."""
    nodes: dict[Path, None] = {(): None}
    for path in paths:
        nodes |= {path[: depth + 1]: None for depth in range(len(path))}
    return list(nodes)


def _codes(nodes: Sequence[Path], coarse: Sequence[str], total: str) -> dict[Path, str]:
    """A code per node: its own where no two are alike, else the initial of its level with all its codes (K2, Q21), else all codes."""
    own = {node: node[-1] if node else total for node in nodes}
    short = {node: f"{coarse[len(node) - 1][:1].upper()}{''.join(node)}" if node else total for node in nodes}
    for codes in (own, short):
        if len(set(codes.values())) == len(codes):
            return codes
    return {node: f"{coarse[len(node) - 1]} {'.'.join(node)}" if node else total for node in nodes}
