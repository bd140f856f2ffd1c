"""The least cost at which k released records fit every person, for few records: an integer program.

A record that suppresses a pattern fits everybody who agrees with it in the other keys. How many records of each class suppress which
pattern is wanted, so that everybody is fitted k times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarnkappe.data.column import MISSING_CODE, Bools, Floats, Ints
from tarnkappe.methods.microdata.emptied_records import emptied, lowest_price
from tarnkappe.methods.microdata.suppression_part import Offers, Part, Rows, cheapest, matrix_of
from tarnkappe.solve import Choice, Solver

MOST_PAIRS = 4_000_000
"""Classes times patterns times persons that are looked at."""
MOST_OFFERS = 4_000
"""Classes with patterns that are left to choose from."""


def cheapest_least(
    part: Part, hidden: Bools | None, known: Sequence[tuple[int, ...]], solver: Solver
) -> Bools | None:
    """What to suppress so that it costs less than what is given, if anything is, where an attacker knows any of these sets of keys.

    None where nothing cheaper was found, or the part is too large. Where the search for k is cut short, more than k is tried too: what
    hides everybody among k + 1 hides them among k, so no larger k may cost less.
    """
    codes = part.classes.codes
    persons = len(np.unique(codes, axis=0))
    if (len(codes) * persons * len(known)) << codes.shape[1] > MOST_PAIRS:
        return None
    best = part.cheaper(hidden, emptied(part, known))
    proven, found = _searched(part, best, known, solver)
    best = part.cheaper(best, found)
    more = replace(part, k=part.k + 1)
    while best is not None and not proven and lowest_price(more, known) < part.price(best):
        proven, found = _searched(more, best, known, solver)
        best = part.cheaper(best, found)
        more = replace(more, k=more.k + 1)
    return part.better(best, hidden)


def _searched(
    part: Part, hidden: Bools | None, known: Sequence[tuple[int, ...]], solver: Solver
) -> tuple[bool, Bools | None]:
    """Whether nothing is cheaper than the answer, or than what is given where there is none; and the answer."""
    codes = part.classes.codes
    persons = np.unique(codes, axis=0)
    bits = 1 << np.arange(codes.shape[1])
    fits, needed = _fits(
        part, (codes[:, np.newaxis] != persons) @ bits, [int(bits[list(s)].sum()) for s in known]
    )
    offers = _useful(part, fits, part.bound(hidden))
    if not 0 < len(offers) <= MOST_OFFERS:
        return not len(offers), None
    choice = _choice(part, offers, fits[offers.of_class, offers.hidden @ bits], needed)
    found, proven = cheapest(part, offers, choice, solver)
    return proven, found


def _fits(part: Part, differ: Ints, known: Sequence[int]) -> tuple[Bools, Ints]:
    """Whom a record of a class fits anew with each pattern (class × pattern × person), and how many more everybody needs.

    Keys are bits: `differ` tells where classes and persons do. Persons are those who have too few, once for each set of keys.
    """
    classes = part.classes
    bits = 1 << np.arange(classes.codes.shape[1])
    before, missing = classes.before @ bits, (classes.codes == MISSING_CODE) @ bits
    patterns = np.arange(1 << len(bits))
    allowed = (before[:, np.newaxis] & ~patterns == 0) & (missing[:, np.newaxis] & patterns == 0)
    fits, needed = [], []
    for keys in known:
        already = differ & keys & ~before[:, np.newaxis] == 0
        lacking = part.k - classes.counts @ already
        poor = lacking > 0
        new = (differ[:, np.newaxis, poor] & keys & ~patterns[:, np.newaxis] == 0) & ~already[
            :, np.newaxis, poor
        ]
        fits.append(new & allowed[:, :, np.newaxis])
        needed.append(lacking[poor])
    return np.concatenate(fits, axis=2), np.concatenate(needed)


def _useful(part: Part, fits: Bools, most: float) -> Offers:
    """Patterns that fit somebody anew, and fewer with any key less, and cost less than that."""
    classes = part.classes
    keys, patterns = classes.codes.shape[1], np.arange(fits.shape[1])
    useful = np.asarray(fits.any(axis=2))
    for j in range(keys):
        with_key = patterns[(patterns >> j) & 1 == 1]
        fewer = (fits[:, with_key] != fits[:, with_key ^ (1 << j)]).any(axis=2)
        useful[:, with_key] &= fewer | classes.before[:, [j]]
    of_class, pattern = np.nonzero(useful)
    offers = Offers(of_class, (pattern[:, np.newaxis] >> np.arange(keys)) & 1 == 1)
    if part.one_level is None:
        return offers
    price = offers.cells(part) @ part.one_level
    same = np.column_stack([fits[of_class, pattern], price])
    lowest = float(part.one_level.min())
    matched = _matched(same, classes.counts[of_class], most / lowest if lowest else np.inf)
    return offers.kept((price < most) & ~matched)


def _matched(same: Floats, records: Ints, used: float) -> Bools:
    """Offers that others match, with more records than are used at most: they are never missed."""
    number = np.unique(same, axis=0, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((-records, number))
    sofar = np.cumsum(records[order]) - records[order]
    ahead = sofar - sofar[np.flatnonzero(np.diff(number[order], prepend=-1))][number[order]]
    out = np.empty(len(order), dtype=np.bool_)
    out[order] = ahead >= used
    return out


def _choice(part: Part, offers: Offers, fits: Bools, needed: Ints) -> Choice:
    """Every record takes one offer at most; everybody is fitted as often as needed."""
    n, counts = len(offers), part.classes.counts.astype(np.float64)
    used, of = np.unique(offers.of_class, return_inverse=True)
    by, person = np.nonzero(fits)
    blocks = [Rows(len(used), of, np.arange(n), np.ones(n)), Rows(len(needed), person, by, np.ones(len(by)))]
    low = np.concatenate([np.full(len(used), -np.inf), needed])
    high = np.concatenate([counts[used], np.full(len(needed), np.inf)])
    return Choice(
        np.zeros(n), matrix_of(blocks, n), low, high, counts[offers.of_class], np.ones(n, dtype=np.bool_)
    )
