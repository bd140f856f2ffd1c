"""What rules for tables of counts have in common."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.table import Table
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.tables import DimensionUnknown, NotCounts
from tarnkappe.language import Text
from tarnkappe.spec import Rule


def refuse_values(name: str, rule: Text, *, counts: bool) -> None:
    """Rules for counts have no meaning for sums of values."""
    if not counts:
        raise NotCounts(rule=rule, name=name)


class RowRule(Rule):
    """Holds every cell against the row or column it is a part of. Where records have weights, respondents are counted."""

    along: tuple[str, ...] = ()
    """Dimensions whose categories are what could be disclosed; all if none is named. | Dimensionen, deren Kategorien aufgedeckt werden könnten; alle, wenn keine genannt ist."""

    def rows(self, table: Table) -> Iterator[tuple[Bools, Floats]]:
        """Per dimension: which cells are parts of a sum that has several, and how many units are in that sum."""
        refuse_values(table.name, self.title, counts=table.told.counts)
        for j in self._dimensions(table):
            parent = table.dimensions[j].parent
            siblings = np.bincount(parent[parent >= 0], minlength=len(parent))
            up = table.up[:, j]
            several = (up >= 0) & (siblings[parent[table.cells[:, j]]] > 1)
            yield several, table.told.value[up]

    @staticmethod
    def stands_for(table: Table) -> Floats:
        """How many units a respondent in every cell stands for on average; in an empty one, as in the whole table."""
        told = table.told.value
        everywhere = float(table.value.sum() / told.sum()) if told.sum() > 0 else 1.0
        return np.asarray(
            np.divide(table.value, told, out=np.full(len(table), everywhere), where=told > 0),
            dtype=np.float64,
        )

    def _dimensions(self, table: Table) -> list[int]:
        names = [dimension.name for dimension in table.dimensions]
        for name in self.along:
            if name not in names:
                raise DimensionUnknown(name=table.name, dimension=name, hint=did_you_mean(name, names))
        return [j for j, name in enumerate(names) if not self.along or name in self.along]
