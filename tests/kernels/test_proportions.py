import math

import numpy as np
import pytest
from scipy.stats import binomtest

from tarnkappe.kernels.proportions import clopper_pearson, share_interval, share_of


@pytest.mark.parametrize(("hits", "cases"), [(0, 10), (3, 10), (10, 10), (50, 1000), (1, 1)])
def test_the_exact_interval(hits, cases):
    expected = binomtest(hits, cases).proportion_ci(0.95, method="exact")
    assert clopper_pearson(hits, cases, 0.95) == pytest.approx((expected.low, expected.high))
    one = np.ones(cases)
    of_records = share_interval((np.arange(cases) < hits).astype(float), one, one, 0.95)
    assert of_records == pytest.approx((expected.low, expected.high))


def test_it_covers_where_the_values_of_a_record_hang_together():
    """Four values per record that are all hit or all missed: counting values as independent would cover far too seldom."""
    rng = np.random.default_rng(1)
    one, covered, naive = np.ones(60), 0, 0
    for _ in range(400):
        hits = 4.0 * (rng.random(60) < 0.3)
        low, high = share_interval(hits, 4 * one, one, 0.95)
        covered += low <= 0.3 <= high
        low, high = clopper_pearson(hits.sum(), 240, 0.95)
        naive += low <= 0.3 <= high
    assert covered / 400 > 0.93
    assert naive / 400 < 0.8


def test_weights_widen_it():
    hits, one = np.tile([1.0, 0.0], 50), np.ones(100)
    uneven = np.repeat([1.0, 9.0], 50)
    even = share_interval(hits, one, one, 0.95)
    wide = share_interval(hits, one, uneven, 0.95)
    assert share_of(hits, one, uneven) == 0.5
    assert wide[1] - wide[0] > 1.2 * (even[1] - even[0])
    everything = share_interval(one, one, uneven, 0.95)
    assert everything[0] < share_interval(one, one, one, 0.95)[0] < 1


def test_no_case():
    none = np.zeros(3)
    assert math.isnan(share_of(none, none, np.ones(3)))
    assert share_interval(none, none, np.ones(3), 0.95) is None
