"""How far an attacker's interval of a marked cell must reach."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.table import Table
from tarnkappe.language import Text

LEAST = 1e-6
"""A cell of a table of values is protected by at least this share of it, a count by at least 1."""


def protected(table: Table, cells: Bools, level: Floats, because: Text) -> Sensitivity:
    """Marked cells with the same protection to both sides.

    A boundary case must not end up without any protection, so there is a least one (spec 4). Where nothing in the table is
    negative an attacker knows it: nothing can be asked for below 0.
    """
    least = 1.0 if table.counts else LEAST * scale(table)
    upper = np.where(cells, np.maximum(level, least), 0.0)
    lower = upper if table.signed else np.minimum(upper, table.value)
    return Sensitivity(cells, lower, upper, because)


def scale(table: Table) -> Floats:
    """The size of every cell; an empty one is taken as large as the smallest that is not."""
    size = np.abs(table.value)
    return np.where(size > 0, size, np.min(size, where=size > 0, initial=np.inf) if size.any() else 1.0)
