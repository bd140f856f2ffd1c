import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, ColumnMissing, ValueUnknown
from tarnkappe.errors.models import CategoriesNeeded
from tarnkappe.testing import example_data
from tarnkappe.testing.measures import protected
from tarnkappe.testing.variants import variants
from tarnkappe.utility.categories import Categories
from tarnkappe.utility.coded import coded
from tarnkappe.utility.contingency import Contingency
from tarnkappe.utility.entropy import EntropyLoss
from tarnkappe.utility.frequencies import Frequencies
from tarnkappe.utility.plausibility import Plausibility
from tarnkappe.utility.recoding import Recoding
from tarnkappe.vocab import Role
from utility.two_files import mixed, renumbered, suppressed, texts

ALL = [Categories, Contingency, EntropyLoss, Frequencies, Plausibility]
LOSSES = ["certainty", "precision", "entropy", "ambiguity", "discernibility", "class-size"]
RNG = np.random.default_rng(5)
A = [str(v) for v in RNG.choice(list("abc"), 60, p=[0.5, 0.3, 0.2])]
B = [str(v) for v in RNG.choice(list("xy"), 60)]
C = [str(v) for v in RNG.choice(list("pqrs"), 60)]
OLD = texts(a=A, b=B, c=C)


def shuffled(values, seed):
    return list(np.random.default_rng(seed).permutation(values))


NEW = texts(a=shuffled(A, 1), b=[*B[:50], *["y"] * 10], c=C)


# -- every measure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", ALL)
def test_equal_files_lose_nothing(cls):
    found = cls().measure(OLD, before=OLD)
    assert found.value == 0
    assert found.trusted


@pytest.mark.parametrize("cls", ALL)
def test_wrong_input(cls):
    with pytest.raises(BeforeNeeded):
        cls().measure(OLD)
    with pytest.raises(ColumnMissing):
        cls(columns=("a", "z")).measure(OLD, before=OLD)
    with pytest.raises(CategoriesNeeded):
        cls().measure(mixed(x=np.arange(20.0)), before=mixed(x=np.arange(20.0)))


@pytest.mark.parametrize("cls", ALL)
def test_vanished_and_changed_columns_are_told(cls):
    before = texts(a=A, b=B, c=C, d=A, e=A)
    after = texts(a=A, b=B, d=A).with_columns({"e": Column.numbers_of(np.arange(60.0))})
    found = cls().measure(after, before=before)
    assert "c" in found.because.en
    assert "another type" in found.because.en
    assert found.value == 0


@pytest.mark.parametrize("cls", [Categories, Contingency, Frequencies])
def test_recoded_columns_are_left_out_and_told(cls):
    after = texts(a=[v.upper() for v in A], b=B, c=C)
    found = cls().measure(after, before=OLD)
    assert found.value == 0
    assert "recoded" in found.because.en
    assert "umkodiert" in found.because.de


@pytest.mark.parametrize("cls", [Categories, EntropyLoss])
def test_new_records_cannot_be_compared_one_by_one(cls):
    found = cls().measure(renumbered(OLD), before=OLD)
    assert math.isnan(found.value)
    assert not found.trusted


@pytest.mark.parametrize("cls", [Contingency, Frequencies, Plausibility])
def test_different_numbers_of_records_are_fine(cls):
    twice = Microdata(
        {n: c.take(np.tile(np.arange(60), 2)) for n, c in OLD.columns.items()}, rows=-1 - np.arange(120)
    )
    assert cls().measure(twice, before=OLD).value == pytest.approx(0)


@pytest.mark.parametrize("cls", ALL)
def test_few_records(cls):
    few = OLD.take(np.arange(3))
    found = cls().measure(few, before=few)
    assert found.value == 0 if cls is Plausibility else math.isnan(found.value)


def test_values_spelt_alike_are_the_same():
    old = Column.numbers_of(np.array([1, 2, 2]))
    new = Column.texts_of(["1", "2.0", None])
    found = coded(old, new)
    assert found.old[0] == found.new[0]
    assert found.new[2] == found.missing
    assert coded(old, old.suppress(np.array([True, False, False]))).new[0] == 3


# -- contingency --------------------------------------------------------------------------------------------------------------


