"""Merged classes against the definition, with sets of contributors."""

import numpy as np
import pytest

from tarnkappe.kernels.merged_classes import class_begins


def by_definition(classes, at_least):
    """From below: a class begins a new one if those gathered so far, and those from it on, are enough contributors."""
    begins, gathered = [], set()
    for i, members in enumerate(classes):
        rest = set().union(*classes[i:])
        begins.append(i > 0 and len(gathered) >= at_least and len(rest) >= at_least)
        gathered = members if begins[-1] else gathered | members
    return begins


def found(blocks, at_least):
    """`blocks` are lists of classes, a class is a list of contributors."""
    classes = [members for block in blocks for members in block]
    number = np.repeat(np.arange(len(blocks)), [len(block) for block in blocks])
    starts = np.cumsum([0, *map(len, classes)])
    who = np.array([w for members in classes for w in members], dtype=np.int64)
    return class_begins(number, starts, who, at_least).tolist()


@pytest.mark.parametrize("people", [4, 12, 1000])
def test_as_defined_whoever_owns_how_many(people):
    g = np.random.default_rng(people)
    seen = set()
    for _ in range(200):
        blocks = [
            [g.integers(people, size=g.integers(1, 6)).tolist() for _ in range(g.integers(1, 12))]
            for _ in range(g.integers(1, 5))
        ]
        at_least = int(g.integers(3, 7))
        want = [b for block in blocks for b in by_definition([set(c) for c in block], at_least)]
        assert found(blocks, at_least) == want
        seen |= set(want)
    assert True in seen


def test_one_owner_in_many_classes_is_one():
    assert found([[[0, 0, 0], [0, 0, 0], [0, 1, 2]]], 3) == [False, False, False]
    assert found([[[0, 1, 2], [0, 1, 2]]], 3) == [False, True]
    assert found([[[0, 1, 2], [0, 1, 1]]], 3) == [False, False]


def test_each_record_for_itself():
    assert found([[[0, 1, 2], [3, 4, 5], [6]], [[7, 8], [9, 10, 11], [12, 13, 14]]], 3) == [
        False, True, False, False, False, True,
    ]  # fmt: skip


def test_no_classes():
    nothing = np.zeros(0, dtype=np.int64)
    assert class_begins(nothing, np.zeros(1, dtype=np.int64), nothing, 3).tolist() == []
