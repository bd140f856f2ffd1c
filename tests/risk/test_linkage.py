"""Linkage by distance: attackers whose success is known beforehand, and bad input."""

from dataclasses import replace

import numpy as np
import pytest

from reference import linkage as reference
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData, NoKeys, NotFinite, NothingToUse
from tarnkappe.errors.risk import AttackerFileNeeded, IdentityUnclear
from tarnkappe.risk.distances import points
from tarnkappe.risk.linkage import Linkage
from tarnkappe.risk.outside import beside
from tarnkappe.testing import example_data

DISTANCES = ("standardised", "mahalanobis", "gower")
MATCHES = ("nearest", "one-to-one", "greedy")
KEYS = ("turnover", "employees", "branch")


def firms(n=300, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    return Microdata({
        "name": Column.texts_of([f"firm {i}" for i in range(n)]),
        "turnover": Column.numbers_of(np.exp(10 + size + 0.2 * rng.normal(size=n))),
        "employees": Column.numbers_of(np.exp(3 + size + 0.2 * rng.normal(size=n))),
        "branch": Column.texts_of([f"B{b}" for b in rng.integers(0, 5, n)]),
        "region": Column.texts_of(["east" if e else "west" for e in rng.random(n) < 0.5]),
        "profit": Column.numbers_of(rng.normal(size=n) * np.exp(size)),
    })  # fmt: skip


def shuffled(data, seed=2):
    return data.take(np.random.default_rng(seed).permutation(len(data)))


def noisy(data, sd, seed=3):
    rng = np.random.default_rng(seed)
    names = ("turnover", "employees")
    values = data.numbers(names)
    return data.with_numbers(names, values * (1 + sd * rng.normal(size=values.shape)))


def independent(data, seed=4):
    """The same values, but whose they are has nothing to do with the truth."""
    return replace(data, rows=np.random.default_rng(seed).permutation(data.rows))


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("distance", DISTANCES)
def test_a_copy_gives_everybody_away(distance, match):
    before = firms()
    found = Linkage(keys=KEYS, distance=distance, match=match).measure(shuffled(before), before=before)
    assert found.value == 1
    assert found.trusted
    assert found.high == 1
    assert found.low == pytest.approx(0.025 ** (1 / 300))  # Clopper–Pearson where all are found
    assert (found.per_record == 1).all()


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("distance", DISTANCES)
def test_records_of_others_are_found_by_chance_only(distance, match):
    before = firms(1000)
    found = Linkage(keys=KEYS, distance=distance, match=match, within=("region",)).measure(
        independent(before), before=before
    )
    assert found.baseline == pytest.approx(0.001, abs=0.0005)
    assert found.low <= found.baseline <= found.high
    assert found.details["in_another_block"] > 300


def test_every_pair_looked_at():
    before = firms(120)
    after = noisy(shuffled(before).take(np.arange(100)), 0.2)
    column = after.column("branch").suppress(np.arange(100) % 9 == 2)
    after = after.with_columns({"branch": column})
    how = Linkage(keys=KEYS, nearest=2, importance={"branch": 0.5})
    outside = beside(after, before, KEYS, ())
    space = points(outside, "standardised", "sd", {"branch": 0.5}, "average")
    d = reference.distances(space.known, space.released, space)
    expected = reference.found_by_nearest(d, outside.truth, np.ones_like(d, dtype=bool), 2)
    found = how.measure(after, before=before)
    assert found.value == pytest.approx(expected[outside.there].mean())
    assert found.per_record == pytest.approx(outside.of_released(expected))
    assert found.details["searched"] == 120
    assert found.details["in_release"] == 100
    assert found.details["found_of_searched"] == pytest.approx(found.value * 100 / 120)


def test_standardised_distance_by_hand():
    """Each key adds 2 on average over two records drawn from the release, numbers and categories alike."""
    before = firms()
    space = points(beside(before, before, KEYS, ()), "standardised", "sd", {}, "average")
    d = reference.distances(space.known, space.released, space)
    assert d.mean() == pytest.approx(2 * len(KEYS))
    assert space.gap == pytest.approx([2.0, 2.0, 2.0])
    income = before.column("turnover").numbers()
    assert np.abs(space.known[0, 0] - space.known[1, 0]) == pytest.approx(
        abs(income[0] - income[1]) / income.std()
    )


def test_mahalanobis_distance_by_hand():
    before = firms()
    keys = ("turnover", "employees")
    space = points(beside(before, before, keys, ()), "mahalanobis", "sd", {}, "average")
    x = before.numbers(keys)
    inverse = np.linalg.inv(np.cov(x.T, bias=True))
    apart = x[3] - x[8]
    assert reference.distance(space.known[3], space.released[8], space) == pytest.approx(
        apart @ inverse @ apart
    )


def test_gowers_distance_by_hand():
    before = firms()
    space = points(beside(before, before, KEYS, ()), "gower", "sd", {"branch": 3.0}, "average")
    x = before.numbers(KEYS[:2])
    branch = before.column("branch").values
    expected = (np.abs(x[3] - x[8]) / np.ptp(x, axis=0)).sum() + 3.0 * (branch[3] != branch[8])
    assert reference.distance(space.known[3], space.released[8], space) == pytest.approx(expected)
    d = reference.distances(space.known[:, :1], space.released[:, :1], replace_keys(space, 1))
    assert space.gap[0] == pytest.approx(d.mean())


def replace_keys(space, count):
    return replace(space, category=space.category[:count], differ=space.differ[:count], gap=space.gap[:count])


def test_more_noise_less_found_and_one_to_one_finds_more():
    before = firms(600)
    found = {
        (sd, match): Linkage(keys=KEYS, scale="value", match=match)
        .measure(noisy(before, sd), before=before)
        .value
        for sd in (0.02, 0.1, 0.4)
        for match in MATCHES
    }
    for match in MATCHES:
        assert found[0.02, match] > found[0.1, match] > found[0.4, match]
    assert found[0.1, "one-to-one"] > found[0.1, "nearest"]


def test_ties_are_chances():
    """All records alike in the keys: one in n is found, and k in n among the k nearest."""
    before = firms(50)
    same = Column.texts_of(["x"] * 49 + ["y"])
    before = before.with_columns({"branch": same})
    for match, expected in (("nearest", 2 / 50), ("one-to-one", 2 / 50)):
        found = Linkage(keys=("branch",), match=match).measure(before, before=before)
        assert found.value == pytest.approx(expected)  # 49 with one in 49 each, and one for sure
    assert Linkage(keys=("branch",), nearest=7).measure(before, before=before).value == pytest.approx(
        (7 + 1) / 50
    )


def test_constant_keys_are_not_trusted():
    before = firms(40).with_columns({"branch": Column.texts_of(["x"] * 40)})
    found = Linkage(keys=("branch",)).measure(before, before=before)
    assert not found.trusted
    assert found.value == pytest.approx(found.baseline) == pytest.approx(1 / 40)


def test_suppressed_keys_hide_and_a_suppressed_key_is_not_used():
    before = firms(200)
    all_hidden = before.with_columns(
        {"turnover": before.column("turnover").suppress(np.ones(200, dtype=bool))}
    )
    a = Linkage(keys=KEYS).measure(all_hidden, before=before).value
    b = Linkage(keys=KEYS[1:]).measure(all_hidden, before=before).value
    assert a == b
    with pytest.raises(NothingToUse):
        Linkage(keys=("turnover",)).measure(all_hidden, before=before)


def test_unknown_keys_count_as_average_or_agree():
    """A record that hides everything is nearest to nobody, or, where unknown agrees, to everybody."""
    before = firms(100)
    first = np.arange(100) == 0
    after = before.with_columns({n: before.column(n).suppress(first) for n in KEYS})
    average = Linkage(keys=KEYS).measure(after, before=before)
    agrees = Linkage(keys=KEYS, unknown="agrees").measure(after, before=before)
    assert average.value == pytest.approx(0.99)
    assert agrees.per_record[0] == 1
    assert agrees.per_record[1:] == pytest.approx(np.full(99, 0.5))


def test_a_sample_limits_the_success_of_those_who_do_not_know_who_is_in_it():
    """P(success) = share in the sample · P(found | in it), spec G-R10; both are told."""
    before = firms(400)
    after = before.take(np.arange(0, 400, 4))
    knows, not_ = (Linkage(keys=KEYS, presence_known=p).measure(after, before=before) for p in (True, False))
    assert (knows.value, not_.value) == (1.0, 0.25)
    for found in (knows, not_):
        assert (found.details["found_of_in_release"], found.details["found_of_searched"]) == (1.0, 0.25)


def test_synthetic_records_belong_to_nobody():
    before = firms(30)
    after = replace(before, rows=-1 - np.arange(30))
    for known in (True, False):
        found = Linkage(keys=KEYS, presence_known=known).measure(after, before=before)
        assert not found.trusted
        assert "synthetic" in found.because.en


def test_generalised_keys_are_compared_through_the_hierarchy():
    before = firms(100)
    tree = from_tree("branch", {"low": ["B0", "B1"], "high": ["B2", "B3", "B4"]})
    upper = ["low" if text in ("B0", "B1") else "high" for text in before.column("branch").texts()]
    after = before.with_columns({"branch": replace(Column.texts_of(upper), hierarchy=tree)})
    assert Linkage(keys=KEYS).measure(after, before=before).value == 1
    assert (
        Linkage(keys=("turnover",), within=("branch",))
        .measure(after, before=before)
        .details["in_another_block"]
        == 0
    )
    other = before.with_columns({"branch": Column.texts_of(upper)})
    assert not Linkage(keys=KEYS).measure(other, before=before).trusted


def test_a_real_file_is_matched_by_identity():
    before = firms(80)
    file = shuffled(before, 9).take(np.arange(40))
    renumbered = Microdata(file.columns)
    after = shuffled(before)
    found = Linkage(keys=KEYS).against(after, renumbered, before, "name")
    assert found.value == 1
    assert found.details["searched"] == 40
    assert found.details["file"] == "real"
    assert np.isnan(found.per_record).sum() == 40
    twice = renumbered.with_columns({"name": Column.texts_of(["a", "a", *map(str, range(38))])})
    with pytest.raises(IdentityUnclear):
        Linkage(keys=KEYS).against(after, twice, before, "name")
    with pytest.raises(AttackerFileNeeded):
        Linkage(keys=KEYS).against(after, renumbered, identity="name")


def test_errors_in_the_attackers_file():
    before = firms(1000)
    how = {
        "known_share": 0.5,
        "number_error": {"turnover": 0.1},
        "category_error": 0.2,
        "gaps": {"employees": 0.3},
    }
    found = Linkage(keys=KEYS, **how).measure(before, before=before)
    assert found.details["searched"] == 500
    assert 0.02 < found.value < 0.98
    assert found.as_json() == Linkage(keys=KEYS, **how).measure(before, before=before).as_json()


@pytest.mark.parametrize("match", MATCHES)
def test_what_cannot_be_linked_is_refused(match):
    before = firms(20)
    how = Linkage(keys=KEYS, match=match)
    with pytest.raises(AttackerFileNeeded):
        how.measure(before)
    with pytest.raises(EmptyData):
        how.measure(before.take(np.zeros(0, dtype=np.int64)), before=before)
    with pytest.raises(NoKeys):
        Linkage(match=match).measure(before, before=before)
    with pytest.raises(ColumnMissing):
        Linkage(keys=KEYS, importance={"nobody": 1.0}).measure(before, before=before)
    endless = before.with_columns({"turnover": Column.numbers_of(np.array([np.inf, *range(19)]))})
    with pytest.raises(NotFinite):
        how.measure(endless, before=before)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("factor", [1e300, 1e-300, -1.0])
def test_the_unit_does_not_matter(factor, distance):
    before = firms(100)
    after = noisy(before, 0.1)
    x, y = (d.with_numbers(("turnover",), d.numbers(("turnover",)) / 1e6 * factor) for d in (before, after))
    a, b = (
        Linkage(keys=KEYS, distance=distance).measure(new, before=old)
        for new, old in ((after, before), (y, x))
    )
    assert a.value == pytest.approx(b.value, abs=0.011)


def test_one_record():
    one = firms(1)
    found = Linkage(keys=("turnover",)).measure(one, before=one)
    assert found.value == found.baseline == 1
    assert not found.trusted


def test_more_persons_than_records():
    data = example_data()
    found = Linkage(keys=("income", "age"), match="one-to-one", presence_known=False).measure(
        data.take(np.arange(20)), before=data
    )
    assert found.details["proven"]
    assert 0 < found.value <= 20 / 60
