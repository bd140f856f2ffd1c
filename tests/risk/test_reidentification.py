import numpy as np
import pytest
from scipy.stats import nbinom

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, NoKeys
from tarnkappe.errors.risk import PopulationNeeded, RegisterTooSmall, WeightsNotPositive
from tarnkappe.risk.expected_hits import ExpectedHits
from tarnkappe.risk.individual import Individual
from tarnkappe.risk.reidentification import Reidentification
from tarnkappe.vocab import Attacker, Role

ESTIMATORS = [Individual, ExpectedHits]


def data(keys, weights=None, household=None, region=None):
    columns = {"p": Column.texts_of(list(keys))}
    roles = {Role.KEY: ("p",)}
    if weights is not None:
        columns["w"] = Column.numbers_of(np.array(weights, dtype=np.float64))
        roles[Role.WEIGHT] = ("w",)
    if household is not None:
        columns["h"] = Column.texts_of(list(household))
        roles[Role.HOUSEHOLD] = ("h",)
    if region is not None:
        columns["r"] = Column.texts_of(list(region))
    return Microdata(columns, roles)


def risks(found):
    return [found.details[name] for name in ("highest", "average", "share-at-risk")]


def test_prosecutor_counts_in_the_file():
    found = Reidentification(threshold=0.4).measure(data("aaabbc"))
    assert found.value == 1
    assert risks(found) == [1, pytest.approx(3 / 6), pytest.approx(3 / 6)]
    assert found.per_record == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1])
    assert (found.low, found.high) == (None, None)


def test_at_risk_is_strictly_above_the_threshold():
    assert Reidentification(threshold=0.5, summary="share-at-risk").measure(
        data("aab")
    ).value == pytest.approx(1 / 3)


def test_register_of_the_population():
    release, register = data("aabbbb"), data("aaaabbbbbbbbc")
    journalist = Reidentification(attacker="journalist", population="original", summary="average")
    found = journalist.measure(release, before=register)
    assert found.per_record == pytest.approx([1 / 4] * 2 + [1 / 8] * 4)
    assert found.value == pytest.approx(max(2 / 12, (2 / 4 + 4 / 8) / 6))
    assert found.details["highest"] == 1 / 4
    marketer = Reidentification(attacker="marketer", population="original").measure(release, before=register)
    assert marketer.value == pytest.approx((2 / 4 + 4 / 8) / 6)
    assert marketer.details["summary"] == "average"
    assert found.trusted
    assert (found.low, found.high) == (None, None)
    assert Reidentification().against(release, register).value == 1 / 2


def test_the_average_of_a_journalist_may_be_that_of_classes():
    """D-R05: (2 classes)/(2 + 100 persons) against the mean of f/F."""
    release = data("ab" + "b" * 8)
    register = data("aa" + "b" * 100)
    found = Reidentification(attacker="journalist", population="original").measure(release, before=register)
    assert found.details["average"] == pytest.approx(max(2 / 102, (1 / 2 + 9 / 100) / 10))


def test_release_as_the_whole_population_is_the_prosecutor():
    whole = Reidentification(attacker="journalist", population="release").measure(data("aaabbc"))
    assert whole.per_record == pytest.approx(Reidentification().measure(data("aaabbc")).per_record)


def test_register_that_does_not_fit():
    journalist = Reidentification(attacker="journalist", population="original")
    with pytest.raises(RegisterTooSmall) as caught:
        journalist.measure(data("aab"), before=data("aa"))
    assert caught.value.facts == {"found": 2, "needed": 3}
    with pytest.raises(PopulationNeeded):
        journalist.measure(data("aab"))
    other = journalist.measure(data("aab"), before=data("axyz"))
    assert not other.trusted
    assert "too few persons" in other.because.en


@pytest.mark.parametrize("cls", [lambda **k: Reidentification(attacker="journalist", **k), *ESTIMATORS])
def test_weights_must_be_there_and_positive(cls):
    with pytest.raises(PopulationNeeded):
        cls().measure(data("aab"))
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(WeightsNotPositive) as caught:
            cls().measure(data("aab", [2, bad, 3]))
        assert caught.value.facts == {"name": "w", "count": 1, "first": 2}
    with pytest.raises(RegisterTooSmall):
        cls(population=2).measure(data("aab"))


@pytest.mark.parametrize("cls", [Reidentification, *ESTIMATORS])
def test_no_keys_no_records_one_class(cls):
    with pytest.raises(NoKeys):
        cls().measure(Microdata({"w": Column.numbers_of(np.ones(3))}, {Role.WEIGHT: ("w",)}))
    with pytest.raises(EmptyData):
        cls().measure(data("", []))
    for keys in ("aaaa", [None] * 4):
        found = cls().measure(data(keys, [2.0] * 4))
        assert not found.trusted
        assert found.because.de


def test_estimates_never_fall_below_the_sample():
    found = ExpectedHits().measure(data("aab", [0.1, 0.1, 0.5]))
    assert found.per_record == pytest.approx([1 / 2, 1 / 2, 1])
    assert found.value == pytest.approx(2)


def test_weights_of_one_class_are_added_up():
    found = Individual().measure(data("aab", [3, 5, 4]))
    p = 1 / 4
    assert found.per_record[2] == pytest.approx(-np.log(p) * p / (1 - p))
    q, p = 3 / 4, 2 / 8
    assert found.per_record[:2] == pytest.approx([p / q - (p / q) ** 2 * np.log(1 / p)] * 2)


