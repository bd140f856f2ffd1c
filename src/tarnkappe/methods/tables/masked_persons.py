"""Shares where the number of persons is confidential too: those who count, the others and all persons, linked by y + z = N in every area.

Source: specification of Schenker (2019), 11.5. The three trees are one table over areas × (all, yes, no) whose sums cross, so the ranges
come from linear programs.
"""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Pattern
from tarnkappe.methods.tables.mask_draws import at_random, mask_draws
from tarnkappe.methods.tables.masking import Masking
from tarnkappe.methods.tables.yes_no import YesNo, rows_of
from tarnkappe.randomness import Stream


def few_persons(split: YesNo, k: int) -> Bools:
    """Areas with so few persons that their number is masked."""
    return np.asarray((split.persons >= 1) & (split.persons <= k))


def masked_together(
    who: str,
    before: Pattern,
    split: YesNo,
    extreme: Bools,
    ranges: tuple[Floats, Floats],
    drawn: tuple[int, Stream],
) -> Pattern:
    """The table of persons, those who count and the others, with ranges for extreme shares and for up to k persons.

    `drawn` is k and the stream. `extreme` and `ranges` are by area: whose share must be a range, and from where to where those who count go when the persons are public.
    """
    k, stream = drawn
    table = split.recoded(before.table)
    persons, yes, no = rows_of(table, split.at)
    few = few_persons(split, k)
    low, high = table.value.copy(), table.value.copy()
    low[yes], high[yes] = np.where(few, 0.0, ranges[0]), np.where(few, float(k), ranges[1])
    low[no] = np.where(few, 0.0, split.persons - ranges[1])
    high[no] = np.where(few, float(k), split.persons - ranges[0])
    low[persons], high[persons] = np.where(few, 1.0, split.persons), np.where(few, float(k), split.persons)
    small: Bools = np.zeros(len(table), dtype=np.bool_)
    small[persons] = few
    small[yes] = small[no] = few | extreme
    least, size = np.zeros(len(table)), table.value.copy()
    least[persons] = k + 1.0  # an added range that dipped into the small numbers would be recognised
    size[yes] = size[no] = np.minimum(split.yes, split.persons - split.yes)
    pattern = Pattern(table, mark=split.marks(before, table))
    free: Bools = np.ones(len(table), dtype=np.bool_)
    most = np.full(len(table), np.inf)
    rank, places = at_random(table, stream, np.maximum(size, 1.0)), mask_draws(table, stream)
    small &= ~pattern.forced_open
    return Masking(who, pattern, small, low, high, least, most, free, rank, places).done(linear=True)
