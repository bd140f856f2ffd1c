"""Classes of a measure as a dimension: two enterprises with 50 to 99 employees have 100 to 198 between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.class_codes import limits
from tarnkappe.data.measure_ties import tie_limits
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.table_set import TableSet
from tarnkappe.data.ties import TieBuilder
from tarnkappe.plan.measure_relations import AFTER_STEPS, LEAST_RECORDS
from tarnkappe.plan.unseen import Laid


@dataclass(frozen=True, slots=True)
class SizeClasses:
    """A measure, what counts the units behind it, the dimension, and from what to what a unit of every class reaches."""

    measure: str
    count: str
    dimension: str
    reach: Mapping[str, tuple[float, float]]

    def tie(self, builder: TieBuilder, tables: TableSet) -> None:
        """A cell of a class lies between its number of units times the least and times the most of the class."""
        for code, (low, high) in self.reach.items():
            only = np.zeros(len(tables), dtype=np.bool_)
            for table, cells in zip(tables.tables, tables.numbers, strict=True):
                for j, tree in enumerate(table.dimensions):
                    if tree.name == self.dimension:
                        only[cells[table.codes(j) == code]] = True
            if np.isfinite(high):
                tie_limits(builder, tables, {self.measure: 1.0, self.count: -high}, only=only)
            if low > 0:
                tie_limits(builder, tables, {self.measure: -1.0, self.count: low}, only=only)


def size_classes(tables: Sequence[Laid]) -> Iterator[SizeClasses]:
    """Dimensions whose codes are classes of a measure that is tabulated by them, where the units are counted too."""
    measures = {laid.measure for laid in tables}
    seen = set()
    for laid in tables:
        suffix = AFTER_STEPS if laid.measure.endswith(AFTER_STEPS) else ""
        count = suffix
        if laid.data is None or laid.value is None or count not in measures:
            continue
        for tree in laid.pattern.table.dimensions:
            found = {str(code): ends for code in tree.codes if (ends := limits(str(code))) is not None}
            key = (laid.measure, tree.name)
            if found and key not in seen and _classifies(laid.data, tree.name, laid.value, found):
                seen.add(key)
                yield SizeClasses(laid.measure, count, tree.name, found)


def _classifies(
    data: Microdata, dimension: str, value: str, reach: Mapping[str, tuple[float, float]]
) -> bool:
    """Whether every record lies in its class."""
    column, x = data.columns.get(dimension), data.columns[value].numbers()
    if column is None or len(data) < LEAST_RECORDS:
        return False
    code = column.codes()[0]
    ends = np.array(
        [reach.get(str(text), (np.nan, np.nan)) for text in column.distinct()] or [(np.nan, np.nan)]
    )
    there = (code >= 0) & (code < len(ends)) & np.isfinite(x)
    low, high = ends[code[there]].T
    if np.isnan(low).any() or len(np.unique(code[there])) < 2:
        return False
    return bool(((x[there] >= low) & (x[there] <= high)).all())
