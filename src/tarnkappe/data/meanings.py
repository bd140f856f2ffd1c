"""What a code means across hierarchies of one variable: the codes of the lowest level that it covers.

Two codes mean the same when they cover the same leaves, or when they are the same code: a hierarchy that does not know some
leaves has nothing there. A leaf of one hierarchy that is divided further in another covers what it covers there. Two
hierarchies that both know a leaf and place it differently below one code contradict each other and are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.data.column import Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.errors.linked import CodesDisagree
from tarnkappe.language import listed

WHOLE = 0
"""The meaning of a total; a table without the variable is at it."""
Leaves = frozenset[str]


def meanings(trees: Sequence[Hierarchy]) -> list[Ints]:
    """For every tree a number for what each of its codes means; the same number in two trees is the same thing."""
    distinct = _distinct(trees)
    found = [_of_one(distinct[0])] if len(distinct) == 1 else _of_several(distinct)
    return [next(m for d, m in zip(distinct, found, strict=True) if _same(d, t)) for t in trees]


def _distinct(trees: Sequence[Hierarchy]) -> list[Hierarchy]:
    out: list[Hierarchy] = []
    for tree in trees:
        if not any(_same(tree, other) for other in out):
            out.append(tree)
    return out


def _same(one: Hierarchy, other: Hierarchy) -> bool:
    return one is other or (
        np.array_equal(one.codes, other.codes) and np.array_equal(one.parent, other.parent)
    )


def _of_one(tree: Hierarchy) -> Ints:
    """In preorder an only child stands right behind its parent and means the same."""
    children = np.bincount(tree.parent[1:], minlength=len(tree))
    ends = np.flatnonzero(children != 1)
    bottom = ends[np.searchsorted(ends, np.arange(len(tree)))]
    return np.where(bottom == bottom[0], WHOLE, bottom + 1).astype(np.int64)


def _of_several(trees: list[Hierarchy]) -> list[Ints]:
    covered = _covered(trees)
    _refuse(trees, _placed_differently(trees, covered))
    starts = np.cumsum([0, *map(len, trees)])
    label = _tied(trees, covered)
    parts = [label[a:b] for a, b in pairwise(starts)]
    _refuse(trees, _merged_wrongly(trees, covered, parts))
    whole = [p[0] for p in parts if all(p[0] == q[0] or p[0] not in q for q in parts)]
    return [np.where(np.isin(p, whole), WHOLE, p + 1) for p in parts]


def _covered(trees: list[Hierarchy]) -> list[list[Leaves]]:
    """The leaves below every code, divided as far as any of the trees does."""
    inside: dict[str, tuple[Hierarchy, int]] = {}
    for tree in trees:
        for place in np.flatnonzero(~tree.is_leaf):
            inside.setdefault(str(tree.codes[place]), (tree, int(place)))
    sizes = {id(tree): _sizes(tree) for tree in trees}
    known: dict[str, Leaves] = {}

    def leaf(code: str, above: frozenset[str]) -> Leaves:
        if code in above:
            raise CodesDisagree(name=trees[0].name, count=1, codes=code)
        if code not in known:
            tree, place = inside.get(code, (None, 0))
            known[code] = frozenset([code]) if tree is None else below(tree, place, frozenset((*above, code)))
        return known[code]

    def below(tree: Hierarchy, place: int, above: frozenset[str]) -> Leaves:
        size = sizes[id(tree)][place]
        codes = tree.codes[place : place + size][tree.is_leaf[place : place + size]]
        return frozenset().union(*(leaf(str(c), above) for c in codes))

    return [_upward(tree, [leaf(str(c), frozenset()) for c in tree.codes[tree.is_leaf]]) for tree in trees]


def _sizes(tree: Hierarchy) -> Ints:
    """How many codes lie below every code, itself included."""
    size = np.ones(len(tree), dtype=np.int64)
    for place in range(len(tree) - 1, 0, -1):
        size[tree.parent[place]] += size[place]
    return size


def _upward(tree: Hierarchy, leaves: list[Leaves]) -> list[Leaves]:
    sets: list[set[str]] = [set() for _ in range(len(tree))]
    for leaf, codes in zip(np.flatnonzero(tree.is_leaf), leaves, strict=True):
        sets[leaf] |= codes
    for place in range(len(tree) - 1, 0, -1):
        sets[tree.parent[place]] |= sets[place]
    return [frozenset(s) for s in sets]


def _tied(trees: list[Hierarchy], covered: list[list[Leaves]]) -> Ints:
    """Codes with the same name or the same leaves belong together."""
    first: dict[str | Leaves, int] = {}
    number, one, other = 0, [], []
    for tree, sets in zip(trees, covered, strict=True):
        for code, leaves in zip(tree.codes, sets, strict=True):
            for key in (str(code), leaves):
                one.append(number)
                other.append(first.setdefault(key, number))
            number += 1
    graph = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(number, number))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _placed_differently(trees: list[Hierarchy], covered: list[list[Leaves]]) -> Iterator[str]:
    for i, tree in enumerate(trees):
        for j in range(i):
            both = covered[i][0] & covered[j][0]
            for at, place in enumerate(tree.positions(trees[j].codes)):
                if place >= 0 and covered[i][place] & both != covered[j][at] & both:
                    yield str(tree.codes[place])


def _merged_wrongly(trees: list[Hierarchy], covered: list[list[Leaves]], parts: list[Ints]) -> Iterator[str]:
    """One tree tells two codes apart that another takes for one."""
    for tree, sets, part in zip(trees, covered, parts, strict=True):
        seen: dict[int, Leaves] = {}
        for code, leaves, label in zip(tree.codes, sets, part, strict=True):
            if seen.setdefault(int(label), leaves) != leaves:
                yield str(code)


def _refuse(trees: list[Hierarchy], codes: Iterator[str]) -> None:
    wrong = sorted(set(codes))
    if wrong:
        raise CodesDisagree(name=trees[0].name, count=len(wrong), codes=listed(wrong))
