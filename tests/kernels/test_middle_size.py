"""The median size of sums, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.kernels.middle_size import middle_size


@pytest.mark.parametrize("size", [1, 2, 3, 4, 1001, 4096])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("scale", [1e-320, 1e-12, 1.0, 1e150])
def test_is_the_median(size: int, sign: float, scale: float) -> None:
    generator = np.random.default_rng(size)
    a, b = scale * generator.standard_normal((2, size))
    assert middle_size(a, b, sign) == pytest.approx(np.median(np.abs(a + sign * b)), rel=1e-14, abs=1e-323)


def test_ties_zeros_and_two_bins_apart() -> None:
    zero = np.zeros(6)
    assert middle_size(zero, zero, 1.0) == 0
    assert middle_size(np.array([0.0, 0, 0, -8, 8, 8]), zero, 1.0) == 4
    assert middle_size(np.repeat(3.0, 7), np.repeat(3.0, 7), -1.0) == 0
    assert middle_size(np.array([1.0, np.inf, np.inf]), np.zeros(3), 1.0) == np.inf
