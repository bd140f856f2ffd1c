import numpy as np
import pytest

from reference.fellegi_sunter import best_links, compared, weight
from risk.linkage_data import KEYS, noisy, persons, shuffled, strangers
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData, NoKeys, NotFinite, NothingToUse
from tarnkappe.errors.risk import AttackerFileNeeded, TooManyPatterns
from tarnkappe.kernels.latent_matches import posterior
from tarnkappe.risk.key_scales import placed
from tarnkappe.risk.learnt_weights import compared as counted
from tarnkappe.risk.learnt_weights import lower, upper
from tarnkappe.risk.outside import beside
from tarnkappe.risk.probable_linkage import ProbableLinkage
from tarnkappe.vocab import Role

CATEGORIES = ("sex", "place", "job")


@pytest.mark.parametrize("match", ["one-to-one", "heaviest"])
@pytest.mark.parametrize("learns", ["em", "truth"])
@pytest.mark.parametrize("scale", ["rank", "sd", "value"])
def test_a_copy_gives_everybody_away(match, learns, scale):
    before = persons()
    found = ProbableLinkage(match=match, learns=learns, scale=scale).measure(shuffled(before), before=before)
    assert found.value == 1
    assert found.trusted
    assert found.details["precision"] == found.details["recall"] == 1
    assert found.baseline == pytest.approx(1 / 200)
    assert (found.per_record == 1).all()


@pytest.mark.parametrize("match", ["one-to-one", "heaviest"])
def test_strangers_are_found_by_chance_only(match):
    before = persons(400)
    found = ProbableLinkage(match=match).measure(strangers(before), before=before)
    assert found.value < 0.02
    assert found.low <= found.baseline <= found.high


def test_noise_is_somewhere_between_and_the_truth_helps():
    before = persons(300)
    after = shuffled(noisy(before))
    by_em = ProbableLinkage(match="heaviest").measure(after, before=before)
    by_truth = ProbableLinkage(match="heaviest", learns="truth").measure(after, before=before)
    assert 0.3 < by_em.value < 1
    assert by_em.low < by_em.value < by_em.high
    assert by_em.details["right_with_known_weights"] == pytest.approx(by_truth.value)
    assert by_em.value == pytest.approx(by_truth.value, abs=0.1)
    assert ProbableLinkage().measure(after, before=before).value >= by_em.value


def test_more_noise_is_less_risk():
    before = persons(300)
    values = [
        ProbableLinkage().measure(noisy(before, share, relative), before=before).value
        for share, relative in ((0.0, 0.01), (0.2, 0.1), (0.5, 0.5), (1.0, 5.0))
    ]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.05


@pytest.mark.parametrize("seed", range(5))
def test_brute_force_over_all_pairs(seed):
    """Weights of the truth, links and thresholds, by enumerating every pair."""
    before = persons(40, seed)
    after = shuffled(noisy(before, 0.3, seed=seed), seed)
    outside = beside(after, before, KEYS, ("half",))
    keys = placed(outside, "rank")
    tolerances = (0.0, 0.05, 0.2)
    pairs = counted(outside, keys, tolerances)
    model = pairs.known_weights()

    each = [(0.0,) if key.count else tolerances for key in keys]
    blocks = (outside.known_block, outside.released_block)
    one, other = (np.column_stack([getattr(k, side) for k in keys]) for side in ("known", "released"))
    plain = compared(one, other, blocks, each)
    sizes = [len(t) + 1 for t in each]
    true = {(i, int(t)) for i, t in enumerate(outside.truth)}
    m, u = (
        _shares([levels for pair, levels in plain.items() if (pair in true) is belongs], sizes)
        for belongs in (True, False)
    )
    for j, size in enumerate(sizes):
        assert model.m[j, :size] == pytest.approx(m[j])
        assert model.u[j, :size] == pytest.approx(u[j])
    weights = {levels: weight(levels, m, u) for levels in plain.values()}
    links = best_links(plain, weights, len(one))
    expected = sum(
        1 / len(ties) for i, ties in enumerate(links) if ties and int(outside.truth[i]) in ties
    ) / len(one)
    measure = ProbableLinkage(
        keys=KEYS, within=("half",), learns="truth", match="heaviest", tolerances=tolerances
    )
    assert measure.measure(after, before=before).value == pytest.approx(expected)

    p = len(true) / len(plain)
    every = np.array([weights[levels] for levels in plain.values()])
    chance = posterior(every, p)
    limit = upper(every, np.ones(len(every)), chance, 0.2)
    assert (1 - chance[every >= limit]).mean() <= 0.2
    lighter = every[every < limit].max()
    assert (1 - chance[every >= lighter]).mean() > 0.2
    below = lower(every, np.ones(len(every)), chance, 0.1)
    assert chance[every < below].sum() <= 0.1 * chance.sum()
    assert chance[every <= below].sum() > 0.1 * chance.sum()
    told = measure.model_copy(update={"false_links": 0.2, "missed_links": 0.1}).measure(after, before=before)
    assert told.details["upper"] == pytest.approx(limit, abs=1e-6)
    assert told.details["lower"] == pytest.approx(below, abs=1e-6)


