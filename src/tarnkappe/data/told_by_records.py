"""What released records tell of the cells of a table: sums of values that were left as they are, and bounds where something is missing.

A record that shows its codes lies in its cells for certain; one whose code was coarsened or suppressed may lie in any cell below it. A value
that was left as it is counts as such, one in a class or rounded counts from its least to its largest, one that is not there may be
anything. So every cell has at least what certainly lies in it and at most what may lie in it. Where a step changed values or codes, and
most sums of cells are the true ones all the same, these sums are known too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from tarnkappe.data.class_codes import limits
from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.linear_relations import unit_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import LaidRecords
from tarnkappe.vocab import Role

SAME = 1e-9
"""Numbers are the same when they differ by less than this share."""
MOSTLY = 0.5
"""Where sums of changed values agree with the truth in so many cells of a level, it is no accident: a step keeps them."""
MOST_PAIRS = 50_000_000
"""So many pairs of coarse codes and cells are looked at."""


class Told(NamedTuple):
    """The least and the most that a cell can be for somebody who has the released records."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """The records of the table, as the release shows them."""

    nodes: Ints
    """(records, dimensions) the code that is known; 0, the total, where none is."""
    believed: Ints
    """(records, dimensions) the code that is shown, be it the true one or not; 0, the total, where none is."""
    low: Floats
    high: Floats
    """What a record adds, at least and at most."""
    shown: Floats
    """What it would add by the value that is shown; NaN where none is."""
    gone: Bools
    """Records that are not released."""


def told_by_records(
    table: Table, records: LaidRecords, data: Microdata, released: Microdata, by: tuple[str | None, ...]
) -> Told:
    """Bounds of every cell; `by` names the columns of the dimensions and, last, of the value (None: records are counted)."""
    nothing = Told(np.full(len(table), -np.inf), np.full(len(table), np.inf))
    seen = _seen(table, records, data, released, by)
    if seen is None:
        return nothing
    there = records.there
    nodes, of = np.unique(seen.nodes[there], axis=0, return_inverse=True)
    gone = seen.gone[there]
    low, high = np.where(gone, 0.0, seen.low[there]), np.where(gone, 0.0, seen.high[there])
    sums = _added(of.reshape(-1), np.stack([low, high], axis=1), len(nodes))
    inside = _rolled(table, nodes, sums)
    maybe = _maybe(table, nodes, np.stack([np.minimum(sums[:, 0], 0.0), np.maximum(sums[:, 1], 0.0)], axis=1))
    least, most = inside[:, 0] + maybe[:, 0], inside[:, 1] + maybe[:, 1]
    if gone.any():
        most[:] = np.inf
        if (records.amount < 0).any():
            least[:] = -np.inf
    kept = (
        np.zeros(len(table), dtype=np.bool_)
        if gone.any()
        else _kept_sums(table, _sums_shown(table, seen, there))
    )
    return Told(
        np.where(kept, table.value, np.minimum(least, table.value)),
        np.where(kept, table.value, np.maximum(most, table.value)),
    )


def _sums_shown(table: Table, seen: _Shown, there: Bools) -> Floats:
    """What the released records add up to in every cell, taken as they are shown."""
    nodes, of = np.unique(seen.believed[there], axis=0, return_inverse=True)
    return _rolled(table, nodes, _added(of.reshape(-1), seen.shown[there][:, None], len(nodes)))[:, 0]


def _seen(
    table: Table, records: LaidRecords, data: Microdata, released: Microdata, by: tuple[str | None, ...]
) -> _Shown | None:
    """The records as they are released; None where records were made up, so that nobody can add them up."""
    if (released.rows < 0).any() or len(np.unique(released.rows)) < len(released):
        return None
    place = np.full(int(max(data.rows.max(initial=0), released.rows.max(initial=0))) + 1, -1, dtype=np.int64)
    place[released.rows] = np.arange(len(released))
    at = place[data.rows]
    gone = at < 0
    nodes, believed = np.zeros((2, *records.nodes.shape), dtype=np.int64)
    for j, (tree, name) in enumerate(zip(table.dimensions, by, strict=False)):
        column = None if name is None else released.columns.get(name)
        if column is not None:
            truth = records.nodes[:, j]
            believed[:, j] = _codes(tree, column, data.columns.get(str(name)), at, truth)
            nodes[:, j] = _known(tree, believed[:, j], truth)
    weight = _weights(records, data, released, at)
    low, high, shown = _values(records, released, by[-1], at)
    lowest = -np.inf if (records.told < 0).any() else 0.0
    with np.errstate(invalid="ignore"):
        low, high = (
            np.where(np.isnan(weight), lowest, low * weight),
            np.where(np.isnan(weight), np.inf, high * weight),
        )
        return _Shown(nodes, believed, low, high, shown * weight, gone)


def _codes(tree: Hierarchy, column: Column, before: Column | None, at: Ints, truth: Ints) -> Ints:
    """The code that the release shows of every record; the total where it shows none."""
    if column is before and np.array_equal(at, np.arange(len(at))):
        return truth
    codes, count = column.codes()
    known = np.full(count + 1, -1, dtype=np.int64)
    spelt = column.distinct()
    known[: len(spelt)] = tree.positions(spelt)
    shown = np.where(at >= 0, known[np.where(codes >= 0, codes, count)][at], -1)
    return np.maximum(shown, 0)


def _known(tree: Hierarchy, node: Ints, truth: Ints) -> Ints:
    """The codes that are shown, where they hold for all records; the total where some were exchanged, so that none can be trusted."""
    up, reached = truth.copy(), node == truth
    for _ in range(tree.depth):
        up = np.maximum(tree.parent[up], 0)
        reached |= node == up
    return node if reached.all() else np.zeros_like(node)


def _weights(records: LaidRecords, data: Microdata, released: Microdata, at: Ints) -> Floats:
    """The weights, where the release shows them; NaN where it does not."""
    if records.weights is None:
        return np.ones(len(at))
    (name,) = data.role(Role.WEIGHT)
    shown = released.columns[name].numbers()[at] if name in released.columns else np.full(len(at), np.nan)
    same = np.abs(shown - records.weights) <= SAME * np.abs(records.weights)
    return np.where(same & (at >= 0), records.weights, np.nan)


def _values(
    records: LaidRecords, released: Microdata, name: str | None, at: Ints
) -> tuple[Floats, Floats, Floats]:
    """From what to what every value may be, and the value that is shown."""
    lowest = -np.inf if (records.told < 0).any() else 0.0
    low, high = np.full(len(at), lowest), np.full(len(at), np.inf)
    if name is None:
        return np.ones(len(at)), np.ones(len(at)), np.ones(len(at))
    column = released.columns.get(name)
    if column is None:
        return low, high, np.full(len(at), np.nan)
    if not column.kind.is_number:
        ends = _classes(column)[np.where(at >= 0, column.codes()[0][at], -1)]
        good = (ends[:, 0] <= records.told) & (records.told <= ends[:, 1])
        return (
            np.where(good, np.maximum(ends[:, 0], lowest), lowest),
            np.where(good, ends[:, 1], np.inf),
            np.full(len(at), np.nan),
        )
    shown = np.where(at >= 0, column.numbers()[at], np.nan)
    off = np.abs(shown - records.told)
    same = off <= SAME * np.abs(records.told)
    rounding = unit_of(shown) / 2
    if not same[np.isfinite(off)].all() and rounding > 0 and np.nanmax(off) <= rounding * (1 + SAME):
        return np.maximum(shown - rounding, lowest), shown + rounding, shown
    return np.where(same, records.told, low), np.where(same, records.told, high), shown


def _classes(column: Column) -> Floats:
    """The limits of every class that a column shows, and nothing known at the end."""
    found = [limits(str(code)) or (-np.inf, np.inf) for code in column.distinct()]
    codes = column.codes()[1]
    return np.array([*found, *[(-np.inf, np.inf)] * (codes + 1 - len(found))])


def _added(of: Ints, amounts: Floats, size: int) -> Floats:
    out = np.zeros((size, amounts.shape[1]))
    np.add.at(out, of, amounts)
    return out


def _rolled(table: Table, nodes: Ints, amounts: Floats) -> Floats:
    """What lies in every cell for certain: added up over all codes above those of the records."""
    out = np.zeros((len(table), amounts.shape[1]))
    steps = [list(_upward(tree)) for tree in table.dimensions]
    for above in product(*steps):
        cells = np.stack([up[nodes[:, j]] for j, up in enumerate(above)], axis=1)
        there = np.flatnonzero((cells >= 0).all(axis=1))
        row = table.find(cells[there].astype(np.int32))
        np.add.at(out, row[row >= 0], amounts[there[row >= 0]])
    return out


def _upward(tree: Hierarchy) -> list[Ints]:
    """For every number of steps the code so many steps above each code; -1 beyond the total."""
    out = [np.arange(len(tree))]
    for _ in range(tree.depth):
        out.append(np.where(out[-1] >= 0, tree.parent[np.maximum(out[-1], 0)], -1))
    return out


def _maybe(table: Table, nodes: Ints, amounts: Floats) -> Floats:
    """What may lie in a cell and does not for certain: records with a code above one of its codes."""
    out = np.zeros((len(table), amounts.shape[1]))
    coarse = np.zeros(len(nodes), dtype=np.bool_)
    for j, tree in enumerate(table.dimensions):
        coarse |= ~tree.is_leaf[nodes[:, j]]
    which = np.flatnonzero(coarse)
    if len(which) * len(table) > MOST_PAIRS:
        out[:, 0], out[:, 1] = np.where(amounts[which, 0].min(initial=0.0) < 0, -np.inf, 0.0), np.inf
        return out
    below = [_below(tree) for tree in table.dimensions]
    for start in range(0, len(which), 1000):
        part = which[start : start + 1000]
        fits = np.ones((len(table), len(part)), dtype=np.bool_)
        sure = fits.copy()
        for j, inside in enumerate(below):
            node, code = nodes[part, j][None, :], table.cells[:, j][:, None]
            sure &= inside[code, node]
            fits &= inside[code, node] | inside[node, code]
        fits &= ~sure
        for side in range(amounts.shape[1]):
            far = np.isinf(amounts[part, side])
            out[:, side] += fits[:, ~far] @ amounts[part[~far], side]
            out[fits[:, far].any(axis=1), side] = -np.inf if side == 0 else np.inf
    return out


def _below(tree: Hierarchy) -> Bools:
    """(code, node): the node is the code, or lies below it."""
    inside = np.eye(len(tree), dtype=np.bool_)
    for up in _upward(tree)[1:]:
        there = np.flatnonzero(up >= 0)
        inside[up[there], there] = True
    return inside


def _kept_sums(table: Table, shown: Floats) -> Bools:
    """Cells whose shown values add up to the truth, on levels where that is the rule."""
    with np.errstate(invalid="ignore"):
        same = np.abs(shown - table.value) <= 1e-7 * np.abs(table.value)
    level = np.zeros(len(table), dtype=np.int64)
    for j, tree in enumerate(table.dimensions):
        level = level * (tree.depth + 1) + tree.level[table.cells[:, j]]
    filled = table.value != 0
    share = np.bincount(level, same & filled) / np.maximum(np.bincount(level, filled), 1)
    return np.asarray(same & filled & (share[level] >= MOSTLY))
