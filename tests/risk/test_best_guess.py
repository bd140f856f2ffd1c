import numpy as np
import pytest
from scipy.special import ndtr

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, EmptyData, NumbersNeeded
from tarnkappe.errors.risk import ReleasesNeeded
from tarnkappe.kernels.guesses import centres, votes
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.best_guess import BestGuess
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def panel(n=400, waves=1, seed=1):
    """Firms whose values stay the same over the waves."""
    rng = np.random.default_rng(seed)
    x = np.repeat(np.exp(5 + rng.normal(size=n)), waves)
    branch = np.repeat(rng.integers(0, 6, n), waves)
    return Microdata(
        {
            "turnover": Column.numbers_of(x),
            "branch": Column.texts_of([f"b{v}" for v in branch]),
            "firm": Column.texts_of([f"f{i}" for i in np.repeat(np.arange(n), waves)]),
            "year": Column.texts_of([str(t) for t in np.tile(np.arange(waves), n)]),
        }
    )


def released(data, id, secret="any", **parameters):
    return apply_step(catalogue[f"microdata.{id}"](**parameters), data, stream(secret))


@pytest.mark.parametrize("seed", range(4))
def test_kernels_in_plain_python(seed):
    rng = np.random.default_rng(seed)
    units, values = rng.integers(0, 12, 60), np.round(rng.normal(size=60), 1)
    values[rng.random(60) < 0.2] = np.nan
    codes = rng.integers(-1, 4, 60)
    for by, function in (("mean", np.mean), ("median", np.median)):
        slow = [
            function(v) if len(v := values[(units == u) & ~np.isnan(values)]) else np.nan for u in range(12)
        ]
        np.testing.assert_allclose(centres(values, units, 12, by), slow)
    true, of = rng.integers(-1, 5, 30), rng.integers(0, 12, 30)
    chances = []
    for x, u in zip(true, of, strict=True):
        seen = [c for c, v in zip(codes, units, strict=True) if v == u and c >= 0]
        most = max((seen.count(c) for c in set(seen)), default=0)
        top = [c for c in set(seen) if seen.count(c) == most]
        chances.append(1 / len(top) if x >= 0 and x in top else 0.0)
    assert votes(codes, units, true, of) == pytest.approx(chances)


def test_new_noise_in_every_wave_averages_out():
    """Normal factors with s: the mean over T waves is within f with 2Φ(f √T / s) - 1."""
    data = panel(1500, waves=16)
    law = {"columns": ("turnover",), "factors": {"law": "normal", "s": 0.15, "smallest": 0, "largest": 0.9}}
    anew = released(data, "factor-noise", shared="nothing", **law)
    found = BestGuess(unit=("firm",)).measure(anew, before=data)
    assert found.value == pytest.approx(2 * ndtr(0.05 * 4 / 0.15) - 1, abs=0.03)
    assert found.baseline == pytest.approx(2 * ndtr(0.05 / 0.15) - 1, abs=0.02)
    assert found.details["values_per_unit"] == 16
    once = released(data, "factor-noise", shared="factor", unit=("firm",), **law)
    same = BestGuess(unit=("firm",)).measure(once, before=data)
    assert same.value == pytest.approx(same.baseline, abs=0.02), (
        "one factor for all waves is not averaged away"
    )


def test_several_releases_of_numbers_and_of_pram():
    data = panel(600)
    noise = {"columns": ("turnover",), "factors": {"law": "mixture"}}
    many = [
        released(
            released(data, "factor-noise", f"n{k}", **noise), "pram", f"p{k}", columns=("branch",), alpha=0.4
        )
        for k in range(9)
    ]
    attack = BestGuess(columns=("turnover", "branch"))
    single, nine = attack.over(many[:1], data), attack.over(many, data)
    assert single.value == single.baseline
    assert nine.details["columns"]["branch"]["share"] > 0.9
    assert nine.details["columns"]["branch"]["naive"] < 0.75
    assert nine.details["columns"]["turnover"]["share"] > 5 * nine.details["columns"]["turnover"]["naive"]
    assert nine.details["releases"] == 9
    three = attack.over(many[:3], data)
    assert single.value < three.value < nine.value


def test_releases_in_another_order_and_of_other_records():
    data = panel(50)
    rng = np.random.default_rng(1)
    parts = [data.take(rng.permutation(50)[:40]) for _ in range(3)]
    found = BestGuess(columns=("turnover", "branch")).over(parts, data)
    assert found.value == 1
    assert len(found.per_record) == 40


def test_median_withstands_a_wild_release():
    data = panel(100)
    wild = data.with_numbers(("turnover",), data.numbers(("turnover",)) * 100)
    three = [data, wild, data]
    assert BestGuess(columns=("turnover",)).over(three, data).value == 0
    assert BestGuess(columns=("turnover",), aggregate="median").over(three, data).value == 1


def test_categories_only_gaps_and_bad_input():
    data = panel(40, waves=3)
    found = BestGuess(columns=("branch",), unit=("firm",)).measure(data, before=data)
    assert found.value == 1
    hidden = data.with_columns({"branch": data.column("branch").suppress(np.arange(120) % 3 == 0)})
    by_unit = BestGuess(columns=("branch",), unit=("firm",)).measure(hidden, before=data)
    assert (by_unit.value, by_unit.baseline) == (1, pytest.approx(2 / 3)), (
        "the other waves tell what is suppressed"
    )
    nothing = BestGuess(columns=("branch",)).measure(hidden, before=data)
    assert nothing.value == nothing.baseline == pytest.approx(2 / 3)
    with pytest.raises(BeforeNeeded):
        BestGuess().measure(data)
    with pytest.raises(EmptyData):
        BestGuess().measure(data.take(np.arange(0)), before=data)
    with pytest.raises(ReleasesNeeded):
        BestGuess().over([], data)
    with pytest.raises(NumbersNeeded):
        BestGuess().measure(data.without(["turnover"]), before=data.without(["turnover"]))
    assert not BestGuess().measure(data.take(np.arange(2)), before=data).trusted