def _shares(patterns, sizes, alpha=0.01):
    sums = [[alpha] * size for size in sizes]
    for levels in patterns:
        for key, at in enumerate(levels):
            if at is not None:
                sums[key][at] += 1
    return [[s / sum(row) for s in row] for row in sums]


def test_em_recovers_how_often_keys_agree():
    before = persons(1500)
    after = noisy(before, 0.1, 0.05)
    found = {
        d["key"]: d
        for d in ProbableLinkage(match="heaviest").measure(after, before=before).details["agreement"]
    }
    known = (
        ProbableLinkage(match="heaviest", learns="truth").measure(after, before=before).details["agreement"]
    )
    for key in known:
        assert found[key["key"]]["u"] == pytest.approx(key["u"], abs=0.005)
        assert found[key["key"]]["m"] == pytest.approx(key["m"], abs=0.12)


def test_links_stop_where_too_many_would_be_wrong():
    before = persons(300)
    after = noisy(before, 0.2, 0.2)
    for match in ("one-to-one", "heaviest"):
        free = ProbableLinkage(match=match).measure(after, before=before)
        strict = ProbableLinkage(match=match, false_links=0.2, missed_links=0.05).measure(
            after, before=before
        )
        assert strict.details["linked"] < free.details["linked"]
        assert strict.value < free.value
        assert strict.details["precision"] > free.details["precision"]
        assert strict.details["undecided"] > 0


def test_ties_are_shared_out():
    data = Microdata({"a": Column.texts_of(["x"] * 5 + ["y"] * 5)}, {Role.KEY: ("a",)})
    for match in ("one-to-one", "heaviest"):
        found = ProbableLinkage(learns="truth", match=match).measure(data, before=data)
        assert found.value == pytest.approx(0.2)
        assert found.per_record == pytest.approx(np.full(10, 0.2))


def test_who_is_not_in_the_release_is_not_found():
    before = persons(200)
    after = before.take(np.arange(50))
    found = ProbableLinkage(match="heaviest").measure(after, before=before)
    assert found.value == 1
    assert found.details["searched"] == 50
    found = ProbableLinkage(match="heaviest", presence_known=False).measure(after, before=before)
    assert found.value == pytest.approx(0.25)
    assert found.details["recall"] == 1
    assert found.details["in_release"] == 50
    assert len(found.per_record) == 50


def test_nobody_looks_for_the_others():
    before = persons(200)
    found = ProbableLinkage(known_share=0.1).measure(before, before=before)
    assert found.value == 1
    assert np.isnan(found.per_record).sum() == 180