def test_suppressed_keys_are_wildcards_for_the_weights_too():
    column = Column.texts_of(list("aab")).suppress(np.array([False, True, False]))
    weights = Column.numbers_of(np.array([4.0, 4.0, 4.0]))
    hidden = Microdata({"p": column, "w": weights}, {Role.KEY: ("p",), Role.WEIGHT: ("w",)})
    sample = Individual().sample(hidden, "weights")
    assert sample.f.tolist() == [2, 2, 2]
    assert sample.persons.tolist() == [8, 8, 8]
    assert Individual(suppressed="category").sample(hidden, "weights").persons.tolist() == [4, 4, 4]


def test_household_risk():
    keys, weights = "abcddd", [4.0, 9, 2, 5, 5, 5]
    own = Individual().measure(data(keys, weights)).per_record
    home = (
        Individual(by="households").measure(data(keys, weights, ["x", "x", None, "y", None, "y"])).per_record
    )
    both = 1 - (1 - own[0]) * (1 - own[1])
    pair = 1 - (1 - own[3]) * (1 - own[5])
    assert home == pytest.approx([both, both, own[2], pair, own[4], pair])
    total = ExpectedHits().measure(data(keys, weights, ["x", "x", None, "y", None, "y"]))
    assert total.details["by_household"] == pytest.approx(home.sum())
    assert total.value == pytest.approx(own.sum())
    certain = Individual(by="households").measure(data("abb", [1, 5, 5], list("xxy"))).per_record
    assert certain[:2].tolist() == [1, 1]


def test_strata_are_known_to_the_attacker_and_told_apart():
    split = data("aaaabb", [2] * 6, region="xxyyxy")
    found = Reidentification(within=("r",)).measure(split)
    assert found.per_record == pytest.approx([1 / 2] * 4 + [1, 1])
    assert found.details["strata"] == 2
    assert [row["records"] for row in found.details["worst_strata"]] == [3, 3]
    assert "x" not in str(found.details["worst_strata"])
    alone = Individual(within=("r",)).measure(split).per_record
    assert alone[0] == Individual().measure(split.take(np.array([0, 1, 4]))).per_record[0]


def test_estimated_population_by_simulation_of_its_posterior():
    """Highest, average and share against 20,000 draws of all classes; tolerance for the Monte Carlo error."""
    keys = ["one"] + ["two"] * 2 + ["five"] * 5 + ["more"] * 12
    sample = data(keys)
    draw = np.random.default_rng(3)
    sizes, p = np.array([1, 2, 5, 12]), 20 / 200
    drawn = sizes + nbinom.rvs(sizes, p, size=(20_000, 4), random_state=draw)
    average, share = (sizes / drawn).sum(axis=1) / 20, ((1 / drawn > 0.06) * sizes).sum(axis=1) / 20
    highest = 1 / drawn.min(axis=1)

    def found(summary):
        made = Reidentification(attacker="journalist", population=200, summary=summary, threshold=0.06)
        return made.measure(sample)

    top = found("highest")
    assert top.value == pytest.approx(np.median(highest), rel=0.05)
    assert top.low == pytest.approx(np.quantile(highest, 0.025), rel=0.1)
    assert top.high == pytest.approx(np.quantile(highest, 0.975), rel=0.1)
    mean = Reidentification(attacker="marketer", population=200).measure(sample)
    assert mean.value == pytest.approx(average.mean(), rel=0.02)
    assert mean.low <= np.quantile(average, 0.025)
    assert mean.high >= np.quantile(average, 0.975)
    part = found("share-at-risk")
    assert part.value == pytest.approx(share.mean(), abs=0.01)
    assert (part.high - part.value) / 1.96 == pytest.approx(share.std(), rel=0.05)


def test_expected_hits_in_a_known_population():
    """Class sizes with P(F = h) proportional to 1/h; the interval holds the true Σ 1/F in at least 18 of 20 samples."""
    draw = np.random.default_rng(11)
    h = np.arange(1, 3001)
    held = 0
    for _ in range(20):
        sizes = draw.choice(h, 400, p=(1 / h) / (1 / h).sum())
        drawn = draw.binomial(sizes, 0.1)
        keys = np.repeat(np.arange(400), drawn)
        truth = (drawn / sizes).sum()
        found = ExpectedHits().measure(data([str(k) for k in keys], np.full(len(keys), 10.0)))
        held += found.low <= truth <= found.high
    assert held >= 18


def test_only_the_average_of_individual_risks_has_an_interval():
    weighted = data("abcddd", [4.0, 9, 2, 5, 5, 5])
    average, total = Individual(summary="average").measure(weighted), ExpectedHits().measure(weighted)
    assert average.low == pytest.approx(total.low / 6)
    assert average.high == pytest.approx(total.high / 6)
    assert Individual().measure(weighted).low is None
    assert Individual(summary="average", by="households").measure(weighted).low is None


def test_baseline_is_the_value_before():
    before, after = data("abcdef", [3] * 6), data("aaabbb", [3] * 6)
    for made in (Reidentification(), Reidentification(attacker="journalist"), Individual(), ExpectedHits()):
        assert made.measure(after, before=before).baseline == made.measure(before).value


def test_details_say_who_attacks():
    for attacker in Attacker:
        found = Reidentification(attacker=attacker).measure(data("aab", [2, 2, 2]))
        assert found.details["attacker"] == attacker.value