def test_tables_are_those_of_pandas():
    found = Contingency().measure(NEW, before=OLD)
    frames = [pd.DataFrame({n: d.column(n).texts() for n in "abc"}) for d in (OLD, NEW)]
    distances = {1: [], 2: [], 3: []}
    per_cell = []
    for size in (1, 2, 3):
        for names in itertools.combinations("abc", size):
            x, y = (f.groupby(list(names)).size() for f in frames)
            both = pd.concat([x, y], axis=1).fillna(0).to_numpy()
            distances[size].append(np.abs(both[:, 0] - both[:, 1]).sum() / 120)
            if size == 3:
                per_cell.append(np.abs(both[:, 0] - both[:, 1]).sum() / len(both))
    assert found.value == pytest.approx(np.mean([d for found in distances.values() for d in found]))
    told = found.details["dimensions"]
    assert [told[str(s)]["distance"] for s in (1, 2, 3)] == pytest.approx(
        [np.mean(distances[s]) for s in (1, 2, 3)]
    )
    assert told["3"]["difference_per_cell"] == pytest.approx(per_cell[0])
    assert told["3"]["difference_per_record"] == pytest.approx(2 * distances[3][0])
    assert found.details["tables"] == 7


def test_association_is_that_of_scipy():
    found = Contingency().measure(NEW, before=OLD)
    for side, data in (("before", OLD), ("after", NEW)):
        table = pd.crosstab(data.column("a").texts(), data.column("c").texts()).to_numpy()
        assert found.details["cramers_v"][side][0, 2] == pytest.approx(stats.contingency.association(table))
        g = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        assert found.details["mutual_information"][side][0, 2] == pytest.approx(g / (2 * 60 * math.log(2)))


def test_chi2_is_that_of_scipy():
    found = Contingency(columns=("b",), up_to=1).measure(NEW, before=OLD)
    table = [[d.column("b").texts().tolist().count(v) for v in "xy"] for d in (OLD, NEW)]
    wanted = stats.chi2_contingency(table, correction=False)
    assert found.details["dimensions"]["1"]["chi2_per_degree"] == pytest.approx(wanted.statistic / wanted.dof)


def test_weights_count():
    w = np.where(np.array(B) == "x", 3.0, 1.0)
    roles = {Role.WEIGHT: ("w",)}
    before = mixed(roles, b=B, w=w)
    after = mixed(roles, b=B, w=np.ones(60))
    found = Contingency(weighted=True, up_to=1).measure(after, before=before)
    share = w[np.array(B) == "x"].sum() / w.sum()
    assert found.value == pytest.approx(abs(share - B.count("x") / 60))
    assert Frequencies(weighted=True).measure(after, before=before).value == pytest.approx(found.value)


def test_the_number_of_tables_is_bounded_and_told():
    found = Contingency(tables=4).measure(NEW, before=OLD)
    assert found.details["tables"] == 4
    assert found.details["tables_left_out"] == 3
    assert "3 of 7" in found.because.en


def test_large_tables_are_counted_sparsely(monkeypatch):
    dense = Contingency().measure(NEW, before=OLD).as_json()
    monkeypatch.setattr("tarnkappe.kernels.crossed.DENSE", 1)
    sparse = Contingency().measure(NEW, before=OLD).as_json()
    assert sparse["value"] == pytest.approx(dense["value"])
    assert sparse["details"]["cramers_v"]["after"][0][1] == pytest.approx(
        dense["details"]["cramers_v"]["after"][0][1]
    )


def test_suppressed_is_a_category():
    found = Frequencies(columns=("a",)).measure(suppressed(OLD, "a", range(6)), before=OLD)
    assert found.value == pytest.approx(0.1)


# -- entropy --------------------------------------------------------------------------------------------------------------------


def test_a_suppressed_cell_loses_the_entropy_of_its_column():
    found = EntropyLoss(columns=("a",)).measure(suppressed(OLD, "a", range(12)), before=OLD)
    h = stats.entropy(np.unique(A, return_counts=True)[1], base=2)
    assert found.details["bits_lost"] == pytest.approx(12 * h)
    assert found.value == pytest.approx(0.2)


