"""PRAM without its matrix against PRAM with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from reference import swapping as reference
from tarnkappe.kernels.pram import DRAWN, DRAWS, Values, matrix_of, staying
from tarnkappe.kernels.transition import backward, correction, drawn, even, is_markov, proportional, two_stage

RUNS = 60_000
P_VALUE = 1e-7


def values_of(counts, block):
    counts, block = np.array(counts), np.array(block)
    return Values(np.repeat(np.arange(len(counts)), counts), counts, block)


counted = st.lists(st.integers(1, 9), min_size=1, max_size=6)


@given(st.lists(counted, min_size=1, max_size=4), st.floats(0.01, 1), st.sampled_from(sorted(DRAWN)))
def test_matrices_are_invariant_and_agree_with_the_formulas(blocks, alpha, mode):
    counts = [c for block in blocks for c in block]
    number = [b for b, block in enumerate(blocks) for _ in block]
    values = values_of(counts, number)
    stay = staying(values, mode, alpha)
    for b, block in enumerate(blocks):
        p = matrix_of(values.counts[values.members(b)], mode, alpha)
        assert is_markov(p).all()
        assert np.allclose(p.T @ block, block)
        assert np.allclose(np.diag(p), stay[values.members(b)])
        if len(block) > 1:
            made = {
                "proportional": reference.proportional,
                "direct": reference.direct,
                "two-stage": lambda t, a: reference.two_stage(reference.even(len(t), a), t),
            }[mode](block, alpha)
            assert np.allclose(p, made)


@pytest.mark.parametrize("mode", DRAWN)
def test_draws_follow_the_matrix(mode):
    """Two blocks whose values alternate; each row is tested by chi-square, failing by chance once in ten million.

    With 60,000 draws per row a probability of 0.1 that is wrong by a tenth of itself gives a statistic of about 60: found.
    """
    values = values_of([3, 2, 5, 4, 1, 6], [0, 1, 0, 1, 1, 2])
    rng = np.random.default_rng(5)
    times = np.zeros((6, 6))
    for _ in range(RUNS // 10):
        new = DRAWN[mode](values, 0.6, rng.random((DRAWS[mode], len(values.of))))
        np.add.at(times, (values.of, new), 1)
    for b in range(3):
        members = values.members(b)
        p = matrix_of(values.counts[values.members(b)], mode, 0.6)
        assert np.delete(times[members], members, axis=1).sum() == 0
        expected = p * times[members].sum(axis=1, keepdims=True)
        statistic = ((times[np.ix_(members, members)] - expected) ** 2 / expected).sum(axis=1)
        assert (statistic < chi2.isf(P_VALUE, max(len(members) - 1, 1))).all()


@given(st.lists(counted, min_size=1, max_size=4), st.sampled_from(sorted(DRAWN)), st.floats(0.01, 1))
def test_extreme_random_numbers_stay_inside(blocks, mode, alpha):
    counts = [c for block in blocks for c in block]
    values = values_of(counts, [b for b, block in enumerate(blocks) for _ in block])
    for u in (0.0, np.nextafter(1.0, 0.0)):
        new = DRAWN[mode](values, alpha, np.full((DRAWS[mode], len(values.of)), u))
        assert np.array_equal(values.block[new], values.block[values.of])


def test_a_row_is_drawn_by_inversion():
    p = np.array([[0.0, 0.5, 0.5, 0.0], [0.1, 0.2, 0.7, 0.0], [0.0, 0.0, 0.0, 1.0]])
    u = np.array([0.0, 0.49, 0.5, np.nextafter(1, 0)])
    assert drawn(np.zeros(4, dtype=int), p, u).tolist() == [1, 1, 2, 2]
    assert drawn(np.ones(4, dtype=int), p, u).tolist() == [0, 2, 2, 2]
    assert drawn(np.full(4, 2), p, u).tolist() == [3, 3, 3, 3]
    third = np.array([[1 / 3] * 3 + [0.0]])
    assert drawn(np.zeros(1, dtype=int), third, np.array([np.nextafter(1, 0)])).tolist() == [2]


def test_what_is_no_markov_matrix():
    assert is_markov(np.array([[0.5, 0.5], [0.6, 0.5], [1.5, -0.5]])).tolist() == [True, False, False]


def test_a_value_that_cannot_arise_stays_in_the_second_stage():
    p = np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])
    q = backward(p, np.array([2, 3, 4]))
    assert q[2].tolist() == [0, 0, 1]
    assert np.allclose(two_stage(p, np.array([2, 3, 4])).T @ [2, 3, 4], [2, 3, 4])


def test_no_correction_without_an_inverse():
    assert correction(np.full((3, 3), 1 / 3)) is None
    assert correction(even(2, 0.5)) is None
    assert np.allclose(
        correction(proportional(np.array([1, 3]), 0.5)).T @ proportional(np.array([1, 3]), 0.5), np.eye(2)
    )
