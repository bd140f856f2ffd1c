"""Groups of records that are shown alike: records move between them, and moves can be taken back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Links = NDArray[np.int32]
Sums = NDArray[np.uint64]

NONE = -1
NAME, PATTERN, SIZE, FIRST = range(4)
"""Columns of `Groups.groups`: what is shown of the records, their pattern, their number, and one of them."""
GROUP, AFTER, BEFORE, HELD = range(4)
"""Columns of `Groups.records`: the group, the next and the last member of it, and whether the record stays where it is."""
GROUPS, WRITTEN, K, STEPS, LOOKED_AT = range(5)
"""Places in `Groups.now`: groups, moves written down, k, steps left, longest way round a ring."""
LINKS, FEWEST_RINGS, MOST_RINGS = 1 << 22, 32, 512
"""Records that are shown alike under one of the cheapest patterns are linked: so many links, but for so many patterns at least and at most."""
WRITTEN_DOWN = 1 << 16
"""Moves of one change."""


class Groups(NamedTuple):
    """Groups of at least k records that are shown alike; from `table` on changed in place. Few arrays: they are compiled sooner."""

    sums: Ints
    """The sum of a record over all keys, and how it changes if each is suppressed: records × (1 + keys)."""
    cost: Floats
    """What a pattern costs; ascending."""
    ring: Links
    """The next record that is shown alike if a pattern is suppressed, round and round: cheap patterns × records."""
    table: Ints
    """Hash table of the groups by name: open addressing, linear probing."""
    patterns: Ints
    """How many groups a pattern has, and its keys, filled up with NONE: patterns × (1 + keys); pattern 0 has none."""
    groups: Ints
    records: Ints
    log: Ints
    """Records that have moved since the last decision and the groups they came from: moves × 2."""
    now: Ints


@njit(cache=True)
def _mixed(h: Any) -> Any:
    """Spread 64 bits over all 64 bits (finaliser of MurmurHash3, public domain)."""
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@njit(cache=True)
def _shown(sums: Ints, patterns: Ints, i: int, p: int) -> int:
    """What is shown of a record if a pattern is suppressed."""
    out = sums[i, 0]
    for t in range(1, patterns.shape[1]):
        if patterns[p, t] < 0:
            break
        out += sums[i, 1 + patterns[p, t]]
    return int(out)


@njit(cache=True)
def _slot(table: Ints, names: Ints, name: int) -> Any:
    """The slot of a name, empty where it is not in the table."""
    mask = np.uint64(len(table) - 1)
    slot = _mixed(np.uint64(name)) & mask
    while table[slot] >= 0 and names[table[slot], NAME] != name:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def cheapest(s: Groups, i: int, start: int, below: float) -> Any:
    """The first pattern from that one on, by cost, under which a record would be in a group that has members; and the group.

    Where none costs less than that, the group is NONE.
    """
    sums, cost, table, patterns, groups = s.sums, s.cost, s.table, s.patterns, s.groups
    p, g = start, NONE
    while p < len(cost) and cost[p] < below:
        if patterns[p, 0] > 0:
            g = table[_slot(table, groups, _shown(sums, patterns, i, p))]
            if g >= 0 and groups[g, SIZE] > 0:
                break
            g = NONE
        p += 1
    s.now[STEPS] -= p - start + 1
    return p, g


@njit(cache=True)
def would_join(s: Groups, i: int, p: int) -> int:
    """The group in which a record would be if a pattern were suppressed; NONE where it has no members."""
    s.now[STEPS] -= 1
    if s.patterns[p, 0] == 0:
        return NONE
    g = s.table[_slot(s.table, s.groups, _shown(s.sums, s.patterns, i, p))]
    return int(g) if g >= 0 and s.groups[g, SIZE] > 0 else NONE


@njit(cache=True)
def named(s: Groups, i: int, p: int) -> int:
    """That group, made if need be."""
    name = _shown(s.sums, s.patterns, i, p)
    slot = _slot(s.table, s.groups, name)
    if s.table[slot] < 0:
        g = s.now[GROUPS]
        s.now[GROUPS] += 1
        s.table[slot] = g
        s.groups[g, NAME], s.groups[g, PATTERN], s.groups[g, SIZE], s.groups[g, FIRST] = name, p, 0, NONE
    return int(s.table[slot])


@njit(cache=True)
def _relink(s: Groups, i: int, g: int) -> None:
    """Take a record out of its group, if it has one, and put it into another."""
    groups, records, patterns = s.groups, s.records, s.patterns
    was, b, a = records[i, GROUP], records[i, BEFORE], records[i, AFTER]
    if was >= 0:
        if b >= 0:
            records[b, AFTER] = a
        else:
            groups[was, FIRST] = a
        if a >= 0:
            records[a, BEFORE] = b
        groups[was, SIZE] -= 1
        patterns[groups[was, PATTERN], 0] -= groups[was, SIZE] == 0
    first = groups[g, FIRST]
    records[i, GROUP], records[i, BEFORE], records[i, AFTER] = g, NONE, first
    if first >= 0:
        records[first, BEFORE] = i
    groups[g, FIRST] = i
    patterns[groups[g, PATTERN], 0] += groups[g, SIZE] == 0
    groups[g, SIZE] += 1


@njit(cache=True)
def put(s: Groups, i: int, g: int) -> float:
    """Move a record and write it down; what that costs."""
    was, written = s.records[i, GROUP], s.now[WRITTEN]
    s.log[written, 0], s.log[written, 1] = i, was
    s.now[WRITTEN] = written + 1
    _relink(s, i, g)
    return float(s.cost[s.groups[g, PATTERN]] - s.cost[s.groups[was, PATTERN]])


@njit(cache=True)
def back(s: Groups, written: int, groups: int) -> None:
    """Take all moves back but the first so many, and forget the groups that were made since, the last first."""
    while s.now[WRITTEN] > written:
        s.now[WRITTEN] -= 1
        _relink(s, s.log[s.now[WRITTEN], 0], s.log[s.now[WRITTEN], 1])
    while s.now[GROUPS] > groups:
        s.now[GROUPS] -= 1
        s.table[_slot(s.table, s.groups, s.groups[s.now[GROUPS], NAME])] = NONE


@njit(cache=True)
def full(s: Groups) -> bool:
    """No room to write down what another record may need."""
    k = s.now[K]
    return bool(s.now[WRITTEN] + 2 * k + 4 > len(s.log) or s.now[GROUPS] + k + 4 > len(s.groups))


# -- at the start ------------------------------------------------------------------------------------------------------


class Shown(NamedTuple):
    """Records, and the patterns of which each has one."""

    whole: Sums
    """The sum of a record over all keys."""
    change: Sums
    """How it changes if a key is suppressed: records × keys."""
    keys: Ints
    """The keys of every pattern, filled up with NONE: patterns × keys."""
    cost: Floats
    """What a pattern costs; ascending, pattern 0 nothing."""
    mask: Ints
    """The pattern of every record."""
    held: Bools
    """Records that stay where they are."""


def grouped(given: Shown, k: int, steps: int) -> Groups:
    """The records in groups as they are shown; all groups have k members at least. So many steps may be taken."""
    n, most = len(given.whole), len(given.whole) + 8 * k + 64
    dearest = int(np.searchsorted(given.cost, given.cost[given.mask].max(initial=0.0), "right"))
    records = np.full((n, 4), NONE)
    records[:, HELD] = given.held
    out = Groups(
        np.column_stack([given.whole, given.change]).view(np.int64),
        given.cost,
        np.empty((min(dearest, max(FEWEST_RINGS, min(MOST_RINGS, LINKS // max(n, 1)))), n), np.int32),
        np.full(1 << int(2 * most).bit_length(), NONE),
        np.column_stack([np.zeros(len(given.keys), np.int64), given.keys]),
        np.zeros((most, 4), np.int64),
        records,
        np.empty((WRITTEN_DOWN, 2), np.int64),
        np.array([0, 0, k, steps, max(64, 4 * k)]),
    )
    _start(out, given.mask)
    return out


@njit(cache=True)
def _start(s: Groups, mask: Ints) -> None:
    """Put every record into its group, and link those that are shown alike under a cheap pattern."""
    for i in range(len(mask)):
        _relink(s, i, named(s, i, mask[i]))
    sums, patterns, ring = s.sums, s.patterns, s.ring
    names, seen = np.empty((len(mask), 1), np.int64), np.empty(len(s.table), np.int64)
    for p in range(len(ring)):
        seen[:] = NONE
        for i in range(len(mask)):
            names[i, NAME] = _shown(sums, patterns, i, p)
            last = _slot(seen, names, names[i, NAME])
            j = seen[last]
            if j >= 0:
                ring[p, i], ring[p, j] = ring[p, j], i
            else:
                ring[p, i] = i
            seen[last] = i
