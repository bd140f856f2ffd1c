"""Gottschalk (2002), section 3 and 4: distance-based linkage (specification G-R05, G-R10, G-R13, scenarios A1–A4)."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.linkage import Linkage

KEYS = ("turnover", "employees", "industry")


def panel(n=600, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    return Microdata({
        "turnover": Column.numbers_of(np.exp(14 + 1.3 * size + 0.3 * rng.normal(size=n))),
        "employees": Column.numbers_of(np.exp(3 + size)),
        "industry": Column.texts_of([f"{c:02d}" for c in rng.integers(10, 20, n)]),
    })  # fmt: skip


def with_noise(data, alpha, seed=2):
    """G-M15: noise with the share alpha of the variance, on the logarithms."""
    names = KEYS[:2]
    x = np.log(data.numbers(names))
    noise = np.random.default_rng(seed).normal(size=x.shape) * np.sqrt(alpha) * x.std(axis=0)
    return data.with_numbers(names, np.exp(x + noise))


def found(after, before, **how):
    return Linkage(keys=KEYS, scale="value", within=("industry",), **how).measure(after, before=before)


def test_ties_count_as_one_over_their_number():
    """G-R05: groups of three with the same released values, as microaggregation leaves them: one third, not the first index."""
    before = panel()
    order = np.argsort(before.column("turnover").values)
    x = before.numbers(KEYS[:2])
    x[order] = np.repeat(x[order].reshape(-1, 3, 2).mean(axis=1), 3, axis=0)
    after = before.with_numbers(KEYS[:2], x)
    result = Linkage(keys=KEYS[:2], scale="value").measure(after, before=before)
    assert set(np.round(result.per_record, 12)) <= {0.0, round(1 / 3, 12)}
    assert result.value <= 1 / 3


def test_a_sub_sample_bounds_success_unless_participation_is_known():
    """G-R10: P(success) = f · P(link | in the sample); with knowledge of the participation the factor f is 1."""
    before = panel()
    after = with_noise(before.take(np.arange(0, 600, 3)), 0.01)
    known, unknown = found(after, before), found(after, before, presence_known=False)
    assert unknown.value == pytest.approx(known.value / 3)


def test_more_noise_protects_until_a_plateau():
    """G-R13: the rate of links falls with alpha, but soon by little."""
    before = panel()
    rates = [found(with_noise(before, alpha), before).value for alpha in (0.0, 0.01, 0.1, 0.5, 1.0)]
    assert rates[0] == 1
    assert all(a > b for a, b in zip(rates, rates[1:], strict=False))
    assert rates[3] - rates[4] < 0.1 * (rates[1] - rates[2])


def test_the_simulated_identification_file():
    """2.3: relative errors of 5 % in numbers and 3 % of wrong codes; the block is lost where the industry is wrong."""
    before = panel()
    result = found(before, before, number_error=0.05, category_error=0.03)
    assert result.details["in_another_block"] == pytest.approx(0.03 * 600, abs=14)
    assert 0.3 < result.value < 0.97
    assert result.details["found_of_in_release"] == result.value
