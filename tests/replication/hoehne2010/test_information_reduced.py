"""Section 2.1: methods that reduce information (specification 1.2, T04-T13; vector TV-02). Exact where nothing is drawn."""

import numpy as np
import pytest
from scipy import stats

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import LoneCell, TooFewBeyond
from tarnkappe.errors.selection import Recoverable, TailDominated
from tarnkappe.kernels.sampling import simple
from tarnkappe.methods.microdata.combine import Combine
from tarnkappe.methods.microdata.ratio import Ratio
from tarnkappe.methods.microdata.replace_tails import ReplaceTails
from tarnkappe.methods.microdata.suppress_cells import SuppressCells
from tarnkappe.methods.microdata.top_bottom_code import TopBottomCode
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step


def done(method, **columns):
    data = Microdata({name: Column.numbers_of(np.asarray(x, dtype=float)) for name, x in columns.items()})
    return apply_step(method, data, stream("s" * 32, method.id))


@pytest.mark.parametrize(
    ("n", "of", "both", "times"), [(10, 100, 0.00909091, 50), (500, 1000, 0.24974975, 5)]
)
def test_smallest_and_largest_survive_a_sample(n, of, both, times):
    """L512, TV-02: P = n(n-1) / (N(N-1)). 20,000 and 2,000 samples, error probability 1e-4."""
    assert n * (n - 1) / (of * (of - 1)) == pytest.approx(both, abs=5e-9)
    strata, share, rng = np.repeat(np.arange(400), of), np.full(400, n / of), np.random.default_rng(512)
    drawn = [simple(strata, share, rng).reshape(400, of) for _ in range(times)]
    assert all(np.all(d.sum(axis=1) == n) for d in drawn)
    hits = sum(int(np.sum(d[:, 0] & d[:, -1])) for d in drawn)
    low, high = stats.binom.ppf([5e-5, 1 - 5e-5], 400 * times, both)
    assert low <= hits <= high


def test_total_turnover_with_the_foreign_share_gives_foreign_turnover():
    """L474-478: the counter-example of the book, in a file of any size."""
    home, abroad = np.array([3.0, 5.0, 8.0]), np.array([1.0, 4.0, 2.0])
    assert done(Combine(into={"all": {"home": 1, "abroad": 1}}), home=home, abroad=abroad).names == ("all",)
    with pytest.raises(Recoverable, match="abroad"):
        done(Ratio(into={"share": {"of": "abroad", "over": "all"}}), abroad=abroad, all=home + abroad)


def test_a_single_suppressed_value_points_at_its_unit():
    """L524: never exactly one value in a subset."""
    x = np.array([1.0, 2, 3, 900])
    with pytest.raises(LoneCell):
        done(SuppressCells(columns=("x",), records=(4,)), x=x)
    done(SuppressCells(columns=("x",), records=(3, 4)), x=x)


def test_more_than_two_units_lie_beyond_a_limit():
    """L544: censoring needs more than two in a tail."""
    with pytest.raises(TooFewBeyond):
        done(TopBottomCode(columns=("x",), upper=10), x=[1.0, 2, 30, 40])
    assert done(TopBottomCode(columns=("x",), upper=10), x=[1.0, 20, 30, 40]).column("x").values.tolist() == [
        1,
        10,
        10,
        10,
    ]


@pytest.mark.parametrize(
    ("beyond", "rule"),
    [([1000.0, 500, 90], "p = 10"), ([1000.0, 500, 100], None), ([861.0, 70, 69], "p = 10"), ([860.0, 50, 30, 30, 30], "(1, 85)"),
     ([850.0, 50, 34, 33, 33], None), ([50.0, 50], "few")],
)  # fmt: skip
def test_replacement_is_refused_where_one_dominates_the_tail(beyond, rule):
    """L548-552: fails if Σ - x₁ - x₂ < p·x₁ (p = 10 %) or x₁ > k·Σ (k = 85 %), or with fewer than three; else totals stay."""
    method = ReplaceTails(columns=("x",), upper=4)
    x = np.array([*beyond, 1.0, 2, 3, 4])
    if rule is None:
        after = done(method, x=x).column("x").values
        assert after.sum() == pytest.approx(x.sum())
        np.testing.assert_allclose(after[: len(beyond)], np.mean(beyond))
    else:
        with pytest.raises(TooFewBeyond if rule == "few" else TailDominated) as refused:
            done(method, x=x)
        assert rule == "few" or refused.value.facts["rule"] == rule
