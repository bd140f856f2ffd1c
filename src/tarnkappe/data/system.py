"""Cells and relations between them, some cells hidden: what an attacker has before him, whoever published it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.relations import Relations, relations_of, sums_of
from tarnkappe.data.table import Nodes
from tarnkappe.errors.tables import CellTwice, TableTooWide
from tarnkappe.kernels.lattice import keys_of, parents_of, strides_of
from tarnkappe.language import listed


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """Coefficient × value adds up to `rhs` in every relation. The relations need not come from hierarchies."""

    name: str
    labels: Strings
    """The codes of every cell, joined."""
    relations: Relations
    rhs: Floats
    value: Floats
    """NaN where it is not known."""
    hidden: Bools
    low: Floats
    high: Floats
    """What an attacker knows beforehand."""
    lower: Floats
    upper: Floats
    """How far below and above the value the attacker's interval must reach; 0 where nothing is required."""
    dimensions: tuple[str, ...] = ()
    given: Bools | None = None
    """Cells that stand in the file; None: all. Sums that nobody published are added as hidden cells."""
    trees: tuple[Hierarchy, ...] = ()
    nodes: Nodes | None = None
    """Where the cells lie, where they have a place in hierarchies."""
    span: Floats | None = None
    """How wide the attacker's interval must be, wherever it lies; None: nothing is required of its width."""
    truth: Floats | None = None
    """The values of suppressed cells where the file tells them, NaN elsewhere: from them what is required is measured. None: `value`."""

    def __post_init__(self) -> None:
        for array in (self.rhs, self.value, self.hidden, self.low, self.high, self.lower, self.upper):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.value)

    @property
    def asked(self) -> Bools:
        """Cells of whose interval something is required."""
        sides = (self.lower > 0) | (self.upper > 0)
        return np.asarray(sides if self.span is None else sides | (self.span > 0))

    @property
    def suppressed(self) -> Bools:
        """Hidden cells that stand in the file."""
        return self.hidden if self.given is None else np.asarray(self.hidden & self.given)

    def spelt(self, cell: int) -> str:
        return str(self.labels[cell])

    def spelt_sum(self, relation: int) -> str:
        """A relation by the codes of its sum and the dimension along which it runs, or by its cells."""
        total, along = int(self.relations.total[relation]), int(self.relations.along[relation])
        if total >= 0:
            return self.spelt(total) + (
                f" ({self.dimensions[along]})" if 0 <= along < len(self.dimensions) else ""
            )
        start, end = self.relations.start[relation : relation + 2]
        return "Σ(" + listed([self.spelt(int(c)) for c in self.relations.cell[start:end]], 4) + ")"


class Required(NamedTuple):
    """What the intervals of suppressed cells must reach, and the values from which that is measured (NaN where not told)."""

    truth: Floats
    lower: Floats
    upper: Floats
    span: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The cells of a published table: value (NaN where suppressed) and the published or known bounds."""

    nodes: Nodes
    value: Floats
    low: Floats
    high: Floats
    required: Required | None = None


def system_of_published(name: str, dimensions: Sequence[Hierarchy], shown: Shown) -> System:
    """All sums between published cells. A sum that stands nowhere in the file is one more hidden cell."""
    strides = strides_of([len(h) for h in dimensions])
    if strides is None:
        raise TableTooWide(name=name)
    nodes = _closed(shown.nodes, dimensions, strides)
    key = keys_of(nodes, strides)
    labels = _labels(nodes, dimensions)
    at = np.searchsorted(key, keys_of(shown.nodes, strides))
    times = np.bincount(at, minlength=len(key))
    if (times > 1).any():
        raise CellTwice(name=name, count=int((times > 1).sum()), cell=labels[int(np.argmax(times > 1))])
    lowest = -np.inf if (shown.low < 0).any() else 0.0
    value, low, high = (np.full(len(key), fill) for fill in (np.nan, lowest, np.inf))
    value[at], low[at], high[at] = shown.value, shown.low, shown.high
    required = Required(np.full(len(key), np.nan), *(np.zeros(len(key)) for _ in range(3)))
    for told, said in zip(required, shown.required or (), strict=False):
        told[at] = said
    relations = sums_of(parents_of(nodes, key, strides, [h.parent for h in dimensions]))
    return System(
        name, labels, relations, np.zeros(len(relations)), value, np.isnan(value), low, high, required.lower,
        required.upper, tuple(h.name for h in dimensions), times > 0, tuple(dimensions), nodes, required.span, required.truth,
    )  # fmt: skip


def system_of(pattern: Pattern) -> System:
    """A protected table as a system of cells and relations."""
    table = pattern.table
    relations = relations_of(table)
    return System(
        table.name, _labels(table.cells, table.dimensions), relations, np.zeros(len(relations)), table.value.copy(),
        pattern.suppressed, pattern.low, pattern.high, pattern.lower, pattern.upper,
        tuple(h.name for h in table.dimensions), None, table.dimensions, table.cells, pattern.span,
    )  # fmt: skip


def _closed(nodes: Nodes, dimensions: Sequence[Hierarchy], strides: Ints) -> Nodes:
    """The cells, each once and in order, with every cell above them."""
    out = nodes
    for j, dimension in enumerate(dimensions):
        above = out
        for _ in range(dimension.depth):
            above = above[dimension.parent[above[:, j]] >= 0].copy()
            above[:, j] = dimension.parent[above[:, j]]
            above = above[np.unique(keys_of(above, strides), return_index=True)[1]]
            out = np.concatenate([out, above])
    return out[np.unique(keys_of(out, strides), return_index=True)[1]]


def _labels(nodes: Nodes, dimensions: Sequence[Hierarchy]) -> Strings:
    out: Strings = np.full(len(nodes), "", dtype=object)
    for j, dimension in enumerate(dimensions):
        out = out + (" × " if j else "") + dimension.codes[nodes[:, j]]
    return out
