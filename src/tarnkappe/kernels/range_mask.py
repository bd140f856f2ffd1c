"""Masking small values of a tree by ranges: primary, looking up, looking down (Schenker 2019).

Nodes are rows; a parent stands before its children. A masked node has an interval that holds its value. In the safe mode
intervals are mirror images of what they protect (`safe`); in the compat mode they are centred on the value (`compat`), as the
published macro does it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAR = 2**60
"""Stands for no bound; sums of a few of them still fit."""


class Tree(NamedTuple):
    """A forest: children of a node are a chain that starts at `first` and goes on by `after`; -1 ends it."""

    parent: Ints
    first: Ints
    after: Ints
    depth: Ints


class Nodes(NamedTuple):
    """What the masking looks at."""

    value: Ints
    floor: Ints
    ceiling: Ints
    """An added mask must stay within these."""
    free: Bools
    """May be masked to protect a sibling or a parent."""
    fixed: Bools
    """Must stay open whatever happens."""
    rank: Floats
    """Of several candidates the one with the highest rank is taken, of equals the first."""


class Masks(NamedTuple):
    """The result, and the working state. A node is masked when its phase is not 0."""

    low: Ints
    high: Ints
    phase: NDArray[np.int8]
    group: Ints
    """The node whose children a mask protects; -1 for phase 1."""
    failed: Bools
    """Nodes whose group could not be made safe."""


class Room(NamedTuple):
    """How far an unmasked node can be stretched, its subtree going along; -1 where not at all."""

    chain_down: Ints
    chain_up: Ints
    """Along one way down to a leaf."""
    most_down: Ints
    most_up: Ints
    """No way reaches farther."""


@njit(cache=True)
def tree_of(parent: Ints) -> Tree:
    """Chains of children in the order of their rows. Parents must stand before their children."""
    n = len(parent)
    first, after, depth = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.zeros(n, np.int64)
    for i in range(n - 1, -1, -1):
        if parent[i] >= 0:
            after[i] = first[parent[i]]
            first[parent[i]] = i
    for i in range(n):
        if parent[i] >= 0:
            depth[i] = depth[parent[i]] + 1
    return Tree(parent, first, after, depth)


@njit(cache=True)
def start(value: Ints, primary: Bools, low: Ints, high: Ints) -> Masks:
    n = len(value)
    masks = Masks(
        np.where(primary, low, value), np.where(primary, high, value), np.zeros(n, np.int8), np.full(n, -1, np.int64),
        np.zeros(n, np.bool_),
    )  # fmt: skip
    masks.phase[:] = primary
    return masks


# -- as published ---------------------------------------------------------------------------------------------------


@njit(cache=True)
def compat(tree: Tree, nodes: Nodes, primary: Bools, low: int, high: int) -> Masks:
    """Exactly what the published macro does; not safe.

    A node is crackable when it is the only masked child of an open parent; one sibling is masked for it, or the parent. Added
    masks are centred on the value, half the width of the primary ones to each side, rounded outward.
    """
    n = len(nodes.value)
    masks = start(nodes.value, primary, np.full(n, low), np.full(n, high))
    for p in range(n - 1, -1, -1):
        if masks.phase[p] == 0 and _masked_children(tree, masks, p) == 1:
            chosen = _partner(tree, nodes, masks, p, p)
            masks.failed[p] = nodes.fixed[chosen]
            if not masks.failed[p]:
                _centred(nodes, masks, chosen, 2, p, low, high)
    for p in range(n):
        if masks.phase[p] != 0 and tree.first[p] >= 0 and _masked_children(tree, masks, p) == 0:
            chosen = _partner(tree, nodes, masks, p, -1)
            if chosen >= 0:
                _centred(nodes, masks, chosen, 3, masks.group[p], low, high)
    return masks


@njit(cache=True)
def _masked_children(tree: Tree, masks: Masks, p: int) -> int:
    count = 0
    c = tree.first[p]
    while c >= 0:
        count += masks.phase[c] != 0
        c = tree.after[c]
    return count


@njit(cache=True)
def _partner(tree: Tree, nodes: Nodes, masks: Masks, p: int, otherwise: int) -> int:
    best = -1
    c = tree.first[p]
    while c >= 0:
        if masks.phase[c] == 0 and nodes.free[c] and (best < 0 or nodes.rank[c] > nodes.rank[best]):
            best = c
        c = tree.after[c]
    return best if best >= 0 else otherwise


@njit(cache=True)
def _centred(nodes: Nodes, masks: Masks, c: int, phase: int, group: int, low: int, high: int) -> None:
    value, half = nodes.value[c], (high - low + 1) // 2
    inside = low <= value <= high
    masks.low[c] = low if inside else max(value - half, 0)
    masks.high[c] = high if inside else value + half
    masks.phase[c], masks.group[c] = phase, group


# -- safe -----------------------------------------------------------------------------------------------------------


@njit(cache=True)
def safe(tree: Tree, nodes: Nodes, primary: Bools, low: Ints, high: Ints) -> Masks:
    """Mask so that whoever knows the published table finds for every masked primary node its whole interval.

    For the masked children of a node let T be the sum of their values, L and U the sums of their lower and upper ends and w
    the largest width. Under an open parent they are safe if and only if T - L >= w and U - T >= w. What is missing is given
    to one sibling, or the parent is masked. (Specification 9.1 and 9.2.)
    """
    masks = start(nodes.value, primary, low, high)
    n = len(nodes.value)
    room = Room(
        np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    )
    for p in range(n - 1, -1, -1):
        if tree.first[p] >= 0:
            _look_up(tree, nodes, masks, room, p)
        if nodes.free[p] and masks.phase[p] == 0:
            measure(tree, nodes, masks, room, p)
    for p in range(n):
        if masks.phase[p] != 0 and tree.first[p] >= 0:
            _look_down(tree, nodes, masks, room, p)
    for p in range(n):
        if masks.phase[p] != 0 and tree.first[p] >= 0:
            _widen(tree, nodes, masks, p)
    return masks


@njit(cache=True)
def sums_below(tree: Tree, nodes: Nodes, masks: Masks, p: int) -> tuple[int, int, int, int, int]:
    """Of the children: the open sum; of the masked ones: lower ends, upper ends, values, largest width (-1: none)."""
    shown, low, high, value, widest = 0, 0, 0, 0, -1
    c = tree.first[p]
    while c >= 0:
        if masks.phase[c] == 0:
            shown += nodes.value[c]
        else:
            low += masks.low[c]
            high += masks.high[c]
            value += nodes.value[c]
            widest = max(widest, masks.high[c] - masks.low[c])
        c = tree.after[c]
    return shown, low, high, value, widest


@njit(cache=True)
def _look_up(tree: Tree, nodes: Nodes, masks: Masks, room: Room, p: int) -> None:
    shown, low, high, value, widest = sums_below(tree, nodes, masks, p)
    down, up = max(widest - (value - low), 0), max(widest - (high - value), 0)
    if widest >= 0 and masks.phase[p] != 0:  # a primary node with masked children shows what they leave open
        masks.low[p], masks.high[p] = shown + low, shown + high
        return
    if widest < 0 or (down == 0 and up == 0):
        return
    chosen = supporter(tree, nodes, masks, room, p, down, up)
    if chosen >= 0:
        masks.low[chosen], masks.high[chosen] = nodes.value[chosen] - down, nodes.value[chosen] + up
        masks.phase[chosen], masks.group[chosen] = 2, p
    elif nodes.fixed[p]:
        masks.failed[p] = True
    else:
        masks.low[p], masks.high[p] = shown + low, shown + high
        masks.phase[p], masks.group[p] = 2, p


@njit(cache=True)
def _look_down(tree: Tree, nodes: Nodes, masks: Masks, room: Room, p: int) -> None:
    """The children must be able to make up every value of their parent's interval."""
    shown, low, high, _, _ = sums_below(tree, nodes, masks, p)
    down, up = max(shown + low - masks.low[p], 0), max(masks.high[p] - shown - high, 0)
    if down == 0 and up == 0:
        return
    chosen = supporter(tree, nodes, masks, room, p, down, up)
    if chosen < 0:
        masks.failed[p] = True
        return
    masks.low[chosen], masks.high[chosen] = nodes.value[chosen] - down, nodes.value[chosen] + up
    masks.phase[chosen], masks.group[chosen] = 3, masks.group[p] if masks.group[p] >= 0 else p


