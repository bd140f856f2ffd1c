from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BaseTooFine, NotFinite, WrongKind
from tarnkappe.errors.masking import TotalsTell
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.methods.microdata import round as module
from tarnkappe.methods.microdata.round import Round
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data
from tarnkappe.vocab import Kind, Role


def rounded(values, base, state=None):
    data = Microdata({"x": Column.numbers_of(np.array(values), state)})
    return apply_step(Round(columns=("x",), base=base), data, stream("s")).column("x")


def nearest(x: Fraction, base: float) -> Fraction:
    """The definition, in exact arithmetic: the nearest multiple; half way, the even one. `round` of a fraction does that."""
    step = Fraction(repr(base))
    return round(x / step) * step


@pytest.mark.parametrize(
    ("values", "base", "wanted"),
    [
        ([14.9, 15.1, -14.9, 0.0], 10, [10, 20, -10, 0]),
        ([5.0, 15.0, 25.0, 35.0, -5.0, -15.0], 10, [0, 20, 20, 40, 0, -20]),
        ([0.29, 0.31, 0.7, 1.05, 1.15], 0.1, [0.3, 0.3, 0.7, 1.0, 1.2]),
        ([1234.567], 0.05, [1234.55]),
        ([2.0, 3.0], 2.5, [2.5, 2.5]),
        ([1e22, -1e-22], 1e20, [1e22, 0]),
        ([3.2e-20], 1e-20, [3e-20]),
    ],
)
def test_vectors(values, base, wanted):
    assert rounded(values, base).values.tolist() == wanted


def test_multiples_of_decimals_are_spelt_exactly():
    values = np.arange(0, 50, 0.1) + 0.004
    assert [repr(v) for v in rounded(values, 0.1).values.tolist()] == [repr(i / 10) for i in range(500)]


def test_zero_has_no_sign():
    assert not np.signbit(rounded([-0.3, -0.0, 0.2], 1.0).values).any()


@given(
    x=st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=1, max_size=5),
    base=st.sampled_from([0.25, 0.5, 1.0, 3.0, 5.0, 7.5, 10.0, 1000.0]),
)
def test_agrees_with_exact_arithmetic(x, base):
    got = rounded(x, base).values
    for before, after in zip(x, got, strict=True):
        half = abs(Fraction(before) / Fraction(base) % 1 - Fraction(1, 2))
        assume(half == 0 or half > Fraction(1, 10**6))  # next to half way, a quotient may fall on either side
        assert after == float(nearest(Fraction(before), base))


@given(
    x=st.lists(st.decimals(-(10**6), 10**6, places=3), min_size=1, max_size=5),
    base=st.sampled_from([0.01, 0.1, 0.05, 0.3, 2.5, 12.8]),
)
def test_agrees_with_decimal_arithmetic(x, base):
    """Decimal numbers as people write them, half way included: 1.15 at the base 0.1 is 1.2."""
    got = rounded([float(v) for v in x], base).values
    assert got.tolist() == [float(nearest(Fraction(v), base)) for v in x]


@given(x=st.lists(st.integers(-(2**52) + 1, 2**52 - 1), min_size=1, max_size=5), base=st.integers(1, 10**6))
def test_whole_numbers_are_exact(x, base):
    got = rounded(x, base)
    assert got.kind is Kind.INTEGER
    assert got.values.tolist() == [round(Fraction(v, base)) * base for v in x]


def test_whole_numbers_at_a_broken_base_become_numbers():
    got = rounded([3, 4], 2.5)
    assert got.kind is Kind.NUMBER and got.values.tolist() == [2.5, 5.0]


def test_states_stay_and_the_value_below_is_rounded_too():
    data = example_data()
    after = apply_step(Round(columns=("income", "age"), base=100), data, stream("s"))
    for name in ("income", "age"):
        was, now = data.column(name), after.column(name)
        assert (now.suppressed == was.suppressed).all() and (now.missing == was.missing).all()
        assert (now.values[was.suppressed] % 100 == 0).all()


