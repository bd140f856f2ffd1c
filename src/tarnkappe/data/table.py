"""A statistical table: cells over hierarchies, held in arrays; sparse, any number of dimensions.

A cell is a row of the arrays. It is named by one code per dimension, leaf or inner node; the root of a hierarchy is its
total. Cells that are not there are empty and published as such. Every cell knows the cell one step up along each dimension
(`up`), and that is all the structure there is: the children of a cell along a dimension add up to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.errors.tables import (
    CellTwice,
    CountNegative,
    MoreThanCounted,
    NobodyCounted,
    NotAdditive,
    TableTooWide,
    ValueMissing,
)
from tarnkappe.kernels.lattice import keys_of, parents_of, strides_of
from tarnkappe.language import listed

Nodes = NDArray[np.int32]

TOLERANCE = 1e-9
"""Sums of floating-point values agree up to this share of the larger side."""
NOISE = 1e-12
"""What is left where values cancel out, as a share of the largest cell, or as it stands where that is above 1."""


@dataclass(frozen=True, slots=True)
class Contributions:
    """The largest contributions to every cell, largest first, and whose they are."""

    count: Ints
    """Contributors with a record in the cell."""
    largest: Floats
    """(cells, m); 0 where there are fewer than m."""
    who: Ints
    """(cells, m) number of the contributor; -1 where there is none, or where a weight stands for a unit nobody knows."""
    size: Floats | None = None
    """Sum of the contributions without their signs; None: none is negative, so it is the value of the cell."""
    weight: Floats | None = None
    """Units that the contributors stand for, where records have weights; None: themselves only."""

    def __post_init__(self) -> None:
        for array in (self.count, self.largest, self.who, self.size, self.weight):
            if array is not None:
                array.flags.writeable = False

    def take(self, cells: Ints) -> Contributions:
        size = None if self.size is None else self.size[cells]
        weight = None if self.weight is None else self.weight[cells]
        return Contributions(self.count[cells], self.largest[cells], self.who[cells], size, weight)


class Merged(NamedTuple):
    """A dimension before its codes were merged or left out."""

    tree: Hierarchy
    place: Ints
    """For every code of it the position of the code that it went into; -1: left out, so that only what stands above it is told."""

    def then(self, place: Ints) -> Merged:
        """Merged once more."""
        return Merged(self.tree, np.append(place, -1)[self.place])

    def leaf(self, nodes: Ints) -> Ints:
        """Where the lowest codes of records are now: at their own code or the first one above it that is told."""
        while ((place := self.place[nodes]) < 0).any():
            nodes = np.where(place < 0, self.tree.parent[nodes], nodes)
        return place


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Cells of one measure. Frozen; cells stand in the order of their keys."""

    name: str
    dimensions: tuple[Hierarchy, ...]
    cells: Nodes
    """(cells, dimensions) position of every code in its hierarchy."""
    value: Floats
    contributions: Contributions | None = None
    """By record; None where the table came without them."""
    owners: Contributions | None = None
    """By owner, where records of one owner belong together."""
    counts: bool = False
    """The table counts units: values are whole numbers and an attacker knows it."""
    tolerance: float = TOLERANCE
    """How far sums may be off, as a share; 0.5 per rounded part is for the reader of rounded tables to say."""
    measure: str = ""
    """What is added up; empty: units are counted. Tables of one measure can share cells."""
    source: str = ""
    """Tables with the same source number their contributors alike; empty: nothing is known of it."""
    of_units: bool = False
    """Contributors are units with several records each, such as the years of a panel or what a step has made of one."""
    computed: tuple[str, ...] = ()
    """Dimensions whose sums were not told but computed."""
    unweighted: Table | None = None
    """Where records have weights: the same cells with what the respondents themselves told. None: values are as they were told."""
    merged: Mapping[str, Merged] = field(default_factory=dict)
    """Dimensions whose codes were merged or left out: what they were before."""
    marks: NDArray[np.uint64] | None = None
    """What tells the records of every cell, where it is known: cells with the same records have the same number, empty ones 0."""
    key: Ints = field(init=False)
    up: Nodes = field(init=False)
    """(cells, dimensions) the cell one step up along each dimension; -1 at the total."""

    def __post_init__(self) -> None:
        strides = strides_of([len(h) for h in self.dimensions])
        if strides is None:
            raise TableTooWide(name=self.name)
        order = self._order(keys_of(self.cells, strides))
        cells = np.ascontiguousarray(self.cells[order], dtype=np.int32)
        key = keys_of(cells, strides)
        above = [h.parent for h in self.dimensions]
        fields: dict[str, Any] = {
            "cells": cells, "value": np.asarray(self.value, dtype=np.float64)[order], "key": key,
            "contributions": self.contributions.take(order) if self.contributions else None,
            "owners": self.owners.take(order) if self.owners else None,
            "marks": None if self.marks is None else self.marks[order],
            "up": parents_of(cells, key, strides, above),
        }  # fmt: skip
        for name, value in fields.items():
            object.__setattr__(self, name, value)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        assert self.unweighted is None or np.array_equal(self.unweighted.key, key), "the same cells"
        self._check()

    def _order(self, key: Ints) -> Ints:
        order = np.argsort(key, kind="stable")
        twice = np.flatnonzero(np.diff(key[order]) == 0)
        if len(twice):
            raise CellTwice(name=self.name, count=len(twice), cell=self._spelt(self.cells[order[twice[0]]]))
        return order

    def _check(self) -> None:
        missing = ~np.isfinite(self.value)
        if missing.any():
            raise ValueMissing(
                name=self.name, count=int(missing.sum()), cell=self.spelt(int(np.argmax(missing)))
            )
        if self.counts and (self.value < 0).any():
            raise CountNegative(name=self.name, cell=self.spelt(int(np.argmax(self.value < 0))))
        for kept in (self.contributions, self.owners):
            if kept is not None:
                self._check_contributions(kept)
        self._check_sums()

    def _check_contributions(self, kept: Contributions) -> None:
        if (kept.count < 0).any():
            raise CountNegative(name=self.name, cell=self.spelt(int(np.argmax(kept.count < 0))))
        nobody = (kept.count == 0) & (self.value != 0)
        if nobody.any():
            raise NobodyCounted(
                name=self.name, count=int(nobody.sum()), cell=self.spelt(int(np.argmax(nobody)))
            )
        beyond = 0 if kept.weight is None else np.ceil(kept.weight)  # units that weights stand for
        more = (kept.largest != 0).sum(axis=1) > kept.count + beyond
        if more.any():
            raise MoreThanCounted(
                name=self.name, count=int(more.sum()), cell=self.spelt(int(np.argmax(more)))
            )

    def _check_sums(self) -> None:
        """Along every dimension the children of a cell add up to it."""
        wrong: list[str] = []
        noise = NOISE * min(1.0, float(np.abs(self.value).max(initial=0.0))) if self.tolerance else 0.0
        for j, dimension in enumerate(self.dimensions):
            has = self.up[:, j] >= 0
            sums, sizes, parts = (np.zeros(len(self)) for _ in range(3))
            np.add.at(sums, self.up[has, j], self.value[has])
            np.add.at(sizes, self.up[has, j], np.abs(self.value[has]))
            np.add.at(parts, self.up[has, j], 1)
            inner = ~dimension.is_leaf[self.cells[:, j]]
            slack = self.tolerance * np.maximum(sizes, np.abs(self.value)) + noise
            off = inner & (np.abs(sums - self.value) > slack)
            wrong += [f"{self.spelt(i)} ({dimension.name})" for i in np.flatnonzero(off)[:20]]
            orphans = (self.cells[:, j] != 0) & ~has & (self.value != 0)
            wrong += [f"{self.spelt(i)} ({dimension.name} ↑)" for i in np.flatnonzero(orphans)[:20]]
        if wrong:
            raise NotAdditive(name=self.name, sums=listed(wrong))

    # -- reading ------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        by = " × ".join(f"{h.name} ({len(h)})" for h in self.dimensions)
        return f"Table({self.name!r}: {by}, {len(self):,} cells)"

    def spelt(self, cell: int) -> str:
        """The codes of a cell, joined: metadata, never a value."""
        return self._spelt(self.cells[cell])

    def _spelt(self, nodes: Sequence[int] | Nodes) -> str:
        return " × ".join(str(h.codes[p]) for h, p in zip(self.dimensions, nodes, strict=True))

    def codes(self, dimension: int) -> Strings:
        """The code of every cell along a dimension."""
        out: Strings = self.dimensions[dimension].codes[self.cells[:, dimension]]
        return out

    def find(self, nodes: Nodes) -> Ints:
        """The row of every cell given by its nodes; -1 where the table has no such cell."""
        strides = strides_of([len(h) for h in self.dimensions])
        assert strides is not None
        wanted = keys_of(nodes, strides)
        at = np.minimum(np.searchsorted(self.key, wanted), max(len(self) - 1, 0))
        return np.where(self.key[at] == wanted, at, -1) if len(self) else np.full(len(wanted), -1)

    @property
    def signed(self) -> bool:
        """Whether a cell, or one of the largest contributions to one, is negative."""
        kept = (k for k in (self.contributions, self.owners) if k is not None)
        return bool((self.value < 0).any()) or any(bool((k.largest < 0).any()) for k in kept)

    @property
    def weighted(self) -> bool:
        """Whether values are sums of weight × value."""
        return self.unweighted is not None

    @property
    def told(self) -> Table:
        """What the respondents themselves told: the table without weights, where it has any."""
        return self if self.unweighted is None else self.unweighted

    @property
    def inner(self) -> Bools:
        """Cells on the lowest level of every dimension."""
        return np.asarray(self.aggregation() == 0)

    def aggregation(self) -> Ints:
        """How many dimensions of a cell stand above the lowest level."""
        above: Ints = np.zeros(len(self), dtype=np.int64)
        for j, dimension in enumerate(self.dimensions):
            above += ~dimension.is_leaf[self.cells[:, j]]
        return above

    def renamed(self, name: str) -> Table:
        return replace(self, name=name)
