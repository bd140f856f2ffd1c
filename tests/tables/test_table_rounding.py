"""Rounding of tables: the kernels, the methods, and the audit of rounded tables against trying every original."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.flat import cell, flat_table, suppressing
from reference.originals import all_tables, ends
from reference.siphash import siphash
from tables.trees import crossed, hierarchy, table_of
from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.attack.rounded import attacked, before_nearest, unsafe
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import AlreadyProtected, TooLarge
from tarnkappe.kernels.lattice import strides_of
from tarnkappe.kernels.quick_moves import Moves, proven
from tarnkappe.kernels.rounding import nearest, split, unbiased
from tarnkappe.kernels.siphash import hashes, uniforms
from tarnkappe.methods.tables.changed import added_up, lowest
from tarnkappe.methods.tables.drawing import draws
from tarnkappe.methods.tables.round_conventional import RoundConventional
from tarnkappe.methods.tables.round_random import RoundRandom
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import broken_claims

METHODS = (RoundConventional, RoundRandom)


def exact_ends(pattern, originals):
    return attacked(pattern, originals, np.full(len(pattern.table), np.inf))


# -- kernels --------------------------------------------------------------------------------------------------------------


@given(st.integers(-(10**9), 10**9), st.integers(2, 1000))
def test_remainders_are_those_of_whole_numbers(n, base):
    down, r = split(np.array([float(n)]), base)
    assert (down[0], r[0]) == (n // base * base, n % base)


def test_half_goes_up_whatever_the_sign():
    assert nearest(np.array([2.0, 1.9, -2.0, -2.1, 6.0]), 4).tolist() == [4, 0, 0, -4, 8]
    assert nearest(np.array([2.5, -2.5, 2.4999]), 5).tolist() == [5, 0, 0]


def test_zero_has_no_sign():
    for rounded in (
        nearest(np.array([-0.0, -1.0]), 5),
        unbiased(np.array([-0.0, -1.0]), 5, np.array([0.5, 0.0])),
    ):
        assert not np.signbit(rounded).any()


def test_multiples_stay_and_others_go_up_just_below_their_share():
    value, edge = np.array([10.0, 13.0, 13.0, -7.0, 12.5]), np.array([0.0, 0.6 - 1e-12, 0.6, 0.59, 0.49])
    assert unbiased(value, 5, edge).tolist() == [10, 15, 10, -5, 15]


@given(st.lists(st.integers(0, 2**64 - 1), max_size=4), st.binary(min_size=16, max_size=16))
@settings(max_examples=50, deadline=None)
def test_hashes_are_those_of_the_paper(words, key):
    row = np.array([words or [0]], dtype=np.uint64)
    k0, k1 = (np.uint64(int.from_bytes(key[i : i + 8], "little")) for i in (0, 8))
    message = b"".join(w.to_bytes(8, "little") for w in words if w)
    assert int(hashes(row, k0, k1)[0]) == siphash(key, message)


def test_the_reference_gives_the_published_vector():
    """Appendix A of the paper: key 00..0f, message 00..0e."""
    assert siphash(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5


def test_uniforms_are_uniform():
    words = np.arange(1, 20_001, dtype=np.uint64)[:, None]
    u = uniforms(words, b"0123456789abcdef")
    assert u.min() >= 0 and u.max() < 1
    counts = np.bincount((u * 20).astype(int), minlength=20)
    assert ((counts - 1000) ** 2 / 1000).sum() < 45  # chi-square with 19 degrees, p < 0.001


# -- draws ----------------------------------------------------------------------------------------------------------------


def many(value, size=8000):
    return flat_table(np.full(size, value))


def share_up(value, base, secret):
    table = many(value)
    u = draws(table, stream(secret), "x", lasting=True)
    return float((unbiased(table.value, base, u)[1:] > value).mean()), len(table) - 1


@pytest.mark.parametrize(("value", "base"), [(3, 5), (1, 5), (7, 10), (1, 3)])
def test_up_as_often_as_stated_and_not_a_tenth_less(value, base):
    share, n = share_up(value, base, "a secret")
    p = value % base / base
    assert abs(share - p) < 3.9 * np.sqrt(p * (1 - p) / n)
    less = 0.9 * p
    power = abs(p - less) / np.sqrt(less * (1 - less) / n)
    if power > 6:  # the test has power: it rejects a tenth less
        assert abs(share - less) > 3.9 * np.sqrt(less * (1 - less) / n)


def test_the_power_is_there():
    assert 0.06 / np.sqrt(0.54 * 0.46 / 8000) > 6
    assert 0.07 / np.sqrt(0.63 * 0.37 / 8000) > 6


def test_the_same_cell_draws_the_same_in_every_table():
    wide = flat_table(np.arange(1, 13).reshape(3, 4))
    narrow = flat_table(np.arange(1, 13).reshape(3, 4).sum(axis=1))
    turned = replace(wide, dimensions=wide.dimensions[::-1], cells=wide.cells[:, ::-1])
    u, v, w = (draws(t, stream("s"), "x", lasting=True) for t in (wide, narrow, turned))
    for i in "123":
        assert u[cell(wide, i, "T")] == v[cell(narrow, i)]
        for j in "1234":
            assert u[cell(wide, i, j)] == w[cell(turned, j, i)]
    assert len(set(u)) == len(u)


def test_draws_depend_on_secret_purpose_series_and_what_is_counted():
    table = flat_table([[1, 2], [3, 4]])
    usual = draws(table, stream("s"), "x", lasting=True)
    others = [
        draws(table, stream("t"), "x", lasting=True),
        draws(table, stream("s"), "y", lasting=True),
        draws(table, stream("s"), "x", lasting=True, series="turnover"),
        draws(replace(table, counts=True), stream("s"), "x", lasting=True),
        draws(table, stream("s"), "x", lasting=False),
    ]
    assert all((usual != other).all() for other in others)
    assert (usual == draws(table, stream("s", "another step", 3), "x", lasting=True)).all()


# -- methods --------------------------------------------------------------------------------------------------------------


@st.composite
def tables(draw, most=12, signed=False):
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return flat_table(rng.integers(-most if signed else 0, most, size=shape))


@pytest.mark.parametrize("cls", METHODS)
@given(tables(signed=True), st.integers(2, 9))
@settings(max_examples=40, deadline=None)
def test_result_keeps_its_claims_or_is_refused(cls, table, base):
    method, before = cls(base=base), Pattern(table)
    try:
        after = method.protect(before, stream("s"))
    except Unattainable:
        return
    assert broken_claims(method, before, after) == []
    assert (after.status == Status.ROUNDED).all()
    assert (np.abs(after.shown - table.value) < base).all()
    assert (after.table.value == before.table.value).all()
    assert not after.shown.flags.writeable


@pytest.mark.parametrize("cls", METHODS)
def test_doing_nothing_breaks_a_claim(cls):
    before = Pattern(flat_table([[7, 8], [9, 11]]))
    assert broken_claims(cls(), before, before)


@pytest.mark.parametrize("cls", METHODS)
def test_margins_stay_exact_and_the_loss_is_told(cls):
    table = flat_table([[12, 13, 14], [21, 22, 24], [31, 33, 32]])
    after = cls(base=5, margins="exact").protect(Pattern(table), stream("s"))
    assert (after.shown[~table.inner] == table.value[~table.inner]).all()
    assert (after.status == np.where(table.inner, Status.ROUNDED, Status.OPEN)).all()
    lost = np.abs(after.shown - table.value).sum()
    assert after.because(cell(table, "1", "1")).en.endswith(f"information loss {int(lost)}")


@pytest.mark.parametrize("cls", METHODS)
@given(tables(signed=True), st.integers(2, 9))
@settings(max_examples=30, deadline=None)
def test_sums_of_what_is_shown(cls, table, base):
    method, before = cls(base=base, margins="add"), Pattern(table)
    try:
        after = method.protect(before, stream("s"))
    except Unattainable:
        return
    assert broken_claims(method, before, after) == []
    assert np.abs(relations_of(table).matrix() @ after.shown).max() == 0
    if cls is RoundConventional:
        assert (after.shown[table.inner] == nearest(table.value, base)[table.inner]).all()


def test_sums_over_levels_are_those_of_the_lowest_one():
    rng = np.random.default_rng(3)
    trees = [
        hierarchy("a", {"T": None, "x": "T", "x1": "x", "x2": "x", "y": "T"}),
        hierarchy("b", {"T": None, "u": "T", "v": "T"}),
    ]
    table = crossed(rng, trees)
    shown = added_up(table, np.where(table.inner, table.value * 3, -1.0))
    assert (shown == table.value * 3).all()


@pytest.mark.parametrize("cls", METHODS)
def test_kept_cells_stay_open_and_marked_ones_keep_their_reason(cls):
    table = flat_table([[12, 13, 14], [21, 22, 24]])
    pattern = suppressing(table, [("1", "1")])
    mark = np.zeros(len(table), dtype=np.uint8)
    mark[cell(table, "2", "3")] = Mark.PUBLISHED
    after = cls(base=5).protect(replace(pattern, mark=mark), stream("s"))
    assert after.status[cell(table, "2", "3")] == Status.OPEN
    assert after.shown[cell(table, "2", "3")] == 24
    assert after.because(cell(table, "1", "1")).en == "x"


@pytest.mark.parametrize("cls", METHODS)
@pytest.mark.parametrize("mark", [Mark.KEEP, Mark.SUPPRESS])
def test_what_must_stay_open_or_must_go_is_refused(cls, mark):
    table = flat_table([[12, 13, 14], [21, 22, 24]])
    marks = np.zeros(len(table), dtype=np.uint8)
    marks[cell(table, "1", "1")] = mark
    with pytest.raises(Unattainable, match="1 × 1"):
        cls().protect(replace(suppressing(table, [("1", "1")]), mark=marks), stream("s"))


@pytest.mark.parametrize("cls", METHODS)
def test_a_base_too_small_for_the_required_protection_is_refused(cls):
    table = flat_table([[100, 200, 310], [400, 500, 600]])
    with pytest.raises(Unattainable):
        cls(base=5).protect(suppressing(table, [("1", "1")], 10, 10), stream("s"))
    cls(base=50).protect(suppressing(table, [("1", "1")], 10, 10), stream("s"))


@pytest.mark.parametrize("cls", METHODS)
def test_a_marked_margin_that_stays_exact_is_refused(cls):
    table = flat_table([[12, 13, 14], [21, 22, 24]])
    with pytest.raises(Unattainable, match="1 × T"):
        cls(margins="exact").protect(suppressing(table, [("1", "T")]), stream("s"))


@pytest.mark.parametrize("cls", METHODS)
def test_already_protected_or_too_large_tables_are_refused(cls):
    table = flat_table([[12, 13], [21, 22]])
    rounded = cls().protect(Pattern(table), stream("s"))
    with pytest.raises(AlreadyProtected):
        cls().protect(rounded, stream("s"))
    with pytest.raises(TooLarge):
        cls().protect(Pattern(flat_table([1e300, 2.0])), stream("s"))


@pytest.mark.parametrize("cls", METHODS)
def test_large_counts_are_not_taken_for_points(cls):
    table = flat_table(np.array([[80_000_001, 12], [7, 40_000_003]]), counts=None)
    cls(base=5).protect(Pattern(table), stream("s"))


@pytest.mark.parametrize("cls", METHODS)
def test_one_cell(cls):
    after = cls(base=10).protect(Pattern(flat_table(np.array([17]))), stream("s"))
    assert set(after.shown) <= {10, 20}


# -- the audit of rounded tables -------------------------------------------------------------------------------------------


def rounded(table, shown, cells):
    shown = np.where(cells, shown, table.value)
    return replace(
        Pattern(table), status=np.where(cells, np.uint8(Status.ROUNDED), np.uint8(Status.OPEN)), shown=shown
    )


@given(
    st.integers(0, 10**6),
    st.sampled_from(["nearest", "random"]),
    st.integers(2, 5),
    st.sampled_from(["round", "exact", "add"]),
)
@settings(max_examples=60, deadline=None)
def test_intervals_are_those_of_all_originals_tried(seed, how, base, margins):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 5, size=(2, 2))
    table = flat_table(x)
    cells = table.inner if margins == "exact" else np.ones(len(table), dtype=np.bool_)
    u = rng.random(len(table))
    shown = nearest(table.value, base) if how == "nearest" else unbiased(table.value, base, u)
    shown = added_up(table, shown) if margins == "add" else np.where(cells, shown, table.value)
    pattern = rounded(table, shown, cells)
    tried = all_tables((2, 2), 4 + 2 * base)
    agree = nearest(tried, base) == shown if how == "nearest" else np.abs(tried - shown) < base
    known = np.where(cells, agree, tried == table.value)
    low, high = ends(tried[(known[:, table.inner] if margins == "add" else known).all(axis=1)])
    cls = RoundConventional if how == "nearest" else RoundRandom
    originals = cls(base=base, margins=margins).originals(pattern)
    found = exact_ends(pattern, originals)
    assert (found[0] == low).all()
    assert (found[1] == high).all()
    disclosed = unsafe(pattern, originals, cells)
    assert (disclosed == (cells & (low == high))).all()


def test_a_sum_with_one_part_is_rounded_like_it():
    """Every row total of a table with one column is the cell itself: left exact, it would give it away."""
    table = flat_table([[7], [12], [9]])
    after = RoundConventional(margins="exact").protect(Pattern(table), stream("s"))
    assert after.status.reshape(4, 2).tolist() == [[0, 0], [3, 3], [3, 3], [3, 3]]
    assert after.shown.reshape(4, 2).tolist() == [[28, 28], [5, 5], [10, 10], [10, 10]]
    tree = table_of(
        {"T": None, "a": "T", "a1": "a", "b": "T", "b1": "b", "b2": "b"}, {"a1": 7, "b1": 8, "b2": 9}
    )
    assert tree.codes(0)[lowest(tree)].tolist() == ["a", "a1", "b1", "b2"]
    chain = table_of({"T": None, "a": "T", "a1": "a"}, {"a1": 7})
    assert lowest(chain).all()


def test_with_rules_only_marked_cells_count():
    """Row 2 has one cell, which an exact margin gives away; nobody minds as long as no rule marks it."""
    table = flat_table([[7, 8, 9], [12, 0, 0], [9, 13, 11]])
    keep = np.zeros(len(table), dtype=np.uint8)
    keep[[cell(table, "2", "2"), cell(table, "2", "3")]] = Mark.ZERO
    plain = replace(Pattern(table), mark=keep)
    with pytest.raises(Unattainable, match="2 × 1"):
        RoundConventional(margins="exact").protect(plain, stream("s"))
    ruled = replace(suppressing(table, [("1", "1")]), mark=keep)
    RoundConventional(margins="exact").protect(ruled, stream("s"))


def test_broken_values_keep_half_a_base_of_room():
    table = flat_table([[1.25, 7.5], [3.0, 8.75]])
    after = RoundConventional(base=4).protect(Pattern(table), stream("s"))
    low, high = before_nearest(after, 4)
    assert (high - low == 4).all()
    assert ((low <= table.value) & (table.value <= high)).all()


TREES = (
    {"T": None, "x": "T", "x1": "x", "x2": "x", "y": "T", "y1": "y", "y2": "y", "z": "T"},
    {"T": None, "u": "T", "v": "T", "w": "T"},
    {"T": None, "p": "T", "p1": "p"},
)


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_quick_proofs_never_claim_more_than_the_programs_find(seed, dimensions):
    rng = np.random.default_rng(seed)
    table = crossed(rng, [hierarchy("abc"[j], TREES[j]) for j in rng.permutation(3)[:dimensions]])
    if not len(table):
        return
    room = rng.integers(0, 4, size=(2, len(table))).astype(float)
    strides = strides_of([len(h) for h in table.dimensions])
    parents = [h.parent for h in table.dimensions]
    up, down = proven(Moves(table.key, strides, table.cells, parents, *room), np.full(len(table), 3.0))
    everything = np.full(len(table), np.inf)
    found = intervals(
        relations_of(table), np.zeros(len(table)), np.ones(len(table), dtype=np.bool_), -room[1], room[0],
        Asked(everything, everything),
    )  # fmt: skip
    assert (up <= found.high + 1e-6).all()
    assert (down <= -found.low + 1e-6).all()


def test_quick_proofs_find_most_of_what_there_is():
    table = flat_table(np.random.default_rng(1).integers(0, 60, size=(30, 30)))
    pattern = rounded(table, nearest(table.value, 5), table.inner)
    low, high = before_nearest(pattern, 5)
    room = (np.where(table.inner, end, 0.0) for end in (high - table.value, table.value - low))
    strides = strides_of([len(h) for h in table.dimensions])
    moves = Moves(table.key, strides, table.cells, [h.parent for h in table.dimensions], *room)
    up, down = proven(moves, np.where(table.inner, 1.0, 0.0))
    assert ((up + down)[table.inner] >= 1).mean() > 0.99


@pytest.mark.parametrize("cls", [RoundConventional, RoundRandom])
@pytest.mark.parametrize("margins", ["round", "add"])
def test_what_follows_from_open_cells_stays_open_too(cls, margins):
    """Two of three parts and their sum must stay open: the third follows, and to round it would hide nothing."""
    table = flat_table([[11, 12, 13], [21, 22, 23], [31, 32, 33]])
    kept = [cell(table, "1", c) for c in ("T", "1", "2")]
    mark = np.where(np.isin(np.arange(len(table)), kept), np.uint8(Mark.KEEP), np.uint8(0))
    pattern = Pattern(table, mark=mark)
    after = cls(base=5, margins=margins).protect(pattern, stream("s"))
    assert (after.status[[*kept, cell(table, "1", "3")]] == Status.OPEN).all()
    assert after.shown[cell(table, "1", "3")] == 13
    assert broken_claims(cls(base=5, margins=margins), pattern, after) == []


def test_a_part_that_follows_from_open_cells_cannot_be_protected():
    table = flat_table([[11, 12], [21, 22]])
    kept = [cell(table, "1", c) for c in ("T", "2")]
    mark = np.where(np.isin(np.arange(len(table)), kept), np.uint8(Mark.KEEP), np.uint8(0))
    with pytest.raises(Unattainable, match="1 × 1"):
        RoundConventional().protect(replace(suppressing(table, [("1", "1")]), mark=mark), stream("s"))
