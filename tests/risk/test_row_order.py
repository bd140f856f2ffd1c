"""Row order: leaks of every kind are found, random orders are not accused, moments are those of all orders."""

from itertools import permutations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData
from tarnkappe.errors.risk import OriginalNeeded
from tarnkappe.kernels.row_order import _serial, kept_order, runs, trend
from tarnkappe.risk.row_order import RowOrder
from tarnkappe.vocab import Role


def original(n=400, seed=1):
    rng = np.random.default_rng(seed)
    columns = {
        "name": Column.texts_of([f"person {i:05d}" for i in rng.permutation(n)]),
        "region": Column.texts_of(rng.choice(list("abcd"), n).tolist()),
        "income": Column.numbers_of(rng.lognormal(8, 1, n)),
    }
    roles = {Role.IDENTIFIER: ("name",), Role.KEY: ("region",), Role.SENSITIVE: ("income",)}
    return Microdata(columns, roles)


BEFORE = original()


def found(order, before=BEFORE, **given):
    after = before.take(np.asarray(order)).without(["name"])
    return RowOrder(**given).measure(after, before=before)


def strongest(finding):
    """Which of the signs are beyond chance."""
    tests = {("", n): t for n, t in finding.details["original_order"].items()}
    tests |= {(c, n): t for c, of in finding.details["columns"].items() for n, t in of.items()}
    return {place for place, test in tests.items() if test["p_value"] <= finding.details["limit"]}


def test_random_orders_are_hardly_ever_accused():
    accused = 0
    for seed in range(300):
        before = original(seed=seed, n=60 + seed)
        order = np.random.default_rng(1000 + seed).permutation(len(before))
        accused += found(order, before, chance=0.05).value > 0
    assert accused <= 24  # 15 expected at most; 24 is passed with a probability of 1 %


def test_an_unshuffled_and_a_reversed_file_are_found():
    for order in (np.arange(400), np.arange(400)[::-1]):
        finding = found(order)
        assert finding.value == 1
        assert ("", "correlation") in strongest(finding)
        assert finding.trusted


def test_a_sample_in_the_old_order_is_found():
    order = np.flatnonzero(np.random.default_rng(2).random(400) < 0.5)
    assert found(order).value == 1


def test_shuffled_blocks_are_found_by_followers():
    blocks = np.random.default_rng(3).permutation(400 // 5)
    order = (blocks[:, None] * 5 + np.arange(5)).ravel()
    finding = found(order)
    assert ("", "followed") in strongest(finding)
    assert finding.value > 0.7


def test_records_that_stayed_in_place_are_found():
    order = np.arange(400)
    moved = np.random.default_rng(4).permutation(400)[:360]
    order[moved] = np.random.default_rng(5).permutation(moved)
    assert ("", "in_place") in strongest(found(order))


@pytest.mark.parametrize(
    ("column", "sign"),
    [("name", "correlation"), ("income", "correlation"), ("income", "neighbours"), ("region", "runs")],
)
def test_a_file_sorted_by_a_column_is_found(column, sign):
    codes = BEFORE.column(column).true_codes()[0]
    order = np.argsort(codes, kind="stable")
    order = np.random.default_rng(1).permutation(400)[
        np.argsort(codes[np.random.default_rng(1).permutation(400)])
    ]
    finding = found(order)
    assert (column, sign) in strongest(finding)
    assert finding.value > 0.9


def test_grouped_but_not_sorted_categories_are_found_by_runs():
    codes = BEFORE.column("region").true_codes()[0]
    rng = np.random.default_rng(6)
    groups = [rng.permutation(np.flatnonzero(codes == c)) for c in (1, 3, 0, 2)]
    assert ("region", "runs") in strongest(found(np.concatenate(groups)))


def test_columns_can_be_chosen():
    order = np.argsort(BEFORE.column("income").values)
    assert found(order, columns=("region",)).details["columns"].keys() == {"region"}
    with pytest.raises(ColumnMissing):
        found(order, columns=("wealth",))


def test_made_up_records_are_passed_over():
    after = BEFORE.with_made(np.arange(50)).without(["name"])
    finding = RowOrder().measure(after, before=BEFORE)
    assert finding.details["records"] == 400
    assert finding.value == 1


def test_serial_moments_are_those_of_all_orders():
    for numbers in ([1, 2, 3, 4, 5, 6], [1, 1, 2, 5, 7], [0, 0, 0, 1, 1, 3, 9]):
        x = np.array(numbers, dtype=float)
        x -= x.mean()
        sums = [x[list(p)] @ np.roll(x[list(p)], -1) for p in permutations(range(len(x)))]
        _, mean, spread = _serial(x, float(x @ x))
        assert mean == pytest.approx(np.mean(sums))
        assert spread == pytest.approx(np.std(sums))


def test_moments_of_runs_are_those_of_all_orders():
    codes = np.array([0, 0, 0, 1, 1, 2, 3])
    counts = [1 + np.count_nonzero(np.diff(codes[list(p)])) for p in permutations(range(7))]
    from scipy.stats import norm

    expected = norm.cdf((4 - np.mean(counts)) / np.std(counts))
    assert runs(codes).p == pytest.approx(expected)
    assert runs(codes).grouped == 1
    assert runs(np.array([0, 1, 0, 1, 0, 1])).grouped == 0


def test_constants_ties_and_gaps_tell_nothing():
    assert trend(np.full(20, 3.0)).correlation_p == 1
    assert trend(np.full(20, np.nan)).correlation == 0
    assert trend(np.array([1.0, np.nan, 2.0])).correlation_p == 1
    assert runs(np.zeros(20, dtype=np.int64)).p == 1
    assert runs(np.zeros(0, dtype=np.int64)).p == 1
    assert kept_order(np.array([1, 0])).in_place == 0


def test_bad_input():
    with pytest.raises(OriginalNeeded):
        RowOrder().measure(BEFORE)
    with pytest.raises(EmptyData):
        RowOrder().measure(BEFORE.take(np.zeros(0, dtype=np.int64)), before=BEFORE)
    few = found(np.arange(9), original(9))
    assert not few.trusted
    assert few.because
