"""The cheapest cuboid through a cell, found by trying every combination of siblings."""

from __future__ import annotations

import itertools

import numpy as np


def siblings(parent, node):
    leaves = set(range(len(parent))) - set(parent.tolist())
    return [n for n in sorted(leaves) if parent[n] == parent[node] and n != node]


def cheapest(table, state, cell, far, cheaper):
    """(cost, corners with their signs) of the cheapest way to move a cell by `far`; None where there is none."""
    row = {tuple(nodes): i for i, nodes in enumerate(table.cells.tolist())}
    own = table.cells[cell].tolist()
    partners = [siblings(h.parent, n) for h, n in zip(table.dimensions, own, strict=True)]
    best = None
    for others in itertools.product(*partners):
        corners = [
            (row.get(tuple(o if flip else n for n, o, flip in zip(own, others, flips, strict=True))), (-1) ** sum(flips))
            for flips in itertools.product((0, 1), repeat=len(own))
        ]  # fmt: skip
        if any(r is None for r, _ in corners):
            continue
        price = 0.0
        for r, sign in corners[1:]:
            to = state.value[r] + sign * far
            beyond = max(to - state.high[r], state.low[r] - to, 0.0)
            if beyond > 0 and not state.least[r] <= to <= state.most[r]:
                price = np.inf
            elif beyond > 0:
                price += beyond * state.cost[r] * (cheaper if state.high[r] > state.low[r] else 1.0)
        if np.isfinite(price) and (best is None or price < best[0]):
            best = price, corners
    return best
