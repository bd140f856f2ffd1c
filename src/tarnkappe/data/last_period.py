"""The pattern of the last period as a preference: what was hidden then is cheap to hide again, and never has to be.

Where the same cells are hidden period after period, the difference of two releases opens none of them. If they had to be hidden again,
and to be protected again, every period would hide a few more than the one before, until nothing could be published.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table

USUAL = 0.01
"""Hiding a cell again costs this share of what hiding another one does."""


def hidden_again(pattern: Pattern, cells: Bools, cost: float = USUAL) -> Pattern:
    """The table where hiding these cells costs only a share of the usual."""
    usual = np.ones(len(cells)) if pattern.again is None else pattern.again
    return replace(pattern, again=np.where(cells, np.minimum(usual, cost), usual))


def as_last_time(pattern: Pattern, last: Pattern, cost: float = USUAL) -> Pattern:
    """The table where hiding again what the last period's table hides costs only a share of the usual.

    Cells are found by their codes; what the last table did not have costs as usual.
    """
    rows = same_codes(pattern.table, last.table)
    before = (rows >= 0) & last.hidden[rows] if len(last.table) else rows >= 0
    return hidden_again(pattern, before, cost)


def same_codes(table: Table, other: Table) -> Ints:
    """The row of every cell in another table of the same dimensions; -1 where it has none."""
    nodes = np.stack([h.positions(table.codes(j)) for j, h in enumerate(other.dimensions)], axis=1)
    known = (nodes >= 0).all(axis=1)
    out = np.full(len(table), -1, dtype=np.int64)
    out[known] = other.find(nodes[known].astype(np.int32))
    return out


def ranked(pattern: Pattern, rank: Floats) -> Floats:
    """Candidates in their order, those that were hidden in the last period before all others."""
    if pattern.again is None:
        return rank
    out = np.empty(len(rank))
    out[np.lexsort((np.arange(len(rank))[::-1], rank, -pattern.again))] = np.arange(
        len(rank), dtype=np.float64
    )
    return out
