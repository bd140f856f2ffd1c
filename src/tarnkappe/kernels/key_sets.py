"""How well records can be told apart by every set of keys, and what each key contributes to that.

From a set of keys to one with a key less, only the distinct rows are carried on, with the number of records behind each: most sets
see few rows, so the cost is far below (number of sets) × (number of records).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.classes import first_records
from tarnkappe.kernels.compatible import Candidates, Key, candidates
from tarnkappe.vocab import Missing, Suppressed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Score = Callable[[Ints, Ints], float]
"""(records that fit each row, records behind each row) -> one number for the file."""


class Parts(NamedTuple):
    """A number for all keys together, shared out among them."""

    whole: float
    """With all keys."""
    nothing: float
    """With none."""
    shapley: Floats
    """What each key adds on average over all orders in which keys can become known; they add up to whole - nothing."""
    error: Floats
    """Standard error of these; 0 where all sets were counted."""
    without: Floats
    """The number without each key."""
    alone: Floats
    """The number with each key alone."""
    by_count: Floats
    """The mean over all sets of 0, 1, … keys, or over those that were taken."""


class Policy(NamedTuple):
    """How keys are compared, and what is made of the counts."""

    missing: Missing
    suppressed: Suppressed
    score: Score


class _Node(NamedTuple):
    """The distinct rows on a set of keys."""

    members: tuple[int, ...]
    keys: tuple[Key, ...]
    records: Ints
    """Records behind every row."""
    value: float

    @property
    def mask(self) -> int:
        return sum(1 << m for m in self.members)


def counted(keys: Sequence[Key], policy: Policy) -> Parts:
    """Take every set of keys: 2^K of them (shapley1953: the value of a player)."""
    values = np.empty(1 << len(keys))
    for node in _below(_root(keys, policy), policy, _cheap_order(keys)):
        values[node.mask] = node.value
    shares = np.array([_shapley(values, j, len(keys)) for j in range(len(keys))])
    sizes = np.array([m.bit_count() for m in range(len(values))])
    by_count: Floats = np.bincount(sizes, weights=values) / np.bincount(sizes)
    known = dict(enumerate(values.tolist()))
    return _parts(values[-1], values[0], (shares, np.zeros(len(keys)), by_count), known)


def sampled(keys: Sequence[Key], policy: Policy, orders: Sequence[Sequence[int]]) -> Parts:
    """Take some orders of the keys, each from all keys down to none (castro2009: ApproShapley).

    Every set is counted once, however many orders it lies on. The sets with one key less and with one key alone are taken too.
    """
    root, known = _root(keys, policy), dict[int, float]()
    count = len(keys)
    firsts = [(j, *(i for i in range(count) if i != j)) for j in range(count)]
    lasts = [(*(i for i in range(count) if i != j), j) for j in range(count)]
    for ends in (*firsts, *lasts):
        wanted = {root.mask & ~(1 << ends[0]), 1 << ends[-1], 0}
        known |= _along(root, ends, policy, known, wanted)
    adds, by_count = np.empty((len(orders), count)), np.zeros(count + 1)
    for row, order in enumerate(orders):
        known |= _along(root, order, policy, known, None)
        mask = root.mask
        by_count[count] += root.value
        for j in order:
            adds[row, j] = known[mask] - known[mask & ~(1 << j)]
            mask &= ~(1 << j)
            by_count[mask.bit_count()] += known[mask]
    error = adds.std(axis=0, ddof=1) / np.sqrt(len(orders))
    return _parts(root.value, known[0], (adds.mean(axis=0), error, by_count / len(orders)), known)


def _parts(
    whole: float, nothing: float, shares: tuple[Floats, Floats, Floats], known: dict[int, float]
) -> Parts:
    keys = len(shares[0])
    everything = (1 << keys) - 1
    without = np.array([known[everything & ~(1 << j)] for j in range(keys)])
    alone = np.array([known[1 << j] for j in range(keys)])
    return Parts(float(whole), float(nothing), *shares[:2], without, alone, shares[2])


def _shapley(values: Floats, key: int, keys: int) -> float:
    """Σ over the sets without the key of |S|! (K - |S| - 1)! / K! · (v(S ∪ key) - v(S))."""
    sets = np.arange(len(values))
    without = sets[(sets >> key) & 1 == 0]
    size = np.array([int(s).bit_count() for s in without])
    chance = np.array([1 / (keys * comb(keys - 1, s)) for s in range(keys)])
    return float((chance[size] * (values[without | (1 << key)] - values[without])).sum())


def _root(keys: Sequence[Key], policy: Policy) -> _Node:
    return _node(tuple(range(len(keys))), tuple(keys), np.ones(len(keys[0].codes), dtype=np.int64), policy)


def _node(members: tuple[int, ...], keys: tuple[Key, ...], records: Ints, policy: Policy) -> _Node:
    """Put rows together that are alike on the keys."""
    if not keys:
        everybody = np.array([records.sum()], dtype=np.int64)
        return _Node(members, keys, everybody, policy.score(everybody, everybody))
    among = candidates(keys, policy.missing, policy.suppressed)
    behind = np.bincount(among.found.ids, weights=records, minlength=len(among.found.sizes)).astype(np.int64)
    first = first_records(among.found)
    rows = tuple(
        Key(key.codes[first], None if key.state is None else key.state[first], key.categories) for key in keys
    )
    return _Node(members, rows, behind, policy.score(_fitting(among, behind), behind))


def _fitting(among: Candidates, behind: Ints) -> Ints:
    if among.wild is None:
        return behind
    from tarnkappe.kernels import hashing  # noqa: PLC0415 - numba is loaded when first used

    found: Ints = hashing.tally(among.wild.codes, behind, among.wild.persons, among.wild.released)
    return found


def _less(node: _Node, gone: Sequence[int], policy: Policy) -> _Node:
    """The node without some of its keys."""
    kept = [k for k, member in enumerate(node.members) if member not in gone]
    return _node(
        tuple(node.members[k] for k in kept), tuple(node.keys[k] for k in kept), node.records, policy
    )


def _below(node: _Node, policy: Policy, order: Sequence[int]) -> Iterator[_Node]:
    """A node and all sets that can be made from it by taking away keys of `order`, each once."""
    yield node
    for place, key in enumerate(order):
        yield from _below(_less(node, (key,), policy), policy, order[place + 1 :])


def _cheap_order(keys: Sequence[Key]) -> list[int]:
    """Keys with many categories first: half of all sets lie below the first one taken away."""
    return sorted(range(len(keys)), key=lambda j: -keys[j].categories)


def _along(
    node: _Node, order: Sequence[int], policy: Policy, known: dict[int, float], wanted: set[int] | None
) -> dict[int, float]:
    """Take away key after key; sets that are known, or not wanted, are passed over."""
    found = {node.mask: node.value}
    gone: list[int] = []
    for key in order:
        gone.append(key)
        mask = node.mask & ~sum(1 << g for g in gone)
        if mask in known or (wanted is not None and mask not in wanted):
            continue
        node, gone = _less(node, gone, policy), []
        found[mask] = node.value
    return found
