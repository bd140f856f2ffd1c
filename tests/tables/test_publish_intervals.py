"""Intervals in place of suppressions, against linear programs written out with scipy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reference.flat import cell, flat_table, suppressing
from reference.table_attack import attack
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import AlreadyProtected
from tarnkappe.language import Text
from tarnkappe.methods.tables.publish_intervals import PublishIntervals
from tarnkappe.methods.tables.round_conventional import RoundConventional
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import broken_claims

METHOD = PublishIntervals()
SQUARE = [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]


def by_scipy(pattern, low, high, at):
    """Both ends of a cell with every open cell fixed and every hidden one between bounds."""
    table, rows = pattern.table, []
    for j in range(len(table.dimensions)):
        for total in np.unique(table.up[:, j][table.up[:, j] >= 0]):
            row = (table.up[:, j] == total).astype(float)
            row[total] = -1
            rows.append(row)
    bounds = [
        (low[i], high[i]) if pattern.suppressed[i] else (table.value[i],) * 2 for i in range(len(table))
    ]
    out = []
    for sign in (1, -1):
        price = np.zeros(len(table))
        price[at] = sign
        found = linprog(price, A_eq=np.array(rows), b_eq=np.zeros(len(rows)), bounds=bounds)
        out.append(sign * found.fun if found.status == 0 else -sign * np.inf)
    return out


@st.composite
def patterns(draw):
    shape = draw(st.sampled_from([(4,), (3, 3), (4, 3), (2, 3, 2)]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    x = rng.integers(0, 15, size=shape) if draw(st.booleans()) else np.round(rng.random(shape) * 9, 2)
    table = flat_table(x)
    hidden = rng.random(len(table)) < 0.6
    primary = hidden & (rng.random(len(table)) < 0.3)
    pattern = suppressing(table, [], 0.5, 0.5)
    status = np.where(primary, 1, np.where(hidden, 2, 0)).astype(np.uint8)
    need = np.where(primary, 0.01, 0.0)
    return replace(pattern, status=status, lower=np.minimum(need, table.value), upper=need)


@given(patterns())
@settings(max_examples=60, deadline=None)
def test_what_is_shown_is_what_everybody_could_compute(pattern):
    try:
        after = METHOD.protect(pattern, stream("s"))
    except Unattainable:
        return
    assert broken_claims(METHOD, pattern, after) == []
    size, ranged = len(pattern.table), after.status == Status.RANGE
    assert (after.suppressed | ranged == pattern.suppressed).all()
    whole = bool((pattern.table.value == np.rint(pattern.table.value)).all())
    for at in np.flatnonzero(pattern.suppressed):
        low, high = by_scipy(pattern, np.zeros(size), np.full(size, np.inf), at)
        if not np.isfinite(high):
            assert not ranged[at]
            continue
        if whole and len(pattern.table.dimensions) < 3:
            low, high = np.ceil(low - 1e-6), np.floor(high + 1e-6)
        assert after.shown_low[at] == pytest.approx(low, abs=1e-5) or (
            whole and after.shown_low[at] >= low - 1e-5
        )
        assert after.shown_high[at] == pytest.approx(high, abs=1e-5) or (
            whole and after.shown_high[at] <= high + 1e-5
        )
        # and with all ranges as bounds nothing gets narrower
        shown = by_scipy(
            pattern,
            np.where(ranged, after.shown_low, 0.0),
            np.where(ranged, after.shown_high, np.inf),
            at,
        )
        assert [after.shown_low[at], after.shown_high[at]] == pytest.approx(shown, abs=1e-4)


def test_printed_ranges():
    """TV-08, Wettig L517-543."""
    table = flat_table([[4, 3], [2, 1], [3, 3]])
    after = METHOD.protect(suppressing(table, SQUARE), stream("s"))
    shown = {c: (after.shown_low[cell(table, *c)], after.shown_high[cell(table, *c)]) for c in SQUARE}
    assert shown == {("1", "1"): (3, 6), ("1", "2"): (1, 4), ("2", "1"): (0, 3), ("2", "2"): (0, 3)}
    assert not after.suppressed.any()
    assert after.because(cell(table, "1", "1")) == Text("x", "x")


def test_a_table_that_does_not_hold_is_refused():
    table = flat_table([[4, 3], [2, 1], [3, 3]])
    with pytest.raises(Unattainable, match="1 × 1"):
        METHOD.protect(suppressing(table, [("1", "1")]), stream("s"))
    with pytest.raises(Unattainable, match="1 × 1"):
        METHOD.protect(suppressing(table, SQUARE, 2, 2), stream("s"))


def test_prior_knowledge_is_never_published_and_still_protected_against():
    """Bounds of ±50 % around the values (TV-12) would give the values away: they are the middle."""
    table = flat_table([[100, 80], [90, 1]])
    pattern = suppressing(table, SQUARE, 0.4, 0.4)
    knows = replace(pattern, low=table.value * 0.5, high=table.value * 1.5)
    one, two = (METHOD.protect(p, stream("s")) for p in (pattern, knows))
    assert (one.shown_low == two.shown_low).all() and (one.shown_high == two.shown_high).all()
    assert (one.shown_low[cell(table, "1", "1")], one.shown_high[cell(table, "1", "1")]) == (99, 180)
    with pytest.raises(Unattainable):
        METHOD.protect(replace(knows, lower=pattern.lower * 2, upper=pattern.upper * 2), stream("s"))


def test_intervals_without_end_stay_suppressed():
    table = flat_table([5, 6, 7])
    everything = suppressing(table, [("1",), ("2",), ("T",)])
    after = METHOD.protect(everything, stream("s"))
    assert (after.suppressed == everything.suppressed).all()
    assert broken_claims(METHOD, everything, after) == []


def test_negative_values_have_no_floor():
    table = flat_table([[4, -3], [2, 1]])
    after = METHOD.protect(suppressing(table, SQUARE), stream("s"))
    assert after.suppressed.sum() == 4


def test_nothing_suppressed_nothing_shown():
    pattern = Pattern(flat_table([[4, 3], [2, 1]]))
    after = METHOD.protect(pattern, stream("s"))
    assert (after.status == Status.OPEN).all()
    assert broken_claims(METHOD, pattern, after) == []


def test_changed_tables_and_cells_that_must_go_are_refused():
    table = flat_table([[14, 23], [32, 41]])
    rounded = RoundConventional().protect(Pattern(table), stream("s"))
    with pytest.raises(AlreadyProtected):
        METHOD.protect(rounded, stream("s"))
    mark = np.zeros(len(table), dtype=np.uint8)
    mark[cell(table, "1", "1")] = Mark.SUPPRESS
    with pytest.raises(Unattainable, match="1 × 1"):
        METHOD.protect(replace(Pattern(table), mark=mark), stream("s"))


def test_a_narrower_range_breaks_a_claim():
    table = flat_table([[4, 3], [2, 1], [3, 3]])
    before = suppressing(table, SQUARE)
    after = METHOD.protect(before, stream("s"))
    low = after.shown_low.copy()
    low[cell(table, "1", "1")] = 4
    assert broken_claims(METHOD, before, replace(after, shown_low=low))


def _with_singles():
    """Two cells of one respondent each and two of several; whoever knows one single cell computes the other."""
    table = flat_table([[10, 20], [30, 40]], counts=[[1, 1], [4, 4]])
    hidden = [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]
    return suppressing(table, hidden, lower=2.0, upper=2.0)


def test_single_contributors_are_reckoned_with():
    """In the first row each of two respondents knows his own cell and computes the other from the sum."""
    with pytest.raises(Unattainable, match="1 × 1"):
        PublishIntervals().protect(_with_singles(), stream("s"))
    after = PublishIntervals(insiders="none").protect(_with_singles(), stream("s"))
    assert (after.status == Status.RANGE).sum() == 4


def test_intervals_tell_insiders_nothing_new():
    """With his own cell known, an insider finds the same with and without the published intervals."""
    table = flat_table([[10, 20, 30], [30, 40, 50], [5, 6, 7]], counts=[[1, 4, 4], [4, 4, 4], [4, 4, 4]])
    before = suppressing(table, [(r, c) for r in "123" for c in "123"], lower=1.0, upper=1.0)
    after = PublishIntervals().protect(before, stream("s"))
    own = cell(table, "1", "1")
    cells = np.flatnonzero(before.suppressed)
    np.testing.assert_allclose(
        attack(before, cells, known=[own]), attack(after, cells, known=[own]), atol=1e-5
    )
