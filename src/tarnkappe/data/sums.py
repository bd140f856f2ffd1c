"""What a rule looks at: values with the contributions behind them, of cells or of several cells together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.table import Contributions, Table


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of contributions that are published or as good as published."""

    name: str
    """Of the table."""
    value: Floats
    contributions: Contributions | None
    owners: Contributions | None
    counts: bool
    """Values count units."""
    unweighted: Sums | None = None
    """The same sums without weights, where the table has any."""

    def __len__(self) -> int:
        return len(self.value)


class Judge(Protocol):
    """A rule: it says which sums must not be known."""

    def sensitive(self, sums: Sums) -> Bools:
        """Which of the sums need protection."""


def sums_of(table: Table) -> Sums:
    """The cells of a table."""
    told = None if table.unweighted is None else sums_of(table.unweighted)
    return Sums(table.name, table.value, table.contributions, table.owners, table.counts, told)
