import json

import numpy as np
import pytest
from scipy.special import ndtr

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, EmptyData, NotFinite, NumbersNeeded
from tarnkappe.errors.risk import WeightsNotPositive
from tarnkappe.kernels.proportions import clopper_pearson
from tarnkappe.risk.interval_disclosure import IntervalDisclosure
from tarnkappe.vocab import Role


def data(x, roles=None, **more):
    x = np.asarray(x, dtype=float)
    columns = {f"x{j}": Column.numbers_of(x[:, j].copy()) for j in range(x.shape[1])}
    return Microdata(columns | more, roles or {})


def drawn(n=200, m=3, seed=1):
    return np.random.default_rng(seed).normal(size=(n, m)) * [1, 10, 100][:m] + 5


def slow(y, scale, width):
    """The ends of all intervals, cell by cell, as the definitions read; not a number where nothing is shown."""
    ends = np.full((2, *y.shape), np.nan)
    for j in range(y.shape[1]):
        shown = sorted(v for v in y[:, j] if not np.isnan(v))
        sd = np.std(shown, ddof=1)
        for i, v in enumerate(y[:, j]):
            if np.isnan(v):
                continue
            if scale == "rank":
                reach = int(width * len(shown) + 1e-9)
                first = sum(u < v for u in shown)
                last = sum(u <= v for u in shown) - 1
                ends[:, i, j] = shown[max(0, first - reach)], shown[min(len(shown) - 1, last + reach)]
            else:
                half = width * (sd if scale == "sd" else abs(v))
                ends[:, i, j] = v - half, v + half
    return ends


@pytest.mark.parametrize("scale", ["sd", "rank", "value"])
@pytest.mark.parametrize("seed", range(4))
def test_against_the_definition(scale, seed):
    """Ties, gaps on either side: the share of values, of records, and the naive attacker."""
    rng = np.random.default_rng(seed)
    x = np.round(drawn(60, seed=seed), 0)
    y = np.round(x + rng.normal(size=x.shape) * [0.1, 1, 10], 0)
    x[rng.random(x.shape) < 0.1] = np.nan
    y[rng.random(x.shape) < 0.1] = np.nan
    low, high = slow(y, scale, 0.07)
    hit, there = (low <= x) & (x <= high), ~np.isnan(x)
    found = IntervalDisclosure(scale=scale, width=0.07).measure(data(y), before=data(x))
    some = there.any(axis=1)
    assert found.details["share_of_values"] == pytest.approx((hit & there).sum() / there.sum())
    assert found.value == pytest.approx((hit | ~there).all(axis=1)[some].mean())
    single = IntervalDisclosure(scale=scale, width=0.07, joint=False).measure(data(y), before=data(x))
    assert single.value == pytest.approx((hit & there).sum() / there.sum())
    for j in range(3):
        seen = ~np.isnan(y[:, j])
        chances = [np.mean((low[seen, j] <= v) & (v <= high[seen, j])) for v in x[there[:, j], j]]
        assert single.details["columns"][f"x{j}"]["naive"] == pytest.approx(np.mean(chances))
        assert single.details["columns"][f"x{j}"]["share"] == pytest.approx(hit[there[:, j], j].mean())
    np.testing.assert_allclose(
        single.per_record,
        np.where(some, (hit & there).sum(axis=1) / np.maximum(there.sum(axis=1), 1), np.nan),
    )


@pytest.mark.parametrize("scale", ["sd", "rank", "value"])
@pytest.mark.parametrize("joint", [True, False])
def test_a_copy_is_disclosed_whole(scale, joint):
    x = drawn()
    found = IntervalDisclosure(scale=scale, joint=joint).measure(data(x), before=data(x))
    assert found.value == 1
    assert found.high == 1
    assert found.low == pytest.approx(0.025 ** (1 / 200)), "Clopper and Pearson for 200 of 200 records"
    assert found.baseline < 0.2
    assert found.trusted