def test_blocks_are_kept_apart():
    before = persons(100)
    wrong = before.with_columns({"half": before.column("half").take(np.arange(100) // 2 * 2)})
    found = ProbableLinkage(within=("half",)).measure(wrong, before=before)
    assert found.details["in_another_block"] == 50
    assert found.value <= 0.5
    none = before.with_columns({"half": Column.texts_of(["other"] * 100)})
    found = ProbableLinkage(within=("half",)).measure(none, before=before)
    assert found.value == 0
    assert not found.trusted


def test_suppressed_and_missing_keys_tell_nothing():
    before = persons(200)
    cells = np.arange(200) % 2 == 0
    after = before.with_columns({name: before.column(name).suppress(cells) for name in KEYS[1:]})
    found = ProbableLinkage(match="heaviest").measure(after, before=before)
    assert found.value < 0.75
    assert np.nanmean(found.per_record[~cells]) > np.nanmean(found.per_record[cells])
    sealed = ProbableLinkage(match="heaviest").measure(after.sealed(), before=before)
    assert sealed.as_json() == found.as_json()


def test_a_file_of_ones_own():
    before = persons(200)
    file = noisy(before, 0.1, 0.05).take(np.arange(0, 200, 4))
    found = ProbableLinkage().against(shuffled(before), file)
    assert found.value > 0.8
    assert found.details["searched"] == 50


@pytest.mark.parametrize("keys", [("sex",), ("sex", "job")])
def test_too_few_keys_for_em_are_not_trusted(keys):
    before = persons(200)
    found = ProbableLinkage(keys=keys).measure(before, before=before)
    assert not found.trusted
    assert "EM" in found.because.en
    assert ProbableLinkage(keys=keys, learns="truth").measure(before, before=before).trusted


def test_constant_keys_are_not_trusted():
    before = persons(50)
    same = {name: before.column(name).take(np.zeros(50, dtype=np.int64)) for name in KEYS}
    found = ProbableLinkage().measure(before.with_columns(same), before=before.with_columns(same))
    assert not found.trusted
    assert found.value == pytest.approx(1 / 50)


def test_em_that_was_misled_is_not_trusted():
    """Keys that all follow from one: EM counts the same thing four times."""
    draw = np.random.default_rng(2)
    street = draw.integers(400, size=2000)
    parts = {"street": street, "quarter": street // 4, "district": street // 20, "town": street // 80, "day": draw.integers(30, size=2000)}  # fmt: skip
    columns = {name: Column.texts_of([f"{v:03d}" for v in values]) for name, values in parts.items()}
    before = Microdata(columns, {Role.KEY: tuple(columns)})
    blurred = {}
    for name, column in columns.items():
        wrong = draw.random(2000) < 0.2
        codes = np.where(wrong, draw.permutation(column.values), column.values)
        blurred[name] = Column.coded(codes, column.categories)
    found = ProbableLinkage(match="heaviest").measure(before.with_columns(blurred), before=before)
    assert found.details["right_with_known_weights"] > found.value + 0.1
    assert not found.trusted
    assert "learns: truth" in found.because.en


def test_records_nobody_reported_are_nobodys():
    before = persons(60)
    after = before.with_made(np.arange(60)).take(np.arange(60, 120))
    found = ProbableLinkage().measure(after, before=before)
    assert found.value == 0
    assert not found.trusted


def test_bad_input_has_a_code():
    before = persons(30)
    with pytest.raises(AttackerFileNeeded):
        ProbableLinkage().measure(before)
    with pytest.raises(EmptyData):
        ProbableLinkage().measure(before.take(np.zeros(0, dtype=np.int64)), before=before)
    with pytest.raises(NoKeys):
        ProbableLinkage().measure(before.with_roles({}), before=before)
    with pytest.raises(ColumnMissing):
        ProbableLinkage(keys=("nothing",)).measure(before, before=before)
    infinite = before.with_columns({"income": Column.numbers_of(np.full(30, np.inf))})
    with pytest.raises(NotFinite):
        ProbableLinkage().measure(infinite, before=before)
    many = {f"n{i}": before.column("income") for i in range(12)}
    wide = before.with_columns(many)
    with pytest.raises(TooManyPatterns):
        ProbableLinkage(keys=tuple(many)).measure(wide, before=wide)


def test_keys_that_are_hidden_everywhere():
    before = persons(30)
    everywhere = np.ones(30, dtype=bool)
    after = before.with_columns({name: before.column(name).suppress(everywhere) for name in KEYS})
    with pytest.raises(NothingToUse):
        ProbableLinkage().measure(after, before=before)
    one = before.with_columns({"age": before.column("age").suppress(everywhere)})
    assert ProbableLinkage().measure(one, before=before).value > 0.9


def test_one_record():
    one = persons(1)
    found = ProbableLinkage().measure(one, before=one)
    assert found.value == found.baseline == 1
    assert not found.trusted


def test_a_number_that_became_a_category_is_compared_by_its_code():
    before = persons(100)
    after = before.with_columns({"age": Column.texts_of([f"{a}" for a in before.column("age").values])})
    assert ProbableLinkage().measure(after, before=before).value == 1


@pytest.mark.parametrize("scale", ["rank", "sd", "value"])
@pytest.mark.parametrize("factor", [1e-300, 1e290, -1.0])
def test_huge_tiny_and_negative_numbers(scale, factor):
    before = persons(80)
    scaled = before.with_columns({"income": Column.numbers_of(before.column("income").values * factor)})
    assert ProbableLinkage(scale=scale).measure(shuffled(scaled), before=scaled).value == 1


def test_the_order_of_the_files_does_not_matter():
    before = persons(120)
    after = noisy(before, 0.5, 0.5)
    measure = ProbableLinkage(match="heaviest")
    assert measure.measure(after, before=before).value == pytest.approx(
        measure.measure(shuffled(after), before=before).value
    )


def test_categories_alone():
    before = persons(60)
    found = ProbableLinkage(keys=CATEGORIES).measure(before, before=before)
    assert 0.5 < found.value < 1
