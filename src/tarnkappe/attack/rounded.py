"""What an attacker can work out from cells that were rounded or changed by noise, and from the sums he knows to hold.

He knows the method and its parameters, so every changed cell leaves an interval of originals; cells published exactly are points;
the originals add up. All tables within these bounds are possible, and linear programs give the least and the largest value of a
cell among them. Knows no protector.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table import Table
from tarnkappe.kernels.lattice import strides_of
from tarnkappe.kernels.quick_moves import Moves, proven

CLOSE = 1e-6
"""Programs are solved to within this."""
LEAST = 1e-5
"""An interval narrower than this share of the cell counts as a point."""


class Originals(NamedTuple):
    """Between which values the original of every cell lies, by what is shown of it alone."""

    low: Floats
    high: Floats


def is_whole(table: Table) -> bool:
    """Are all values whole numbers? An attacker is taken to know it."""
    return table.counts or bool(np.all(table.value == np.rint(table.value)))


def before_nearest(pattern: Pattern, base: int) -> Originals:
    """Originals of values rounded to the nearest multiple, half up."""
    shown, whole = _shown(pattern), is_whole(pattern.table)
    below, above = (base // 2, (base + 1) // 2 - 1) if whole else (base / 2, base / 2)
    return Originals(shown - below, shown + above)


def before_random(pattern: Pattern, base: int) -> Originals:
    """Originals of values rounded to either neighbouring multiple: less than the base away."""
    shown = _shown(pattern)
    most = base - 1 if is_whole(pattern.table) else base
    return Originals(shown - most, shown + most)


def of_parts_only(originals: Originals, table: Table) -> Originals:
    """Where sums are shown as sums of what is shown below them, they tell nothing more."""
    return Originals(
        np.where(table.inner, originals.low, -np.inf), np.where(table.inner, originals.high, np.inf)
    )


def before_noise(pattern: Pattern, least: int, most: int, clip: str) -> Originals:
    """Originals of values with noise, which can be any whole number from `least` to `most`.

    In tables without negative values results below 0 were set to 0 (clip zero), or no noise was larger than the value, so that
    X′ ≤ 2 X (clip unbiased).
    """
    shown = _shown(pattern)
    if (pattern.table.value < 0).any():
        return Originals(shown - most, shown - least)
    room = shown / 2 if clip == "unbiased" else shown
    return Originals(shown - np.floor(np.minimum(most, room)), shown - least)


def _shown(pattern: Pattern) -> Floats:
    return pattern.table.value if pattern.shown is None else pattern.shown


def attacked(pattern: Pattern, originals: Originals, asked: Floats) -> tuple[Floats, Floats]:
    """The attacker's interval of every cell, at least as far to both sides as asked for; inf asks for the exact ends."""
    table = pattern.table
    low, high = _deviations(pattern, originals)
    hidden = pattern.status != Status.OPEN
    whole = is_whole(table)
    found = intervals(
        relations_of(table), np.zeros(len(table)), hidden, low, high, Asked(asked, asked, whole=whole)
    )
    if not whole:
        return table.value + found.low, table.value + found.high
    return table.value + np.ceil(found.low - CLOSE), table.value + np.floor(found.high + CLOSE)


def _deviations(pattern: Pattern, originals: Originals) -> tuple[Floats, Floats]:
    """Bounds of every cell as deviations from its value, so that what counts as close does not grow with the values."""
    changed = np.isin(pattern.status, (Status.ROUNDED, Status.PERTURBED))
    low = np.where(changed, np.maximum(pattern.low, originals.low), pattern.low)
    high = np.where(changed, np.minimum(pattern.high, originals.high), pattern.high)
    return low - pattern.table.value, high - pattern.table.value


def _proven(pattern: Pattern, originals: Originals, width: Floats) -> Bools:
    """Cells of which a cuboid shows at once that they have the width."""
    table = pattern.table
    low, high = _deviations(pattern, originals)
    free = pattern.status != Status.OPEN
    strides = strides_of([len(h) for h in table.dimensions])
    assert strides is not None  # the table has keys
    room = (np.where(free, np.maximum(end, 0.0), 0.0) for end in (high, -low))
    moves = Moves(table.key, strides, table.cells, [h.parent for h in table.dimensions], *room)
    up, down = proven(moves, width)
    return np.asarray(up + down >= width)


def unsafe(pattern: Pattern, originals: Originals, needy: Bools) -> Bools:
    """Which of the cells in need can be computed exactly, or more closely than the protection they need.

    What is needed is a width: that of the required protections below and above together, or the one that is required. Where it lies
    is decided by what is shown, not by the true value.
    """
    width = _needed(pattern)
    needy = needy & ~_proven(pattern, originals, np.where(needy, width, 0.0))
    if not needy.any():
        return needy
    low, high = attacked(pattern, originals, np.where(needy, width, 0.0))
    return np.asarray(needy & (high - low < width - CLOSE))


def _needed(pattern: Pattern) -> Floats:
    """The required width; without a requirement just more than a point."""
    width = np.maximum(pattern.lower + pattern.upper, pattern.span)
    if is_whole(pattern.table):
        return np.maximum(np.ceil(width - CLOSE), 1.0)
    return np.maximum(width, LEAST * np.maximum(1.0, np.abs(pattern.table.value)))