@pytest.mark.parametrize("scale", ["sd", "rank", "value"])
@pytest.mark.parametrize("joint", [True, False])
def test_values_of_others_give_the_baseline(scale, joint):
    x = drawn(3000, 2)
    y = x[np.random.default_rng(2).permutation(3000)]
    found = IntervalDisclosure(scale=scale, width=0.2, joint=joint).measure(data(y), before=data(x))
    assert found.low <= found.baseline <= found.high


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0])
def test_normal_noise_in_closed_form(ratio):
    """Noise with ρ times the standard deviation: inside ±k standard deviations of y with 2Φ(k √(1 + ρ²)/ρ) - 1."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40_000, 1))
    y = x + ratio * rng.normal(size=x.shape)
    found = IntervalDisclosure(width=0.1).measure(data(y), before=data(x))
    assert found.value == pytest.approx(2 * ndtr(0.1 * np.sqrt(1 + ratio**2) / ratio) - 1, abs=0.01)
    assert found.low < found.value < found.high


def test_relative_noise_in_closed_form():
    """Factors 1 + s·z: |y - x| ≤ p·|y| for 1/(1+p) ≤ w ≤ 1/(1-p)."""
    rng = np.random.default_rng(6)
    x = np.exp(rng.normal(size=(40_000, 1)))
    y = x * (1 + 0.1 * rng.normal(size=x.shape))
    found = IntervalDisclosure(scale="value", width=0.1).measure(data(y), before=data(x))
    assert found.value == pytest.approx(ndtr((1 / 0.9 - 1) / 0.1) - ndtr((1 / 1.1 - 1) / 0.1), abs=0.01)


def test_not_shown_is_not_disclosed():
    x = drawn(40, 1)
    half = data(x).with_columns({"x0": Column.numbers_of(x[:, 0].copy()).suppress(np.arange(40) < 20)})
    found = IntervalDisclosure().measure(half, before=data(x))
    assert found.value == 0.5
    assert found.per_record.tolist() == [0] * 20 + [1] * 20
    gaps = x.copy()
    gaps[:10] = np.nan
    assert np.isnan(IntervalDisclosure().measure(data(x), before=data(gaps)).per_record[:10]).all()


def test_records_that_are_gone_moved_or_made():
    x = drawn(50, 2)
    order = np.random.default_rng(3).permutation(50)[:30]
    after = data(x).take(order).with_made(np.arange(5))
    found = IntervalDisclosure(joint=False).measure(after, before=data(x))
    assert found.value == 1
    assert np.isnan(found.per_record[30:]).all()
    assert found.details["records"] == 30


def test_interval_by_records_not_by_values():
    """Three equal columns are as sure as one: the values of a record hang together."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(300, 1))
    y = x + rng.normal(size=x.shape) * 0.1
    one = IntervalDisclosure(joint=False).measure(data(y), before=data(x))
    three = IntervalDisclosure(joint=False).measure(data(np.repeat(y, 3, 1)), before=data(np.repeat(x, 3, 1)))
    assert (three.low, three.high) == pytest.approx((one.low, one.high))
    assert (one.low, one.high) == pytest.approx(clopper_pearson(one.value * 300, 300, 0.95))


def test_weights_and_strata():
    x = drawn(40, 1)
    y = x.copy()
    y[:10] += 1e6
    more = {
        "w": Column.numbers_of(np.where(np.arange(40) < 10, 3.0, 1.0)),
        "s": Column.texts_of(["a"] * 10 + ["b"] * 30),
    }
    roles = {Role.WEIGHT: ("w",)}
    found = IntervalDisclosure(
        columns=("x0",), scale="value", width=0.01, weighted=True, within=("s",)
    ).measure(data(y, roles, **more), before=data(x, roles, **more))
    assert found.value == pytest.approx(30 / 60)
    assert [(r["stratum"], r["records"], r["share"]) for r in found.details["worst_strata"]] == [
        (2, 30, 1),
        (1, 10, 0),
    ]
    wrong = {**more, "w": Column.numbers_of(np.zeros(40))}
    with pytest.raises(WeightsNotPositive):
        IntervalDisclosure(columns=("x0",), weighted=True).measure(
            data(y, roles, **wrong), before=data(x, roles, **wrong)
        )


def test_bad_input_and_doubt():
    x = drawn(30)
    with pytest.raises(BeforeNeeded):
        IntervalDisclosure().measure(data(x))
    with pytest.raises(EmptyData):
        IntervalDisclosure().measure(data(x[:0]), before=data(x))
    with pytest.raises(NumbersNeeded):
        texts = Microdata({"t": Column.texts_of(["a", "b"])})
        IntervalDisclosure().measure(texts, before=texts)
    wild = x.copy()
    wild[3, 1] = np.inf
    with pytest.raises(NotFinite):
        IntervalDisclosure().measure(data(wild), before=data(x))
    one = IntervalDisclosure().measure(data(x[:1]), before=data(x[:1]))
    assert not one.trusted
    constant = x.copy()
    constant[:, 1] = 7
    found = IntervalDisclosure().measure(data(constant), before=data(constant))
    assert found.trusted and "x1" in found.because.en
    assert "x1" not in found.details["columns"]
    nothing = IntervalDisclosure().measure(data(constant[:, [1]]), before=data(constant[:, [1]]))
    assert np.isnan(nothing.value) and not nothing.trusted
    apart = IntervalDisclosure().measure(data(x).take(np.arange(5)), before=data(x).take(np.arange(10, 20)))
    assert np.isnan(apart.value) and not apart.trusted


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_size_does_not_matter(size):
    x = drawn(80)
    y = x + np.random.default_rng(1).normal(size=x.shape)
    for scale in ("sd", "rank", "value"):
        plain = IntervalDisclosure(scale=scale).measure(data(y), before=data(x))
        scaled = IntervalDisclosure(scale=scale).measure(data(y * size), before=data(x * size))
        assert scaled.value == pytest.approx(plain.value)
        assert scaled.baseline == pytest.approx(plain.baseline)


def test_no_value_is_told():
    x = drawn(30)
    x[0, 0] = 987654321.125
    assert "987654321" not in json.dumps(IntervalDisclosure().measure(data(x), before=data(x)).as_json())
