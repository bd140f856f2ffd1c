"""Combinations of values that a release shows and the original does not have, in the coding of the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Ints, Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.coding import dense_codes

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """A column of the original and of the release in codes that mean the same; negative where a cell is empty."""

    old: Codes
    new: Codes
    count: int
    """Codes are below this."""


def common(before: Microdata, after: Microdata, name: str) -> Common | None:
    """Code a column of both; None where the codings cannot be compared.

    Original values are taken up their hierarchy to the codes of the release.
    """
    old, new = before.column(name), after.column(name)
    if old.categories is None and new.categories is None:
        return _numbers(old, new) if old.kind is new.kind else None
    shown = _lifted(old, new)
    return None if shown is None else _texts(shown, new)


def new_combinations(before: Microdata, after: Microdata, names: Sequence[str]) -> int | None:
    """How many released records show a combination that no original record has; records with an empty cell are not counted."""
    coded = [common(before, after, name) for name in names]
    known = [one for one in coded if one is not None]
    return _new(known) if len(known) == len(coded) else None


def new_in_pair(one: Common, other: Common) -> int:
    """The same of two columns with few codes: no sorting."""
    seen = np.zeros(one.count * other.count, dtype=np.bool_)
    seen[_paired(one.old, other.old, other.count)] = True
    return int((~seen[_paired(one.new, other.new, other.count)]).sum())


def _paired(first: Codes, second: Codes, count: int) -> Ints:
    whole = (first >= 0) & (second >= 0)
    return first[whole].astype(np.int64) * count + second[whole]


def perturbed(before: Microdata, after: Microdata, coded: Common) -> bool:
    """Whether some record shows another value than its own; two columns of which that is not true cannot form a new pair."""
    order = np.argsort(before.rows, kind="stable")
    place = order[np.minimum(np.searchsorted(before.rows[order], after.rows), len(order) - 1)]
    if (before.rows[place] != after.rows).any():
        return True  # records that a method made up
    own = coded.old[place]
    both = (own >= 0) & (coded.new >= 0)
    return bool((own[both] != coded.new[both]).any())


def _new(coded: Sequence[Common]) -> int:
    both = [np.concatenate([one.old, one.new]) for one in coded]
    whole = np.logical_and.reduce([codes >= 0 for codes in both])
    found = classes((codes[whole], one.count) for codes, one in zip(both, coded, strict=True))
    ours = int(whole[: len(coded[0].old)].sum())
    known = np.zeros(len(found.sizes), dtype=np.bool_)
    known[found.ids[:ours]] = True
    return int((~known[found.ids[ours:]]).sum())


def _numbers(old: Column, new: Column) -> Common:
    codes, count = dense_codes(np.concatenate([old.values, new.values]))
    shown = np.where(np.concatenate([old.observed, new.observed]), codes, -1).astype(np.int32)
    return Common(shown[: len(old)], shown[len(old) :], count)


def _texts(old: Column, new: Column) -> Common:
    texts = [[str(text) for text in column.distinct()] for column in (old, new)]
    known = {text: code for code, text in enumerate(dict.fromkeys([*texts[0], *texts[1]]))}
    out = []
    for column, spelt in zip((old, new), texts, strict=True):
        codes = column.codes()[0]
        look_up = np.array([known[text] for text in spelt] or [0], dtype=np.int64)
        out.append(np.where(codes >= 0, look_up[np.maximum(codes, 0)], -1).astype(np.int32))
    return Common(out[0], out[1], len(known))


def _lifted(old: Column, new: Column) -> Column | None:
    """The original in the coding of the release: as it is, or up its hierarchy."""
    used = _used(new)
    if used is None:
        return None
    if old.categories is not None and set(used) <= set(old.categories):
        return old
    tree = new.hierarchy
    if tree is None or (tree.positions(used) < 0).any():
        return None
    grown, placed = tree.fitted(old)
    if placed.unknown.any():
        return None
    stop = np.zeros(len(grown), dtype=np.bool_)
    at = grown.positions(used)
    stop[at[at >= 0]] = True
    nodes = np.where(placed.nodes >= 0, placed.nodes, 0)
    while (climb := ~stop[nodes] & (grown.parent[nodes] >= 0)).any():
        nodes = np.where(climb, grown.parent[nodes], nodes)
    return old.with_codes(np.append(nodes, 0)[placed.cells], grown.codes)


def _used(column: Column) -> Strings | None:
    """The categories that some cell shows."""
    return None if column.categories is None else column.sealed().categories
