"""Equivalence classes and compatible records by definition: every record is compared with every other."""

import numpy as np

from tarnkappe.vocab import Missing, Suppressed


def classes(rows):
    """Number of every row in order of first appearance, and how often each occurs."""
    numbers = {}
    ids = [numbers.setdefault(tuple(row), len(numbers)) for row in rows]
    return ids, [ids.count(i) for i in range(len(numbers))]


def compatible_counts(rows, missing, suppressed):
    """Count, for every person, the released records that could be that person's.

    A cell is a pair (value, state): observed 0, missing 1, suppressed 2. Written from the definition in section 0.2 of
    the specification of dav2025.
    """
    persons = [[_known(cell, missing, suppressed) for cell in row] for row in rows]
    printed = [[_printed(cell, missing, suppressed) for cell in row] for row in rows]
    return np.array([sum(_could_be(p, r) for r in printed) for p in persons], dtype=np.int64)


def _known(cell, missing, suppressed):
    value, state = cell
    if state == 2 and suppressed is Suppressed.ATTACKER:
        return value
    return _printed(cell, missing, suppressed)


def _printed(cell, missing, suppressed):
    value, state = cell
    if state == 1:
        return "anything" if missing is Missing.WILDCARD else "missing"
    if state == 2:
        return "suppressed" if suppressed is Suppressed.CATEGORY else "anything"
    return value


def _could_be(person, released):
    return all(p == r or "anything" in (p, r) for p, r in zip(person, released, strict=True))
