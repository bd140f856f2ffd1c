"""Cells suppressed beside those that a plan names, so that a gap does not tell what stood there.

Where a value is suppressed wherever it stands, the list of codes lacks it, and every suppressed cell is known. Cells with other values that
are suppressed with it, drawn from the secret, leave open which of them a gap is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import GapNamesValue

_CUT = 1e-9


def vanished(column: Column) -> Bools:
    """The suppressed cells with the most frequent of the categories that are shown no more: whoever has the list of codes sees which are lacking.

    None where the column shows nothing at all: then it tells as little as one that was dropped.
    """
    if column.kind.is_number or not column.observed.any():
        return np.zeros(len(column), dtype=np.bool_)
    codes, count = column.true_codes()
    shown = np.bincount(codes[column.observed], minlength=count)
    gone = np.bincount(codes[column.suppressed & (codes >= 0)], minlength=count) * (shown == 0)
    most: Bools = column.suppressed & (codes == int(np.argmax(gone)))
    return most if gone.any() else np.zeros(len(column), dtype=np.bool_)


def lacking(column: Column, telling: Bools, groups: Ints, share: float) -> Ints:
    """For every group, how many further cells must be suppressed so that at most `share` of all suppressed ones hold a value that would be told."""
    size = int(groups.max(initial=-1)) + 1
    told = np.bincount(groups[telling & column.suppressed], minlength=size)
    beside = np.bincount(groups[column.suppressed & ~telling], minlength=size)
    wanted: Ints = np.maximum(np.ceil(told * (1 - share) / share - _CUT).astype(np.int64) - beside, 0)
    return wanted


def with_others(
    data: Microdata, telling: Mapping[str, Bools], groups: Ints, share: float, draw: np.random.Generator
) -> Microdata:
    """With as many cells of other values suppressed, drawn at random in every group, as it needs; refused where there are too few."""
    new: dict[str, Column] = {}
    for name, cells in telling.items():
        column = data.column(name)
        wanted = lacking(column, cells, groups, share)
        if not wanted.any():
            continue
        free = np.flatnonzero(column.observed & ~cells)
        short = int(np.count_nonzero(np.bincount(groups[free], minlength=len(wanted)) < wanted))
        if short:
            raise GapNamesValue(name=name, count=short)
        new[name] = column.suppress(_drawn(free, groups, wanted, draw))
    return data.with_columns(new)


def _drawn(free: Ints, groups: Ints, wanted: Ints, draw: np.random.Generator) -> Bools:
    """As many of the free cells of every group as are wanted, all equally likely."""
    mixed = draw.permutation(free)
    mixed = mixed[np.argsort(groups[mixed], kind="stable")]
    counts = np.bincount(groups[mixed], minlength=len(wanted))
    place = np.arange(len(mixed)) - np.repeat(np.cumsum(counts) - counts, counts)
    out = np.zeros(len(groups), dtype=np.bool_)
    out[mixed[place < wanted[groups[mixed]]]] = True
    return out
