"""Tables for tests of the Quader method: from a grid of values, and drawn at random."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.tabulate import flat
from tarnkappe.language import Text

RULE = Text("rule", "Regel")


def grid(rows, columns, values, counts=None, keep_zeros=False):
    """A two-dimensional table; the last row and column are totals; None is an empty cell."""
    h = flat("row", rows[:-1]), flat("column", columns[:-1])
    cells, value, count = [], [], []
    for r in range(len(rows)):
        for c in range(len(columns)):
            v = values[r][c]
            if v is not None and (v != 0 or keep_zeros):
                cells.append(((r + 1) % len(rows), (c + 1) % len(columns)))
                value.append(v)
                count.append(counts[r][c] if counts else 3)
    parts = None
    if counts:
        count = np.array(count)
        who = np.where(count == 1, np.arange(len(count)), -1)[:, None]
        parts = Contributions(count, np.array(value, dtype=float)[:, None] * (count == 1)[:, None], who)
    return Table("t", h, np.array(cells, dtype=np.int32), np.array(value, dtype=float), parts)


def at(table, *codes):
    """The row of a cell given by its codes."""
    node = [int(h.positions([c])[0]) for h, c in zip(table.dimensions, codes, strict=True)]
    return int(table.find(np.array([node], dtype=np.int32))[0])


def primary(table, cells, lower=0.0, upper=0.0, **fields):
    marked = np.zeros(len(table), dtype=bool)
    marked[cells] = True
    return Pattern(table, **fields).marked(
        Sensitivity(marked, np.where(marked, lower, 0.0), np.where(marked, upper, 0.0), RULE)
    )


def names(table, cells):
    return {table.spelt(int(c)) for c in np.flatnonzero(cells)}


def random_tree(rng, name, depth, most):
    """A ragged tree."""
    codes, parent, layer = ["T"], [-1], [0]
    for level in range(depth):
        below = []
        for node in layer:
            if level and rng.random() < 0.25:
                continue
            for k in range(rng.integers(1 if level else 2, most + 1)):
                codes.append(f"{codes[node] if node else name}{k}")
                parent.append(node)
                below.append(len(codes) - 1)
        layer = below
    return Hierarchy(name, np.array(codes, dtype=object), np.array(parent))


def random_pattern(seed, *, dimensions=None, most=3, records=24, owners=False):
    """Skewed values, gaps, zeros, sometimes negatives; a rule marks dominated cells, by owner where there are owners."""
    rng = np.random.default_rng(seed)
    n = dimensions or int(rng.integers(2, 4))
    depth = [int(rng.integers(1, (5, 3, 2, 2)[n - 2])) for _ in range(n)]
    trees = [random_tree(rng, "abcde"[j], d, most if n < 4 else 3) for j, d in enumerate(depth)]
    records = int(rng.integers(min(6, records - 2), records if n < 4 else min(records, 11)))
    leaf = np.stack([rng.choice(np.flatnonzero(h.is_leaf), records) for h in trees], axis=1)
    value = np.round(rng.lognormal(3, 1.6, records)) + (rng.random(records) < 0.9)
    if rng.random() < 0.2:
        value *= rng.choice([-1, 1], records, p=[0.2, 0.8])
    owner = rng.integers(0, max(records // 2, 1), records) if owners else None
    return pattern_of(trees, leaf, value, rng, owner)


def _contributions(parts, keys, unit):
    """The two largest units of every cell; a unit is a record, or all records of one owner."""
    count, largest, who = [], [], []
    for key in keys:
        sizes = {}
        for size, person in parts[key]:
            sizes[unit(person)] = sizes.get(unit(person), 0.0) + size
        best = sorted(((size, one) for one, size in sizes.items()), reverse=True)[:2]
        best += [(0.0, -1)] * (2 - len(best))
        count.append(len(sizes))
        largest.append([size for size, _ in best])
        who.append([one for _, one in best])
    return np.array(count), np.array(largest), np.array(who)


def pattern_of(trees, leaf, value, rng, owner=None):
    sums, parts = {}, {}
    for person, (nodes, v) in enumerate(zip(leaf, value, strict=True)):
        chains = []
        for h, node in zip(trees, nodes, strict=True):
            chain = [int(node)]
            while chain[-1]:
                chain.append(int(h.parent[chain[-1]]))
            chains.append(chain)
        for cell in np.stack(np.meshgrid(*chains, indexing="ij"), -1).reshape(-1, len(trees)).tolist():
            sums[tuple(cell)] = sums.get(tuple(cell), 0.0) + v
            parts.setdefault(tuple(cell), []).append((abs(v), person))
    keys = sorted(sums)
    total = np.array([sums[k] for k in keys])
    signed = bool((value < 0).any())
    size = np.array([sum(a for a, _ in parts[k]) for k in keys])
    by_record, by_owner = (
        Contributions(*_contributions(parts, keys, unit), size if signed else None)
        for unit in (int, (lambda person: int(owner[person])) if owner is not None else int)
    )
    one, two = by_owner.largest.T
    owners = None if owner is None else by_owner
    table = Table("t", tuple(trees), np.array(keys, dtype=np.int32), total, by_record, owners)
    level = 0.2 * one - (size - one - two)
    prime = (level > 0) & (one > 0)
    upper = np.where(prime, np.maximum(level, 1e-3 * one), 0.0)
    lower = upper if signed else np.minimum(upper, total)
    mark = np.where(~prime & (rng.random(len(keys)) < 0.05), np.uint8(Mark.KEEP), np.uint8(0))
    return Pattern(table, mark=mark).marked(Sensitivity(prime, lower, upper, RULE))
