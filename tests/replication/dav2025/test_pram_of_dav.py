"""The vectors (i) to (iii) of D-M08 and D-M09, and the cross-check with the book of Höhne."""

from __future__ import annotations

import numpy as np

from tarnkappe.kernels.transition import correction, direct, proportional, two_stage

T = np.array([50, 30, 20])
P = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.25, 0.25, 0.5]])


def test_i_proportional():
    assert np.allclose(proportional(T, 0.3), [[0.85, 0.09, 0.06], [0.15, 0.79, 0.06], [0.15, 0.09, 0.76]])


def test_ii_direct():
    assert np.allclose(direct(T, 0.3), [[0.88, 0.06, 0.06], [0.10, 0.80, 0.10], [0.15, 0.15, 0.70]])


def test_a_general_matrix_there_and_back():
    assert np.allclose(P.T @ T, [51, 31, 18])
    assert np.allclose(correction(P) @ [51, 31, 18], T)


def test_iii_two_stage():
    expected = [
        [0.67135779, 0.17852625, 0.15011596],
        [0.29754375, 0.51438963, 0.18806662],
        [0.3752899, 0.28209994, 0.34261016],
    ]
    assert np.allclose(two_stage(P, T), expected, atol=5e-9)


def test_the_other_denominator():
    printed = (P * T[:, None]).T / (P @ T)[:, None]
    assert np.allclose(printed.sum(axis=1), [1.1333, 0.9394, 0.6], atol=5e-5)