def test_what_stands_under_a_missing_cell_does_not_matter():
    state = np.array([0, MISSING], dtype=np.uint8)
    assert rounded([7, 2**62], 5, state).texts().tolist() == ["5", None]
    assert rounded([7.0, np.inf], 5, state).texts().tolist() == ["5.0", None]


def test_infinite_values_are_refused():
    with pytest.raises(NotFinite, match="1 infinite"):
        rounded([1.0, np.inf], 5)


@pytest.mark.parametrize(
    ("values", "base"),
    [
        ([1.0, 1e300], 5.0),
        ([1, 2**53], 10),
        ([1.0, 1.7e308], 9e307),
        ([3], 1e-20),
        ([2.0**43], 0.1),
        ([1.0, 1e300], 1e-10),
    ],
)
def test_values_too_large_for_the_base_are_refused(values, base):
    with pytest.raises(BaseTooFine, match=f"1 values.*record {len(values)}"):
        rounded(values, base)


def test_text_is_refused():
    with pytest.raises(WrongKind, match=r"microdata.round needs numbers"):
        Round(columns=("sex",), base=5).apply(example_data(), stream("s"))


@pytest.mark.parametrize("wrong", [[10.0, 21.0], [10.0, 30.0], [-0.0, 20.0], [np.nan, 20.0]])
def test_claims_see_wrong_results(wrong):
    data = Microdata({"x": Column.numbers_of(np.array([9.0, 21.0]))})
    after = data.with_columns({"x": Column.numbers_of(np.array(wrong))})
    assert broken_claims(Round(columns=("x",), base=10), data, after)


def test_claim_sees_a_whole_column_turned_into_numbers():
    data = Microdata({"x": Column.numbers_of(np.array([10]))})
    after = data.with_columns({"x": Column.numbers_of(np.array([10.0]))})
    assert [c.says.en for c in broken_claims(Round(columns=("x",), base=10), data, after)] == [
        "whole numbers stay whole"
    ]
    assert not broken_claims(Round(columns=("x",), base=2.5), data, after)


def test_tells_the_base():
    assert Round(columns=("income",), base=50).tells(example_data(), example_data())["base"] == 50


def test_the_record_is_that_of_the_original_file():
    data = Microdata({"x": Column.numbers_of(np.array([1.0, 2.0, 1e300]))}).take(np.array([1, 2]))
    with pytest.raises(BaseTooFine, match="record 3"):
        Round(columns=("x",), base=5).apply(data, stream("s"))


# -- totals kept ---------------------------------------------------------------------------------------------------------


def kept(values, base, strata=None, state=None, owners=None):
    columns = {"x": Column.numbers_of(np.array(values), state)}
    roles = {}
    if strata is not None:
        columns["s"] = Column.texts_of([str(s) for s in strata])
    if owners is not None:
        columns["o"], roles = Column.texts_of(list(owners)), {Role.OWNER: ("o",)}
    step = Round(columns=("x",), base=base, totals="keep", within=("s",) if strata is not None else ())
    return apply_step(step, Microdata(columns, roles), stream("s")).column("x")


