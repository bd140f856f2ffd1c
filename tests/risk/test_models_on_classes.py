"""Anonymity models: policies, several sensitive columns, gaps, bad input, populations."""

import gc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import anonymity as reference
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData, MissingKeys, NoKeys, NothingToUse, ValueUnknown
from tarnkappe.errors.hierarchy import HierarchyUncovered
from tarnkappe.errors.risk import (
    NoSensitive,
    OrderNeeded,
    PopulationNeeded,
    RegisterTooSmall,
    SensitiveIsKey,
    TreeNeeded,
    WeightsNotPositive,
)
from tarnkappe.risk import shared
from tarnkappe.risk.alpha_k import AlphaK
from tarnkappe.risk.average_risk import AverageRisk
from tarnkappe.risk.beta_likeness import BetaLikeness
from tarnkappe.risk.delta_disclosure import DeltaDisclosure
from tarnkappe.risk.delta_presence import DeltaPresence
from tarnkappe.risk.k_anonymity import KAnonymity
from tarnkappe.risk.k_map import KMap
from tarnkappe.risk.l_diversity import LDiversity
from tarnkappe.risk.subset_anonymity import SubsetAnonymity
from tarnkappe.risk.subset_confidence import SubsetConfidence
from tarnkappe.risk.t_closeness import TCloseness
from tarnkappe.vocab import Kind, Missing, Role, Suppressed

ON_SENSITIVE = [LDiversity, AlphaK, TCloseness, BetaLikeness, DeltaDisclosure, SubsetConfidence]
ON_KEYS = [AverageRisk, SubsetAnonymity]


def column(given):
    return given if isinstance(given, Column) else Column.texts_of(given)


def data(told=None, weight=None, **keys):
    columns = {name: column(k) for name, k in keys.items()}
    roles = {Role.KEY: tuple(columns)}
    if told is not None:
        columns["told"] = column(told)
        roles[Role.SENSITIVE] = ("told",)
    if weight is not None:
        columns["weight"] = Column.numbers_of(np.array(weight, dtype=float))
        roles[Role.WEIGHT] = ("weight",)
    return Microdata(columns, roles)


def hide(texts, cells):
    return Column.texts_of(texts).suppress(np.isin(np.arange(len(texts)), cells))


SMALL = data(p=list("aaabbb"), told=list("xxyxyz"))


# -- what is counted ------------------------------------------------------------------------------------------------------


def test_values_by_hand():
    assert LDiversity().measure(SMALL).per_record.tolist() == [2, 2, 2, 3, 3, 3]
    assert AlphaK(k=1).measure(SMALL).per_record == pytest.approx([2 / 3] * 3 + [1 / 3] * 3)
    assert TCloseness().measure(SMALL).value == pytest.approx(1 / 6)
    assert BetaLikeness().measure(SMALL).value == pytest.approx(1)  # z: 1/3 instead of 1/6
    assert DeltaDisclosure().measure(SMALL).value == pytest.approx(np.log(2))
    assert DeltaDisclosure(absent="disclosed").measure(SMALL).value == np.inf
    assert DeltaDisclosure().measure(SMALL).details["sensitive"]["told"]["classes_without_some_value"] == 1
    assert BetaLikeness(kind="enhanced").measure(SMALL).value == pytest.approx(1)  # 1 < ln 6
    rare = data(p=list("a" + "b" * 9), told=list("z" + "x" * 9))
    assert BetaLikeness(kind="enhanced").measure(rare).value == np.inf  # 9 > ln 10


