"""What a stranger has who receives a release: its records, what is told of them, its tables, and other releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tarnkappe.data.column import Column, Floats, Ints, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Role

SUPPRESSED = "suppressed"
RANGE = "range"


@dataclass(frozen=True, slots=True)
class Fact:
    """What the documents tell of one step, for those who analyse the data."""

    step: int
    method: str
    """The id of the method."""
    columns: tuple[str, ...]
    """Released columns that the step touched."""
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class SeenTable:
    """A published table: what every reader sees of its cells."""

    name: str
    measure: str
    dimensions: tuple[Hierarchy, ...]
    codes: Ints
    """Cells × dimensions: positions in the codes of each dimension."""
    value: Floats
    """Not a number where nothing is shown."""
    status: Strings
    """``published``, ``suppressed``, ``rounded``, ``perturbed`` or ``range``."""
    low: Floats
    high: Floats
    """Ends of the ranges that are shown; not a number elsewhere."""
    signed: bool = False
    """Values below zero are possible."""

    def __len__(self) -> int:
        return len(self.value)

    @property
    def hidden(self) -> Ints:
        """The cells of which no value is shown."""
        return np.flatnonzero(np.isin(self.status, (SUPPRESSED, RANGE)))


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A release as a stranger has it. Values under suppressed cells are not in it."""

    data: Microdata | None = None
    facts: tuple[Fact, ...] = ()
    tables: tuple[SeenTable, ...] = ()
    earlier: tuple[Seen, ...] = ()
    """Other releases of the same data."""

    @property
    def columns(self) -> Mapping[str, Column]:
        return {} if self.data is None else self.data.columns

    @property
    def records(self) -> int:
        return 0 if self.data is None else len(self.data)

    def role(self, role: Role) -> tuple[str, ...]:
        """The released columns that the documents give a role."""
        return () if self.data is None else self.data.role(role)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The released columns of numbers."""
        return tuple(name for name, column in self.columns.items() if column.kind.is_number)

    def of_method(self, *ids: str) -> tuple[Fact, ...]:
        """What is told of the steps of some methods, in their order."""
        return tuple(fact for fact in self.facts if fact.method in ids)
