import json

import numpy as np
import pytest

from reference.minimal_uniques import minimal_uniques as slow
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, MissingKeys, NoKeys
from tarnkappe.errors.risk import PopulationNeeded, RegisterTooSmall, TooManySets
from tarnkappe.risk.rare_combinations import RareCombinations
from tarnkappe.risk.suda import Suda
from tarnkappe.vocab import Role


def texts(**columns):
    made = {name: c if isinstance(c, Column) else Column.texts_of(list(c)) for name, c in columns.items()}
    return Microdata(made, {Role.KEY: tuple(made)})


def random_data(seed, n=80, keys=5):
    codes = np.minimum(np.random.default_rng(seed).geometric(0.4, (n, keys)), 5).astype(np.int32)
    return codes, Microdata(
        {f"k{j}": Column.numbers_of(codes[:, j].copy()) for j in range(keys)},
        {Role.KEY: tuple(f"k{j}" for j in range(keys))},
    )


def factorial(n):
    return 1 if n <= 0 else n * factorial(n - 1)


def test_scores_by_the_formulas_of_the_sources():
    """Every step again in plain Python: sets, (K - s)!, DIS of Skinner and Elliot, and both together."""
    codes, data = random_data(1)
    n, keys = codes.shape
    share = n / 2000
    score = np.zeros(n)
    for i, bits in slow(codes, keys):
        score[i] += factorial(keys - bits.bit_count())
    counts = {}
    for row in codes.tolist():
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    once = sum(1 for c in counts.values() if c == 1)
    twice = sum(1 for c in counts.values() if c == 2)
    dis = once * share / (once * share + 2 * twice * (1 - share))
    power = score[score > 0] ** (1 + (8 - keys) / 20)
    expected = np.zeros(n)
    expected[score > 0] = 1 / (1 + (once / dis - once) / (power * (1 / power).sum()))
    found = Suda(population=2000).measure(data)
    assert Suda(population=2000).found(data).of_record == pytest.approx(score)
    assert found.details["dis"] == pytest.approx(dis)
    assert found.per_record == pytest.approx(expected)
    assert found.value == pytest.approx(expected.max())
    assert found.details["share-at-risk"] == pytest.approx(np.mean(expected > 0.1))
    assert sum(found.details["sets_by_size"].values()) == len(slow(codes, keys))


def test_sets_of_few_keys_score_by_the_product():
    """K = 5 and M = 2: one key scores 4·3, two keys score 3."""
    codes, data = random_data(2)
    score = np.zeros(len(codes))
    for i, bits in slow(codes, 2):
        score[i] += {1: 12, 2: 3}[bits.bit_count()]
    assert Suda(population=2000, subsets=2).found(data).of_record == pytest.approx(score)


def test_contributions_are_shares_of_the_score():
    found = Suda(population=100).measure(texts(p="aaaab", q="xxxxx", r="uuvvv"))
    assert found.details["contributions"] == {"p": 1.0, "q": 0.0, "r": 0.0}


def guideline():
    """Ten persons of the guideline of sdcMicro, with the scores that its test of suda2 gives them."""
    return texts(
        residence=["urban"] * 4 + ["rural"] + ["urban"] * 5,
        gender=["f", "f", "f", "m", "f", "m", "f", "m", "f", "f"],
        education=["si", "si", "pi", "sc", "sc", "sc", "pc", "ps", "si", "si"],
        labour=["e", "e", "n", "e", "u", "e", "n", "u", "n", "n"],
    )


def test_raw_scores_of_the_guideline_need_no_population():
    scores = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    found = Suda().measure(guideline())
    assert Suda().scores(guideline()).tolist() == scores
    assert found.per_cell["score"].tolist() == scores
    assert found.details["raw_scores"] == {
        "highest": 12.0, "average": 3.4, "records_by_score": {"0": 6, "6": 2, "10": 1, "12": 1},
    }  # fmt: skip
    assert Suda(population=100).measure(guideline()).per_cell["score"].tolist() == scores


def test_weights_are_used_where_there_are_any():
    data = guideline()
    weighted = data.with_columns({"w": Column.numbers_of(np.full(10, 10.0))})
    weighted = weighted.with_roles({**data.roles, Role.WEIGHT: ("w",)})
    found = Suda().measure(weighted)
    assert found.per_record == pytest.approx(Suda(population=100).measure(data).per_record)
    assert np.unique(found.per_record).round(8).tolist() == [0, 0.05224921, 0.09236652, 0.11241667]


