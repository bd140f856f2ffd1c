"""Sets of tables that share cells, drawn at random, and an attack on what is published of them, written from scratch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import linprog

from tables.quader_tables import pattern_of, random_tree
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern
from tarnkappe.data.pattern_set import PatternSet

SHAPES = (
    (("a", "b"), ("b", "c")),
    (("a", "b"), ("b", "c"), ("c", "a")),
    (("a", "b"), ("a",)),
    (("a", "b"), ("a", "b")),
)
"""A shared margin, a chain of three, a table and its margin, and two hierarchies over the same leaves."""


def other_groups(rng, tree):
    """Another hierarchy over the same leaves."""
    leaves = [str(c) for c in tree.codes[tree.is_leaf]]
    groups = rng.integers(0, 3, len(leaves))
    used = sorted({int(g) for g in groups})
    codes = ["T", *(f"{tree.name}:{g}" for g in used), *leaves]
    parent = [-1, *([0] * len(used)), *(1 + used.index(int(g)) for g in groups)]
    return Hierarchy(tree.name, np.array(codes, dtype=object), np.array(parent))


def random_set(seed, *, keep=0.05):
    """Patterns of linked tables from the same records; some cells must stay open."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    trees = {v: random_tree(rng, v, int(rng.integers(1, 3)), 3) for v in "abc"}
    records = int(rng.integers(12, 30))
    leaf = {v: rng.choice(np.flatnonzero(t.is_leaf), records) for v, t in trees.items()}
    value = np.round(rng.lognormal(3, 1.4, records)) + 1
    patterns = []
    for number, by in enumerate(shape):
        own = dict(trees)
        places = dict(leaf)
        if number and shape[0] == by:
            own["a"] = other_groups(rng, trees["a"])
            places["a"] = own["a"].positions(trees["a"].codes[leaf["a"]])
        pattern = pattern_of([own[v] for v in by], np.stack([places[v] for v in by], 1), value, rng)
        table = replace(pattern.table, name=f"t{number}", source="records")
        patterns.append(replace(pattern, table=table, mark=np.zeros(len(table), np.uint8)))
    over = PatternSet(tuple(patterns))
    kept = (rng.random(len(over)) < keep) & ~over.primary
    marked = [
        replace(p, mark=np.where(kept[n], np.uint8(Mark.KEEP), np.uint8(0)))
        for p, n in zip(patterns, over.tables.numbers, strict=True)
    ]
    return PatternSet(tuple(marked))


# -- an attack that knows nothing of the package but codes and numbers ------------------------------------------------


def named(pattern: Pattern):
    """Every cell of a table: what it covers (variable -> set of leaves, totals left out), and its place."""
    table = pattern.table
    below = []
    for h in table.dimensions:
        sets = {}
        for i in reversed(range(len(h))):
            kids = [k for k in range(len(h)) if h.parent[k] == i]
            sets[i] = (
                frozenset([str(h.codes[i])]) if not kids else frozenset().union(*(sets[k] for k in kids))
            )
        below.append(sets)
    for i, nodes in enumerate(table.cells):
        yield (
            i,
            frozenset(
                (h.name, below[j][int(n)])
                for j, (h, n) in enumerate(zip(table.dimensions, nodes, strict=True))
                if below[j][int(n)] != below[j][0]
            ),
        )


def equations(pattern: Pattern):
    """Every sum of a table: the total and its parts."""
    name = dict(named(pattern))
    table = pattern.table
    rows = {tuple(int(n) for n in nodes): i for i, nodes in enumerate(table.cells)}
    for nodes, i in rows.items():
        for j, h in enumerate(table.dimensions):
            kids = [k for k in range(len(h)) if h.parent[k] == nodes[j]]
            if kids:
                parts = [rows.get((*nodes[:j], k, *nodes[j + 1 :])) for k in kids]
                yield name[i], [name[p] for p in parts if p is not None]


def attack(patterns, fixed=frozenset()):
    """The interval of every cell that needs protection, from all tables together: name -> (low, high, value, lower, upper)."""
    value, hidden, needs, signed = {}, set(), {}, False
    shown = set()
    for p in patterns:
        signed |= bool((p.low < 0).any())
        for i, name in named(p):
            value[name] = float(p.table.value[i])
            (hidden if p.suppressed[i] else shown).add(name)
            if p.primary[i]:
                low, up = needs.get(name, (0.0, 0.0))
                needs[name] = (max(low, float(p.lower[i])), max(up, float(p.upper[i])))
    unknown = sorted(hidden - shown - set(fixed), key=repr)
    place = {name: i for i, name in enumerate(unknown)}
    left, right = [], []
    for p in patterns:
        for total, parts in equations(p):
            row, rest = np.zeros(len(unknown)), 0.0
            for name, sign in ((total, -1.0), *((q, 1.0) for q in parts)):
                if name in place:
                    row[place[name]] += sign
                else:
                    rest -= sign * value[name]
            if row.any():
                left.append(row)
                right.append(rest)
    bounds = [(None, None) if signed else (0, None)] * len(unknown)
    out = {}
    for name, (lower, upper) in needs.items():
        if name not in place:
            out[name] = (value[name], value[name], value[name], lower, upper)
            continue
        ends = []
        for sign in (1.0, -1.0):
            goal = np.zeros(len(unknown))
            goal[place[name]] = sign
            got = linprog(goal, A_eq=np.array(left) if left else None, b_eq=right or None, bounds=bounds)
            ends.append(sign * got.fun if got.status == 0 else -sign * np.inf)
        out[name] = (*ends, value[name], lower, upper)
    return out


def rests(patterns, person):
    """What is left of every cell without the share of one contributor, who knows at least that much is there."""
    out = {}
    for p in patterns:
        kept = p.table.contributions
        mine = np.where(kept.who == person, kept.largest, 0.0).sum(axis=1)
        out |= {name: float(p.table.value[i] - mine[i]) for i, name in named(p)}
    return out


def leaks(patterns, fixed=frozenset(), but=frozenset(), rest=None):
    """Cells that the attack finds too closely; what an insider knows by his own share (`rest`) is not counted as found."""
    found = []
    for name, (low, high, value, lower, upper) in attack(patterns, fixed).items():
        if rest is not None:
            lower = min(lower, rest[name])
            if rest[name] <= 0 < value:
                continue
        slack = 1e-5 * max(1.0, abs(value))
        narrow = value - low < lower - slack or high - value < upper - slack or high - low < 1e-7
        if narrow and name not in but:
            found.append(name)
    return found