@given(
    rows=st.lists(
        st.tuples(st.one_of(st.integers(-60, 60), st.decimals(-(10**4), 10**4, places=2)), st.integers(0, 1)), min_size=7, max_size=40
    ),
    base=st.sampled_from([0.1, 0.25, 1.0, 2.5, 3.0, 7.0, 10.0, 1000.0]),
)  # fmt: skip
def test_totals_are_kept_in_exact_arithmetic(rows, base):
    """By the definition: one of the two neighbouring multiples, multiples as they are, equal values alike, in order; totals within half a base times the
    largest number of equal values."""
    try:
        got = kept([float(v) for v, _ in rows], base, [s for _, s in rows]).values
    except TotalsTell:
        of = [s for _, s in rows]
        assert min(of.count(s) for s in set(of)) < 3
        return
    step = Fraction(repr(base))
    for stratum in {s for _, s in rows}:
        mine = sorted((Fraction(v), float(y)) for (v, s), y in zip(rows, got, strict=True) if s == stratum)
        times = [round(Fraction(y) / step) for _, y in mine]
        assert [float(t * step) for t in times] == [y for _, y in mine]
        assert all(t in {x // step, -(-x // step)} for (x, _), t in zip(mine, times, strict=True))
        assert times == sorted(times)
        assert all(a == b for (x, a), (z, b) in zip(mine, mine[1:], strict=False) if x == z)
        most = max([x for x, _ in mine].count(x) for x, _ in mine)
        assert abs(sum(t * step for t in times) - sum(x for x, _ in mine)) <= step / 2 * most


def test_totals_move_much_less_than_by_rounding_to_the_nearest():
    rng = np.random.default_rng(2)
    x, s = np.round(rng.lognormal(8, 1, 3000), 2), rng.integers(20, size=3000)
    moved = {}
    for how, done in (("free", rounded(x, 1000)), ("keep", kept(x, 1000, s))):
        moved[how] = np.abs(np.bincount(s, done.values - x))
    assert moved["keep"].max() <= 500
    assert moved["free"].max() > 2000


def test_multiples_stay_though_the_total_would_come_nearer():
    """0.3 over 0.1 is 2.9999999999999996 in floating-point numbers, and yet three times."""
    assert kept([0.16, 0.16, 0.16, 0.3], 0.1).values.tolist() == [0.2, 0.2, 0.2, 0.3]


def test_multiples_that_are_spelt_anew_need_nobody():
    """0.1 + 0.2 is a multiple of 0.1 and becomes 0.3, in the last digit another number; no total is kept by that."""
    assert kept([0.1 + 0.2], 0.1).values.tolist() == [0.3]


def test_whole_numbers_with_totals_kept():
    x = np.random.default_rng(3).integers(0, 10**6, 500)
    got = kept(x, 5000)
    assert got.kind is Kind.INTEGER
    assert abs(int(got.values.sum()) - int(x.sum())) <= 2500
    assert (got.values % 5000 == 0).all()
    assert np.abs(got.values - x).max() < 5000


def test_only_what_is_shown_counts_in_totals():
    """Under suppressed cells values go to the nearest multiple; missing ones count for nothing."""
    state = np.array([0, 0, 0, SUPPRESSED, SUPPRESSED, MISSING], np.uint8)
    got = kept([14.0, 24.0, 34.0, 4.0, 6.0, 4.0], 10, state=state)
    assert got.values[:5].tolist() in ([20, 20, 30, 0, 10], [10, 30, 30, 0, 10], [10, 20, 40, 0, 10])
    assert np.array_equal(got.state, state)


def test_records_do_not_count_with_their_weights():
    data = example_data()
    step = Round(columns=("income",), base=500, totals="keep")
    light = data.with_columns({"w": Column.numbers_of(np.ones(len(data)))})
    same = (step.apply(d, stream("s")).column("income").values for d in (data, light))
    assert np.array_equal(*same, equal_nan=True)


@pytest.mark.parametrize("few", [[4.0], [4.0, 13.0], [4.0, 4.0]])
def test_strata_of_fewer_than_three_contributors_are_refused(few):
    values, strata = [*few, 1.0, 2.0, 33.0], ["a"] * len(few) + ["b"] * 3
    with pytest.raises(TotalsTell, match="in 1 strata fewer than three"):
        kept(values, 10, strata)
    assert "weniger als drei Beitragende" in _refusal(values, strata).text("de")
    multiples = [10.0 * round(v) for v in few]
    assert kept([*multiples, 1.0, 2.0, 33.0], 10, strata).values[: len(few)].tolist() == multiples
    hidden = np.array([0] * len(few) + [SUPPRESSED] + [0, 0], np.uint8)
    with pytest.raises(TotalsTell, match="in 2 strata"):
        kept(values, 10, strata, hidden)


def _refusal(values, strata):
    with pytest.raises(TotalsTell) as refused:
        kept(values, 10, strata)
    return refused.value


def test_records_of_one_owner_are_one_contributor():
    x = np.arange(12.0) * 7
    kept(x, 10, owners="abc" * 4)
    with pytest.raises(TotalsTell):
        kept(x, 10, owners="ab" * 6)


def test_of_two_each_would_know_the_other_too_well(monkeypatch):
    """12.6 and 12.5 at the base 10, without the refusal: he who has the first sees that his value went up to 20, so the other, which went down, is more than
    12.4 and not more than his own. Rounding to the nearest would have left him all from 5 to 15."""
    monkeypatch.setattr(module, "LEAST", 1)
    tried = np.arange(0.025, 40.0, 0.05)
    shown = kept([12.6, 12.5], 10).values.tolist()
    possible = [v for v in tried if kept([12.6, v], 10).values.tolist() == shown]
    plain = tried[rounded(tried, 10).values == 10]
    assert 12.4 < min(possible) < max(possible) < 12.6
    assert (min(plain), max(plain)) == pytest.approx((5, 15), abs=0.05)


def test_strata_go_with_kept_totals_only():
    with pytest.raises(ParameterWrong, match="within goes with totals: keep"):
        build(Round, {"columns": ["x"], "base": 5, "within": ["s"]})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([10.0, 10, 10, 10, 40], "the total"),
        ([20.0, 10, 20, 10, 40], "the order"),
        ([10.0, 20, 10, 20, 30], "multiples of the base as they are"),
        ([10.0, 10, 30, 20, 40], "to within the base"),
        ([10.0, 12, 22, 24, 40], "exact values"),
    ],
)
def test_claims_see_totals_that_are_not_kept(wrong, says):
    data = Microdata({"x": Column.numbers_of(np.array([14.0, 14, 18, 24, 40]))})
    step = Round(columns=("x",), base=10, totals="keep")
    assert not broken_claims(step, data, apply_step(step, data, stream("s")))
    after = data.with_columns({"x": Column.numbers_of(np.array(wrong))})
    assert any(says in claim.says.en for claim in broken_claims(step, data, after))


