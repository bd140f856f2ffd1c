"""What the records that could be a person's tell about a sensitive column: one sparse row of counts for every class.

The classes are found once (`compatible.candidates`); each sensitive column adds two counting sorts. Where nothing is a
wildcard, a person's candidates are the own class and there is one block with all classes. Where missing or suppressed
keys fit several classes, candidates overlap; the rows are then merged block by block, so that memory stays linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.classes import index_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tarnkappe.kernels.compatible import Candidates, Wild

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[Any]

LEAST_BLOCK = 1 << 20
"""So many entries a block may have at any rate."""


class Counts(NamedTuple):
    """Row i has values[starts[i]:starts[i + 1]], ascending, each as often as `counts` says."""

    starts: Ints
    values: Codes
    counts: Codes


class Block(NamedTuple):
    """The sensitive values among the candidates of some classes of persons."""

    rows: Ints | slice
    """The classes, as they are numbered in the candidates."""
    shown: Counts


class Profile(NamedTuple):
    """What every class tells about a sensitive column. It holds no array of the candidates, so that it does not keep them alive."""

    own: Counts
    """The values in every class itself."""
    kinds: int
    """How many values there are."""
    kept: tuple[Block, ...] | None
    """The values among the candidates; None where they are too many to keep and are merged anew each time."""


def profile(among: Candidates, codes: Codes, count: int) -> Profile:
    """Count the sensitive values in every class and among its candidates; codes below 0 are left out."""
    found, small = among.found, codes.astype(index_type(count), copy=False)
    own = Counts(*_loops().counted(found.ids, small, len(found.sizes), count))
    kept, entries = [], 0
    for block in blocks(among, own, count):
        entries += len(block.shown.values)
        if entries > _budget(own):
            return Profile(own, count, None)
        kept.append(block)
    return Profile(own, count, tuple(kept))


def blocks(among: Candidates, own: Counts, count: int) -> Iterator[Block]:
    """The sensitive values among the candidates of every class, each class once."""
    if among.wild is None:
        yield Block(slice(None), own)
        return
    wild, patterns = among.wild, len(among.wild.released.wild)
    size = max(LEAST_BLOCK, 4 * len(own.starts)) // patterns
    for p in range(len(wild.persons.wild)):
        here = wild.persons.rows[wild.persons.starts[p] : wild.persons.starts[p + 1]]
        for first in range(0, len(here), max(1, size)):
            yield from _merged(wild, p, here[first : first + max(1, size)], own, count)


def scored(among: Candidates, told: Profile, score: Callable[[Counts], Floats]) -> Floats:
    """One number for every class of persons from the sensitive values among its candidates."""
    out = np.full(len(among.found.sizes), np.nan)
    for block in blocks(among, told.own, told.kinds) if told.kept is None else told.kept:
        out[block.rows] = score(block.shown)
    return out


def _budget(own: Counts) -> int:
    """So many entries are held at a time."""
    return max(LEAST_BLOCK, 4 * len(own.values))


def _merged(wild: Wild, pattern: int, here: Ints, own: Counts, count: int) -> Iterator[Block]:
    """The candidates of some persons: the groups of released rows that fit, one of every released pattern at most."""
    links, groups = _groups(wild, pattern, here, own, count)
    length = np.diff(groups.starts)
    entries = np.cumsum(np.where(links >= 0, length[links], 0).sum(axis=1))
    cuts = np.flatnonzero(np.diff(entries // _budget(own))) + 1
    for part in np.split(np.arange(len(here)), cuts):
        chosen = links[part]
        fits = chosen >= 0
        starts = np.concatenate([[0], np.cumsum(fits.sum(axis=1))]).astype(np.int64)
        yield Block(here[part], Counts(*_loops().merged(starts, chosen[fits], tuple(groups), count)))


def _groups(wild: Wild, pattern: int, here: Ints, own: Counts, count: int) -> tuple[Ints, Counts]:
    """For every person and released pattern the group that fits, or -1; and the counts of all groups."""
    released = wild.released
    links = np.empty((len(here), len(released.wild)), dtype=np.int64)
    parts, offset = [], 0
    for r in range(len(released.wild)):
        there = released.rows[released.starts[r] : released.starts[r + 1]]
        compared = np.flatnonzero(~(wild.persons.wild[pattern] | released.wild[r]))
        of_there, of_here, number = _loops().linked(wild.codes, here, there, compared)
        starts = np.concatenate([[0], np.cumsum(np.bincount(of_there, minlength=number))])
        members = there[np.argsort(of_there, kind="stable")]
        parts.append(Counts(*_loops().merged(starts, members, tuple(own), count)))
        links[:, r] = np.where(of_here >= 0, of_here + offset, -1)
        offset += number
    return links, _stacked(parts)


def _stacked(parts: list[Counts]) -> Counts:
    ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends[:-1], strict=True)]
    return Counts(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def _loops() -> Any:
    """Load the compiled part when it is first used: numba takes a while."""
    from tarnkappe.kernels import profile_loops  # noqa: PLC0415

    return profile_loops
