"""Random noise in tables: the distribution, small values, consistency, and the attacker's intervals by trying every original."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.flat import cell, flat_table, suppressing
from reference.originals import all_tables, ends
from tarnkappe.attack.rounded import attacked, before_noise
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.errors.tables import AlreadyProtected
from tarnkappe.kernels.rounding import drawn, limited
from tarnkappe.methods.tables.changed import lowest
from tarnkappe.methods.tables.drawing import draws
from tarnkappe.methods.tables.perturb import Perturb
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import broken_claims

NINTHS = {-2: 1, -1: 2, 0: 3, 1: 2, 2: 1}


def many(value, size=9000):
    return flat_table(np.full(size, value))


def changes(method, value, secret="a secret"):
    table = many(value)
    return method.noisy(table, draws(table, stream(secret), method.id, lasting=True))[1:] - value


def chi_square(found, chances):
    """Distance of counted changes from chances, in units of what chance allows."""
    n = len(found)
    counts = np.array([(found == e).sum() for e in chances])
    assert counts.sum() == n, "a change that should not occur"
    expected = n * np.array(list(chances.values()))
    return float(((counts - expected) ** 2 / expected).sum())


def test_offsets_come_as_often_as_stated_and_not_a_tenth_less():
    found = changes(Perturb(), 50)
    chances = {e: parts / 9 for e, parts in NINTHS.items()}
    assert chi_square(found, chances) < 18.5  # 4 degrees of freedom, p = 0.001
    zero_less = {e: (0.9 if e == 0 else (1 - 0.3) / (1 - 1 / 3)) * p for e, p in chances.items()}
    assert sum(zero_less.values()) == pytest.approx(1)
    assert chi_square(found, zero_less) > 18.5


def test_every_part_of_the_whole_is_drawn():
    u = (np.arange(9) + 0.5) / 9
    assert drawn(NINTHS, u).tolist() == [-2, -1, -1, 0, 0, 0, 1, 1, 2]
    assert drawn(NINTHS, np.array([0.0, np.nextafter(1, 0)])).tolist() == [-2, 2]


def test_limited_noise_is_what_is_left_scaled_up():
    u = (np.arange(7) + 0.5) / 7
    assert limited(NINTHS, np.full(7, 1.0), u).tolist() == [-1, -1, 0, 0, 0, 1, 1]
    assert limited(NINTHS, np.full(7, 1.9), u).tolist() == [-1, -1, 0, 0, 0, 1, 1]
    assert limited(NINTHS, np.zeros(7), u).tolist() == [0] * 7
    assert limited({-1: 1, 1: 1}, np.zeros(7), u).tolist() == [0] * 7  # nothing is left


@pytest.mark.parametrize("value", [0, 1, 2, 3, 10])
def test_unbiased_keeps_small_values_right_and_zero_does_not(value):
    symmetric = changes(Perturb(clip="unbiased"), value)
    cut = changes(Perturb(clip="zero"), value)
    error = 3.9 * np.sqrt(4 / 3 / 9000)
    assert abs(symmetric.mean()) < error
    bias = {0: 4 / 9, 1: 1 / 9}.get(value, 0)
    assert abs(cut.mean() - bias) < error
    assert (symmetric + value >= 0).all() and (cut + value >= 0).all()


@pytest.mark.parametrize(
    ("noise", "clip", "says"),
    [
        ({-1: 1, 0: 2, 1: 2}, "zero", "mean"),
        ({-1: 2, 0: 1, 1: 0}, "zero", "at least 1"),
        ({-2: 1, 0: 3, 2: 1}, "zero", "every whole number"),
        ({-1: 4, 0: 1, 1: 2, 2: 1}, "unbiased", "symmetric"),
        ({0: 1}, "zero", "at least 2 entries"),
        ({}, "zero", "at least 2 entries"),
    ],
)
def test_noise_must_be_a_distribution_with_mean_zero(noise, clip, says):
    with pytest.raises(ParameterWrong, match=says):
        build(Perturb, {"noise": noise, "clip": clip})


def test_noise_may_be_skewed_as_long_as_its_mean_is_zero():
    skew = Perturb(noise={-1: 4, 0: 1, 1: 2, 2: 1})
    found = changes(skew, 50)
    assert set(found) == {-1, 0, 1, 2}
    assert abs(found.mean()) < 0.06


@st.composite
def cases(draw):
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    table = flat_table(rng.integers(-5 if draw(st.booleans()) else 0, 15, size=shape))
    return table, Perturb(
        scope=draw(st.sampled_from(["inner", "all"])), clip=draw(st.sampled_from(["zero", "unbiased"]))
    )


@given(cases())
@settings(max_examples=60, deadline=None)
def test_result_keeps_its_claims_or_is_refused(case):
    table, method = case
    before = Pattern(table)
    try:
        after = method.protect(before, stream("s"))
    except Unattainable:
        return
    assert broken_claims(method, before, after) == []
    touched = after.status == Status.PERTURBED
    assert (touched == (lowest(table) if method.scope == "inner" else True)).all()
    assert (np.abs(after.shown - table.value) <= 2).all()


def test_doing_nothing_breaks_a_claim():
    before = Pattern(flat_table([[7, 8], [9, 11]]))
    assert broken_claims(Perturb(), before, before)


def test_negative_values_are_not_cut():
    table = flat_table(np.full((40, 40), -1.0))
    u = draws(table, stream("s"), "x", lasting=True)
    for clip in ("zero", "unbiased"):
        found = (Perturb(clip=clip).noisy(table, u) - table.value)[table.inner]
        assert set(found) == {-2, -1, 0, 1, 2}


def test_the_same_cell_gets_the_same_noise_in_every_table_and_run():
    x = np.arange(20, 44).reshape(4, 6)
    wide, narrow = flat_table(x), flat_table(x.sum(axis=1))
    method = Perturb(scope="all")
    one = method.protect(Pattern(wide), stream("s", "first", 0))
    two = method.protect(Pattern(narrow), stream("s", "second", 5))
    for i in "1234":
        assert one.shown[cell(wide, i, "T")] == two.shown[cell(narrow, i)]
    fresh = Perturb(scope="all", lasting=False)
    results = {tuple(fresh.protect(Pattern(narrow), stream("s", "first", n)).shown) for n in range(5)}
    assert len(results) > 1


def test_both_losses_are_told():
    table = flat_table(np.arange(10, 26).reshape(4, 4))
    after = Perturb().protect(Pattern(table), stream("s"))
    change = (table.value - after.shown).reshape(5, 5)
    said = after.because(cell(table, "1", "1"))
    assert (
        f"information loss {int(np.abs(change).sum())} ({int(np.abs(change.sum(axis=1)).sum())} with"
        in said.en
    )
    assert "Informationsverlust" in said.de


@given(st.integers(0, 10**6), st.sampled_from(["zero", "unbiased"]), st.booleans())
@settings(max_examples=50, deadline=None)
def test_intervals_are_those_of_all_originals_tried(seed, clip, inner):
    rng = np.random.default_rng(seed)
    table = flat_table(rng.integers(0, 6, size=(2, 2)))
    noise = {-1: 1, 0: 1, 1: 1} if rng.random() < 0.5 else NINTHS
    method = Perturb(noise=noise, clip=clip)
    cells = table.inner if inner else np.ones(len(table), dtype=np.bool_)
    shown = np.where(cells, method.noisy(table, rng.random(len(table))), table.value)
    pattern = replace(
        Pattern(table), status=np.where(cells, np.uint8(Status.PERTURBED), np.uint8(0)), shown=shown
    )

    tried = all_tables((2, 2), 9)
    reachable = np.zeros(tried.shape, dtype=np.bool_)
    for e in noise:
        allowed = abs(e) <= tried if clip == "unbiased" else True
        reachable |= allowed & (np.maximum(tried + e, 0) == shown)
    low, high = ends(tried[np.where(cells, reachable, tried == shown).all(axis=1)])
    found = attacked(
        pattern, before_noise(pattern, min(noise), max(noise), clip), np.full(len(table), np.inf)
    )
    assert (found[0] == low).all()
    assert (found[1] == high).all()


def test_marked_cells_without_enough_room_are_refused():
    table = flat_table([[100, 200, 310], [400, 500, 600]])
    with pytest.raises(Unattainable, match="1 × 1"):
        Perturb().protect(suppressing(table, [("1", "1")], 10, 10), stream("s"))
    with pytest.raises(Unattainable, match="1 × T"):
        Perturb().protect(suppressing(table, [("1", "T")]), stream("s"))


def test_kept_cells_stay_and_protected_tables_are_refused():
    table = flat_table([[10, 20], [30, 40]])
    mark = np.zeros(len(table), dtype=np.uint8)
    mark[cell(table, "1", "1")] = Mark.KEEP
    ruled = suppressing(table, [("2", "2")])
    after = Perturb(scope="all").protect(replace(ruled, mark=mark), stream("s"))
    assert after.status[cell(table, "1", "1")] == Status.OPEN
    with pytest.raises(AlreadyProtected):
        Perturb().protect(after, stream("s"))


def test_broken_values_keep_their_digits_and_their_room():
    table = flat_table([[10.25, 3.5], [0.75, 4.5]])
    method = Perturb(scope="all")
    after = method.protect(Pattern(table), stream("s"))
    low, high = method.originals(after)
    assert ((low <= table.value) & (table.value <= high)).all()
    assert (low >= 0).all()