def test_rounding_to_the_nearest_breaks_the_claim_about_totals(monkeypatch):
    x = np.arange(40.0) * 10 + 4
    kept(x, 10)
    monkeypatch.setattr(module, "whole_groups", lambda quotient, *_: np.rint(quotient))
    with pytest.raises(ClaimBroken, match="the total"):
        kept(x, 10)


@pytest.mark.parametrize(
    "x", [[], [5.0] * 9, [0.0] * 4, [1e12 + 3] * 3, [-4.0, -4.0, -4.0, 13.0], [1e-300, 2e-300, 3e-300]]
)
def test_awkward_values_with_totals_kept(x):
    got = kept(np.array(x, dtype=float), 10).values
    assert len(set(got.tolist())) <= len(set(x))
    assert abs(got.sum() - sum(x)) <= 5 * max((x.count(v) for v in x), default=0) + 1e-3


def test_tells_how_large_errors_came_out_where_there_are_many():
    rng = np.random.default_rng(4)
    data = Microdata(
        {
            "x": Column.numbers_of(rng.normal(50, 9, 900)),
            "s": Column.texts_of([str(i // 3) for i in range(900)]),
        }
    )
    step = Round(columns=("x",), base=3, totals="keep", within=("s",))
    for size, many in ((900, True), (90, False)):
        before = data.take(np.arange(size))
        after = apply_step(step, before, stream("s"))
        change = ((after.column("x").values - before.column("x").values) / 3) ** 2
        told = step.tells(before, after)
        assert told["squared_change"]["x"] == (round(change.mean(), 4) if many else 0.0833)
        assert told["totals_kept_within"] == ["s"]
    assert 0.095 < change.mean() < 0.115  # 1.2 twelfths in strata of three
    assert "squared_change" not in Round(columns=("x",), base=3).tells(before, after)
