"""Attackers who know one true value: value disclosure and the ratio attack, alone and against the methods they break."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.errors.data import BeforeNeeded, NotFinite, NumbersNeeded
from tarnkappe.errors.risk import KnownNotAttacked
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.ratio_attack import RatioAttack
from tarnkappe.risk.value_disclosure import ValueDisclosure
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

NAMES = ("turnover", "employees", "wages")


def firms(n=2000, waves=1, seed=1):
    rng = np.random.default_rng(seed)
    size = np.repeat(rng.normal(size=(n, 1)), waves, axis=0)
    x = np.exp([12, 3, 9] + size + 0.6 * rng.normal(size=(n * waves, 3)))
    columns = {name: Column.numbers_of(x[:, j].copy()) for j, name in enumerate(NAMES)}
    columns["firm"] = Column.texts_of([f"f{i}" for i in np.repeat(np.arange(n), waves)])
    columns["year"] = Column.numbers_of(np.tile(np.arange(waves), n))
    return Microdata(columns, {Role.NUMERIC: NAMES, Role.PERIOD: ("year",)})


def released(data, id, **parameters):
    return apply_step(catalogue[f"microdata.{id}"](columns=NAMES, **parameters), data, stream("any"))


def slow(x, y, known, f):
    """Equation 4.2-4 cell by cell."""
    hits = [
        abs(y[i, j] * x[i, known] / y[i, known] - x[i, j]) <= f * abs(x[i, j])
        for i in range(len(x))
        for j in range(x.shape[1])
        if j != known
    ]
    return np.mean(hits)


@pytest.mark.parametrize("known", NAMES)
def test_the_ratio_attack_is_equation_4_2_4(known):
    data = firms(300)
    after = released(data, "factor-noise")
    found = RatioAttack(known=(known,)).measure(after, before=data)
    assert found.value == pytest.approx(
        slow(data.numbers(NAMES), after.numbers(NAMES), NAMES.index(known), 0.05)
    )


def by_one_factor(data, *unit):
    """Exactly one factor for all values of a unit, as other programs multiply; ours adds a small one for every value."""
    ids = units_of(data, unit)[0]
    factor = np.random.default_rng(7).uniform(0.5, 1.5, ids.max() + 1)
    return data.with_numbers(NAMES, data.numbers(NAMES) * factor[ids][:, None])


def test_a_shared_factor_is_undone_and_independent_ones_are_not():
    data = firms()
    ours = released(data, "factor-noise", factors={"law": "uniform"}, shared="factor")
    assert RatioAttack().measure(ours, before=data).value > 0.9, "to five per cent"
    shared = RatioAttack().measure(by_one_factor(data), before=data)
    assert shared.value == 1
    assert shared.baseline < 0.15
    assert shared.details["ratios_kept"] == 1
    assert "one factor" in shared.because.en
    assert shared.details["found_by_ratios"] > 0.2
    assert shared.details["found_and_learnt"] == pytest.approx(shared.details["found_by_ratios"])
    apart = RatioAttack().measure(
        released(data, "factor-noise", factors={"law": "uniform"}, shared="nothing"), before=data
    )
    assert apart.value < 0.15
    assert apart.details["ratios_kept"] < 0.02
    assert "one factor" not in apart.because.en
    assert apart.details["found_by_ratios"] < 0.02
    added = RatioAttack().measure(released(data, "noise", variance_ratio=0.5), before=data)
    assert added.value < 0.1


def test_one_factor_for_all_waves_is_found_from_growth():
    data = firms(200, waves=4)
    once = by_one_factor(data, "firm")
    attack = RatioAttack(unit=("firm",))
    found = attack.measure(once, before=data)
    assert found.value == 1
    assert found.details["growth_kept"] == found.details["ratios_kept"] == 1
    assert found.details["values_at_stake"] == 2400
    anew = by_one_factor(data, "firm", "year")
    other = attack.measure(anew, before=data)
    assert other.details["growth_kept"] < 0.02
    assert other.details["ratios_kept"] == 1
    assert 0.2 < other.value < 0.5, "only the record with the known value is undone"
    by_record = RatioAttack().measure(anew, before=data)
    assert by_record.value == 1


def test_one_column_over_the_waves():
    """A single column is attacked through the years: the factor of the first year undoes the others."""
    data = firms(100, waves=3)
    x = data.numbers(("turnover",))
    factor = np.repeat(np.random.default_rng(1).uniform(0.5, 1.5, 100), 3)[:, None]
    after = data.with_numbers(("turnover",), x * factor)
    found = RatioAttack(columns=("turnover",), unit=("firm",)).measure(after, before=data)
    assert found.value == 1
    assert found.details["growth_kept"] == 1
    assert "Growth" in found.because.en
    assert found.details["ratios_kept"] is None
    with pytest.raises(NumbersNeeded):
        RatioAttack(columns=("turnover",)).measure(after, before=data)


def test_growth_follows_the_period_not_the_order_of_the_file():
    data = firms(100, waves=3)
    after = by_one_factor(data, "firm")
    mixed = np.random.default_rng(2).permutation(300)
    found = RatioAttack(unit=("firm",)).measure(after.take(mixed), before=data)
    assert found.details["growth_kept"] == 1
    assert found.value == 1


def test_what_a_known_value_adds_depends_on_the_method():
    """Shared factor: by ratio. Correlated noise: by regression. A copy: as released. The naive attacker gets little."""
    data = firms()
    factor = ValueDisclosure().measure(
        released(data, "factor-noise", factors={"law": "uniform"}, shared="factor"), before=data
    )
    assert (factor.value, factor.details["best_way"]) == (1, "by_ratio")
    copy = ValueDisclosure().measure(data, before=data)
    assert copy.value == 1
    assert set(copy.details["ways"].values()) == {1}
    assert copy.baseline < 0.1


def test_the_shift_takes_back_what_correlated_noise_shares():
    """x of correlation r with noise of the same covariance: the error that is left has the variance 1 - r²."""
    rng = np.random.default_rng(3)
    root = np.linalg.cholesky([[1, 0.95], [0.95, 1]])
    x = 10 + rng.normal(size=(20_000, 2)) @ root.T
    y = x + rng.normal(size=(20_000, 2)) @ root.T
    data, after = (Microdata({f"x{j}": Column.numbers_of(v[:, j].copy()) for j in range(2)}) for v in (x, y))
    found = ValueDisclosure().measure(after, before=data)
    assert found.details["best_way"] == "by_regression"
    assert found.details["ways"]["by_regression"] > 1.5 * found.details["ways"]["as_released"]
    rest = np.abs((y[:, 1] - x[:, 1]) - 0.95 * (y[:, 0] - x[:, 0])) <= 0.05 * np.abs(x[:, 1])
    assert found.value == pytest.approx(rest.mean(), abs=0.02)


def test_values_of_others_give_the_baseline_of_a_guess():
    data = firms(3000)
    other = np.random.default_rng(1).permutation(3000)
    after = data.with_numbers(NAMES, data.numbers(NAMES)[other])
    found = ValueDisclosure().measure(after, before=data)
    assert found.value < found.baseline + 0.02
    assert found.baseline < 0.12


@pytest.mark.parametrize("cls", [ValueDisclosure, RatioAttack])
def test_gaps_zeros_and_signs(cls):
    x = np.array([[0.0, 5, -2], [4, np.nan, 3], [2, 8, 0], [1, 1, 1]] * 5)
    factor = np.tile([[0.5], [2.0], [4.0], [3.0]], (5, 1))
    before, after = (
        Microdata({f"x{j}": Column.numbers_of(v[:, j].copy()) for j in range(3)}) for v in (x, x * factor)
    )
    found = cls(known=("x0",)).measure(after, before=before)
    there = ~np.isnan(x[:, 1:])
    hit = np.ones(there.shape, dtype=bool)
    hit[::4] = False  # the known value is zero: no factor, and the released values are far off
    hit[1::4, 0] = False
    assert found.value == pytest.approx((hit & there).sum() / there.sum())
    assert found.per_record[:4].tolist() == [0, 1, 1, 1]
    hidden = after.with_columns({"x1": after.column("x1").suppress(np.arange(20) < 12)})
    assert cls(known=("x0",)).measure(hidden, before=before).value < found.value


@pytest.mark.parametrize("cls", [ValueDisclosure, RatioAttack])
def test_a_constant_column_is_known_but_not_learnt(cls):
    """A constant that everybody knows gives the factor away."""
    x = np.column_stack([np.ones(50), np.exp(np.random.default_rng(1).normal(size=50))])
    y = x * np.random.default_rng(2).uniform(0.5, 1.5, (50, 1))
    before, after = (
        Microdata({f"x{j}": Column.numbers_of(v[:, j].copy()) for j in range(2)}) for v in (x, y)
    )
    found = cls().measure(after, before=before)
    assert found.value == 1
    assert found.details["known"] == {"x0": 1.0, "x1": pytest.approx(np.nan, nan_ok=True)}
    assert "x0" in found.because.en


@pytest.mark.parametrize("cls", [ValueDisclosure, RatioAttack])
def test_bad_input(cls):
    data = firms(20)
    with pytest.raises(BeforeNeeded):
        cls().measure(data)
    with pytest.raises(KnownNotAttacked):
        cls(columns=NAMES[:2], known=("wages",)).measure(data, before=data)
    with pytest.raises(NumbersNeeded):
        cls(columns=("wages",)).measure(data, before=data)
    wild = data.with_columns({"wages": Column.numbers_of(np.full(20, -np.inf))})
    with pytest.raises(NotFinite):
        cls(columns=NAMES).measure(wild, before=data)
    assert not cls().measure(data.take(np.arange(3)), before=data).trusted


def test_linking_by_ratios_needs_them_to_be_unique():
    x = np.array([[2.0, 4, 1], [3, 6, 5], [1, 7, 9]] * 4)
    data = Microdata({f"x{j}": Column.numbers_of(x[:, j].copy()) for j in range(3)})
    assert RatioAttack(known=("x0", "x1")).measure(data, before=data).details["found_by_ratios"] == 0
    x[:, 1] = np.arange(2, 14) * x[:, 0]
    data = Microdata({f"x{j}": Column.numbers_of(x[:, j].copy()) for j in range(3)})
    found = RatioAttack(known=("x0", "x1")).measure(data, before=data).details
    assert found["found_by_ratios"] == 1
    assert set(found["linked_by"]) == {"x0", "x1"}
    signs = data.with_numbers(("x1",), -x[:, [1]])
    assert RatioAttack(known=("x0", "x1")).measure(signs, before=data).details["found_by_ratios"] == 0