def test_random_change_loses_conditional_entropy():
    new = texts(a=shuffled(A, 3), b=B, c=C)
    found = EntropyLoss(columns=("a",)).measure(new, before=OLD)
    wanted = 0.0
    shown = np.array(new.column("a").texts())
    for v in "abc":
        counts = np.unique(np.array(A)[shown == v], return_counts=True)[1]
        wanted += (shown == v).sum() * stats.entropy(counts, base=2)
    assert found.details["bits_lost"] == pytest.approx(wanted)


def test_another_name_loses_nothing_and_merging_does():
    renamed = texts(a=[v.upper() for v in A], b=B, c=C)
    assert EntropyLoss().measure(renamed, before=OLD).value == pytest.approx(0)
    merged = texts(a=["all"] * 60, b=B, c=C)
    assert EntropyLoss(columns=("a",)).measure(merged, before=OLD).value == pytest.approx(1)


# -- categories and frequencies -------------------------------------------------------------------------------------------------------


def test_steps_of_an_order_are_divided_by_its_length():
    old = texts(a=["low"] * 20)
    new = texts(a=["low"] * 10 + ["middle"] * 5 + ["high"] * 5)
    found = Categories(order={"a": ["low", "middle", "high", "top"]}).measure(new, before=old)
    assert found.value == pytest.approx((5 * 1 / 4 + 5 * 2 / 4) / 20)
    assert Categories().measure(new, before=old).value == pytest.approx(0.5)


def test_what_is_no_longer_there_counts_as_far_away():
    order = {"a": list("abc")}
    assert Categories(columns=("a",), order=order).measure(
        suppressed(OLD, "a", range(30)), before=OLD
    ).value == pytest.approx(0.5)
    with pytest.raises(ValueUnknown):
        Categories(order={"a": ["A", "B"]}).measure(OLD, before=OLD)
    with pytest.raises(ColumnMissing):
        Categories(order={"z": ["A", "B"]}).measure(OLD, before=OLD)


def test_rare_categories_that_vanish_are_counted():
    old = texts(a=["x"] * 97 + ["y", "z", "z"])
    new = texts(a=["x"] * 97 + ["z", "z", "n"])
    told = Frequencies().measure(new, before=old).details["columns"]["a"]
    assert (told["categories"], told["categories_gone"], told["categories_new"]) == (3, 1, 1)
    assert (told["rare"], told["rare_kept"]) == (2, 1)
    assert told["distance"] == pytest.approx(0.01)


@given(
    st.lists(st.sampled_from("abc"), min_size=10, max_size=30),
    st.lists(st.sampled_from("abcd"), min_size=10, max_size=30),
)
def test_distances_lie_between_nothing_and_all(x, y):
    value = Frequencies(columns=("a",)).measure(texts(a=y), before=texts(a=x)).value if set(x) & set(y) else 0
    assert 0 <= value <= 1


# -- plausibility -----------------------------------------------------------------------------------------------------------------------


def test_new_combinations_are_counted():
    old = texts(a=["m", "m", "f", "f"] * 5, b=["x", "y", "y", "y"] * 5)
    new = texts(a=["m", "m", "f", "f"] * 5, b=["x", "y", "x", "y"] * 5)
    found = Plausibility().measure(new, before=old)
    assert found.value == pytest.approx(0.25)
    assert found.details["new_combinations"] == {"a × b": 5}
    assert found.per_record.sum() == 5


def test_triples_can_be_new_though_pairs_are_not():
    rows = [("a", "x", "p"), ("a", "y", "q"), ("b", "x", "q"), ("b", "y", "p")]
    old = texts(**dict(zip("uvw", zip(*(rows * 3), strict=True), strict=True)))
    odd = [*rows[:3], ("a", "x", "q")] * 3
    new = texts(**dict(zip("uvw", zip(*odd, strict=True), strict=True)))
    assert Plausibility().measure(new, before=old).value == 0
    assert Plausibility(up_to=3).measure(new, before=old).value == pytest.approx(0.25)


def test_declared_impossible_combinations_count_though_the_original_has_them():
    found = Plausibility(forbidden=({"a": "a", "b": "x"},)).measure(OLD, before=OLD)
    both = sum(a == "a" and b == "x" for a, b in zip(A, B, strict=True))
    assert found.value == pytest.approx(both / 60)
    assert found.details["forbidden"] == [{"after": both, "before": both}]
    with pytest.raises(ColumnMissing):
        Plausibility(forbidden=({"z": "1"},)).measure(OLD, before=OLD)