def test_missing_and_suppressed_cells():
    gap = texts(p=["a", "a", "a", None], q="xxxx")
    assert Suda(population=40).found(gap).of_record.tolist() == [0, 0, 0, 1]
    assert Suda(population=40, missing="wildcard").found(gap).of_record.tolist() == [0, 0, 0, 0]
    with pytest.raises(MissingKeys):
        Suda(population=40, missing="refuse").measure(gap)
    hidden = texts(p=Column.texts_of(list("aaab")).suppress(np.array([False, False, False, True])), q="xxxx")
    assert Suda(population=40).found(hidden).of_record.tolist() == [0, 0, 0, 0]


def test_strata():
    both = texts(p="aabb", q="xyxy", s="1122")
    whole = Suda(keys=("p", "q"), population=40).found(both)
    apart = Suda(keys=("p", "q"), within=("s",), population=40).found(both)
    assert {tuple(m) for m in whole.members.tolist()} == {(True, True)}
    assert {tuple(m) for m in apart.members.tolist()} == {(False, True)}


def test_the_whole_population_and_bad_input():
    codes, data = random_data(3)
    special = np.zeros(len(codes))
    special[[i for i, _ in slow(codes, 5)]] = 1
    assert Suda(population=80).measure(data).per_record == pytest.approx(special)
    with pytest.raises(RegisterTooSmall):
        Suda(population=79).measure(data)
    unknown = Suda().measure(data)
    assert unknown.per_record == pytest.approx(special)
    assert "population" in unknown.because.en
    with pytest.raises(PopulationNeeded):
        Suda(population="weights").measure(data)
    with pytest.raises(NoKeys):
        Suda(population=10).measure(Microdata({"a": Column.texts_of(["x"])}))
    with pytest.raises(EmptyData):
        Suda(population=10).measure(texts(p=""))
    assert not Suda(population=10).measure(texts(p="aaa", q="bbb")).trusted
    wide = texts(**{f"k{j:02d}": "ab" for j in range(20)})
    with pytest.raises(TooManySets) as caught:
        Suda(population=10).measure(wide)
    assert caught.value.facts["keys"] == 20
    assert Suda(population=10, subsets=2).measure(wide).details["sets_by_size"] == {"1": 40}


RARE = texts(p="aaaab", q="xxyyy", r=["u", "u", "u", None, "v"])


def test_rare_combinations_are_counted_by_their_keys():
    found = RareCombinations(subsets=2, below=2).measure(RARE)
    assert found.per_record.tolist() == [0, 0, 1, 0, 5]
    assert found.value == pytest.approx(2 / 5)
    rows = {tuple(row["keys"]): (row["combinations"], row["records"]) for row in found.details["worst_sets"]}
    assert rows == {
        ("p",): (1, 1),
        ("r",): (1, 1),
        ("p", "q"): (1, 1),
        ("p", "r"): (1, 1),
        ("q", "r"): (2, 2),
    }


def test_the_list_for_the_office_has_record_numbers_and_no_values():
    found = RareCombinations(subsets=2, below=2).listed(RARE.take(np.array([4, 3, 2, 1, 0])))
    assert [(rare.keys, rare.records) for rare in found] == [
        (("p",), (5,)),
        (("r",), (5,)),
        (("q", "r"), (3,)),
    ]
    pairs = RareCombinations(keys=("q",), below=3).listed(RARE)
    assert [(rare.keys, rare.records) for rare in pairs] == [(("q",), (1, 2))]


def test_rare_within_strata_and_bad_input():
    found = RareCombinations(keys=("p",), within=("q",), below=2).measure(RARE)
    assert found.per_record.tolist() == [0, 0, 0, 0, 1]
    with pytest.raises(NoKeys):
        RareCombinations().measure(Microdata({"a": Column.texts_of(["x"])}))
    with pytest.raises(EmptyData):
        RareCombinations().measure(texts(p=""))
    with pytest.raises(TooManySets):
        RareCombinations(subsets=20).measure(texts(**{f"k{j:02d}": "ab" for j in range(20)}))
    assert not RareCombinations().measure(texts(p="aaa")).trusted
    assert (
        RareCombinations(below=2).measure(RARE, before=texts(p="aaaaa", q="xxxxx", r="uuuuu")).baseline == 0
    )


@pytest.mark.parametrize("made", [Suda(population=50), RareCombinations()])
def test_no_value_of_a_record_is_told(made):
    secret = texts(p=["MARKER-1", "MARKER-2", "MARKER-2"], q=["MARKER-3", "MARKER-3", "MARKER-4"])
    assert "MARKER" not in json.dumps(made.measure(secret, before=secret).as_json())
