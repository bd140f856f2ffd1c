"""Bounds on the least cost at which k released records fit every person: one from above, one from below."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tarnkappe.data.column import MISSING_CODE, Bools, Ints
from tarnkappe.kernels.local_suppression import rank
from tarnkappe.methods.microdata.suppression_part import Part

MOST_PERSONS = 50
"""Persons for whom the bound from below is worked out: the rarest ones have the largest."""
Prices = tuple[Fraction, ...]


def emptied(part: Part, known: Sequence[tuple[int, ...]]) -> Bools | None:
    """A few records that lose all keys fit everybody: k - 1 of them where they have others like them, or k.

    None where not enough records have all keys, or somebody is not fitted.
    """
    full = np.flatnonzero(~(part.codes == MISSING_CODE).any(axis=1))
    of, counts = part.classes.of[full], part.classes.counts
    left = (~part.before[full]) @ np.asarray(part.levels).T
    order = np.lexsort((-counts[of], rank(of), counts[of] == 1, *left.T[::-1]))
    for many in (part.k - 1, part.k):
        if many > len(full):
            break
        hidden = part.before.copy()
        hidden[full[order[:many]]] = True
        if _everybody_fitted(part, hidden, known):
            return hidden
    return None


def _everybody_fitted(part: Part, hidden: Bools, known: Sequence[tuple[int, ...]]) -> bool:
    """Whether k released records fit everybody, whichever of these sets of keys an attacker knows."""
    persons = part.classes.codes
    for keys in known:
        own = list(keys)
        differ = part.codes[np.newaxis, :, own] != persons[:, np.newaxis, own]
        if ((~(differ & ~hidden[:, own]).any(axis=2)).sum(axis=1) < part.k).any():
            return False
    return True


def lowest_price(part: Part, known: Sequence[tuple[int, ...]]) -> Prices:
    """Nothing cheaper hides everybody: whoever is to fit a person loses the keys in which they differ, and so many must."""
    rarest = np.argsort(part.classes.counts, kind="stable")[:MOST_PERSONS]
    prices = [_of_person(part, person, keys) for person in rarest for keys in known]
    return max((p for p in prices if p is not None), default=part.price_of(np.zeros_like(part.codes[0])))


def _of_person(part: Part, person: Ints, keys: tuple[int, ...]) -> Prices | None:
    """What the cheapest records that are needed to hide one person must lose; None where there are too few."""
    classes = part.classes
    asked = np.isin(np.arange(part.codes.shape[1]), keys)
    lost = (classes.codes != classes.codes[person]) & asked & ~classes.before
    order = np.lexsort((lost @ np.asarray(part.levels).T).T[::-1])
    after = np.cumsum(classes.counts[order])
    if after[-1] < part.k:
        return None
    taken = np.clip(part.k - (after - classes.counts[order]), 0, classes.counts[order])
    return part.price_of(taken @ lost[order])
