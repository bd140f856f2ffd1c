"""What a rule looks at: values with the contributions behind them, of cells or of several cells together."""

from __future__ import annotations

from dataclasses import dataclass

from tarnkappe.data.column import Floats
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

    def __len__(self) -> int:
        return len(self.value)


def sums_of(table: Table) -> Sums:
    """The cells of a table."""
    return Sums(table.name, table.value, table.contributions, table.owners, table.counts)
