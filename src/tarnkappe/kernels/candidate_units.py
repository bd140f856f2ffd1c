"""How many units could be a person's, where several released records can be of one unit."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.kernels.compatible import Candidates, Wild, candidate_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tarnkappe.kernels.hashing import Side

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

AT_ONCE = 4_000_000
"""Pairs of a person and a unit that are looked at together."""


def candidate_units(among: Candidates, units: Ints | None) -> Ints:
    """Count, for every record, the units that have a released record which could be this person's; the records where no units are given.

    Parameters
    ----------
    among
        Which records could be whose.
    units
        The unit of every record: 0, 1, …
    """
    if units is None:
        return candidate_counts(among)
    if among.wild is None:
        counts = class_units(among.found, units)
    else:
        of_class, unit = _pairs(among.found, units)
        shape = (len(among.found.sizes), int(units.max(initial=0)) + 1)
        counts = _over_patterns(among.wild, csr_array((np.ones(len(unit)), (of_class, unit)), shape=shape))
    of_record: Ints = counts[among.found.ids]
    return of_record


def class_units(found: Classes, units: Ints | None) -> Ints:
    """Count the units of every class; its records where no units are given."""
    if units is None:
        return found.sizes
    return np.bincount(_pairs(found, units)[0], minlength=len(found.sizes)).astype(np.int64)


def _pairs(found: Classes, units: Ints) -> tuple[Ints, Ints]:
    """Classes and the units that are in them."""
    span = int(units.max(initial=0)) + 1
    pairs = np.unique(found.ids.astype(np.int64) * span + units)
    return pairs // span, pairs % span


def _over_patterns(wild: Wild, shown: csr_array) -> Ints:
    """For every class of persons the units of all classes that fit it, each once.

    Of the released rows with the same wildcards those fit a person that agree with it in all other cells: one group. A unit may
    be in several of a person's groups.
    """
    out = np.zeros(len(wild.codes), dtype=np.int64)
    for persons, open_to in _patterns(wild.persons):
        fits, of_units = [], []
        for rows, hidden in _patterns(wild.released):
            mine, theirs = _groups(wild.codes, persons, rows, ~(open_to | hidden))
            many = int(theirs.max(initial=-1)) + 1
            fits.append(_incidence(np.arange(len(persons)), mine, (len(persons), many)))
            of_units.append(_incidence(theirs, np.arange(len(rows)), (many, len(rows))) @ shown[rows])
        out[persons] = _distinct(csr_array(hstack(fits)), csr_array(vstack(of_units)))
    return out


def _patterns(side: Side) -> Iterator[tuple[Ints, Bools]]:
    """The rows with the same wildcards, and which cells these are."""
    for p, wild in enumerate(side.wild):
        yield side.rows[side.starts[p] : side.starts[p + 1]], wild


def _groups(codes: NDArray[Any], persons: Ints, rows: Ints, told: Bools) -> tuple[Ints, Ints]:
    """Numbers of what persons and rows show in the cells that are told; those of persons that no row has are beyond all of the rows."""
    if not told.any():
        return np.zeros(len(persons), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    both = np.concatenate([rows, persons])
    columns = (codes[both, c] for c in np.flatnonzero(told))
    ids = classes((column, int(column.max(initial=0)) + 1) for column in columns).ids.astype(np.int64)
    return ids[len(rows) :], ids[: len(rows)]


def _incidence(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    """A matrix with ones at these places, as far as they are in it."""
    there = columns < shape[1]
    return csr_array((np.ones(int(np.count_nonzero(there))), (rows[there], columns[there])), shape=shape)


def _distinct(fits: csr_array, of_units: csr_array) -> Ints:
    """For every person the units of its groups, a number of persons at a time."""
    work = np.cumsum(fits @ np.diff(of_units.indptr))
    ends = np.searchsorted(work, np.arange(AT_ONCE, work[-1] + AT_ONCE, AT_ONCE), side="right")
    cuts = np.unique(np.concatenate([[0], ends, [len(work)]]))
    parts = [np.diff((fits[a:b] @ of_units).indptr) for a, b in pairwise(cuts)]
    return np.concatenate(parts).astype(np.int64)
