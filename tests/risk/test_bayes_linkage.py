import numpy as np
import pytest

from reference.fellegi_sunter import posterior
from risk.linkage_data import KEYS, noisy, persons, shuffled, strangers
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData, NoKeys, NotFinite
from tarnkappe.errors.risk import AttackerFileNeeded
from tarnkappe.kernels.hit_miss import density, frequency
from tarnkappe.risk.bayes_linkage import BayesLinkage
from tarnkappe.risk.key_scales import placed
from tarnkappe.risk.outside import beside
from tarnkappe.vocab import Role


@pytest.mark.parametrize("scale", ["rank", "sd", "value"])
@pytest.mark.parametrize("certainty", [0.5, 0.9])
def test_a_copy_gives_everybody_away(scale, certainty):
    before = persons()
    found = BayesLinkage(scale=scale, certainty=certainty).measure(shuffled(before), before=before)
    assert found.value == 1
    assert found.trusted
    assert found.details["wrong_links"] == found.details["unsure"] == 0
    assert (found.per_record == 1).all()


@pytest.mark.parametrize("certainty", [0.001, 0.5])
def test_strangers_are_found_by_chance_at_most(certainty):
    before = persons(400)
    found = BayesLinkage(certainty=certainty).measure(strangers(before), before=before)
    assert found.value < 0.02
    assert found.low <= found.baseline


def test_more_noise_is_less_risk():
    before = persons(300)
    values = [
        BayesLinkage().measure(noisy(before, share, relative), before=before).value
        for share, relative in ((0.0, 0.01), (0.2, 0.1), (0.5, 0.5), (1.0, 5.0))
    ]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.05


def test_the_attacker_is_as_often_right_as_he_believes():
    before = persons(1000)
    found = BayesLinkage(certainty=0.3).measure(noisy(before, 0.3, 0.1), before=before)
    assert found.details["identified"] > 300
    assert found.details["precision"] == pytest.approx(found.details["believed"], abs=0.06)


def test_everybody_is_found_rightly_or_wrongly_or_not_at_all():
    """spec G-R03: shares rightly, wrongly and not assigned, in the scenario of spec 2.3."""
    before = persons(300)
    told = BayesLinkage(number_error=0.05, category_error=0.03).measure(before, before=before).details
    assert told["hits"] + told["wrong_links"] + told["unsure"] == pytest.approx(told["searched"])
    assert told["hits"] > 280


def test_a_higher_certainty_means_fewer_errors():
    before = persons(500)
    after = noisy(before, 0.3, 0.2)
    low, high = (BayesLinkage(certainty=c).measure(after, before=before) for c in (0.3, 0.9))
    assert low.value > high.value
    assert low.details["wrong_links"] > high.details["wrong_links"]
    assert low.details["precision"] < high.details["precision"]


