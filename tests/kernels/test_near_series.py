"""Is there one whose numbers are near in every place?"""

import numpy as np
import pytest

from tarnkappe.kernels.near_series import near_some


@pytest.mark.parametrize("seed", range(40))
def test_near_some_against_all_pairs(seed):
    """Whole numbers, so that many lie exactly at the end of the reach."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(0, 4))
    old, new = (rng.integers(0, 12, (int(rng.integers(0, 30)), d)).astype(float) for _ in range(2))
    reach = rng.integers(0, 3, d).astype(float)
    if d and seed % 5 == 0:
        old[:, 0] = 3.0  # a column that tells nothing apart
    slow = [any((np.abs(a - b) <= reach).all() for b in old) for a in new]
    assert near_some(new, old, reach).tolist() == slow
