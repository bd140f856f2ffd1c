"""Masking small values of a tree by ranges whose cells and places are drawn, so that many trees lead to the same masks.

Where a mask is a function of the values, whoever runs the program on every tree that fits finds the few that give what is shown.
Here every decision is either a function of what is shown afterwards, or drawn such that it is possible for every tree that
fits. The test of a group is that of `range_mask.safe` (specification of Schenker 2019, 9.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tarnkappe.kernels.range_mask import (
    Bools,
    Floats,
    Ints,
    Masks,
    Nodes,
    Room,
    Tree,
    measure,
    start,
    sums_below,
    supporter,
    supports,
)

MORE = 0.25
"""How often a group is masked further that need not be: otherwise a further mask would say that it had to be."""
HIGHER = 0.3
"""How often the parent is masked where only some values of the small ones let a child be."""
UNPLANNED = -2


class Draws(NamedTuple):
    """Numbers in [0, 1) from the secret, one of each for every node."""

    more: Floats
    higher: Floats
    below: Floats
    above: Floats
    """Where the range of an added mask begins and ends."""


class _Plan(NamedTuple):
    """What is to be masked besides, before it is known which sums are masked from above."""

    child: Ints
    """For every group under an open parent the child that is masked; -1: none."""
    low: Ints
    high: Ints
    """Its range, by group."""
    below: Ints
    """For a stretched node the child that is stretched with it; -1: none."""
    least: Ints
    most: Ints
    """How far a stretched node may be shown."""


class _Work(NamedTuple):
    tree: Tree
    nodes: Nodes
    masks: Masks
    room: Room
    plan: _Plan
    draws: Draws


@njit(cache=True)
def drawn(tree: Tree, nodes: Nodes, primary: Bools, low: Ints, high: Ints, draws: Draws) -> Masks:
    """Mask so that whoever knows the published tree finds for every masked primary node its whole interval.

    Groups are planned from below; then masks are set from above, because below a node that is masked for others its own plan
    would tell its value.
    """
    n = len(nodes.value)
    masks = start(nodes.value, primary, low, high)
    room = Room(
        np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    )
    plan = _Plan(
        np.full(n, -1, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64), np.full(n, UNPLANNED, np.int64),
        np.zeros(n, np.int64), np.zeros(n, np.int64),
    )  # fmt: skip
    work = _Work(tree, nodes, masks, room, plan, draws)
    for p in range(n - 1, -1, -1):
        if tree.first[p] >= 0:
            _plan_group(work, p)
        if nodes.free[p] and masks.phase[p] == 0:
            measure(tree, nodes, masks, room, p)
    for p in range(n):
        if tree.first[p] >= 0 and masks.phase[p] != 0:
            _look_down(work, p)
        elif plan.child[p] >= 0:
            c = plan.child[p]
            masks.low[c], masks.high[c], masks.phase[c], masks.group[c] = plan.low[p], plan.high[p], 2, p
    return masks


@njit(cache=True)
def _plan_group(work: _Work, p: int) -> None:
    """A child to be masked under an open parent, or the parent."""
    tree, nodes, masks, room, plan, draws = work
    shown, low, high, value, widest = sums_below(tree, nodes, masks, p)
    if widest < 0:
        return
    down, up = max(widest - (value - low), 0), max(widest - (high - value), 0)
    needed = down > 0 or up > 0
    if masks.phase[p] == 0:
        if not needed and draws.more[p] >= MORE:
            return
        chosen = supporter(tree, nodes, masks, room, p, down, up)
        low_enough = nodes.fixed[p] or draws.higher[p] >= HIGHER or _sure(work, p, widest)
        if chosen >= 0 and low_enough and _place(work, p, chosen, down, up):
            return
        if not needed:
            return
        if nodes.fixed[p]:
            masks.failed[p] = True
            return
        masks.phase[p], masks.group[p] = 2, p
    # What is masked below leaves this open, whatever the hidden values are.
    masks.low[p], masks.high[p], plan.below[p] = shown + low, shown + high, -1


@njit(cache=True)
def _sure(work: _Work, p: int, widest: int) -> bool:
    """Whether some child has room enough whatever the masked values are."""
    tree, nodes, masks, _, plan, _ = work
    c = tree.first[p]
    while c >= 0:
        fits = nodes.value[c] - widest >= nodes.floor[c] and nodes.value[c] + widest <= nodes.ceiling[c]
        may_be = fits and masks.phase[c] == 0 and nodes.free[c]
        # What is planned below an inner node is hidden too.
        if may_be and (tree.first[c] < 0 or _roomy(work, c, widest, plan.child[c])):
            return True
        c = tree.after[c]
    return False


@njit(cache=True)
def _roomy(work: _Work, p: int, widest: int, but: int) -> bool:
    """Whether an open child other than one can be stretched so far both ways."""
    tree, nodes, masks, room, _, _ = work
    c = tree.first[p]
    while c >= 0:
        counts = c != but and masks.phase[c] == 0 and nodes.free[c]
        if counts and supports(tree, nodes, masks, room, c, widest, widest):
            return True
        c = tree.after[c]
    return False


@njit(cache=True)
def _place(work: _Work, p: int, c: int, down: int, up: int) -> bool:
    """Draw the range of a masked child: every value that the masked ones could have is as possible a place as the true one.

    Let S be the masked values and that of the child together, which the parent tells. The range is S less what is said of the
    masked values: from at most U - w to at least L + w, the true sum T between.
    """
    tree, nodes, masks, _, plan, draws = work
    _, low, high, value, widest = sums_below(tree, nodes, masks, p)
    wide = _chain(work, c, down, up)
    if wide < 0:
        return False
    both, least, most = value + nodes.value[c], plan.least[c], plan.most[c]
    first_from, first_to = max(low, both - most), min(value, high - widest, both - least - wide)
    last_from, last_to = max(value, low + widest, both - most + wide), min(high, both - least)
    if first_to < first_from or last_to < last_from:
        return False
    first = first_to - int(draws.above[p] ** 2 * (first_to - first_from + 1))
    last = last_from + int(draws.below[p] ** 2 * (last_to - last_from + 1))
    if first < last:
        plan.child[p], plan.low[p], plan.high[p] = c, both - last, both - first
    return True


@njit(cache=True)
def _chain(work: _Work, c: int, down: int, up: int) -> int:
    """Plan which nodes below are stretched with a node, and how far they can be; return the width that it needs, -1: impossible."""
    tree, nodes, masks, room, plan, draws = work
    node = c
    wide = 0
    while True:
        plan.below[node] = -1
        plan.least[node], plan.most[node] = nodes.floor[node], nodes.ceiling[node]
        if tree.first[node] < 0:
            break
        shown, low, high, value, widest = sums_below(tree, nodes, masks, node)
        down, up = max(down - (value - low), 0), max(up - (high - value), 0)
        spanned = widest >= 0 and down == 0 and up == 0
        chosen = -1
        if not spanned or draws.more[node] < MORE:
            chosen = supporter(tree, nodes, masks, room, node, down, up)
        if chosen < 0:
            if not spanned or not _roomy(work, node, widest, -1):
                return -1
            plan.least[node] = max(nodes.floor[node], shown + low)
            plan.most[node] = min(nodes.ceiling[node], shown + high)
            wide = widest
            break
        plan.below[node] = chosen
        node = chosen
    while node != c:
        above = tree.parent[node]
        shown, low, high, _, widest = sums_below(tree, nodes, masks, above)
        shown -= nodes.value[node]
        if widest >= 0 and not _roomy(work, above, widest, node):
            # Or this group would have had to mask its sum for some of the values that are shown.
            plan.least[node] += widest
            plan.most[node] -= widest
        if nodes.value[node] < plan.least[node] or nodes.value[node] > plan.most[node]:
            return -1
        plan.least[above] = max(nodes.floor[above], plan.least[node] + shown + low)
        plan.most[above] = min(nodes.ceiling[above], plan.most[node] + shown + high)
        wide = max(wide, widest)
        node = above
    return wide


@njit(cache=True)
def _look_down(work: _Work, p: int) -> None:
    """The children of a masked node: the stretched one gets the widest range that the published ranges around it allow."""
    tree, nodes, masks, room, plan, _ = work
    shown, low, high, _, _ = sums_below(tree, nodes, masks, p)
    if plan.below[p] == UNPLANNED:  # masked by a rule
        down, up = max(shown + low - masks.low[p], 0), max(masks.high[p] - shown - high, 0)
        if down == 0 and up == 0:
            return
        plan.below[p] = supporter(tree, nodes, masks, room, p, down, up)
        if plan.below[p] < 0 or _chain(work, plan.below[p], down, up) < 0:
            masks.failed[p] = True
            return
    c = plan.below[p]
    if c < 0:
        return
    shown -= nodes.value[c]
    masks.low[c] = max(masks.low[p] - shown - high, plan.least[c])
    masks.high[c] = min(masks.high[p] - shown - low, plan.most[c])
    masks.phase[c], masks.group[c] = 3, masks.group[p] if masks.group[p] >= 0 else p
