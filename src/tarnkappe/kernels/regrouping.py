"""Groups of records that are shown alike, rearranged one small change after the other until none makes them cheaper.

Every change is tried in place and written down; what does not lower the cost is taken back. The search ends after so many steps,
never after a time, so that the result is the same on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.shown_groups import (
    AFTER,
    FIRST,
    GROUP,
    GROUPS,
    HELD,
    LOOKED_AT,
    NONE,
    PATTERN,
    SIZE,
    STEPS,
    WRITTEN,
    Groups,
    K,
    Shown,
    back,
    cheapest,
    full,
    grouped,
    named,
    put,
    would_join,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST = 32
"""Larger groups are not closed: too many records would have to find a place."""
ASKED = 16
"""So many members of a group are asked whether they have a cheaper place."""
TINY = 1e-9
"""Share of the cheapest cell by which a change must lower the cost: less may be rounding."""
BROKEN = 0.5
"""Share of its cost that taking a record out of a group of k seems to save: the group must be mended."""
BEST, TRIAL, LOST_ONE = range(3)
"""Rows of `Room.records`: company for a record, company that is being looked for, and groups that have lost a member."""


class Room(NamedTuple):
    """Space for records that might make a new group, the best first, and for what each would lose."""

    records: Ints
    loss: Floats


def rearranged(given: Shown, k: int, steps: int) -> Ints:
    """The patterns of the records after change upon change, until none lowers the cost or no steps are left."""
    s = grouped(given, k, steps)
    _rearrange(s, Room(np.zeros((3, k + 1), np.int64), np.zeros(k + 1)))
    out: Ints = s.groups[s.records[:, GROUP], PATTERN]
    return out


# -- one record --------------------------------------------------------------------------------------------------------


@njit(cache=True)
def _price(s: Groups, g: int) -> float:
    """What a member of a group costs."""
    return float(s.cost[s.groups[g, PATTERN]])


@njit(cache=True)
def _cheaper_place(s: Groups, i: int, below: float, but: int) -> int:
    """The cheapest group that a record could join as things are; NONE where none costs less than that."""
    p, g = cheapest(s, i, 0, below)
    while g >= 0 and (g in (but, s.records[i, GROUP]) or s.groups[g, SIZE] < s.now[K]):
        p, g = cheapest(s, i, p + 1, below)
    return int(g)


@njit(cache=True)
def _release(s: Groups, g: int, but: int) -> float:
    """Let the member of a group of more than k that gains most go to a cheaper place; what that costs."""
    if s.groups[g, PATTERN] == 0 or s.groups[g, SIZE] <= s.now[K]:
        return 0.0
    best, to, cost, i, asked = NONE, NONE, _price(s, g), s.groups[g, FIRST], 0
    while i >= 0 and asked < ASKED and cost > 0:
        if not s.records[i, HELD]:
            h = _cheaper_place(s, i, cost, but)
            if h >= 0:
                best, to, cost = i, h, _price(s, h)
        i = s.records[i, AFTER]
        asked += 1
    return put(s, best, to) if best >= 0 else 0.0


@njit(cache=True)
def _kept(room: Room, count: int, most: int, i: int, loss: float) -> int:
    """Keep a record if it is among the best so far; how many there are now."""
    if count == most and loss >= room.loss[most - 1]:
        return count
    t = count if count < most else most - 1
    while t > 0 and room.loss[t - 1] > loss:
        room.loss[t], room.records[TRIAL, t] = room.loss[t - 1], room.records[TRIAL, t - 1]
        t -= 1
    room.loss[t], room.records[TRIAL, t] = loss, i
    return min(count + 1, most)


@njit(cache=True)
def _chosen(room: Room) -> None:
    """Write down those that are kept: the next search goes on with others."""
    for t in range(room.records.shape[1]):
        room.records[BEST, t] = room.records[TRIAL, t]


@njit(cache=True)
def _can_spare(room: Room, records: Ints, count: int, i: int, g: int, surplus: int) -> bool:
    """A group has a surplus also without a record and those that are kept."""
    surplus -= records[i, GROUP] == g
    for t in range(count):
        surplus -= records[room.records[TRIAL, t], GROUP] == g
    return surplus > 0


@njit(cache=True)
def _company(s: Groups, room: Room, i: int, p: int, homeless: bool) -> float:  # noqa: FBT001 - compiled
    """What k - 1 others lose that would make a new group with a record; inf where there are too few.

    Members of groups that have more than k can come. Where the own group is closed its members come for nothing, and those of
    groups that are too small, since they need a place anyway.
    """
    k, groups, records, cost, ring = s.now[K], s.groups, s.records, s.cost, s.ring
    count, walked, j = 0, 0, ring[p, i]
    while j != i and walked < s.now[LOOKED_AT]:
        walked += 1
        g = records[j, GROUP]
        if not records[j, HELD]:
            if homeless and (g == records[i, GROUP] or groups[g, SIZE] < k):
                count = _kept(room, count, k - 1, j, 0.0)
            elif groups[g, SIZE] > k and _can_spare(room, records, count, i, g, groups[g, SIZE] - k):
                count = _kept(room, count, k - 1, j, cost[p] - cost[groups[g, PATTERN]])
        j = ring[p, j]
    s.now[STEPS] -= walked
    if count < k - 1:
        return np.inf
    loss = 0.0
    for t in range(count):
        loss += room.loss[t]
    return loss


@njit(cache=True)
def _together(s: Groups, room: Room, i: int, p: int) -> float:
    """Make a new group of a record and its company; what that costs."""
    g = named(s, i, p)
    change = put(s, i, g)
    for t in range(s.now[K] - 1):
        change += put(s, room.records[BEST, t], g)
    return change


@njit(cache=True)
def _housed(s: Groups, room: Room, i: int, budget: float, homeless: bool) -> float:  # noqa: FBT001 - compiled
    """Find a place for a record where it costs least, less than the budget; what the change costs, inf where there is none.

    It joins a group, which may let another member go, or makes a new one with others.
    """
    own, best, pattern = s.records[i, GROUP], budget, NONE
    to = _cheaper_place(s, i, best, own)
    if to >= 0:
        best = _price(s, to)
    for p in range(1, len(s.ring)):
        if s.cost[p] >= best:
            break
        cost = s.cost[p] + _company(s, room, i, p, homeless)
        if cost < best and would_join(s, i, p) == NONE:
            best, pattern, to = cost, p, NONE
            _chosen(room)
    if full(s) or (to == NONE and pattern == NONE):
        return np.inf
    if to == NONE:
        return _together(s, room, i, pattern)
    change = put(s, i, to)
    return change + _release(s, to, own)


# -- whole groups ------------------------------------------------------------------------------------------------------


@njit(cache=True)
def _closed(s: Groups, room: Room, g: int, below: float) -> float:
    """Find another place for every member of a group; what that costs, inf where it is not below that."""
    change, w = 0.0, _price(s, g)
    while s.groups[g, SIZE] > 0:
        i = s.groups[g, FIRST]
        if s.records[i, HELD]:
            return np.inf
        change += _housed(s, room, i, below - change + s.groups[g, SIZE] * w, homeless=True)
        if change - s.groups[g, SIZE] * w >= below:
            return np.inf
    return change


@njit(cache=True)
def _refilled(s: Groups, g: int, below: float) -> float:
    """Fill a group up to k with members of groups that have more; what that costs, inf where it is not below that."""
    p, change, i = s.groups[g, PATTERN], 0.0, s.groups[g, FIRST]
    if p >= len(s.ring):
        return np.inf
    while s.groups[g, SIZE] < s.now[K]:
        best, dearest, walked, j = NONE, -1.0, 0, s.ring[p, i]
        while j != i and walked < s.now[LOOKED_AT]:
            walked += 1
            h = s.records[j, GROUP]
            if h != g and s.groups[h, SIZE] > s.now[K] and not s.records[j, HELD] and _price(s, h) > dearest:
                best, dearest = j, _price(s, h)
            j = s.ring[p, j]
        s.now[STEPS] -= walked
        if best == NONE or change + s.cost[p] - dearest >= below or full(s):
            return np.inf
        change += put(s, best, g)
    return change


@njit(cache=True)
def _mended(s: Groups, room: Room, g: int, below: float) -> float:
    """Fill a group that is too small, or close it; what the cheaper costs, inf where it is not below that."""
    written, groups = s.now[WRITTEN], s.now[GROUPS]
    filled = _refilled(s, g, below)
    back(s, written, groups)
    closed = _closed(s, room, g, min(below, filled))
    if closed < np.inf or filled == np.inf:
        return closed
    back(s, written, groups)
    return _refilled(s, g, below)


@njit(cache=True)
def _best_company(s: Groups, room: Room, i: int, p: int) -> bool:
    """Whether k - 1 others can make a new group with a record, also out of groups that are then too small; the best of them."""
    k, groups, records, cost, ring = s.now[K], s.groups, s.records, s.cost, s.ring
    count, walked, j = 0, 0, ring[p, i]
    while j != i and walked < s.now[LOOKED_AT]:
        walked += 1
        g = records[j, GROUP]
        if not records[j, HELD] and (groups[g, SIZE] > k or groups[g, PATTERN] != 0):
            free = groups[g, SIZE] > k or g == records[i, GROUP]
            count = _kept(
                room, count, k - 1, j, cost[p] - cost[groups[g, PATTERN]] * (1.0 if free else BROKEN)
            )
        j = ring[p, j]
    s.now[STEPS] -= walked
    _chosen(room)
    return bool(count == k - 1)


@njit(cache=True)
def _gathered(s: Groups, room: Room, i: int, p: int) -> float:
    """Take a record, with others if need be, to the group under another pattern, and mend what was broken; what that costs."""
    g, own, broken = would_join(s, i, p), s.records[i, GROUP], 1
    room.records[LOST_ONE, 0] = own
    if g == own or full(s):
        return np.inf
    if g >= 0:
        change = put(s, i, g)
        change += _release(s, g, own)
    elif _best_company(s, room, i, p):
        for t in range(s.now[K] - 1):
            room.records[LOST_ONE, broken] = s.records[room.records[BEST, t], GROUP]
            broken += 1
        change = _together(s, room, i, p)
    else:
        return np.inf
    return _all_mended(s, room, broken, change)


@njit(cache=True)
def _all_mended(s: Groups, room: Room, broken: int, change: float) -> float:
    """What a change costs with mending the groups that it broke; inf where that is not below 0."""
    k, lost = s.now[K], room.records[LOST_ONE]
    for t in range(broken):
        g = lost[t]
        if 0 < s.groups[g, SIZE] < k:
            hope = 0.0
            for u in range(t + 1, broken):
                hope += s.groups[lost[u], SIZE] * _price(s, lost[u]) if s.groups[lost[u], SIZE] < k else 0.0
            change += _mended(s, room, g, hope - change)
            if change >= hope:
                return np.inf
    for t in range(broken):
        if 0 < s.groups[lost[t], SIZE] < k:
            return np.inf
    return change


# -- rounds ------------------------------------------------------------------------------------------------------------


@njit(cache=True)
def _decided(s: Groups, change: float, groups: int) -> bool:
    """Keep what was changed if that is cheaper, otherwise take it back; there were so many groups before."""
    cheaper = bool(change < -TINY * s.cost[1])
    if not cheaper:
        back(s, 0, groups)
    s.now[WRITTEN] = 0
    return cheaper


@njit(cache=True)
def _surplus(s: Groups, room: Room) -> bool:
    """Members of groups that have more than k look for a cheaper place."""
    gained = False
    for i in range(len(s.records)):
        g, groups = s.records[i, GROUP], s.now[GROUPS]
        spare = s.groups[g, PATTERN] != 0 and s.groups[g, SIZE] > s.now[K] and not s.records[i, HELD]
        if spare and s.now[STEPS] > 0:
            gained |= _decided(s, _housed(s, room, i, _price(s, g), homeless=False), groups)
    return gained


@njit(cache=True)
def _closings(s: Groups, room: Room) -> bool:
    """Groups are closed where all members find cheaper places together."""
    gained = False
    for g in range(s.now[GROUPS]):
        if s.now[STEPS] > 0 and s.groups[g, PATTERN] != 0 and 0 < s.groups[g, SIZE] <= LARGEST:
            groups = s.now[GROUPS]
            gained |= _decided(s, _closed(s, room, g, 0.0), groups)
    return gained


@njit(cache=True)
def _gatherings(s: Groups, room: Room, equal: bool) -> bool:  # noqa: FBT001 - compiled
    """Records make new groups under cheaper patterns, or also under equally dear ones, out of groups of k too."""
    gained = False
    for i in range(len(s.records)):
        for p in range(1, len(s.ring)):
            w, groups = _price(s, s.records[i, GROUP]), s.now[GROUPS]
            if s.now[STEPS] <= 0 or s.records[i, HELD] or s.cost[p] > w or (s.cost[p] == w and not equal):
                break
            gained |= _decided(s, _gathered(s, room, i, p), groups)
    return gained


@njit(cache=True)
def _rearrange(s: Groups, room: Room) -> None:
    """Round upon round, until none helps or no steps are left."""
    gained = True
    while gained and s.now[STEPS] > 0:
        gained = _surplus(s, room)
        gained |= _closings(s, room)
        gained |= _gatherings(s, room, equal=False)
        if not gained:
            gained = _gatherings(s, room, equal=True)