@pytest.mark.parametrize("participation", [1.0, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_brute_force_over_all_pairs(seed, participation):
    before = persons(40, seed)
    after = shuffled(noisy(before, 0.3, 0.2, seed=seed), seed)
    measure = BayesLinkage(within=("half",), participation=participation, certainty=0.4)
    found = measure.measure(after, before=before)
    outside = beside(after, before, KEYS, ("half",))
    keys = placed(outside, "value")
    errors = [(e["noise"], e["miss"]) for e in found.details["errors"]]
    right, wrong = 0.0, 0.0
    for i, truth in enumerate(outside.truth):
        rows = np.flatnonzero(outside.released_block == outside.known_block[i])
        y = [key.known[i] for key in keys]
        g = [
            float(
                frequency(key.known[[i]], key.released, key.count)[0]
                if key.count
                else density(key.known[[i]], key.released, sigma)[0]
            )
            for key, (sigma, _) in zip(keys, errors, strict=True)
        ]
        released = [[key.released[row] for key in keys] for row in rows]
        chances, _ = posterior(y, released, errors, g, 1 - participation)
        top = [int(row) for row, c in zip(rows, chances, strict=True) if c > max(chances) - 1e-12]
        if max(chances) >= 0.4:
            right += (int(truth) in top) / len(top)
            wrong += 1 - (int(truth) in top) / len(top)
    assert found.value == pytest.approx(right / 40)
    assert found.details["wrong_links"] == pytest.approx(wrong)


def test_doubt_about_participation_lowers_the_risk():
    before = persons(300)
    after = noisy(before, 0.3, 0.3)
    sure, unsure = (BayesLinkage(participation=p).measure(after, before=before) for p in (1.0, 0.05))
    assert unsure.value < sure.value
    assert unsure.details["right_if_participation_known"] == pytest.approx(sure.value)


def test_who_is_not_in_the_release_is_not_searched_where_that_is_known():
    before = persons(200)
    after = before.take(np.arange(50))
    assert BayesLinkage().measure(after, before=before).details["searched"] == 50
    unsure = BayesLinkage(participation=0.25).measure(after, before=before)
    assert unsure.details["searched"] == 200
    assert unsure.value == pytest.approx(0.25, abs=0.01)
    assert unsure.details["precision"] > 0.95


def test_stated_errors_are_used():
    before = persons(200)
    stated = BayesLinkage(known_noise={"income": 0.25}, known_misses={"sex": 0.4, "income": 0.1})
    told = {e["key"]: e for e in stated.measure(before, before=before).details["errors"]}
    assert told["income"]["noise"] == 0.25
    assert told["income"]["miss"] == 0.1
    assert told["sex"]["miss"] == 0.4
    with pytest.raises(ColumnMissing):
        BayesLinkage(known_noise={"incme": 0.1}).measure(before, before=before)


def test_rare_values_say_more():
    """Two of three keys agree for two candidates each; the rare one decides."""
    before = Microdata(
        {
            "common": Column.texts_of(["a"] * 90 + ["b"] * 10),
            "rare": Column.texts_of([f"r{i % 50:02d}" for i in range(100)]),
        },
        {Role.KEY: ("common", "rare")},
    )
    found = BayesLinkage(known_misses={"common": 0.2, "rare": 0.2}, certainty=0.01).measure(
        before, before=before
    )
    assert found.value == pytest.approx(0.5, abs=0.15)


def test_ties_are_shared_out():
    data = Microdata({"a": Column.texts_of(["x"] * 2 + ["y"] * 2)}, {Role.KEY: ("a",)})
    found = BayesLinkage(known_misses={"a": 0.0}).measure(data, before=data)
    assert found.value == pytest.approx(0.5)
    sure = BayesLinkage(known_misses={"a": 0.0}, certainty=0.51).measure(data, before=data)
    assert sure.value == 0
    assert sure.details["unsure"] == 4
    assert sure.details["precision"] is None


def test_suppressed_keys_tell_nothing():
    before = persons(200)
    cells = np.arange(200) % 2 == 0
    after = before.with_columns({name: before.column(name).suppress(cells) for name in KEYS[1:]})
    found = BayesLinkage().measure(after, before=before)
    assert np.nanmean(found.per_record[cells]) < 0.1
    assert np.nanmean(found.per_record[~cells]) > 0.9
    assert BayesLinkage().measure(after.sealed(), before=before).as_json() == found.as_json()


def test_errors_estimated_from_few_pairs_are_not_trusted():
    few = persons(5)
    assert not BayesLinkage().measure(few, before=few).trusted
    stated = BayesLinkage(
        keys=("sex", "age"), known_noise={"age": 0.1}, known_misses={"sex": 0.01, "age": 0.01}
    )
    assert stated.measure(few, before=few).trusted


def test_blocks_without_released_records():
    before = persons(60)
    none = before.with_columns({"half": Column.texts_of(["other"] * 60)})
    found = BayesLinkage(within=("half",)).measure(none, before=before)
    assert found.value == 0
    assert not found.trusted


def test_nobody_to_find():
    before = persons(60)
    made = before.with_made(np.arange(60)).take(np.arange(60, 120))
    found = BayesLinkage().measure(made, before=before)
    assert found.value == 0
    assert not found.trusted


def test_constants_and_one_record():
    before = persons(50)
    same = before.with_columns(
        {name: before.column(name).take(np.zeros(50, dtype=np.int64)) for name in KEYS}
    )
    found = BayesLinkage(certainty=0.01).measure(same, before=same)
    assert found.value == pytest.approx(1 / 50)
    assert not found.trusted
    one = persons(1)
    assert BayesLinkage().measure(one, before=one).value == 1


def test_bad_input_has_a_code():
    before = persons(30)
    with pytest.raises(AttackerFileNeeded):
        BayesLinkage().measure(before)
    with pytest.raises(EmptyData):
        BayesLinkage().measure(before.take(np.zeros(0, dtype=np.int64)), before=before)
    with pytest.raises(NoKeys):
        BayesLinkage().measure(before.with_roles({}), before=before)
    infinite = before.with_columns({"income": Column.numbers_of(np.full(30, -np.inf))})
    with pytest.raises(NotFinite):
        BayesLinkage().measure(infinite, before=before)


@pytest.mark.parametrize("scale", ["rank", "sd", "value"])
@pytest.mark.parametrize("factor", [1e-300, 1e290, -1.0])
def test_huge_tiny_and_negative_numbers(scale, factor):
    before = persons(80)
    scaled = before.with_columns({"income": Column.numbers_of(before.column("income").values * factor)})
    assert BayesLinkage(scale=scale).measure(shuffled(scaled), before=scaled).value == 1


def test_a_file_of_ones_own():
    before = persons(200)
    file = noisy(before, 0.1, 0.05).take(np.arange(0, 200, 4))
    found = BayesLinkage().against(shuffled(before), file)
    assert found.value > 0.8
    assert found.details["searched"] == 50
