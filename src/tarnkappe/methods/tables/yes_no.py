"""A dimension reduced to two: the codes that count, and all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Codes, Mark, Pattern
from tarnkappe.data.table import Nodes, Table
from tarnkappe.errors.recoding import MergedMarks
from tarnkappe.errors.tables import NotYesNo

OTHER = "other"


@dataclass(frozen=True, slots=True, eq=False)
class YesNo:
    """For every area (all other dimensions together) that has persons: how many, and how many of them count."""

    at: int
    """Position of the dimension."""
    areas: Ints
    """Rows of the persons."""
    persons: Floats
    yes: Floats
    codes: tuple[str, str, str]
    """Of the total, of those who count and of the others."""

    @classmethod
    def of(cls, table: Table, at: int, nodes: Ints, names: Sequence[str]) -> YesNo:
        """Add up the cells of some codes of a dimension for every area."""
        tree = table.dimensions[at]
        _refuse_nested(tree, nodes, names)
        areas = np.flatnonzero((table.cells[:, at] == 0) & (table.value > 0))
        yes = np.zeros(len(areas))
        for node in nodes:
            rows = table.find(_moved(table, areas, at, int(node)))
            yes += np.where(rows >= 0, table.value[rows], 0.0)
        return cls(at, areas, table.value[areas], yes, _codes(tree, nodes, names))

    def fixed(self, pattern: Pattern) -> Bools:
        """Areas of which some number beside the persons must stay open or is public."""
        table = pattern.table
        forced = np.isin(pattern.mark, (Mark.KEEP, Mark.PUBLISHED)) & (table.cells[:, self.at] != 0)
        homes = table.find(_moved(table, np.flatnonzero(forced), self.at, 0))
        return np.isin(self.areas, homes)

    def marks(self, pattern: Pattern, recoded: Table) -> Codes:
        """The marks of the cells of the recoded table; one that must stay open has to be among them."""
        old = pattern.table
        nodes = recoded.cells.copy()
        nodes[:, self.at] = old.dimensions[self.at].positions(recoded.codes(self.at))
        rows = np.where(nodes[:, self.at] >= 0, old.find(nodes), -1)
        gone = np.isin(pattern.mark, (Mark.KEEP, Mark.PUBLISHED))
        gone[rows[rows >= 0]] = False
        if gone.any():
            raise MergedMarks(name=old.name, count=int(gone.sum()), cell=old.spelt(int(np.argmax(gone))))
        return np.where(rows >= 0, pattern.mark[rows], np.uint8(Mark.NONE))

    def recoded(self, table: Table) -> Table:
        """The table with three codes in this dimension; every area has all three."""
        dimensions = list(table.dimensions)
        name = dimensions[self.at].name
        dimensions[self.at] = Hierarchy(name, np.array(self.codes, dtype=object), np.array([-1, 0, 0]))
        cells = np.concatenate([_moved(table, self.areas, self.at, node) for node in range(3)])
        value = np.concatenate([self.persons, self.yes, self.persons - self.yes])
        return Table(table.name, tuple(dimensions), cells, value, counts=table.counts)


def rows_of(table: Table, at: int) -> tuple[Ints, Ints, Ints]:
    """In a recoded table: the rows of the persons, of those who count and of the others, area by area."""
    persons, yes, no = (np.flatnonzero(table.cells[:, at] == node) for node in range(3))
    return persons, yes, no


def _moved(table: Table, rows: Ints, at: int, node: int) -> Nodes:
    """The cells of some rows with another code in one dimension."""
    cells: Nodes = table.cells[rows]
    cells[:, at] = node
    return cells


def _refuse_nested(tree: Hierarchy, nodes: Ints, names: Sequence[str]) -> None:
    """No code may lie below another, or it would count twice."""
    chosen = set(nodes.tolist())
    for node in chosen:
        above = int(tree.parent[node])
        while above > 0:
            if above in chosen:
                raise NotYesNo(dimension=tree.name, yes=", ".join(names))
            above = int(tree.parent[above])


def _codes(tree: Hierarchy, nodes: Ints, names: Sequence[str]) -> tuple[str, str, str]:
    tops = [str(c) for c in tree.codes[tree.parent == 0]]
    yes = "+".join(names)
    rest = [c for c in tops if c != yes]
    no = rest[0] if len(nodes) == 1 and yes in tops and len(rest) == 1 else OTHER
    taken = {tree.total, yes}
    while no in taken:
        no += "*"
    return tree.total, yes, no