@pytest.mark.parametrize("missing", [Missing.CATEGORY, Missing.WILDCARD])
@pytest.mark.parametrize("suppressed", Suppressed)
@given(
    st.lists(
        st.tuples(*[st.tuples(st.integers(0, 2), st.sampled_from([0, 0, 0, 1, 2]))] * 2, st.integers(0, 4)),
        min_size=1,
        max_size=14,
    )
)
@settings(deadline=None, max_examples=40)
def test_all_policies_of_the_keys(missing, suppressed, rows):
    keys = {
        name: Column(Kind.CATEGORY, np.array([r[j][0] for r in rows], dtype=np.uint8), np.array([r[j][1] for r in rows], dtype=np.uint8),
                     np.array(list("abc"), dtype=object))
        for j, name in enumerate("pq")
    }  # fmt: skip
    told = [None if r[2] == 4 else str(r[2]) for r in rows]
    file = data(told=[t or "hidden" for t in told], **keys)
    file = file.with_columns({"told": file.column("told").suppress(np.array([t is None for t in told]))})
    candidates = reference.candidate_values([r[:2] for r in rows], told, missing, suppressed)
    if not any(told):
        with pytest.raises(NothingToUse):
            LDiversity(missing=missing, suppressed=suppressed).measure(file)
        return
    expected = [len(set(c)) if c else np.nan for c in candidates]
    found = LDiversity(missing=missing, suppressed=suppressed).measure(file)
    assert found.per_record == pytest.approx(expected, nan_ok=True)
    assert found.value == np.nanmin(expected)
    whole = [t for t in told if t is not None]
    expected = [reference.beta(c, whole) if c else np.nan for c in candidates]
    found = BetaLikeness(missing=missing, suppressed=suppressed).measure(file)
    assert found.per_record == pytest.approx(expected, nan_ok=True)


def test_a_suppressed_key_brings_the_values_of_all_classes_that_fit():
    keys = hide(["a", "a", "b", "b"], [1])
    file = data(p=keys, told=["x", "x", "y", "z"])
    attacker, category = (
        LDiversity(suppressed=s).measure(file).per_record.tolist() for s in ("attacker", "category")
    )
    assert attacker == [1, 1, 3, 3]  # the second record could be one of b; everybody with a is x
    assert category == [1, 1, 2, 2]
    assert not LDiversity(suppressed="wildcard").measure(file).trusted
    with pytest.raises(MissingKeys):
        LDiversity(missing="refuse").measure(data(p=["a", None], told=["x", "y"]))


def test_printed_classes_never_flatter():
    """Candidates are unions of printed classes: what holds in these holds for every attacker."""
    draw = np.random.default_rng(5)
    for _ in range(30):
        keys = {
            n: Column.texts_of([str(v) for v in draw.integers(3, size=40)]).suppress(draw.random(40) < 0.2)
            for n in "pq"
        }
        file = data(told=[str(v) for v in draw.integers(4, size=40)], **keys)
        for cls in (LDiversity, TCloseness, BetaLikeness, AlphaK):
            shown, seen = (cls(suppressed=s).measure(file).value for s in ("category", "attacker"))
            assert seen >= shown if cls is LDiversity else seen <= shown + 1e-12


def test_gaps_among_sensitive_values():
    missing = data(p=list("aabb"), told=["x", None, "x", "y"])
    assert LDiversity().measure(missing).per_record.tolist() == [2, 2, 2, 2]
    assert LDiversity(unknown="skip").measure(missing).per_record.tolist() == [1, 1, 2, 2]
    hidden = data(p=list("aabb"), told=hide(["x", "y", "x", "y"], [1]))
    assert LDiversity().measure(hidden).per_record.tolist() == [1, 1, 2, 2]
    whole_class = data(p=list("aabb"), told=hide(["x", "y", "x", "y"], [0, 1]))
    found = LDiversity().measure(whole_class)
    assert (np.isnan(found.per_record[0]), found.value) == (True, 2)
    assert found.details["suppressed_sensitive"] == "skip"


def test_every_sensitive_column_on_its_own_and_the_worst_counts():
    file = data(p=list("aabb"), told=list("xyxy"))
    file = file.with_columns({"more": Column.texts_of(list("uuvw"))})
    found = LDiversity(sensitive=("told", "more")).measure(file)
    assert {name: c["value"] for name, c in found.details["sensitive"].items()} == {"told": 2, "more": 1}
    assert (found.value, found.per_record.tolist()) == (1, [1, 1, 2, 2])
    known = LDiversity(sensitive=("told", "more"), others_known=True).measure(file)
    assert known.details["sensitive"]["told"]["value"] == 1  # v and w part the second class
    assert known.per_record.tolist() == [1, 1, 1, 1]
    t = TCloseness(sensitive=("told", "more")).measure(file)
    assert t.value == max(c["value"] for c in t.details["sensitive"].values())


