"""Part 5.7 of the specification seen by the measures: PRAM on the counts 50, 30, 20 (U15, D-U04)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.utility.contingency import Contingency
from tarnkappe.utility.entropy import EntropyLoss
from tarnkappe.utility.frequencies import Frequencies

T = np.array([50, 30, 20])
P = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.2, 0.5]])
MOVED = np.rint(P * T[:, None]).astype(int)


def files():
    """A file and its PRAM version that moved as many records as the matrix says."""
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(MOVED[i, j])]
    old, new = zip(*pairs, strict=True)
    return tuple(Microdata({"v": Column.texts_of([f"c{k}" for k in side])}) for side in (new, old))


def test_frequencies_after_are_those_of_the_book():
    assert MOVED.sum(axis=0).tolist() == [52, 30, 18]
    after, before = files()
    found = Frequencies().measure(after, before=before)
    assert found.value == pytest.approx(0.02)
    assert found.details["columns"]["v"]["largest_difference"] == pytest.approx(0.02)
    assert Contingency().measure(after, before=before).value == pytest.approx(0.02)


def test_entropy_loss_from_the_posterior_probabilities():
    """Rows of the backward matrix (0.769231, 0.115385, 0.115385 …) are the probabilities behind a released value."""
    back = MOVED.T / MOVED.sum(axis=0)[:, None]
    assert back[0] == pytest.approx([0.769231, 0.115385, 0.115385], abs=5e-7)
    lost = sum(-52 * p * math.log2(p) for p in back[0])
    lost += sum(-30 * p * math.log2(p) for p in back[1]) + sum(-18 * p * math.log2(p) for p in back[2])
    whole = -sum(t * math.log2(t / 100) for t in T)
    after, before = files()
    found = EntropyLoss().measure(after, before=before)
    assert found.details["bits_lost"] == pytest.approx(lost)
    assert found.value == pytest.approx(lost / whole)