def test_values_the_original_does_not_have_are_counted_apart():
    new = texts(a=["n", *A[1:]], b=B, c=C)
    found = Plausibility().measure(new, before=OLD)
    assert found.value == 0
    assert found.details["new_values"] == {"a": 1}


# -- recoding ---------------------------------------------------------------------------------------------------------------------------


TREE = from_tree("v", {"one": ["a", "b"], "two": ["c", "d"]})
FINE = ["a"] * 4 + ["b"] * 4 + ["c"] * 2 + ["d"] * 2
COARSE = ["one"] * 8 + ["c"] * 2 + ["d"] * 2


def with_tree(values, roles=None):
    return Microdata({"v": Column.texts_of(values, hierarchy=TREE)}, roles or {Role.KEY: ("v",)})


@pytest.mark.parametrize(
    ("loss", "value"),
    [
        ("certainty", 8 / 12 * (1 / 3)),
        ("precision", 8 / 12 * (1 / 2)),
        ("entropy", 8 * 1 / (8 * math.log2(3) + 4 * math.log2(6))),
        ("ambiguity", math.log2((8 * 2 + 4) / 12) / 2),
        ("discernibility", ((64 + 8) - (32 + 8)) / (144 - 40)),
        ("class-size", (4 - 3) / (12 - 3)),
    ],
)
def test_losses_by_hand(loss, value):
    old, new = with_tree(FINE), with_tree(COARSE)
    assert Recoding(loss=loss).measure(new, before=old).value == pytest.approx(value)
    assert Recoding(loss=loss).measure(old, before=old).value == pytest.approx(0)


@pytest.mark.parametrize("loss", LOSSES)
def test_everything_suppressed_is_everything_lost(loss):
    old = with_tree(FINE)
    gone = suppressed(old, "v", range(12))
    assert Recoding(loss=loss).measure(gone, before=old).value == pytest.approx(1)


@pytest.mark.parametrize("loss", ["certainty", "precision", "entropy", "discernibility"])
def test_removed_records_are_lost(loss):
    old = with_tree(FINE)
    less = old.take(np.arange(11))
    found = Recoding(loss=loss).measure(less, before=old)
    assert found.value > 0
    assert found.details["removed"] == 1
    if loss in ("certainty", "precision"):
        assert found.value == pytest.approx(1 / 12)


def test_numbers_lose_the_width_of_their_bands():
    old = mixed({Role.KEY: ("x",)}, x=np.arange(20.0))
    new = mixed({Role.KEY: ("x",)}, x=["0-9"] * 10 + ["10-19"] * 10)
    assert Recoding().measure(new, before=old).value == pytest.approx(9 / 19)


def test_precision_needs_a_hierarchy_where_values_changed():
    old, new = texts(a=A), texts(a=["all"] * 60)
    found = Recoding(keys=("a",), loss="precision").measure(new, before=old)
    assert math.isnan(found.value)
    assert "hierarchy" in found.because.en


def test_class_size_is_compared_with_k():
    found = Recoding(loss="class-size", k=2).measure(with_tree(COARSE), before=with_tree(FINE))
    assert found.details["of_k"] == pytest.approx(2)


def test_keys_that_are_gone_are_told():
    found = Recoding(keys=("a", "b")).measure(OLD.without(["a"]), before=OLD)
    assert "a" in found.because.en
    assert math.isnan(Recoding(keys=("a",)).measure(OLD.without(["a"]), before=OLD).value)
    assert math.isnan(Recoding(keys=("a",)).measure(renumbered(OLD), before=OLD).value)


@pytest.mark.parametrize("loss", LOSSES)
def test_awkward_data_gives_an_answer(loss):
    for data in variants().values():
        for after in (data, protected(data) if len(data) > 30 else data):
            value = Recoding(loss=loss).measure(after, before=data).value
            assert math.isnan(value) or 0 <= value <= 1


def test_order_of_records_does_not_matter():
    data = example_data()
    after = protected(data)
    for loss in LOSSES:
        one = Recoding(loss=loss).measure(after, before=data).value
        assert Recoding(loss=loss).measure(
            after.take(np.arange(len(after))[::-1]), before=data
        ).value == pytest.approx(one)
