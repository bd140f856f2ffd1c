"""Named weaknesses of classes: brute force beside the kernels, planted weaknesses, clean data, bad input."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.anonymity import candidate_values
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, NoKeys, NothingToUse, ValueUnknown
from tarnkappe.errors.risk import MeaningNeeded, NoSensitive, SensitiveIsKey
from tarnkappe.risk.background_knowledge import BackgroundKnowledge
from tarnkappe.risk.elimination import Elimination
from tarnkappe.risk.homogeneity import Homogeneity
from tarnkappe.risk.similarity import Similarity
from tarnkappe.risk.skewness import Skewness, most_classes
from tarnkappe.vocab import Missing, Role, Suppressed

ALL = [Homogeneity, BackgroundKnowledge, Skewness, Similarity, Elimination]
VALUES = {"ill": ["flu", "cold"], "hurt": ["burn", "cut"], "fine": ["well"]}
TREE = from_tree("told", VALUES)
LEAVES = [leaf for leaves in VALUES.values() for leaf in leaves]
GROUP = {leaf: group for group, leaves in VALUES.items() for leaf in leaves}


def data(told, *, roles=None, **keys):
    columns = {name: k if isinstance(k, Column) else Column.texts_of(k) for name, k in keys.items()}
    columns["told"] = told if isinstance(told, Column) else Column.texts_of(told, hierarchy=TREE)
    return Microdata(columns, roles or {Role.KEY: tuple(keys), Role.SENSITIVE: ("told",)})


# -- brute force ------------------------------------------------------------------------------------------------------


@st.composite
def files(draw):
    n = draw(st.integers(2, 24))
    cells = st.tuples(st.sampled_from("ab"), st.sampled_from([0, 0, 0, 1, 2]))
    keys = [draw(st.lists(cells, min_size=n, max_size=n)) for _ in range(2)]
    told = draw(st.lists(st.sampled_from([*LEAVES, None]), min_size=n, max_size=n))
    return keys, told


def columns_of(keys):
    out = {}
    for name, cells in zip("pq", keys, strict=True):
        texts = [None if state == 1 else text for text, state in cells]
        out[name] = Column.texts_of(texts).suppress(np.array([state == 2 for _, state in cells]))
    return out


def posterior(values, excluded):
    """The worst over all sets of values that may be ruled out."""
    counts = Counter(values)
    found = []
    for size in range(min(excluded, len(counts) - 1) + 1):
        for out in combinations(counts, size):
            left = {v: c for v, c in counts.items() if v not in out}
            found.append(max(left.values()) / sum(left.values()))
    return max(found)


def skew(values, whole, least):
    worst = 1.0
    for v in set(whole):
        p, q = values.count(v) / len(values), whole.count(v) / len(whole)
        if abs(p - q) >= least:
            worst = max(worst, p / q, q / p if p else np.inf)
    return worst


def alike(values):
    return len({GROUP[v] for v in values}) == 1


def to_identify(values):
    return len(values) - max(Counter(values).values())


@settings(deadline=None, max_examples=60)
@given(files(), st.sampled_from(list(Missing)[:2]), st.sampled_from(list(Suppressed)), st.integers(0, 3))
def test_scores_are_those_of_brute_force(file, missing, suppressed, excluded):
    keys, told = file
    if all(v is None for v in told):
        return
    both = data(told, **columns_of(keys))
    candidates = candidate_values(list(zip(*keys, strict=True)), told, missing, suppressed)
    policy = {"missing": missing, "suppressed": suppressed, "unknown": "skip"}
    whole = [v for v in told if v is not None]
    expected = {
        Homogeneity(**policy): lambda v: max(Counter(v).values()) / len(v),
        BackgroundKnowledge(**policy, excluded=excluded): lambda v: posterior(v, excluded),
        Skewness(**policy, difference=0.15): lambda v: skew(v, whole, 0.15),
        Similarity(**policy): lambda v: float(alike(v)),
        Elimination(**policy): lambda v: 1 / (1 + to_identify(v)),
    }
    for measure, by_definition in expected.items():
        found = measure.measure(both)
        scores = [by_definition(v) if v else np.nan for v in candidates]
        if isinstance(measure, Similarity):
            scores = [0.0 if np.isnan(s) else s for s in scores]
        assert found.per_record == pytest.approx(scores, nan_ok=True), measure.id
        assert found.value == pytest.approx(np.mean(measure.exposed(np.array(scores)))), measure.id


def test_most_classes_is_the_largest_that_fits():
    rng = np.random.default_rng(1)
    for _ in range(50):
        counts, variety = rng.integers(1, 30, rng.integers(1, 6)), int(rng.integers(1, 6))
        fits = [e for e in range(200) if np.minimum(counts, e).sum() >= variety * e]
        assert most_classes(counts, variety) == max(fits)


# -- planted and clean ----------------------------------------------------------------------------------------------------


def drawn(n, classes, seed):
    rng = np.random.default_rng(seed)
    return [f"c{c}" for c in rng.integers(0, classes, n)], rng.choice(LEAVES, n).tolist()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cls", ALL)
def test_clean_data_is_not_accused(cls, seed):
    key, told = drawn(4000, 20, seed)
    found = cls().measure(data(told, p=key))
    assert found.trusted
    assert found.value == 0
    assert found.details["sensitive"]["told"]["by_chance"] == 0


PLANTED = {
    Homogeneity: ["flu"] * 45 + ["cut"] * 5,
    BackgroundKnowledge: ["flu"] * 25 + ["cut"] * 24 + ["burn"],
    Skewness: ["flu"] * 20
    + ["cold"] * 15
    + ["cut"] * 15,  # burn and well, a fifth of the file each, are not there
    Similarity: ["flu"] * 25 + ["cold"] * 25,
    Elimination: ["flu"] * 48 + ["cut", "burn"],
}


@pytest.mark.parametrize("cls", ALL)
def test_a_planted_class_is_found_and_no_other(cls):
    key, told = drawn(4000, 20, 7)
    given = {"difference": 0.1} if cls is Skewness else {}
    found = cls(**given).measure(data(told + PLANTED[cls], p=key + ["planted"] * 50))
    assert found.details["exposed"] == 50
    assert found.details["sensitive"]["told"]["classes"] == 1
    assert found.value == pytest.approx(50 / 4050)
    assert found.details["sensitive"]["told"]["by_chance"] == 0


@pytest.mark.parametrize("cls", ALL)
def test_small_classes_expose_people_by_chance_and_that_is_said(cls):
    key, told = drawn(3000, 1500, 3)
    found = cls().measure(data(told, p=key))
    assert found.value > 0.1
    assert found.details["sensitive"]["told"]["by_chance"] == pytest.approx(found.value, abs=0.05)


def test_harmless_values_and_watched_values():
    both = data(["well"] * 3 + ["flu", "cut", "flu"], p=list("aaabbb"))
    assert Homogeneity().measure(both).details["exposed"] == 3
    assert Homogeneity(harmless={"told": ["well"]}).measure(both).details["exposed"] == 0
    assert Skewness(ratio=1.5, values={"told": ["flu"]}).measure(both).details["exposed"] == 6
    with pytest.raises(ValueUnknown):
        Skewness(values={"told": ["measles"]}).measure(both)


def test_certainty_is_reached_at_its_limit():
    both = data(["flu"] * 4 + ["cut"] + ["flu", "cut", "burn"], p=list("aaaaabbb"))
    assert Homogeneity().measure(both).details["exposed"] == 5  # 4/5 is 0.8
    assert Homogeneity(certainty=1).measure(both).details["exposed"] == 0


def test_numbers_are_alike_in_a_narrow_interval():
    told = Column.numbers_of(np.array([100.0, 109, 105, 100, 200, 150, np.inf, np.nan]))
    both = data(told, p=list("aaabbbcd"))
    finite = both.take(np.array([0, 1, 2, 3, 4, 5]))
    found = Similarity().measure(finite)
    assert found.per_record.tolist() == [1, 1, 1, 0, 0, 0]
    assert Similarity(narrow=0.08).measure(finite).value == 0
    assert Similarity().measure(both).per_record[6] == 1  # alone in the class, whatever the value


def test_a_hierarchy_level_finer_than_the_tree_is_its_finest():
    both = data(["flu", "cold", "flu", "flu"], p=list("aabb"))
    assert Similarity(under=1).measure(both).per_record.tolist() == [1, 1, 1, 1]
    assert Similarity(under=9).measure(both).per_record.tolist() == [0, 0, 1, 1]


def test_columns_without_meaning_are_left_out_and_named():
    both = data(Column.texts_of(list("xyxy")), p=list("aabb"), more=Column.numbers_of(np.arange(4)),
                roles={Role.KEY: ("p",), Role.SENSITIVE: ("told", "more")})  # fmt: skip
    found = Similarity().measure(both)
    assert found.details["left_out"] == ["told"]
    assert list(found.details["sensitive"]) == ["more"]
    with pytest.raises(MeaningNeeded):
        Similarity(sensitive=("told",)).measure(both)


def test_numbers_are_banded_for_skewness():
    told = Column.numbers_of(np.r_[np.arange(90) % 45 * 1.0, np.full(10, 44.5)])
    both = data(told, p=[*(f"c{i % 3}" for i in range(90)), *["top"] * 10])
    found = Skewness().measure(both)
    assert found.trusted
    assert found.details["sensitive"]["told"]["values"] == 10
    assert found.details["exposed"] == 10
    named = Skewness(values={"told": ["44.5"]}).measure(both)
    assert named.details["sensitive"]["told"]["values"] == 46


def test_odds_outweigh_counts():
    both = data(["flu", "flu", "flu", "cut", "burn", "well"], p=list("aaaabb"))
    found = BackgroundKnowledge(excluded=0, odds={"told": {"flu": 0.01}}).measure(both)
    assert found.per_record[0] == pytest.approx(1 / 1.03)
    assert found.details["sensitive"]["told"]["values_to_rule_out"] == 1


def test_ruled_out_values_are_told():
    both = data(["flu", "cut", "flu", "burn"], p=list("aabb"))
    ruled = Elimination().measure(both).details["sensitive"]["told"]["ruled_out"]
    assert ruled == {"average": pytest.approx(0.25), "highest": pytest.approx(0.25)}


# -- bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", ALL)
def test_no_confident_number_where_none_is_due(cls):
    fine = data(["flu", "cut", "flu", "burn"], p=list("aabb"))
    with pytest.raises(EmptyData):
        cls().measure(fine.take(np.zeros(0, dtype=np.int64)))
    if cls is not Homogeneity:  # it takes a file without keys as one class
        with pytest.raises(NoKeys):
            cls().measure(fine.with_roles({Role.SENSITIVE: ("told",)}))
    with pytest.raises(NoSensitive):
        cls().measure(fine.with_roles({Role.KEY: ("p",)}))
    with pytest.raises(SensitiveIsKey):
        cls(keys=("told",)).measure(fine)
    with pytest.raises(NothingToUse):
        cls(unknown="skip").measure(data([None] * 4, p=list("aabb")))
    for doubtful in (
        data(["flu"] * 4, p=list("aabb")),
        data(["flu", "cut", "flu", "burn"], p=list("aaaa")),
        data(["flu", "cut", "flu", "burn"], p=[None] * 4),
    ):
        found = cls().measure(doubtful)
        assert not found.trusted
        assert found.because


@pytest.mark.parametrize("cls", ALL)
def test_the_original_is_the_baseline(cls):
    both = data(["flu", "cut", "flu", "burn"], p=list("aabb"))
    unique = data(["flu", "cut", "flu", "burn"], p=list("abcd"))
    assert cls().measure(both, before=unique).baseline == 1
