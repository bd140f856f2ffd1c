"""Who contributes what to the lowest cells of a table, by keyed fingerprints: a later edition finds again what stayed as it was.

Of every contribution a register keeps two numbers: one of who it is, and one of who it is together with what it adds. Neither can be turned back, and without
the key no guess can be tested.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.record_marks import Words, mixed, with_amounts, with_marks
from tarnkappe.data.release_signature import Signer
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import LaidRecords
from tarnkappe.vocab import Role

_WHO, _WHAT = "who", "what"
_SIGN = np.dtype([("who", "<u8"), ("what", "<u4")])


@dataclass(frozen=True, slots=True, eq=False)
class Contributed:
    """Contributions one by one: who, what, and in which of several places."""

    who: Words
    what: Words
    place: Ints

    def __len__(self) -> int:
        return len(self.who)

    def found_in(self, other: Contributed) -> tuple[Ints, Ints]:
        """Positions here and there of contributions of the same amount by the same one; of several alike as many as both have."""
        here, there = _numbered(self), _numbered(other)
        _, mine, theirs = np.intersect1d(here, there, assume_unique=True, return_indices=True)
        return mine.astype(np.int64), theirs.astype(np.int64)


def who_is_in(original: Microdata, data: Microdata, signer: Signer) -> Words:
    """A keyed number for every record of data that came from the original, by who it is."""
    _, marked = with_marks(original, data)
    assert marked.marks is not None, "marks were made"
    return signer.words(_WHO, marked.marks)


def contributions_of(
    original: Microdata, data: Microdata, amount: Floats, signer: Signer
) -> tuple[Bools, Words, Words]:
    """Which records of data that came from the original add something (NaN adds nothing), who each of them is, and who with what it adds."""
    _, marked = with_marks(original, data)
    assert marked.marks is not None, "marks were made"
    there = np.isfinite(amount)
    marks = marked.marks[there]
    added = with_amounts(marks, amount[there])
    return there, signer.words(_WHO, marks), signer.words(_WHAT, added) & np.uint64(0xFFFFFFFF)


def amounts_of(data: Microdata, value: str | None, *, weighted: bool) -> Floats:
    """What every record adds to tables of a column, or where records are counted; NaN where nothing."""
    x = np.ones(len(data)) if value is None else data.column(value).numbers()
    names = data.role(Role.WEIGHT) if weighted else ()
    if not names:
        return x
    weight = data.column(names[0]).numbers()
    return np.where(weight > 0, x * weight, np.nan)


def lowest_cells(table: Table, laid: LaidRecords) -> tuple[tuple[tuple[str, ...], ...], Ints]:
    """The codes of the lowest cells that records lie in, as the table has them, and which of them each contributing record lies in."""
    nodes = laid.nodes[laid.there].astype(np.int64)
    for j, tree in enumerate(table.dimensions):
        before = table.merged.get(tree.name)
        nodes[:, j] = nodes[:, j] if before is None else before.leaf(nodes[:, j])
    cells, place = np.unique(nodes, axis=0, return_inverse=True)
    spelt = [[str(tree.codes[node]) for node in cells[:, j]] for j, tree in enumerate(table.dimensions)]
    return tuple(zip(*spelt, strict=True)), place.reshape(-1)


def packed(given: Contributed, places: int) -> tuple[str, ...]:
    """The contributions of every place as one text."""
    signs = np.zeros(len(given), dtype=_SIGN)
    signs["who"], signs["what"] = given.who, given.what
    order = np.lexsort((given.what, given.who, given.place))
    ends = np.searchsorted(given.place[order], np.arange(1, places))
    return tuple(base64.b64encode(part.tobytes()).decode() for part in np.split(signs[order], ends))


def unpacked(texts: Sequence[str]) -> Contributed | None:
    """The contributions behind texts; None where they are none."""
    try:
        parts: list[NDArray[np.void]] = [
            np.frombuffer(base64.b64decode(text, validate=True), dtype=_SIGN) for text in texts
        ]
    except (ValueError, binascii.Error):
        return None
    if not parts:
        return None
    signs = np.concatenate(parts)
    place = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return Contributed(signs["who"].astype(np.uint64), signs["what"].astype(np.uint64), place)


def units_between(came: Bools, who: Words, place: Ints, *, named: bool) -> Ints:
    """A number for the unit behind every contribution that came or went.

    Where identifiers tell who is who, one who went with one amount and came with another is one unit. Else a revised record looks like two: in every place the
    first that went counts as the first that came, and so on, so that a place has as many units as came or went, whichever is more.
    """
    if named:
        return np.unique(who, return_inverse=True)[1].astype(np.int64)
    rank = np.zeros(len(who), dtype=np.int64)
    for side in (came, ~came):
        rank[side] = _rank(place[side].astype(np.uint64))
    pairs = np.stack([place, rank], axis=1)
    return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def mean_amount(amount: Floats) -> float:
    """What stands in for the amount of one who is gone: nobody in the house knows it any more."""
    size = np.abs(amount[np.isfinite(amount) & (amount != 0)])
    return float(size.mean()) if len(size) else 1.0


def _numbered(given: Contributed) -> Words:
    """One number for every contribution; those alike are counted through."""
    both = mixed(given.who ^ mixed(given.what))
    rank = _rank(both).astype(np.uint64)
    return np.where(rank == 0, both, mixed(both ^ mixed(rank)))


def _rank(keys: Words) -> Ints:
    """How many before it have the same key."""
    order = np.argsort(keys, kind="stable")
    fresh = np.diff(keys[order], prepend=keys[order][:1]) != 0
    start = np.maximum.accumulate(np.where(fresh, np.arange(len(keys)), 0))
    out = np.zeros(len(keys), dtype=np.int64)
    out[order] = np.arange(len(keys)) - start
    return out
