"""Sorting with ties in the order of the file, and whether one column rises with another, against slow references."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.strata import Strata
from tarnkappe.kernels.ranks import in_order, in_order_of_all
from tarnkappe.kernels.rising import never_falls


@pytest.mark.parametrize("size", [0, 1, 2, 5, 1000])
@pytest.mark.parametrize("values", [1, 3, 10**6])
def test_ties_stay_in_the_order_of_the_file(size: int, values: int) -> None:
    x = np.random.default_rng(size).integers(-values, values, size) / 2
    assert in_order(x).tolist() == sorted(range(size), key=lambda i: x[i])
    with_zeros = np.where(x == 0, -0.0, np.abs(x))
    assert in_order(with_zeros).tolist() == sorted(range(size), key=lambda i: with_zeros[i])


def test_order_within_blocks_and_among_some_records() -> None:
    generator = np.random.default_rng(5)
    of, x = generator.integers(0, 7, 500).astype(np.int32), generator.integers(0, 20, 500).astype(float)
    strata = Strata(of, np.bincount(of, minlength=7))
    assert strata.sorted_by(x).tolist() == sorted(range(500), key=lambda i: (of[i], x[i]))
    assert strata.order.tolist() == sorted(range(500), key=lambda i: of[i])
    some = np.flatnonzero((of != 3) & (x > 4))
    part = strata.among(some)
    assert part.sizes.tolist() == [int((of[some] == b).sum()) for b in range(7)]
    assert part.sorted_by(x[some]).tolist() == sorted(
        range(len(some)), key=lambda i: (of[some][i], x[some][i])
    )


@pytest.mark.parametrize("values", [2, 5, 10**6])
def test_rows_by_all_their_keys(values: int) -> None:
    keys = np.random.default_rng(values).integers(0, values, (3, 300))
    order = in_order_of_all(list(keys))
    assert sorted(order.tolist()) == list(range(300))
    rows = [tuple(keys[:, i].tolist()) for i in order]
    assert rows == sorted(rows)
    assert in_order_of_all([keys[0][:0], keys[1][:0]]).tolist() == []


@pytest.mark.parametrize("seed", range(40))
def test_never_falls_against_all_pairs(seed: int) -> None:
    generator = np.random.default_rng(seed)
    starts = np.array([0, 3, 3, 9])
    old = np.concatenate([np.sort(generator.integers(0, 4, k)) for k in (3, 0, 6)]).astype(float)
    new = old + generator.integers(0, 2 + seed % 2, 9)
    slow = all(
        new[i] <= new[j]
        for a, b in zip(starts[:-1], starts[1:], strict=True)
        for i in range(a, b)
        for j in range(a, b)
        if old[i] < old[j]
    )
    assert never_falls(old, new, starts) == slow


def test_rounding_is_no_fall_and_huge_numbers_do_not_overflow() -> None:
    starts, old = np.array([0, 2]), np.array([1.0, 2.0])
    assert never_falls(old, np.array([1.0, 1.0 - 1e-14]), starts)
    assert not never_falls(old, np.array([1.0, 1.0 - 1e-9]), starts)
    assert not never_falls(old, np.array([1.7e308, -1.7e308]), starts)
    assert never_falls(old, np.array([-1.7e308, 1.7e308]), starts)