def test_classes_below_k_count_as_disclosed():
    file = data(p=list("aabbb"), told=list("xyxyz"))
    found = AlphaK(k=3).measure(file, before=file)
    assert (found.value, found.baseline, found.details["k"], found.details["records_below_k"]) == (1, 1, 2, 2)
    assert found.per_record == pytest.approx([1, 1, 1 / 3, 1 / 3, 1 / 3])
    assert AlphaK(k=2).measure(file).value == 0.5
    some = AlphaK(k=2, values={"told": ("z",)}).measure(file)
    assert some.per_record == pytest.approx([0, 0, 1 / 3, 1 / 3, 1 / 3])
    with pytest.raises(ValueUnknown):
        AlphaK(values={"told": ("not there",)}).measure(file)


def test_orders_and_hierarchies():
    file = data(p=list("aabb"), told=["low", "middle", "middle", "high"])
    order = {"told": ("low", "middle", "high")}
    assert TCloseness(ground="ordered", order=order).measure(file).value == pytest.approx(0.25)
    with pytest.raises(OrderNeeded) as caught:
        TCloseness(ground="ordered", order={"told": ("low", "high")}).measure(file)
    assert caught.value.facts["count"] == 1
    with pytest.raises(OrderNeeded):
        TCloseness(ground="ordered").measure(file)
    with pytest.raises(TreeNeeded):
        TCloseness(ground="hierarchical").measure(file)
    small = replace(file.column("told"), hierarchy=from_tree("told", {"all": ["low", "high"]}))
    with pytest.raises(HierarchyUncovered):
        TCloseness(ground="hierarchical").measure(file.with_columns({"told": small}))


def test_missing_values_have_no_place_in_an_order():
    file = data(p=list("aabb"), told=Column.numbers_of(np.array([1, np.nan, 1, 2])))
    found = TCloseness(ground="ordered").measure(file)
    assert found.details["missing_sensitive"] == "skip"
    assert found.per_record == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6])