@njit(cache=True)
def _widen(tree: Tree, nodes: Nodes, masks: Masks, p: int) -> None:
    """Below a masked node show added masks as wide as the published intervals around them allow.

    The end points then depend on what is published, not on the values that led to them. Wider is never less safe.
    """
    shown, low, high, _, _ = sums_below(tree, nodes, masks, p)
    c = tree.first[p]
    while c >= 0:
        if masks.phase[c] == 3 or (masks.phase[c] == 2 and masks.group[c] == p):
            was_low, was_high = masks.low[c], masks.high[c]
            lowest = max(masks.low[p] - shown - (high - was_high), nodes.floor[c])
            highest = min(masks.high[p] - shown - (low - was_low), nodes.ceiling[c])
            masks.low[c], masks.high[c] = min(was_low, lowest), max(was_high, highest)
        c = tree.after[c]


@njit(cache=True)
def supporter(tree: Tree, nodes: Nodes, masks: Masks, room: Room, p: int, down: int, up: int) -> int:
    """The best child that can be stretched by so much; -1 if none can."""
    best = -1
    c = tree.first[p]
    while c >= 0:
        better = best < 0 or nodes.rank[c] > nodes.rank[best]
        if (
            better
            and masks.phase[c] == 0
            and nodes.free[c]
            and supports(tree, nodes, masks, room, c, down, up)
        ):
            best = c
        c = tree.after[c]
    return best


