"""The part of an attacker's file that he searches where he knows who is in the release."""

from __future__ import annotations

from dataclasses import replace

from tarnkappe.data.column import Bools
from tarnkappe.risk.outside import CategoryKey, NumberKey, Outside


def present(outside: Outside) -> Outside:
    """Only the persons who are in the release; everybody where nobody is."""
    there = outside.there
    if there.all() or not there.any():
        return outside
    return replace(
        outside,
        known=outside.known.take(there),
        truth=outside.truth[there],
        known_block=outside.known_block[there],
        keys=tuple(_part(key, there) for key in outside.keys),
    )


def _part(key: NumberKey | CategoryKey, there: Bools) -> NumberKey | CategoryKey:
    """The two kinds hold arrays of different types, so each is replaced on its own."""
    if isinstance(key, NumberKey):
        return replace(key, known=key.known[there])
    return replace(key, known=key.known[there])
