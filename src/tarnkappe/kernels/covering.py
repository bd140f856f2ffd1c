"""Local suppression: records that lose cells so that they could be anybody's who agrees in the rest, as few cells as possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.local_suppression import OPEN, Pattern, Records, rank

Ints = NDArray[np.int64]

THRESHOLDS = (0.25, 0.5, 1.0, 2.0, 4.0, 1e9)
"""Cells per record helped that are paid, in turn: bargains first."""
ALL = 1e18
"""Whatever it costs, with all records of a group."""


def least(records: Records, k: int, sets: Sequence[Pattern], count: Ints, *, generous: bool = False) -> Ints:
    """The pattern of every record so that for every person k released records fit, with as few cells as possible.

    A few suppressed records of a group cover all persons in it, so k or fewer cells can help many records.

    Parameters
    ----------
    count
        How many released records fit each person already.
    generous
        Suppress all records of a group that is treated: where few records are left, some count for nothing new.
    """
    need = np.maximum(k - count, 0)
    classes = np.unique(records.whole, return_inverse=True)[1]
    for threshold in THRESHOLDS:
        for pattern in sets:
            if not need.any():
                return records.mask
            _cover(records, pattern, need, classes, ALL if generous else threshold)
    return records.mask


def _cover(records: Records, pattern: Pattern, need: Ints, classes: Ints, threshold: float) -> None:
    """Suppress donors in the groups where that costs at most the threshold per record helped; lowers `need` in place."""
    poor = np.flatnonzero(need > 0)
    groups, of_poor = np.unique(records.outside(pattern, poor), return_inverse=True)
    deepest = np.zeros(len(groups), dtype=np.int64)
    np.maximum.at(deepest, of_poor, need[poor])
    helped = np.bincount(of_poor, minlength=len(groups))
    bargain = pattern.cost * deepest <= threshold * helped
    if not bargain.any():
        return
    free = np.flatnonzero(records.mask == OPEN)
    free = free[records.can_cover(pattern, free)]
    theirs = records.outside(pattern, free)
    place = np.minimum(np.searchsorted(groups, theirs), len(groups) - 1)
    near = (groups[place] == theirs) & bargain[place]
    free, place = free[near], place[near]
    nth_of_class = rank(np.unique(np.column_stack([place, classes[free]]), axis=0, return_inverse=True)[1])
    order = np.lexsort(
        (free, nth_of_class, need[free] > 0, place)
    )  # donors that need nothing first, then one per class
    free, place = free[order], place[order]
    chosen = (rank(place) < deepest[place] + (need[free] > 0)) | (threshold == ALL)
    free, place = free[chosen], place[chosen]
    given = np.bincount(place, minlength=len(groups))
    gained = given[of_poor] - _own_donors(classes[free], place, classes[poor], of_poor)
    helped = np.bincount(of_poor[gained >= need[poor]], minlength=len(groups))
    worth = (helped > 0) & (pattern.cost * given <= threshold * helped)
    records.mask[free[worth[place]]] = pattern.number
    covered = worth[of_poor]
    need[poor[covered]] = np.maximum(need[poor[covered]] - gained[covered], 0)


def _own_donors(donor_class: Ints, donor_group: Ints, person_class: Ints, person_group: Ints) -> Ints:
    """For every person the number of donors of its own class in its group: they fitted before."""
    span = int(max(donor_class.max(initial=0), person_class.max(initial=0))) + 1
    donors = np.sort(donor_group * span + donor_class)
    persons = person_group * span + person_class
    return np.searchsorted(donors, persons, "right") - np.searchsorted(donors, persons, "left")