@njit(cache=True)
def supports(tree: Tree, nodes: Nodes, masks: Masks, room: Room, c: int, down: int, up: int) -> bool:
    """Whether a node can be stretched: a leaf with room, or its masked children span it, or one open child takes the rest."""
    waiting = [(c, down, up)]
    while len(waiting) > 0:
        c, down, up = waiting.pop()
        if down <= room.chain_down[c] and up <= room.chain_up[c]:
            return True
        if down > room.most_down[c] or up > room.most_up[c]:
            continue
        _, low, high, value, _ = sums_below(tree, nodes, masks, c)
        down, up = max(down - (value - low), 0), max(up - (high - value), 0)
        if down == 0 and up == 0:
            return True
        k = tree.first[c]
        while k >= 0:
            if masks.phase[k] == 0 and nodes.free[k]:
                waiting.append((k, down, up))
            k = tree.after[k]
    return False


@njit(cache=True)
def measure(tree: Tree, nodes: Nodes, masks: Masks, room: Room, c: int) -> None:
    """Room of a node from the room of its children."""
    down, up = nodes.value[c] - nodes.floor[c], nodes.ceiling[c] - nodes.value[c]
    if down < 0 or up < 0:
        return
    if tree.first[c] < 0:
        room.chain_down[c], room.chain_up[c], room.most_down[c], room.most_up[c] = down, up, down, up
        return
    _, low, high, value, _ = sums_below(tree, nodes, masks, c)
    best, most_down, most_up = -1, 0, 0
    k = tree.first[c]
    while k >= 0:
        if masks.phase[k] == 0:
            most_down, most_up = max(most_down, room.most_down[k]), max(most_up, room.most_up[k])
            if room.chain_down[k] >= 0 and (best < 0 or room.chain_down[k] > room.chain_down[best]):
                best = k
        k = tree.after[k]
    if best >= 0:
        room.chain_down[c] = min(down, value - low + room.chain_down[best])
        room.chain_up[c] = min(up, high - value + room.chain_up[best])
    room.most_down[c], room.most_up[c] = min(down, value - low + most_down), min(up, high - value + most_up)
