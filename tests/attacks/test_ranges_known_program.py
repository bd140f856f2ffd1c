"""Somebody who knows the program and its parameters, but not the secret, against ranges for small counts.

He writes down every table of whole numbers that fits what is shown and masks each of them himself, with one made-up secret after the other,
until what he gets looks like what is shown. Tables for which that never happens he rules out. A small count that has one value in all
tables that are left is known to him.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from tarnkappe.kernels.drawn_ranges import Draws, drawn
from tarnkappe.kernels.range_mask import FAR, Nodes, safe, tree_of

LOW, HIGH = 1, 3
TRIES = 1200


def forest(groups, size):
    """One total, groups below it, and so many leaves in each."""
    parent = [-1]
    for _ in range(groups):
        parent += [0] + [len(parent)] * size
    return np.array(parent)


def summed(parent, leaves):
    value = np.zeros((len(leaves), len(parent)), dtype=np.int64)
    value[:, ~np.isin(np.arange(len(parent)), parent)] = leaves
    for node in range(len(parent) - 1, 0, -1):
        value[:, parent[node]] += value[:, node]
    return value


def program(parent, value, leaf, secret):
    """What is shown: begin and end of every range. Without a secret the values decide."""
    n, small = len(value), leaf & (value >= LOW) & (value <= HIGH)
    u = None if secret is None else secret.random((5, n))
    rank = value * 1.0 if u is None else np.log1p(-u[0]) / np.maximum(value, 1)
    nodes = Nodes(value, np.where(leaf, HIGH + 1, 1), np.full(n, FAR), value > 0, np.zeros(n, bool), rank)
    asked = tree_of(parent), nodes, small, np.full(n, LOW), np.full(n, HIGH)
    masks = safe(*asked) if u is None else drawn(*asked, Draws(*u[1:]))
    assert not masks.failed.any()
    return masks.low, masks.high


def that_fit(parent, leaf, low, high):
    """Every table between the shown ends that adds up as shown."""
    choices = [range(a, b + 1) for a, b in zip(low[leaf], high[leaf], strict=True)]
    tables = summed(parent, np.array(list(product(*choices))))
    return tables[((tables >= low) & (tables <= high)).all(axis=1)]


def looks_like(parent, leaf, table, shown, secrets):
    for _ in range(TRIES if secrets is not None else 1):
        again = program(parent, table, leaf, secrets)
        if np.array_equal(again[0], shown[0]) and np.array_equal(again[1], shown[1]):
            return True
    return False


def attacked(groups, size, tables, *, draw, seed):
    """Of all small counts: how many have one value left, how many fewer than the ranges alone leave."""
    parent = forest(groups, size)
    leaf = ~np.isin(np.arange(len(parent)), parent)
    rng, guesses, found = np.random.default_rng(seed), np.random.default_rng(99), Counter()
    for value in summed(parent, rng.integers(1, 9, (tables, groups * size))):
        shown = program(parent, value, leaf, rng if draw else None)
        small = np.flatnonzero(leaf & (value >= LOW) & (value <= HIGH))
        fits = that_fit(parent, leaf, *shown)
        by_range = [set(fits[:, cell].tolist()) for cell in small]
        left = [{int(value[cell])} for cell in small]
        for table in guesses.permutation(fits):
            news = [int(table[cell]) not in seen for cell, seen in zip(small, left, strict=True)]
            if any(news) and looks_like(parent, leaf, table, shown, guesses if draw else None):
                for cell, seen in zip(small, left, strict=True):
                    seen.add(int(table[cell]))
        found["small"] += len(small)
        found["exact"] += sum(len(seen) == 1 for seen in left)
        found["fewer"] += sum(seen != whole for seen, whole in zip(left, by_range, strict=True))
        found["exact by ranges"] += sum(len(whole) == 1 for whole in by_range)
    return found


SHAPES = [(2, 3), (2, 4), (3, 3)]


@pytest.mark.parametrize(("groups", "size"), SHAPES)
def test_he_learns_nothing_where_places_are_drawn(groups, size, record_property):
    """Of 345, 456 and 533 small counts 49, 76 and 86 were exact before anything was drawn."""
    found = attacked(groups, size, 40, draw=True, seed=1)
    record_property("known program", dict(found))
    assert found["small"] > 70
    assert found["exact"] == found["exact by ranges"] == 0
    assert found["fewer"] == 0


@pytest.mark.parametrize(("groups", "size"), SHAPES)
def test_he_learns_much_where_the_values_decide(groups, size):
    """Power: the same attacker finds one small count in twelve or more, and excludes values of a third."""
    found = attacked(groups, size, 60, draw=False, seed=1)
    assert found["exact"] > found["small"] / 12
    assert found["fewer"] > found["small"] / 3
    assert found["exact by ranges"] == 0


@pytest.mark.long
@pytest.mark.parametrize(("groups", "size"), [*SHAPES, (4, 2), (1, 6)])
def test_he_learns_nothing_at_length(groups, size):
    found = attacked(groups, size, 200, draw=True, seed=7)
    assert found["exact"] == 0
    assert found["fewer"] <= found["small"] / 200