# -- monotonicity ---------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_generalising_never_makes_a_model_worse(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(4, 40))
    fine = {name: draw.integers(6, size=n) for name in "pq"}
    told = [str(v) for v in draw.integers(4, size=n)]
    low = data(told=told, **{name: [str(v) for v in codes] for name, codes in fine.items()})
    high = low.with_columns({"p": Column.texts_of([str(v // 2) for v in fine["p"]])})
    order = {"told": ("0", "1", "2", "3")}
    rising = [
        KAnonymity(),
        LDiversity(),
        LDiversity(kind="entropy"),
        LDiversity(kind="recursive", c=1.5),
        SubsetAnonymity(subsets=1),
    ]
    rising.append(LDiversity(kind="recursive", c=1.5, harmless={"told": ("0",)}))
    falling = [
        TCloseness(),
        TCloseness(ground="ordered", order=order),
        BetaLikeness(),
        AlphaK(k=1),
        AverageRisk(),
        SubsetConfidence(subsets=1),
    ]
    falling += [
        AlphaK(k=3),
        DeltaDisclosure(absent="disclosed"),
        AverageRisk(k=2),
        BetaLikeness(kind="enhanced"),
    ]
    for model in rising:
        assert model.measure(high).value >= model.measure(low).value - 1e-9
    for model in falling:
        assert model.measure(high).value <= model.measure(low).value + 1e-9


# -- some of the keys -----------------------------------------------------------------------------------------------------


def test_every_set_of_keys():
    file = data(p=list("aabb"), q=list("xyxy"), r=list("uuuv"), told=list("1122"))
    found = SubsetAnonymity(subsets=1).measure(file, before=file)
    assert (found.value, found.baseline, found.details["riskiest"], found.details["sets"]) == (
        1,
        1,
        ("r",),
        3,
    )
    assert found.per_record.tolist() == [2, 2, 2, 1]
    assert SubsetAnonymity(subsets=3).measure(file).value == KAnonymity().measure(file).value
    assert SubsetAnonymity(subsets=9).measure(file).value == KAnonymity().measure(file).value
    one = SubsetAnonymity(keys=("p", "q"), subsets=1).measure(file)
    assert (one.value, SubsetAnonymity(keys=("p", "q")).measure(file).value) == (2, 1)
    sure = SubsetConfidence(keys=("q", "r"), subsets=1).measure(file, before=file)
    assert (sure.value, sure.details["riskiest"], sure.baseline) == (1, ("r",), 1)
    assert sure.per_record == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1])


# -- averages -------------------------------------------------------------------------------------------------------------


def test_average_and_strict_average():
    file = data(p=list("aabbb"))
    found = AverageRisk().measure(file, before=file)
    assert (found.value, found.baseline) == pytest.approx((2 / 5, 2 / 5))
    assert found.per_record == pytest.approx([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
    assert AverageRisk(k=2).measure(file).value == pytest.approx(2 / 5)
    strict = AverageRisk(k=3).measure(file)
    assert (strict.value, strict.details["records_below_k"]) == (1, 2)


# -- populations ----------------------------------------------------------------------------------------------------------

REGISTER = data(p=list("aaaabbbbcc"), q=list("xxyyxxyyxy"))


def test_register():
    sample = data(p=list("abc"), q=list("xyx"))
    found = KMap().against(sample, REGISTER)
    assert (found.value, found.per_record.tolist(), found.trusted) == (1, [2, 2, 1], True)
    assert KMap(population="original").measure(sample, before=REGISTER).value == 1
    present = DeltaPresence().against(sample, REGISTER)
    assert (present.value, present.baseline, present.per_record.tolist()) == (1, 0.3, [0.5, 0.5, 1])
    assert (present.details["least"], present.details["persons_known_absent"]) == (0, 5)
    assert present.details["persons_known_present"] == 1
    assert DeltaPresence().measure(REGISTER, before=REGISTER).value == 1


def test_a_suppressed_key_fits_everybody_in_the_register():
    sample = data(p=hide(list("abc"), [2]), q=list("xyx"))
    assert KMap().against(sample, REGISTER).per_record.tolist() == [2, 2, 5]
    present = DeltaPresence().against(sample, REGISTER)
    assert present.per_record == pytest.approx([0.5 + 0.2, 0.5, 0.2])
    assert present.trusted


def test_generalised_codes_are_found_in_the_register():
    tree = from_tree("p", {"ab": ["a", "b"], "cd": ["c", "d"]})
    released = replace(Column.texts_of(["ab", "cd"]), hierarchy=tree)
    assert KMap(keys=("p",)).against(data(p=released), REGISTER).per_record.tolist() == [8, 2]


def test_numbers_and_texts_are_compared_by_spelling():
    register = data(p=Column.numbers_of(np.array([1.0, 1.0, 2.0, np.nan])))
    sample = data(p=["1", "2", None])
    assert KMap().against(sample, register).per_record.tolist() == [2, 1, 1]
    assert KMap(missing="wildcard").against(sample, register).per_record.tolist() == [3, 2, 4]


def test_a_register_that_does_not_fit():
    with pytest.raises(RegisterTooSmall):
        KMap().against(REGISTER, data(p=["a"], q=["x"]))
    with pytest.raises(ColumnMissing):
        KMap().against(data(z=["a", "b"]), REGISTER)
    stranger = data(p=list("ad"), q=list("xx"))
    for found in (KMap().against(stranger, REGISTER), DeltaPresence().against(stranger, REGISTER)):
        assert not found.trusted
        assert "1 released records" in found.because.en


def test_estimated_population():
    sample = data(p=list("aabbb"), weight=[10, 20, 1, 1, 0.5])
    found = KMap().measure(sample)
    assert found.per_record.tolist() == [30, 30, 3, 3, 3]  # never below the records of the sample
    assert (found.low, found.high) == (3, 3)
    sized = KMap(population=50).measure(sample, before=sample)
    assert (sized.value, sized.baseline) == (20, 20)
    assert 2 <= sized.low < 20 < sized.high
    assert "estimated" in sized.because.en
    hidden = data(p=hide(list("aabbb"), [0]), weight=[10, 20, 1, 1, 1])
    assert KMap().measure(hidden).per_record.tolist() == [30, 30, 13, 13, 13]


def test_the_interval_of_an_estimate_covers_the_truth():
    """Classes drawn with a known probability: the class of every size of sample lies in its interval nineteen times in twenty."""
    from tarnkappe.risk.k_map import _interval, _Population

    draw = np.random.default_rng(1)
    truth = 30 + draw.negative_binomial(30, 0.2, size=4000)
    low, high = _interval(_Population(np.array([150.0]), np.array([30.0])))
    assert 0.94 < np.mean((truth >= low) & (truth <= high)) < 0.97


def test_no_population():
    with pytest.raises(PopulationNeeded):
        KMap().measure(SMALL)
    with pytest.raises(PopulationNeeded):
        KMap(population="original").measure(SMALL)
    with pytest.raises(PopulationNeeded):
        DeltaPresence().measure(SMALL)
    with pytest.raises(RegisterTooSmall):
        KMap(population=3).measure(SMALL)
    for weight in (0, -1, np.nan, np.inf):
        with pytest.raises(WeightsNotPositive) as caught:
            KMap().measure(data(p=list("ab"), weight=[1, weight]))
        assert caught.value.facts["first"] == 2


# -- bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [*ON_SENSITIVE, *ON_KEYS, KMap])
def test_no_keys_no_records(cls):
    with pytest.raises(NoKeys):
        cls().measure(Microdata({"told": Column.texts_of(["x"])}, {Role.SENSITIVE: ("told",)}))
    with pytest.raises(EmptyData):
        cls().measure(SMALL.take(np.zeros(0, dtype=np.int64)))


@pytest.mark.parametrize("cls", ON_SENSITIVE)
def test_sensitive_columns_that_cannot_be_judged(cls):
    with pytest.raises(NoSensitive):
        cls().measure(data(p=list("ab")))
    with pytest.raises(SensitiveIsKey):
        cls(sensitive=("p",)).measure(SMALL)
    with pytest.raises(ColumnMissing):
        cls(sensitive=("nothing",)).measure(SMALL)
    with pytest.raises(NothingToUse):
        cls(unknown="skip").measure(data(p=list("ab"), told=[None, None]))
    constant = cls().measure(data(p=list("aabb"), told=list("xxxx")))
    assert not constant.trusted
    assert "one value only" in constant.because.en


@pytest.mark.parametrize("cls", [*ON_SENSITIVE, *ON_KEYS])
def test_one_class_or_no_observed_key_is_not_trusted(cls):
    one = cls().measure(data(p=list("aaaa"), told=list("xyxy")))
    assert not one.trusted
    assert "only one class" in one.because.en
    none = cls().measure(data(p=[None, None], q=hide(["a", "b"], [0, 1]), told=["x", "y"]))
    assert not none.trusted
    assert "observed" in none.because.en


def test_numbers_that_all_differ_are_not_trusted_unless_their_distance_counts():
    numbers = data(p=list("aabb"), told=Column.numbers_of(np.array([1.1, 1.2, 1.3, 7.5])))
    assert not LDiversity().measure(numbers).trusted
    assert TCloseness(ground="ordered").measure(numbers).trusted


def test_all_harmless_is_never_a_number():
    file = data(p=list("aabb"), told=list("xyxy"))
    found = LDiversity(kind="recursive", harmless={"told": ("x", "y")}).measure(file)
    assert (found.value, found.trusted) == (np.inf, False)


# -- results are shared between measures ----------------------------------------------------------------------------------


def test_classes_are_found_once_and_forgotten_with_the_data(monkeypatch):
    from tarnkappe.risk import counting

    calls = []
    monkeypatch.setattr(
        counting, "candidates", lambda *a, real=counting.candidates: calls.append(1) or real(*a)
    )
    file = data(p=list("aabb"), told=list("xyxy"))
    for cls in ON_SENSITIVE[:5]:
        cls().measure(file)
    KAnonymity().measure(file)
    assert len(calls) == 1
    before = len(shared._kept)
    del file
    gc.collect()
    assert len(shared._kept) < before


def test_only_a_few_results_are_kept():
    files = [data(p=list("aabb"), told=list("xyxy")) for _ in range(2 * shared.MOST)]
    for file in files:
        LDiversity().measure(file)
    assert len(shared._kept) <= shared.MOST


def test_measures_with_mappings_can_be_looked_up():
    """A run keeps its findings by measure."""
    one, same, other = (LDiversity(harmless=h) for h in ({"told": ("x",)}, {"told": ("x",)}, {}))
    assert {one: 1, other: 2}[same] == 1
