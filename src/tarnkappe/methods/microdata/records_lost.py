"""What the office should know of records that were left out: how much went with them, and whether they were like the others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarnkappe.data.column import Bools, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import MARKS
from tarnkappe.kernels.standard import power_scale
from tarnkappe.vocab import Role

Rows = list[tuple[str, ...]]
COMPARED = (Role.NUMERIC, Role.KEY, Role.STRATUM, Role.SENSITIVE)
"""Roles of the columns whose distribution is compared."""


def records_lost(before: Microdata, after: Microdata) -> Mapping[str, tuple[tuple[str, ...], Rows]]:
    """The share of the records and of every numeric total that is gone, and how far the gone records differ from those that stay.

    Gottschalk 2002, 4.2 (G-M09): results for the whole economy need to know what is missing. DAV 2025, 3.2.2 (D-M04): leaving records out
    has the larger risk of bias.
    """
    gone = ~np.isin(before.rows, after.rows)
    rows: Rows = [("records", f"{np.count_nonzero(gone) / max(len(before), 1):.6f}", "")]
    for name in dict.fromkeys(name for role in COMPARED for name in before.role(role)):
        column = before.column(name)
        share = f"{_share(column, gone):.6f}" if column.kind.is_number else ""
        distance = f"{_distance(column, gone):.6f}" if gone.any() and not gone.all() else ""
        rows.append((name, share, distance))
    return {"left-out.csv": (("of", "share", "distance"), rows)}


def _share(column: Column, gone: Bools) -> float:
    """The part of a total, in absolute values, that is gone; infinite ones do not count."""
    x = np.abs(column.numbers())
    x = np.where(np.isfinite(x), x, 0.0)
    x = x / power_scale(x)
    return float(x[gone].sum() / x.sum()) if x.any() else 0.0


def _distance(column: Column, gone: Bools) -> float:
    """0 where gone and kept records show the values alike often, 1 where they have none in common.

    Numbers: the largest difference of the shares up to a value (Kolmogorov). Others: half the sum of the differences of the shares of each value.
    """
    if not column.kind.is_number:
        codes, count = column.codes()
        p, q = (
            np.bincount(codes[part] + MARKS, minlength=count + MARKS) / part.sum() for part in (gone, ~gone)
        )
        return float(np.abs(p - q).sum() / 2)
    values = column.numbers()
    x, y = (np.sort(values[part & column.observed]) for part in (gone, ~gone))
    if not len(x) or not len(y):
        return 0.0
    apart = (np.searchsorted(z, values[column.observed], "right") / len(z) for z in (x, y))
    return float(np.abs(np.subtract(*apart)).max())
