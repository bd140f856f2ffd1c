"""Whether a released record still fits the person it belongs to, as somebody sees who knows the person's true keys."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.data.microdata import Microdata


def still_fits(before: Microdata | None, after: Microdata, keys: Iterable[str]) -> Bools | None:
    """For every released record whether its own person would be recognised in it by the keys; None where nobody knows whose it is.

    A key that was made coarser or suppressed still fits, one that was exchanged or drawn anew does not: whoever looks for the person then
    finds the records of others. Records that a method made belong to nobody.
    """
    if before is None or not np.isin(after.rows, before.rows).any():
        return None
    old, new = before.paired(after)
    fits = np.ones(len(new), dtype=np.bool_)
    for name in keys:
        if name in old.columns:
            fits &= _recoded(old.column(name), new.column(name))
    out = np.zeros(len(after), dtype=np.bool_)
    out[np.isin(after.rows, new.rows)] = fits
    return out


def _recoded(old: Column, new: Column) -> Bools:
    """Where a cell shows its true value, a code above it, or what records with that value usually show; or nothing."""
    fits = np.ones(len(new), dtype=np.bool_)
    if new is old:
        return fits
    both = old.observed & new.observed
    (was, names), (shown, others) = (_coded(column, both) for column in (old, new))
    if not len(was):
        return fits
    words = np.unique(np.concatenate([names, others]))
    before, after = np.searchsorted(words, names)[was], np.searchsorted(words, others)[shown]
    new_words = ~np.isin(
        after, before
    )  # a code of the original that stands elsewhere is an exchange, not a coarser one
    coarser = len(others) < len(names)
    usual = (_usual(before, after, len(words)) == after) & new_words & coarser
    fits[both] = (before == after) | _above(old, names, others, was, shown) | usual
    return fits


def _coded(column: Column, cells: Bools) -> tuple[Ints, np.ndarray[tuple[int], np.dtype[np.str_]]]:
    """Codes of some cells, and the word of every code."""
    values, codes = np.unique(column.values[cells], return_inverse=True)
    if column.categories is not None:
        return codes, column.categories[values].astype(str)
    return codes, np.array([column.spelt(value) for value in values], dtype=str)


def _above(
    old: Column,
    names: np.ndarray[tuple[int], np.dtype[np.str_]],
    others: np.ndarray[tuple[int], np.dtype[np.str_]],
    was: Ints,
    shown: Ints,
) -> Bools:
    """Where the hierarchy of the original puts the true value below the one that is shown."""
    tree = old.hierarchy
    if tree is None:
        return np.zeros(len(was), dtype=np.bool_)
    pairs, inverse = np.unique(was * len(others) + shown, return_inverse=True)
    inner, outer = tree.positions(names)[pairs // len(others)], tree.positions(others)[pairs % len(others)]
    found = np.zeros(len(pairs), dtype=np.bool_)
    while (inner >= 0).any():
        found |= (inner == outer) & (inner >= 0)
        inner = np.where(inner >= 0, tree.parent[inner], -1)
    return np.asarray(found[inverse])


def _usual(before: Ints, after: Ints, words: int) -> Ints:
    """What most records with the same true value show."""
    pairs, counts = np.unique(before * words + after, return_counts=True)
    order = np.argsort(counts, kind="stable")
    usual = np.full(words, -1, dtype=np.int64)
    usual[pairs[order] // words] = pairs[order] % words  # the most frequent comes last and stays
    return usual[before]
