"""Tables that leave the house beside records: what the records tell of their cells is known to every reader."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.linear_relations import unit_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import laid_records, tabulate
from tarnkappe.data.told_by_records import MOSTLY, told_by_records
from tarnkappe.errors.unsafe_tables import InTheRecords
from tarnkappe.language import Text, listed, same
from tarnkappe.plan.model import TableDescription, TablePlan

CLOSE = 1e-7
LEAST = 1e-6
"""A cell of which nothing is required is in doubt when its interval is at least this share of it wide."""
NAMED = 20
_RECORDS = Text("the records", "die Datensätze")


def beside_records(
    described: TableDescription, pattern: Pattern, data: Microdata, released: Microdata
) -> Pattern:
    """The table with what released records tell of its cells as known; refused where that is too much for a protected one."""
    records = laid_records(data, described.by, described.value, weighted=described.weighted)
    told = told_by_records(pattern.table, records, data, released, (*described.by, described.value))
    known = replace(pattern, low=np.maximum(pattern.low, told.low), high=np.minimum(pattern.high, told.high))
    lost = np.flatnonzero(_too_close(known))
    if len(lost):
        value = _RECORDS if described.value is None else same(repr(described.value))
        cells = listed([pattern.table.spelt(int(cell)) for cell in lost[:NAMED]])
        raise InTheRecords(
            name=pattern.table.name, count=len(lost), cells=cells, value=value, columns=listed(described.by)
        )
    return known


def _too_close(pattern: Pattern) -> Bools:
    value = pattern.table.value
    slack = CLOSE * sizes(value)
    below, above = value - pattern.low, pattern.high - value
    close = (below < pattern.lower - slack) | (above < pattern.upper - slack)
    close |= below + above < np.maximum(pattern.span - slack, LEAST * sizes(value))
    return np.asarray(pattern.primary & close)


def refuse_true_sums(
    wanted: TablePlan, sums: Table, original: Microdata, result: Microdata, released: Microdata
) -> None:
    """Raise where masked records still add up to the true values of protected cells: most were left as they are, rounded, or moved within cells."""
    described, rows = wanted.described, result.rows
    value = described.value
    if value is None or (rows < 0).any() or len(np.unique(rows)) < len(rows):
        return
    before, _ = original.paired(result)
    if len(before) != len(result) or not before.columns[value].kind.is_number:
        return
    true = result.with_columns({value: before.columns[value]})
    table = tabulate(true, described.by, value, name=sums.name, weighted=described.weighted)
    if not _follows(table, sums, true, released, value):
        return
    truth = Pattern(table)
    for rule in wanted.rules:
        truth = truth.marked(rule.mark(table))
    beside_records(described, truth, true, released)


def _follows(table: Table, sums: Table, true: Microdata, released: Microdata, value: str) -> bool:
    """Whether shown values or their sums are as a rule the true ones, or all were rounded: then everybody may take them as such."""
    at = sums.find(table.cells)
    same = (at >= 0) & (np.abs(sums.value[at] - table.value) <= CLOSE * sizes(table.value))
    if _mostly(same, table.value):
        return True
    if value not in released.columns or not released.columns[value].kind.is_number:
        return False
    before, after = true.paired(released)
    told, shown = before.columns[value].numbers(), after.columns[value].numbers()
    off = np.abs(shown - told)
    if _mostly(off <= CLOSE * np.abs(told), told):
        return True
    return bool(np.isfinite(off).any() and np.nanmax(off) <= unit_of(shown) / 2 * (1 + CLOSE))


def _mostly(same: Bools, value: Floats) -> bool:
    """Whether it is so for most that are not nothing."""
    filled = np.isfinite(value) & (value != 0)
    return bool(filled.any() and same[filled].mean() >= MOSTLY)


def masked(name: str | None, original: Microdata, result: Microdata) -> bool:
    """Whether steps have changed values of a column, beyond leaving some out."""
    if name is None or original is result or name not in original.columns:
        return False
    if name not in result.columns or original.columns[name] is result.columns[name]:
        return False
    before, after = original.paired(result)
    old, new = before.columns[name], after.columns[name]
    if old.kind is not new.kind or not old.kind.is_number:
        return True
    both = old.observed & new.observed
    return bool((old.numbers()[both] != new.numbers()[both]).any())
