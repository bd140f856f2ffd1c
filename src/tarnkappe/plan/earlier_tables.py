"""Tables that are out already and were made of the data at hand: records behind them tell how they hang together with new ones.

A table by branch and county that was published last month has no cell in common with a new one by group of branches and state, and tells its
cells all the same. What follows from what stands in the data; so the data must be the one that the table was made of: its open cells are
what the records add up to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import UNWEIGHTED, tabulate
from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.unseen import Laid, shaped_by

SAME = 1e-6
"""Open cells are the same when they differ by less than this share: published numbers may have been cut to fewer digits."""


def with_records(pattern: Pattern, tables: Sequence[Laid]) -> Laid:
    """An earlier table with the records behind it, where those of a table of the plan are."""
    for data in _sources(tables):
        for value in _columns(pattern.table, tables, data):
            weighted = not pattern.table.measure.endswith(UNWEIGHTED)
            if _made_of(pattern, data, value, weighted=weighted):
                return Laid(pattern, data, None, value, earlier=True, weighted=weighted)
    return Laid(pattern, earlier=True)


def _sources(tables: Sequence[Laid]) -> Iterator[Microdata]:
    """The records that tables of the plan are made of."""
    seen: set[int] = set()
    for laid in tables:
        if laid.data is not None and id(laid.data) not in seen:
            seen.add(id(laid.data))
            yield laid.data


def _columns(table: Table, tables: Sequence[Laid], data: Microdata) -> Iterator[str | None]:
    """The column that the table may add up: that of a table of the same measure, else the one of its name; None counts records."""
    if not all(tree.name in data.columns for tree in table.dimensions):
        return
    plain = table.measure.removesuffix(UNWEIGHTED)
    alike = [laid.value for laid in tables if laid.measure == table.measure and laid.data is data]
    named = plain or None
    for value in dict.fromkeys([*alike, named]):
        if value is None or (value in data.columns and data.columns[value].kind.is_number):
            yield value


def _made_of(pattern: Pattern, data: Microdata, value: str | None, *, weighted: bool) -> bool:
    """Whether the open cells are what the records add up to."""
    trees = pattern.table.dimensions
    try:
        names = [tree.name for tree in trees]
        table = tabulate(shaped_by(data, trees), names, value, largest=0, weighted=weighted)
    except TarnkappeError:
        return False
    rows = table.find(pattern.table.cells)
    now = np.where(rows >= 0, table.value[rows], 0.0)
    off = np.abs(now - pattern.table.value) > SAME * sizes(pattern.table.value)
    return not bool((off & ~pattern.hidden).any()) and bool((~pattern.hidden).any())
