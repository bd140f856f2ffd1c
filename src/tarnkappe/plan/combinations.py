"""Combinations of values that a release shows and the original does not have, in the coding of the release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Column, Ints, Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes


def new_combinations(before: Microdata, after: Microdata, names: Sequence[str]) -> int | None:
    """How many released records show a combination that no original record has; None where the codings cannot be compared.

    Original values are taken up their hierarchies to the codes of the release. Records with an empty cell are not counted.
    """
    coded = [_common(before.column(name), after.column(name)) for name in names]
    pairs = [pair for pair in coded if pair is not None]
    if len(pairs) < len(coded):
        return None
    both = [np.concatenate(pair) for pair in pairs]
    whole = np.logical_and.reduce([codes >= 0 for codes in both])
    found = classes((codes, int(codes.max(initial=-1)) + 1) for codes in (c[whole] for c in both))
    ours = whole[: len(before)].sum()
    known = np.zeros(len(found.sizes), dtype=np.bool_)
    known[found.ids[:ours]] = True
    return int((~known[found.ids[ours:]]).sum())


def _common(old: Column, new: Column) -> tuple[Ints, Ints] | None:
    """Codes of both columns that mean the same in both; negative where a cell is empty."""
    shown = _lifted(old, new)
    if shown is None:
        return None
    texts = [_distinct(shown), _distinct(new)]
    known = {text: code for code, text in enumerate(dict.fromkeys([*texts[0], *texts[1]]))}
    out = []
    for column, spelt in zip((shown, new), texts, strict=True):
        codes = column.codes()[0]
        look_up = np.array([known[text] for text in spelt] or [0], dtype=np.int64)
        out.append(np.where(codes >= 0, look_up[np.maximum(codes, 0)], -1))
    return out[0], out[1]


def _distinct(column: Column) -> list[str]:
    return [str(text) for text in column.distinct()]


def _lifted(old: Column, new: Column) -> Column | None:
    """The original in the coding of the release: as it is, or up its hierarchy."""
    if new.categories is None:
        return old if old.kind is new.kind else None
    sealed = new.sealed().categories
    used: Strings = new.categories if sealed is None else sealed
    same = old.categories is not None and set(used) <= set(old.categories)
    if same or (old.kind is new.kind and new.hierarchy is None):
        return old if same else None
    tree = new.hierarchy
    if tree is None or (tree.positions(used) < 0).any():
        return None
    grown, placed = tree.fitted(old)
    if placed.unknown.any():
        return None
    stop = np.zeros(len(grown), dtype=np.bool_)
    stop[(at := grown.positions(used))[at >= 0]] = True
    nodes = np.where(placed.nodes >= 0, placed.nodes, 0)
    while (climb := ~stop[nodes] & (grown.parent[nodes] >= 0)).any():
        nodes = np.where(climb, grown.parent[nodes], nodes)
    codes = np.append(nodes, 0)[placed.cells]
    return old.with_codes(codes, grown.codes)
