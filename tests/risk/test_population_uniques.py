import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, NoKeys
from tarnkappe.errors.risk import PopulationNeeded, RegisterTooSmall, TableTooLarge, WeightsNotPositive
from tarnkappe.risk.population_uniques import PopulationUniques
from tarnkappe.risk.unique_models import Model
from tarnkappe.vocab import Role

LOG_LINEAR = [Model.LOG_LINEAR, Model.PML, Model.CLOGG_ELIASON]


def of(codes, weights=None):
    columns = {f"k{j}": Column.numbers_of(column.copy()) for j, column in enumerate(codes.T)}
    roles = {Role.KEY: tuple(columns)}
    if weights is not None:
        columns["w"] = Column.numbers_of(np.asarray(weights, dtype=np.float64))
        roles[Role.WEIGHT] = ("w",)
    return Microdata(columns, roles)


def population(seed, n=40_000):
    """Five independent skewed keys."""
    draw = np.random.default_rng(seed)
    return np.column_stack(
        [
            np.minimum(draw.geometric(p, n), top)
            for p, top in ((0.4, 8), (0.3, 12), (0.2, 15), (0.5, 5), (0.15, 20))
        ]
    )


def unique_in(codes):
    _, place, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return counts[place.ravel()] == 1


@pytest.mark.parametrize("model", LOG_LINEAR)
def test_log_linear_models_find_the_uniques_of_independent_keys(model):
    """Mean of three samples of a tenth within 10 % of the truth."""
    codes = population(1)
    unique, found, true = unique_in(codes), [], []
    for seed in range(3):
        chosen = np.random.default_rng(seed).choice(len(codes), 4000, replace=False)
        true.append(unique[chosen].mean())
        found.append(PopulationUniques(population=40_000, model=model).measure(of(codes[chosen])))
    assert np.mean([f.value for f in found]) == pytest.approx(np.mean(true), rel=0.10)
    assert all(f.low < f.value < f.high and f.trusted for f in found)
    one = found[0]
    assert one.details["expected_uniques"] == pytest.approx(one.value * 4000)
    assert one.per_record.sum() == pytest.approx(one.details["expected_uniques"])


@pytest.mark.parametrize("model", [Model.PML, Model.CLOGG_ELIASON])
def test_weights_of_an_unequal_sample_are_used(model):
    """Half of the first key's values are drawn four times as often; within 25 %, where equal weights are further off."""
    codes = population(2)
    draw = np.random.default_rng(5)
    chance = np.where(codes[:, 0] == 1, 0.2, 0.05)
    chosen = np.flatnonzero(draw.random(len(codes)) < chance)
    true = unique_in(codes)[chosen].mean()
    found = PopulationUniques(model=model).measure(of(codes[chosen], 1 / chance[chosen]))
    assert found.value == pytest.approx(true, rel=0.25)


def linked(seed, share):
    """The second key of that share of the persons repeats the first."""
    draw = np.random.default_rng(seed)
    n = 40_000
    first = draw.integers(0, 8, n)
    second = np.where(draw.random(n) < share, first, draw.integers(0, 8, n))
    codes = np.column_stack([first, second, *(np.minimum(draw.geometric(0.35, n), 12) for _ in range(3))])
    return codes, draw.choice(n, 4000, replace=False)


def test_pairs_of_keys_matter_where_they_depend_on_each_other():
    codes, chosen = linked(6, 0.8)
    true = unique_in(codes)[chosen].sum()
    single, paired = (
        PopulationUniques(population=40_000, model="log-linear", pairs=pairs).measure(of(codes[chosen]))
        for pairs in (False, True)
    )
    assert paired.details["expected_uniques"] == pytest.approx(true, rel=0.2)
    assert abs(paired.details["expected_uniques"] - true) < abs(single.details["expected_uniques"] - true)
    assert not single.trusted


