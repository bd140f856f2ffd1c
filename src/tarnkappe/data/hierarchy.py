"""A hierarchy: a tree of codes with labels and levels, held in arrays.

The codes stand in preorder: the total first, every code before the codes below it, and all codes below one
code in one piece. Level 0 is the total; larger numbers are finer. A tree may be ragged (leaves on different
levels), and a code may lie more than one level below its parent, where a file repeats the parent between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import MISSING_CODE, Bools, Column, Ints, Strings
from tarnkappe.errors.hierarchy import (
    HierarchyCycle,
    HierarchyFiner,
    HierarchyLevel,
    HierarchyLevelNames,
    HierarchyNotNested,
    HierarchyParent,
    HierarchyRoots,
    HierarchyTwice,
    HierarchyUncovered,
    HierarchyUnknown,
)
from tarnkappe.kernels.trees import depths, lifted, preorder
from tarnkappe.language import Text, listed
from tarnkappe.vocab import Kind

Nodes = NDArray[np.int32]
TOTAL = "Total"
"""The code of the total, where nothing else names one."""


class Texts(Sized, Iterable[str], Protocol):
    """A list or an array of strings."""


class Rule(Protocol):
    """Places any number or date, so that a hierarchy can be made again when a step has changed the values."""

    def build(self, name: str, column: Column) -> Hierarchy:
        """The hierarchy of the values that the column holds."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the cells of a column stand in a hierarchy."""

    cells: Ints
    """For every record the number of its distinct value; -1 where there is none."""
    nodes: Ints
    """For every distinct value its position in the hierarchy; -1 where the hierarchy does not know it."""
    used: Bools
    """Which of the distinct values some cell holds, shown or suppressed."""

    @property
    def unknown(self) -> Bools:
        return self.used & (self.nodes < 0)

    def refuse_unknown(self, name: str) -> None:
        """Every code of the column must have its place."""
        unknown = self.unknown
        if unknown.any():
            first = int(np.argmax(unknown[self.cells] & (self.cells >= 0))) + 1
            raise HierarchyUncovered(name=name, count=int(unknown.sum()), first=first)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy:
    """A tree of codes. They may be given in any order; they are checked and put into preorder."""

    name: str
    codes: Strings
    parent: Nodes
    """Position of the parent; -1 for the total."""
    labels: Strings = field(default_factory=lambda: np.array([], dtype=object))
    """One per code; empty where there is none."""
    level: Nodes = field(default_factory=lambda: np.array([], dtype=np.int32))
    """If not given, the number of steps up to the total."""
    level_names: tuple[str, ...] = ()
    """From the total downward; at least one per level. If not given: "0", "1", …"""
    rule: Rule | None = None
    _place: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._set(codes=np.asarray(self.codes, dtype=object), parent=np.asarray(self.parent, dtype=np.int64))
        size, depth = len(self.codes), self._checked_depth()
        level = np.asarray(self.level, dtype=np.int64) if len(self.level) else depth
        labels = (
            np.asarray(self.labels, dtype=object) if len(self.labels) else np.full(size, "", dtype=object)
        )
        self._arrange(labels, level, preorder(self.parent, depth))
        deepest = int(level.max())
        names = self.level_names or tuple(str(n) for n in range(deepest + 1))
        if len(names) <= deepest or len(set(names)) < len(names):
            raise HierarchyLevelNames(name=self.name, levels=deepest, given=len(set(names)) - 1)
        self._set(level_names=tuple(names), _place=dict(zip(self.codes, range(size), strict=True)))

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _checked_depth(self) -> Ints:
        """Refuse what is not one tree of distinct codes; return the depth of every code."""
        codes, parent = self.codes, self.parent
        if len(set(codes)) < len(codes):
            twice = [code for code, times in Counter(codes).items() if times > 1]
            raise HierarchyTwice(name=self.name, codes=listed(twice))
        outside = np.unique(parent[parent >= len(codes)]) + 1
        if len(outside):
            raise HierarchyParent(
                name=self.name, count=len(outside), codes=listed([f"#{p}" for p in outside])
            )
        depth, cycle = depths(parent)
        if len(cycle):
            raise HierarchyCycle(name=self.name, codes=listed(codes[cycle].tolist()))
        roots = np.flatnonzero(parent < 0)
        if len(roots) != 1:
            raise HierarchyRoots(name=self.name, count=len(roots), codes=listed(codes[roots].tolist()))
        return depth

    def _arrange(self, labels: Strings, level: Ints, order: Ints) -> None:
        above = np.where(self.parent < 0, -1, level[self.parent])
        if (level <= above).any() or level[order[0]] != 0:
            why = Text("a code does not lie below its parent.", "ein Code liegt nicht unter seinem Obercode.")
            raise HierarchyNotNested(name=self.name, why=why)
        place = np.append(np.argsort(order), -1)
        arranged = {
            "codes": self.codes[order],
            "labels": labels[order],
            "parent": place[self.parent[order]].astype(np.int32),
            "level": level[order].astype(np.int32),
        }
        for array in arranged.values():
            array.flags.writeable = False
        self._set(**arranged)

    # -- reading ------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Hierarchy({self.name!r}, {len(self)} codes, levels {' > '.join(self.level_names)})"

    @property
    def total(self) -> str:
        """The code of the root."""
        return str(self.codes[0])

    @property
    def depth(self) -> int:
        """Number of levels below the total."""
        return len(self.level_names) - 1

    @property
    def is_leaf(self) -> Bools:
        """In preorder the first child of a code stands right behind it."""
        leaf = np.ones(len(self), dtype=np.bool_)
        leaf[:-1] = self.parent[1:] != np.arange(len(self) - 1)
        return leaf

    def positions(self, codes: Texts) -> Ints:
        """Position of every code; -1 where the hierarchy does not know it."""
        return np.fromiter(map(self._place.get, codes, repeat(-1)), np.int64, len(codes))

    def children(self, code: str) -> Strings:
        """The codes right below a code, in their order."""
        if code not in self._place:
            raise HierarchyUnknown(name=self.name)
        below: Strings = self.codes[self.parent == self._place[code]]
        return below

    def level_number(self, level: int | str) -> int:
        """The number of a level given by number or name."""
        if isinstance(level, str) and level in self.level_names:
            return self.level_names.index(level)
        number = int(level) if isinstance(level, int) or (level.isascii() and level.isdigit()) else -1
        if not 0 <= number <= self.depth:
            raise HierarchyLevel(name=self.name, level=level, levels=listed(self.level_names))
        return number

    def ancestors(self, level: int | str) -> Ints:
        """For every code the position of its ancestor on a level; of itself if it lies higher."""
        return lifted(self.parent, self.level <= self.level_number(level))

    def place(self, column: Column) -> Placed:
        """Where the cells of a column stand; the true value counts under a suppressed cell."""
        cells, spelt = column.true_codes()[0], column.distinct()
        if column.kind is Kind.NUMBER:  # under a sealed cell there is no value
            cells[column.suppressed & np.isnan(column.values)] = MISSING_CODE
        cells[cells >= len(spelt)] = MISSING_CODE  # nor where no category is left
        used = np.zeros(len(spelt) + 1, dtype=np.bool_)
        used[cells] = True
        return Placed(cells, self.positions(spelt), used[:-1])

    # -- using --------------------------------------------------------------------------------------------

    def worded(self, level_names: tuple[str, ...], labels: Mapping[str, str]) -> Hierarchy:
        """The same tree with other names of levels, and labels for some of its codes."""
        said = [labels.get(code, old) for code, old in zip(self.codes, self.labels, strict=True)]
        return replace(self, level_names=level_names, labels=np.array(said, dtype=object))

    def generalise(self, column: Column, level: int | str, name: str) -> Column:
        """Replace every code by its ancestor on a level: one look-up per cell.

        States stay as they are, and the true value under a suppressed cell is generalised too. Codes that lie
        higher than the level stay; a column that lies higher as a whole is refused: nothing can be refined.
        """
        number = self.level_number(level)
        tree, placed = self.fitted(column)
        placed.refuse_unknown(name)
        nodes = placed.nodes[placed.used]
        tree._refuse_finer(nodes, number, name)  # noqa: SLF001 - of the same class
        target = tree.ancestors(number)[nodes]
        if np.array_equal(target, nodes):
            return replace(column, hierarchy=tree)
        shown = np.unique(target)
        look_up = np.zeros(len(placed.used) + 1, dtype=np.int64)
        look_up[:-1][placed.used] = np.searchsorted(shown, target)
        coarse = column.with_codes(look_up[placed.cells], tree.codes[shown])
        return replace(coarse, value_labels=tree._labels_of(shown, column), hierarchy=tree)  # noqa: SLF001

    def fitted(self, column: Column) -> tuple[Hierarchy, Placed]:
        """Place a column; for values that the rule was not applied to yet, the tree is built again."""
        placed = self.place(column)
        if self.rule is None or column.kind is Kind.CATEGORY or not placed.unknown.any():
            return self, placed
        said = dict(zip(self.codes, self.labels, strict=True))
        grown = self.rule.build(self.name, column).worded(self.level_names, said)
        return grown, grown.place(column)

    def _labels_of(self, nodes: Ints, column: Column) -> dict[str, str]:
        """The labels of some codes; a code without one keeps the label it has in the column."""
        said = zip(self.codes[nodes], self.labels[nodes], strict=True)
        labels = {code: label or column.value_labels.get(code, "") for code, label in said}
        return {code: label for code, label in labels.items() if label}

    def _refuse_finer(self, nodes: Ints, number: int, name: str) -> None:
        """Refuse a level on which every code of the column is split into others."""
        below = np.full(len(self), self.depth + 1, dtype=np.int32)
        below[self.parent[1:]] = 0
        np.maximum.at(below, self.parent[1:], self.level[1:])
        split = (self.level < number) & (below <= number)
        if len(nodes) and split[nodes].all():
            raise HierarchyFiner(name=name, level=self.level_names[number])
