"""The pseudo cost structure survey against table 5 of Höhne (2010), "Verfahren zur Anonymisierung von Einzeldaten".

Mean and σ are printed there for the file and for the file without its largest units; skewness and excess of the
synthetic file are those of our specification (5.10), which lie close to the printed ones. Tolerance: means and
σ are solved for, so only rounding of sums may differ; skewness and excess are given with two and four digits.
"""

import math
from statistics import NormalDist

import numpy as np
import pytest

from tarnkappe.examples import pseudo_kse_turnover
from tarnkappe.examples.turnover import turnover_at

TABLE_5 = [
    # records, mean, σ, skewness and excess printed, skewness and excess of the synthetic file
    (16824, 120808541, 1289556816, 47.1, 2695, 47.09, 2708),
    (16818, 100741670, 589648974, 28.1, 1031, 28.06, 1027),
    (16812, 92650440, 400188934, 20.5, 655, 20.48, 655),
    (16806, 88001587, 308817559, 11.9, 198, 11.99, 201),
    (16800, 85478111, 278384670, 10.4, 150, 10.49, 154),
    (16750, 74431660, 183485937, 6.3, 52, 6.27, 52.1),
    (16700, 68724665, 150486176, 5.1, 33, 5.06, 32.7),
    (16656, 65088046, 132909643, 4.5, 25, 4.47, 25.1),
    (15983, 42704752, 60520762, 2.4, 6, 2.43, 6.1),
    (15142, 31560889, 37318131, 1.9, 3, 1.87, 3.2),
]


def by_definition():
    """The listing of the specification (5.10), word for word."""
    T5 = [row[:3] for row in TABLE_5]
    slabs = []
    for i, (n, m, s) in enumerate(T5):
        n2, m2, s2 = T5[i + 1] if i + 1 < len(T5) else (0, 0, 0)
        N = n - n2
        mean = (n * m - n2 * m2) / N
        slabs.append((N, mean, math.sqrt((n * (s * s + m * m) - n2 * (s2 * s2 + m2 * m2)) / N - mean * mean)))
    ppf, cdf = NormalDist().inv_cdf, NormalDist().cdf
    shape = [0.05, 0.3, 0.3, 0.3, 0.5, 0.5, 0.35]
    trunc = [
        (19.33956342, 0.89978113, 330e6, 1.32e9),
        (18.85236443, 0.63302842, 180e6, 345e6),
        (16.7505287, 1.50885618, 0, 185e6),
    ]
    out = []
    for i, (N, mean, sd) in enumerate(slabs):
        u = (np.arange(N) + 0.5) / N
        if i < 7:
            c = np.exp(shape[i] * np.array([ppf(v) for v in u]))
        else:
            mu, s, lo, hi = trunc[i - 7]
            a = cdf((math.log(lo) - mu) / s) if lo > 0 else 0.0
            b = cdf((math.log(hi) - mu) / s)
            c = np.exp(mu + s * np.array([ppf(v) for v in a + u * (b - a)]))
        out.append((c - c.mean()) / c.std() * sd + mean)
    return np.concatenate(out)


def test_equals_the_listing_of_the_specification():
    np.testing.assert_allclose(pseudo_kse_turnover(), by_definition(), rtol=1e-9)


@pytest.mark.parametrize("row", TABLE_5, ids=lambda row: str(row[0]))
def test_moments_of_every_truncated_file(row):
    records, mean, sigma, printed_skewness, printed_excess, skewness, excess = row
    x = pseudo_kse_turnover()[-records:]
    z = (x - x.mean()) / x.std()
    assert len(x) == records
    assert x.mean() == pytest.approx(mean, rel=1e-9)
    assert x.std() == pytest.approx(sigma, rel=1e-9)
    assert (z**3).mean() == pytest.approx(skewness, abs=0.005)
    assert (z**4).mean() - 3 == pytest.approx(excess, abs=0.05 if excess < 100 else 0.5)
    assert (z**3).mean() == pytest.approx(printed_skewness, rel=0.03)
    assert (z**4).mean() - 3 == pytest.approx(printed_excess, rel=0.07)


def test_all_turnovers_are_positive():
    x = pseudo_kse_turnover()
    assert len(x) == 16824
    assert (x > 0).all()


def test_quantiles_give_the_file_back():
    places = (np.arange(16824) + 0.5) / 16824
    np.testing.assert_allclose(turnover_at(places), np.sort(pseudo_kse_turnover()), rtol=1e-12)