def test_a_model_with_more_effects_than_the_sample_can_tell_is_not_trusted():
    """900 pairs of values, most of them seen once: they are fitted exactly, and the uniques seem to be common."""
    draw = np.random.default_rng(6)
    n = 30_000
    first = np.minimum(draw.geometric(0.1, n), 30)
    second = np.where(draw.random(n) < 0.97, first, draw.integers(1, 31, n))
    codes = np.column_stack([first, second, draw.integers(0, 12, n)])
    chosen = draw.choice(n, 3000, replace=False)
    found = PopulationUniques(population=n, model="log-linear", pairs=True).measure(of(codes[chosen]))
    assert found.details["expected_uniques"] < 0.2 * unique_in(codes)[chosen].sum()
    assert not found.trusted
    assert "underestimated" in found.because.en


def test_register_is_counted():
    codes = population(3, 5000)
    chosen = np.arange(0, 5000, 7)
    found = PopulationUniques(population="original").measure(of(codes[chosen]), before=of(codes))
    assert found.value == unique_in(codes)[chosen].mean()
    assert (found.low, found.high) == (None, None)
    assert found.trusted


@pytest.mark.parametrize("model", list(Model))
def test_who_is_not_unique_in_the_sample_is_not_so_at_all(model):
    twice = of(np.repeat(np.arange(40), 2)[:, None])
    found = PopulationUniques(population=800, model=model).measure(twice)
    assert (found.value, found.low, found.high) == (0, 0, 0)


@pytest.mark.parametrize("model", list(Model))
def test_uniques_of_a_whole_population_stay_uniques(model):
    codes = population(4, 3000)
    found = PopulationUniques(population=3000, model=model).measure(of(codes))
    assert found.value == pytest.approx(unique_in(codes).mean(), rel=0.12)


def test_few_classes_are_not_trusted():
    few = of(np.array([[0], [1], [2], [2], [3], [3], [3]]))
    found = PopulationUniques(population=70).measure(few)
    assert not found.trusted
    assert "too few" in found.because.en
    all_differ = PopulationUniques(population=700, model="snb").measure(of(np.arange(70)[:, None]))
    assert np.isnan(all_differ.value)
    assert not all_differ.trusted


def test_zayatz_is_not_trusted_in_small_samples():
    codes = population(4, 4000)
    assert not PopulationUniques(population=80_000, model="zayatz").measure(of(codes)).trusted
    assert PopulationUniques(population=8000, model="zayatz").measure(of(codes)).trusted


def test_strata_are_estimated_one_by_one_and_added_up():
    codes = population(5, 6000)
    data = of(codes)
    made = PopulationUniques(keys=("k1", "k2", "k4"), within=("k0",), population=60_000, model="log-linear")
    parts = [
        PopulationUniques(
            keys=("k1", "k2", "k4"), population=10 * int(part.sum()), model="log-linear"
        ).measure(data.take(part))
        for part in (codes[:, 0] == v for v in np.unique(codes[:, 0]))
    ]
    total = sum(part.details["expected_uniques"] for part in parts)
    assert made.measure(data).details["expected_uniques"] == pytest.approx(total)


def test_bad_input():
    codes = population(6, 100)
    with pytest.raises(NoKeys):
        PopulationUniques().measure(Microdata({"a": Column.numbers_of(np.ones(3))}))
    with pytest.raises(EmptyData):
        PopulationUniques(population=5).measure(of(codes[:0]))
    with pytest.raises(PopulationNeeded):
        PopulationUniques().measure(of(codes))
    with pytest.raises(PopulationNeeded):
        PopulationUniques(population="original").measure(of(codes))
    with pytest.raises(RegisterTooSmall):
        PopulationUniques(population=99).measure(of(codes))
    with pytest.raises(WeightsNotPositive):
        PopulationUniques().measure(of(codes, np.zeros(100)))
    assert not PopulationUniques(population=1000).measure(of(np.zeros((50, 2), np.int64))).trusted
    wide = of(np.column_stack([np.arange(300)] * 3))
    with pytest.raises(TableTooLarge):
        PopulationUniques(population=3000, model="log-linear", pairs=True).measure(wide)
    assert PopulationUniques(population=3000, model="log-linear").measure(wide).value <= 1


def test_the_same_interval_every_time():
    data = of(population(7, 800))
    made = PopulationUniques(population=8000)
    assert made.measure(data).as_json() == made.measure(data).as_json()
