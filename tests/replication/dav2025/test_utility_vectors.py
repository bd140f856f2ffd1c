"""DAV (2025), section 6: the vectors of our specification for Gini, overlap of intervals, IL1s and eigenvalues.

Tolerance: the seven digits that the specification gives. IL1s divides by √2 · s with divisor n - 1; an old public routine multiplies by √2
and finds twice as much, which must not come out here.
"""

import numpy as np
import pytest

from tarnkappe.kernels.covariances import correlations
from tarnkappe.kernels.displacement import displacement
from tarnkappe.kernels.estimates import Estimate, overlap
from tarnkappe.kernels.inequality import gini
from tarnkappe.kernels.main_axes import compared_eigenvalues

X = np.array([(1, 10), (2, 20), (3, 25), (4, 45), (5, 40)], dtype=float)
Y = np.array([(1.5, 12), (1.5, 18), (3, 30), (4.5, 40), (4.5, 42)], dtype=float)


@pytest.mark.parametrize(
    ("x", "printed"), [((1, 2, 3, 4, 5), 0.2666667), ((1, 1, 1, 1), 0), ((0, 0, 0, 1), 0.75)]
)
def test_gini(x, printed):
    x = np.array(x, dtype=float)
    assert gini(x) == pytest.approx(printed, abs=5e-8)
    by_formula = 2 * (np.arange(1, len(x) + 1) * np.sort(x)).sum() / (len(x) * x.sum()) - (len(x) + 1) / len(
        x
    )
    assert gini(x) == pytest.approx(by_formula, abs=1e-12)


def test_unbiased_gini_of_the_specification():
    assert gini(np.arange(1.0, 6)) * 5 / 4 == pytest.approx(0.3333333, abs=5e-8)


@pytest.mark.parametrize(("after", "printed"), [((2, 14), 0.7333333), ((2, 8), 0.8), ((12, 14), -0.6)])
def test_overlap(after, printed):
    assert overlap(Estimate(5, 0, 10), Estimate(0, *after)) == pytest.approx(printed, abs=5e-8)


def test_il1s():
    s = X.std(axis=0, ddof=1)
    columns = [displacement(X[:, j], Y[:, j], s[j]) for j in range(2)]
    assert np.mean([c.il1s for c in columns]) == pytest.approx(0.1679836, abs=5e-8)


def test_eigenvalues():
    found = compared_eigenvalues(correlations(X), correlations(Y))
    assert found.before == pytest.approx([1.9329962, 0.0670038], abs=5e-8)
    assert found.after == pytest.approx([1.9832697, 0.0167303], abs=5e-8)
    assert found.absolute == pytest.approx(0.1005469, abs=5e-8)
    assert found.relative == pytest.approx(0.7763156, abs=5e-8)
    assert found.guarded == 0
