"""Part 5.7 of the specification: PRAM on the counts 50, 30, 20; and the misprints of the book."""

from __future__ import annotations

import numpy as np

from tarnkappe.kernels.transition import backward, correction, direct, is_markov, proportional, two_stage

T = np.array([50, 30, 20])
P = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.2, 0.5]])


def test_frequency_proportional():
    p = proportional(T, 0.2)
    assert np.allclose(p, [[0.90, 0.06, 0.04], [0.10, 0.86, 0.04], [0.10, 0.06, 0.84]])
    assert np.allclose(p.T @ T, T)
    assert np.allclose(correction(p) @ [48, 32, 20], [47.5, 32.5, 20])


def test_direct():
    p = direct(T, 0.2)
    assert np.allclose(p, [[0.92, 0.04, 0.04], [0.066667, 0.866667, 0.066667], [0.1, 0.1, 0.8]], atol=5e-7)
    assert np.allclose(p.T @ T, T)


def test_two_stage():
    assert np.allclose(P.T @ T, [52, 30, 18])
    back = [[0.769231, 0.115385, 0.115385], [0.166667, 0.7, 0.133333], [0.277778, 0.166667, 0.555556]]
    assert np.allclose(backward(P, T), back, atol=5e-7)
    r = two_stage(P, T)
    expected = [
        [0.659829, 0.178974, 0.161197],
        [0.298291, 0.529744, 0.171966],
        [0.402991, 0.257949, 0.339060],
    ]
    assert np.allclose(r, expected, atol=5e-7)
    assert np.allclose(r.T @ T, T)


def test_the_printed_matrix_form_is_no_markov_matrix():
    """E-03: printed (1 - α)E + αh1ᵗ."""
    h = T / T.sum()
    assert not is_markov(0.8 * np.eye(3) + 0.2 * np.outer(h, np.ones(3))).any()
    p, q = proportional(T, 0.2), direct(T, 0.2)
    for l in range(3):  # equal off-diagonals per column in the first form, per row in the second
        assert np.ptp(np.delete(p[:, l], l)) < 1e-12
        assert np.ptp(np.delete(q[l], l)) < 1e-12


def test_the_printed_denominator_is_no_markov_matrix():
    """E-04: printed Σ_j p_lj T_j."""
    printed = (P * T[:, None]).T / (P @ T)[:, None]
    assert np.allclose(printed.sum(axis=1), [1.1556, 0.9091, 0.5806], atol=5e-5)
