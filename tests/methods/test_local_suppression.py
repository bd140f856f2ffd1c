"""Local suppression: reached by every count, cheap beside the optimum, refused where it cannot be."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.methods.microdata.local_suppression import LocalSuppression, in_order
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role


def data(rows):
    columns = zip(*rows, strict=True) if rows else [[], []]
    named = {f"k{j}": Column.texts_of(list(texts)) for j, texts in enumerate(columns)}
    return Microdata(named, {Role.KEY: tuple(named)})


def done(given_, **parameters):
    method = LocalSuppression(**parameters)
    return apply_step(method, given_, stream("s" * 32, method.id))


def hidden(after):
    return np.column_stack([after.column(n).suppressed for n in after.names])


def fits(person, released):
    """An attacker with the true values of a person before a released record; None is suppressed, '' missing."""
    return all(cell is None or cell == true for cell, true in zip(released, person, strict=True))


def attacked(rows, mask, names):
    """For every person the number of released records that fit, by looking at all pairs."""
    released = [[None if mask[i, j] else row[j] for j in names] for i, row in enumerate(rows)]
    return [sum(fits([row[j] for j in names], r) for r in released) for row in rows]


def test_the_vector_of_the_specification():
    """(a,x),(a,x),(a,y),(b,y): the first key of the last two goes, and all counts are 2 (actuarial-dav 0.2)."""
    after = done(data(["ax", "ax", "ay", "by"]), k=2)
    assert hidden(after).tolist() == [[False, False], [False, False], [True, False], [True, False]]


ROWS = st.lists(st.tuples(*(st.sampled_from("abc") for _ in range(3))), min_size=3, max_size=30)


@given(ROWS, st.sampled_from([2, 3]), st.sampled_from(["strict", "least"]))
@settings(max_examples=150, deadline=None)
def test_k_is_reached_before_an_attacker_who_compares_all_pairs(rows, k, mode):
    mask = hidden(done(data(rows), k=k, mode=mode))
    assert min(attacked(rows, mask, range(3))) >= k
    if mode == "strict":
        printed = Counter(
            tuple("*" if mask[i, j] else row[j] for j in range(3)) for i, row in enumerate(rows)
        )
        assert min(printed.values()) >= k


@given(ROWS, st.sampled_from([1, 2]))
@settings(max_examples=60, deadline=None)
def test_every_subset_of_the_keys_is_safe(rows, subsets):
    mask = hidden(done(data(rows), k=3, mode="least", subsets=subsets))
    for names in combinations(range(3), subsets):
        assert min(attacked(rows, mask, names)) >= 3


@given(st.lists(st.tuples(*(st.sampled_from(["a", "b", None]) for _ in range(2))), min_size=8, max_size=40))
@settings(max_examples=80, deadline=None)
def test_missing_keys_stay_missing_and_are_covered_or_the_step_is_refused(rows):
    try:
        after = done(data(rows), k=2)
    except Unattainable:
        return
    mask = hidden(after)
    told = [["" if cell is None else cell for cell in row] for row in rows]
    assert min(attacked(told, mask, range(2))) >= 2
    assert all(after.column(f"k{j}").missing.tolist() == [row[j] is None for row in rows] for j in range(2))


def test_a_missing_key_cannot_be_suppressed_and_others_cover_it():
    """(missing, x) stays as it is: others that are alike lose the key in which it differs."""
    rows = [(None, "x"), ("c", "x"), *[("a", "x")] * 6]
    mask = hidden(done(data(rows), k=2))
    assert not mask[0].any()
    told = [["" if cell is None else cell for cell in row] for row in rows]
    assert min(attacked(told, mask, range(2))) >= 2


def test_an_attacker_who_knows_fewer_keys_costs_fewer_cells():
    """All combinations of three keys once: each value stands nine times and each pair three times."""
    rows = list(product("abc", repeat=3))
    cells = {m: int(hidden(done(data(rows), k=3, mode="least", subsets=m)).sum()) for m in (1, 2, 3)}
    assert cells[1] == cells[2] == 0 < cells[3]


def optimum(rows, k):
    """The fewest cells for the strict goal, by trying all masks."""
    n, m = len(rows), len(rows[0])
    best = n * m
    for cells in product((False, True), repeat=n * m):
        if sum(cells) >= best:
            continue
        printed = Counter(tuple("*" if cells[i * m + j] else rows[i][j] for j in range(m)) for i in range(n))
        if min(printed.values()) >= k:
            best = sum(cells)
    return best


def test_the_optimum_on_small_files():
    """More shapes, weights, orders, gaps and strata: test_least_suppression.py."""
    rng = np.random.default_rng(3)
    for _ in range(25):
        rows = ["".join(rng.choice(list("abc"), 2)) for _ in range(6)]
        assert hidden(done(data(rows), k=2)).sum() == optimum(rows, 2)


def test_dear_columns_are_spared():
    rows = ["ax", "ax", "ay", "by", "bx"]
    cheap = hidden(done(data(rows), k=2, importance={"k0": 10.0}))
    assert cheap[:, 0].sum() <= hidden(done(data(rows), k=2, importance={"k1": 10.0}))[:, 0].sum()
    assert cheap[:, 0].sum() < cheap[:, 1].sum()


def test_an_order_of_importance_spares_the_first_as_long_as_the_others_help():
    """One cell of k0 would do, or two of the others: which, says the order (sdcMicro: importance as ranks)."""
    rows = ["axp"] * 4 + ["bxp"] * 4 + ["ayq", "byq"]
    one = hidden(done(data(rows), k=2))
    assert one.sum(axis=0).tolist() == [2, 0, 0]
    spared = hidden(done(data(rows), k=2, importance=["k0"]))
    assert spared[:, 0].sum() == 0 and spared[:, 1:].sum() > 2
    assert in_order(("b", "a"), ("a", "b", "c", "d"), 2) == {"c": 1, "d": 1, "a": 5, "b": 15}
    with pytest.raises(ParameterWrong, match="importance names columns that are not treated: k2"):
        build(LocalSuppression, {"keys": ["k0", "k1"], "importance": ["k2"]})
    with pytest.raises(ParameterWrong, match=r"importance\.k0: must be greater than 0"):
        build(LocalSuppression, {"importance": {"k0": 0}})
    with pytest.raises(ParameterWrong, match="importance: names a column twice"):
        build(LocalSuppression, {"importance": ["k0", "k0"]})


def test_strata_are_apart_and_never_suppressed():
    rows = [(s, c) for s in "pq" for c in "aabbc"]
    given_ = data(rows)
    after = done(given_, keys=("k1",), within=("k0",), k=2)
    mask = hidden(after)
    assert not mask[:, 0].any()
    printed = Counter((row[0], "*" if mask[i, 1] else row[1]) for i, row in enumerate(rows))
    assert min(printed.values()) >= 2


def test_what_tells_the_same_goes_along_with_its_key():
    """The name beside the code of a region would give the suppressed code back (ghost variables of sdcMicro)."""
    rows = [(c, t, c.upper()) for c, t in ["ax", "ax", "ay", "by"]]
    given_ = data([*rows[:3], ("b", "y", None)])
    step = {"keys": ("k0", "k1"), "k": 2}
    after = done(given_, **step, along={"k0": ("k2",)})
    assert hidden(after)[:, :2].tolist() == hidden(done(given_, **step))[:, :2].tolist()
    assert hidden(after)[:, 2].tolist() == [False, False, True, False]
    assert after.column("k2").missing.tolist() == [False, False, False, True]
    assert not broken_claims(LocalSuppression(**step, along={"k0": ("k2",)}), given_, after)
    left = after.with_columns({"k2": given_.column("k2")})
    assert len(broken_claims(LocalSuppression(**step, along={"k0": ("k2",)}), given_, left)) == 1


def test_what_cannot_be_reached_is_refused_with_the_best():
    with pytest.raises(TooFewRecords, match="only 2"):
        done(data(["ax", "by"]), k=3)
    with pytest.raises(Unattainable, match="k = 1"):
        done(data(["ax", "by", "by", "by"]), keys=("k1",), within=("k0",), k=3)
    with pytest.raises(Unattainable, match="budget"):
        done(data(["ax", "by", "cz"]), k=3, budget=0.1)


def test_nothing_to_do_and_no_records():
    same = data(["ax"] * 3)
    assert not hidden(done(same, k=3)).any()
    assert len(done(data([]), k=3)) == 0


def test_parameters_that_contradict_each_other():
    for wrong in (
        {"subsets": 2},
        {"keys": ("a",), "within": ("a",)},
        {"k": 1},
        {"importance": {"a": 0}},
        {"keys": ("a",), "along": {"a": ("a",)}},
        {"keys": ("a",), "along": {"b": ("c",)}},
        {"along": {"a": ()}},
    ):
        with pytest.raises(ParameterWrong):
            LocalSuppression(**wrong)
