"""Local suppression costs as little as the optimum on small files, of all shapes, and as little as before on others."""

from itertools import combinations, product

import numpy as np
import pytest

from reference import suppression as reference
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import Unattainable
from tarnkappe.methods.microdata.local_suppression import LocalSuppression, in_order
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step


def drawn(seed, records=(6, 15), keys=(3, 4)):
    """A skewed file: codes, cells suppressed before, strata; every third has missing cells, every fourth suppressed ones."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(*records)), int(rng.integers(keys[0], keys[1] + 1))
    codes = np.minimum(rng.geometric(rng.choice([0.35, 0.5, 0.7]), (n, m)), rng.integers(2, 5, m))
    codes[rng.random((n, m)) < (0.06 if seed % 3 == 0 else 0)] = reference.MISSING
    before = (rng.random((n, m)) < (0.06 if seed % 4 == 0 else 0)) & (codes != reference.MISSING)
    return codes, before, rng.integers(0, 1 + (seed % 5 == 0), n), rng


def file(codes, before, strata):
    columns = {
        f"k{j}": Column.texts_of([None if c == reference.MISSING else str(c) for c in column]).suppress(
            before[:, j]
        )
        for j, column in enumerate(codes.T)
    }
    return Microdata({**columns, "s": Column.numbers_of(strata)})


def cells(given, before, **parameters):
    """New suppressed cells, claims checked; None where the step is refused."""
    names = [n for n in given.names if n != "s"]
    method = LocalSuppression(keys=names, within=("s",), **parameters)
    try:
        after = apply_step(method, given, stream("s" * 32, method.id))
    except Unattainable:
        return None
    return np.column_stack([after.column(n).suppressed for n in names]) & ~before


def prices(new, levels):
    return None if new is None else tuple(float(new.sum(axis=0) @ level) for level in levels)


def importance(seed, keys, rng):
    """Equal costs, unequal costs or an order; and the levels at which these are compared."""
    names = [f"k{j}" for j in range(keys)]
    if seed % 3 == 0:
        return {}, [np.ones(keys)]
    if seed % 3 == 1:
        costs = rng.integers(1, 6, keys) / 2
        return dict(zip(names, costs.tolist(), strict=True)), [costs]
    order = rng.permutation(keys)[: int(rng.integers(1, keys + 1))]
    levels = [np.eye(keys)[j] for j in order]
    rest = 1.0 - sum(levels)
    return [names[j] for j in order], [*levels, *([rest] if rest.any() else [])]


def strict_gap(seed, **shape):
    codes, before, strata, rng = drawn(seed, **shape)
    k = int(rng.integers(2, 6))
    given, levels = importance(seed, codes.shape[1], rng)
    best = reference.strict(codes.tolist(), before, strata, k, levels)
    assert prices(cells(file(codes, before, strata), before, k=k, importance=given), levels) == best


def least_gap(seed, **shape):
    codes, before, strata, rng = drawn(seed, **shape)
    k, keys = int(rng.integers(2, 6)), codes.shape[1]
    known = None if seed % 2 else int(rng.integers(1, keys + 1))
    given, levels = importance(seed, keys, rng)
    best = reference.least(codes, before, strata, k, levels, list(combinations(range(keys), known or keys)))
    more = {} if known is None else {"subsets": known}
    assert (
        prices(
            cells(file(codes, before, strata), before, k=k, importance=given, mode="least", **more), levels
        )
        == best
    )


@pytest.mark.parametrize("seed", range(40))
def test_strict_costs_least_on_small_files(seed):
    strict_gap(seed)


@pytest.mark.parametrize("seed", range(40))
def test_least_costs_least_on_small_files(seed):
    least_gap(100 + seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(150))
def test_both_cost_least_on_files_of_forty_records(seed):
    strict_gap(1000 + seed, records=(6, 41), keys=(3, 5))
    least_gap(2000 + seed, records=(6, 41), keys=(3, 5))


def brute(codes, k):
    """The fewest cells by trying all."""
    n, m = codes.shape
    best = n * m
    for mask in product((False, True), repeat=n * m):
        hidden = np.array(mask).reshape(n, m)
        if hidden.sum() < best:
            counts = np.unique(np.where(hidden, -9, codes), axis=0, return_counts=True)[1]
            best = int(hidden.sum()) if counts.min() >= k else best
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_reference_finds_what_trying_all_finds(seed):
    codes = np.random.default_rng(seed).integers(0, 3, (6, 2))
    nothing = np.zeros(codes.shape, bool)
    assert reference.strict(codes, nothing, np.zeros(6, int), 2, [np.ones(2)]) == (brute(codes, 2),)


@pytest.mark.parametrize("program", [True, False])
def test_a_record_with_missing_keys_that_no_open_record_can_cover(program, monkeypatch):
    """(missing, 2) stands beside (*, 1) and (*, 3), twice each: one of these pairs loses the other key too."""
    monkeypatch.setattr("tarnkappe.methods.microdata.suppression_task.MOST_RECORDS", 1000 if program else 0)
    codes = np.array([[1, 1], [2, 1], [reference.MISSING, 2], [1, 3], [2, 3]])
    nothing = np.zeros(codes.shape, bool)
    best = reference.strict(codes, nothing, np.zeros(5, int), 2, [np.ones(2)])
    new = cells(file(codes, nothing, np.zeros(5, int)), nothing, k=2)
    assert prices(new, [np.ones(2)]) == best == (6.0,)


def test_without_the_program_the_search_is_safe_and_near(monkeypatch):
    """All claims are checked, and nothing is refused that can be treated; with the missing cells 13 % above the least cost in all."""
    monkeypatch.setattr("tarnkappe.methods.microdata.suppression_task.MOST_RECORDS", 0)
    ours = best = 0.0
    for seed in range(300, 330):
        codes, before, strata, _ = drawn(seed, records=(12, 30))
        levels = [np.ones(codes.shape[1])]
        (least,) = reference.strict(codes.tolist(), before, strata, 2, levels)
        (found,) = prices(cells(file(codes, before, strata), before, k=2), levels)
        assert found >= least
        ours, best = ours + found, best + least
    assert ours <= 1.15 * best


def test_a_mark_from_before_is_a_mark_like_others():
    """(*, x) joins (a, x) and (b, x): one combination (*, x) stands three times, at two new cells."""
    codes = np.array([[0, 1], [0, 1], [1, 1]])
    before = np.array([[True, False], [False, False], [False, False]])
    new = cells(file(codes, before, np.zeros(3, int)), before, k=3)
    assert new.tolist() == [[False, False], [True, False], [True, False]]


def test_records_without_keys_fit_everybody():
    """Twelve records that agree in nothing: three without keys are enough for the goal of least, and nine are shown whole (k = 3)."""
    codes = np.repeat(np.arange(12)[:, np.newaxis], 3, axis=1)
    nothing = np.zeros(codes.shape, bool)
    new = cells(file(codes, nothing, np.zeros(12, int)), nothing, k=3, mode="least")
    assert sorted(new.sum(axis=1).tolist()) == [0] * 9 + [3] * 3


def test_an_order_is_an_order_in_small_strata():
    """No cell of the first column goes where any number of others helps; by costs one would: it is dearer than those of k records only."""
    codes = np.array([[0, j, j, j] for j in range(6)] + [[1, 9, 9, 9]] * 6)
    nothing = np.zeros(codes.shape, bool)
    new = cells(file(codes, nothing, np.zeros(12, int)), nothing, k=2, importance=["k0"])
    assert new[:, 0].sum() == 0


def test_costs_of_an_order_do_not_lose_digits():
    keys = tuple("abcdefgh")
    costs = in_order(keys, keys, 50)
    for i, name in enumerate(keys):
        assert costs[name] == 50 * sum(costs[n] for n in keys[i + 1 :]) + 1
    assert sum(costs.values()) == sum(int(c) for c in costs.values()) < 2**43
    many = tuple("abcdefghijklmnop")
    costs = in_order(many, many, 50)
    assert sum(costs.values()) <= 2**43
    assert all(costs[n] > 3 * sum(costs[m] for m in many[i + 1 :]) for i, n in enumerate(many))


@pytest.mark.parametrize("mode", ["strict", "least"])
def test_costs_of_all_sizes(mode):
    """The dear column is spared as long as the cheap one helps, also where sums overflow or vanish."""
    codes = np.array([[0, 0], [0, 1], [1, 2], [1, 3]])
    nothing = np.zeros(codes.shape, bool)
    given = file(codes, nothing, np.zeros(4, int))
    for costs in ({"k0": 1e300, "k1": 1e-300}, {"k0": 1.7e308, "k1": 1.6e307}, {"k0": 9e-300, "k1": 1e-300}):
        new = cells(given, nothing, k=2, importance=costs, mode=mode)
        assert new[:, 0].sum() == 0 < new[:, 1].sum()


@pytest.mark.parametrize("most", [0, 1000])
@pytest.mark.parametrize("seed", range(6))
def test_a_larger_k_never_costs_less(seed, most, monkeypatch):
    """What hides everybody among k + 1 hides them among k; also where the program is not asked, or cut short."""
    monkeypatch.setattr("tarnkappe.methods.microdata.suppression_task.MOST_RECORDS", most)
    monkeypatch.setattr("tarnkappe.methods.microdata.least_program.MOST_OFFERS", 60 if seed % 2 else 4000)
    codes, before, strata, rng = drawn(500 + seed, records=(40, 90), keys=(3, 5))
    given, levels = importance(seed, codes.shape[1], rng)
    found = [
        prices(cells(file(codes, before, strata), before, k=k, importance=given, mode="least"), levels)
        for k in range(2, 9)
    ]
    reached = [f for f in found if f is not None]
    assert found[: len(reached)] == reached
    assert reached == sorted(reached)


def test_a_few_empty_records_are_never_dearer():
    """Two records of a large class without any keys hide all others among three."""
    rng = np.random.default_rng(3)
    codes = np.vstack([rng.integers(0, 6, (70, 7)), np.zeros((5, 7), int)])
    nothing = np.zeros(codes.shape, bool)
    new = cells(file(codes, nothing, np.zeros(75, int)), nothing, k=3, mode="least")
    assert new.sum() == 14
