"""The least cost at which every shown combination stands in k records, for few records: an integer program.

A group is a pattern of suppressed keys with the values that stay. How many records of each class are in each group they could be
in is wanted; a group that is used has k or more (Bredereck, Nichterlein and Niedermeier 2013: the integer program of
pattern-guided k-anonymity, here for all patterns).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from tarnkappe.data.column import MISSING_CODE, Bools, Ints
from tarnkappe.methods.microdata.suppression_part import Offers, Part, Rows, cheapest, matrix_of
from tarnkappe.solve import Choice, Solver

MOST_PAIRS = 40_000
"""Classes times patterns that are looked at."""
MOST_OFFERS = 1_500
"""Of these, the ones that are left to choose from."""
NO_GROUP = -1
"""A class with missing keys needs no group: others cover it."""


@dataclass(frozen=True)
class _Offered:
    """What records of a class may suppress, and in which group they are then."""

    offers: Offers
    group: Ints

    def kept(self, which: Bools) -> _Offered:
        return _Offered(self.offers.kept(which), self.group[which])


def cheapest_strict(part: Part, hidden: Bools | None, solver: Solver) -> Bools | None:
    """What to suppress so that it costs less than what is given, if anything is; None where nothing cheaper was found, or the part is too large."""
    missing = part.classes.codes == MISSING_CODE
    if len(missing) << missing.shape[1] > MOST_PAIRS:
        return None
    found = _all(part, missing)
    if not missing.any():
        found = found.kept(_differing(part, found))
    found = _affordable(part, found, part.bound(hidden))
    if len(found.offers) > MOST_OFFERS or len(np.unique(found.offers.of_class)) < len(missing):
        return None
    return part.better(cheapest(part, found.offers, _choice(part, found, missing), solver)[0], hidden)


def _all(part: Part, missing: Bools) -> _Offered:
    """Every class with every pattern that has its suppressed keys and no missing one, where its group could have k records."""
    classes, gaps, groups = part.classes, np.asarray(missing.any(axis=1)), 0
    of_class, hidden, group = [], [], []
    for cells in product((False, True), repeat=missing.shape[1]):
        pattern = np.array(cells)
        fit = np.flatnonzero(~((missing & pattern) | (classes.before & ~pattern)).any(axis=1))
        shown = np.where(pattern, 0, classes.codes[fit])
        alike = np.unique(shown, axis=0, return_inverse=True)[1].reshape(-1)
        size = np.bincount(alike, classes.counts[fit])
        used = gaps[fit] | (size[alike] >= part.k)
        of_class.append(fit[used])
        hidden.append(np.tile(pattern, (int(used.sum()), 1)))
        group.append(np.where(gaps[fit], NO_GROUP, groups + alike)[used])
        groups += len(size)
    return _Offered(Offers(np.concatenate(of_class), np.concatenate(hidden)), np.concatenate(group))


def _differing(part: Part, found: _Offered) -> Bools:
    """Offers in groups that differ in every key of their pattern: where all agree in one, they could show it at less cost."""
    codes = np.where(part.classes.before, MISSING_CODE, part.classes.codes)[found.offers.of_class]
    groups, keys = int(found.group.max(initial=-1)) + 1, codes.shape[1]
    low, high = np.full((groups, keys), codes.max(initial=0)), np.full((groups, keys), MISSING_CODE)
    np.minimum.at(low, found.group, codes)
    np.maximum.at(high, found.group, codes)
    needed = (low < high) | (low == MISSING_CODE)
    return np.asarray((~found.offers.hidden | needed[found.group]).all(axis=1))


def _affordable(part: Part, found: _Offered, most: float) -> _Offered:
    """Without groups that nothing cheaper than that can have: k records in them cost too much, whatever the others do."""
    if part.one_level is None:
        return found
    counts = part.classes.counts
    while len(found.offers):
        of_class, cost = found.offers.of_class, found.offers.cells(part) @ part.one_level
        least = np.full(len(counts), np.inf)
        np.minimum.at(least, of_class, cost)
        more = cost - least[of_class]
        order = np.lexsort((more, found.group))
        names, number = np.unique(found.group[order], return_inverse=True)
        records = counts[of_class[order]]
        sofar = np.cumsum(records) - records
        ahead = sofar - sofar[np.flatnonzero(np.diff(number, prepend=-1))][number]
        extra = np.bincount(number, np.clip(part.k - ahead, 0, records) * more[order])
        extra[names == NO_GROUP] = 0.0
        good = np.empty(len(order), dtype=np.bool_)
        good[order] = least @ counts + extra[number] < most
        if good.all():
            break
        found = found.kept(good)
    return found


def _choice(part: Part, found: _Offered, missing: Bools) -> Choice:
    """Every record takes one offer; a group that is used has k records; k of what is shown fit those with missing keys."""
    offers, codes, counts = found.offers, part.classes.codes, part.classes.counts
    gaps, own = np.flatnonzero(missing.any(axis=1)), np.flatnonzero(found.group != NO_GROUP)
    names, of = np.unique(found.group[own], return_inverse=True)
    n, groups, linked = len(offers), np.arange(len(names)), np.arange(len(own))
    records, one = counts[offers.of_class].astype(np.float64), np.ones(len(offers))
    fits = (offers.hidden | (codes[gaps][:, np.newaxis] == codes[offers.of_class])).all(axis=2)
    person, by = np.nonzero(fits)
    minus_k = np.full(len(names), -float(part.k))
    blocks = [
        Rows(len(counts), offers.of_class, np.arange(n), one),
        Rows(len(names), np.append(of, groups), np.append(own, n + groups), np.append(one[own], minus_k)),
        Rows(len(own), np.append(linked, linked), np.append(own, n + of), np.append(one[own], -records[own])),
        Rows(len(gaps), person, by, one[by]),
    ]
    endless, enough = np.full(len(names), np.inf), np.full(len(gaps), float(part.k))
    low = np.concatenate([counts, 0 * groups, np.full(len(own), -np.inf), enough])
    high = np.concatenate([counts, endless, 0 * linked, np.full(len(gaps), np.inf)])
    most = np.append(records, np.ones(len(names)))
    return Choice(0 * most, matrix_of(blocks, len(most)), low, high, most, np.ones(len(most), dtype=np.bool_))
