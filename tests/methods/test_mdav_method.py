"""MDAV as a step: strata, gaps, states, extremes, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import mdav as reference
from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import NotFinite, TooFewRecords, WrongKind
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.methods.microdata import averaging, mdav
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind


def numbers(values, state=None):
    return Column(
        Kind.NUMBER, np.array(values, dtype=float), None if state is None else np.array(state, np.uint8)
    )


def done(data, **parameters):
    return apply_step(build(Mdav, parameters), data, stream("any"))


def shown(data, *names):
    return list(zip(*(data.column(n).texts() for n in names), strict=True))


def counts(rows):
    return {row: rows.count(row) for row in rows}


def random_data(n=120, p=3, seed=1):
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.integers(-3, 6, p)
    columns = {f"x{j}": numbers(scales[j] * np.exp(rng.normal(size=n))) for j in range(p)}
    return Microdata({**columns, "s": Column.texts_of(rng.choice(["a", "b", "c"], n).tolist())})


@pytest.mark.parametrize("k", [3, 4, 5, 7])
@pytest.mark.parametrize("p", [1, 2, 4])
def test_groups_are_those_of_the_paper_on_standardised_columns(k, p):
    data = random_data(p=p, seed=k)
    names = [f"x{j}" for j in range(p)]
    x = data.numbers(names)
    labels = reference.mdav_groups((x - x.mean(axis=0)) / x.std(axis=0), k)
    after = done(data, columns=names, k=k)
    np.testing.assert_allclose(after.numbers(names), reference.group_means(x, labels), rtol=1e-9)


def test_the_unit_of_a_column_does_not_matter():
    data = random_data(p=2)
    one = done(data, columns=["x0", "x1"], k=3)
    in_cents = data.with_columns({"x0": numbers(data.column("x0").values * 128)})
    two = done(in_cents, columns=["x0", "x1"], k=3)
    assert np.array_equal(one.column("x0").values * 128, two.column("x0").values)
    assert np.array_equal(one.column("x1").values, two.column("x1").values)


def test_other_columns_and_the_order_of_records_stay():
    data = random_data()
    after = done(data, columns=["x0"], k=4)
    assert after.names == data.names
    assert np.array_equal(after.rows, data.rows)
    assert all(after.column(n) is data.column(n) for n in ("x1", "x2", "s"))


@pytest.mark.parametrize("k", [3, 4, 6])
def test_every_shown_combination_stands_k_times_in_its_stratum(k):
    after = done(random_data(), columns=["x0", "x1"], k=k, within=["s"])
    assert min(counts(shown(after, "s", "x0", "x1")).values()) >= k


def test_totals_of_every_stratum_stay():
    data = random_data()
    after = done(data, columns=["x0", "x1"], k=3, within=["s"])
    for name in ("a", "b", "c"):
        inside = data.column("s").texts() == name
        for x in ("x0", "x1"):
            total = data.column(x).values[inside].sum()
            assert after.column(x).values[inside].sum() == pytest.approx(total, rel=1e-12)


# -- too few ------------------------------------------------------------------------------------------------------------


def small_stratum():
    return Microdata({"x": numbers(range(8)), "s": Column.texts_of(list("aaaaaabb"))})


def test_a_stratum_below_k_is_refused():
    with pytest.raises(TooFewRecords):
        done(small_stratum(), columns=["x"], k=3, within=["s"])


def test_a_stratum_below_k_is_suppressed_if_asked():
    after = done(small_stratum(), columns=["x"], k=3, within=["s"], too_small="suppress")
    assert after.column("x").suppressed.tolist() == [False] * 6 + [True] * 2
    assert after.column("x").texts()[6:].tolist() == [None, None]
    assert after.sealed().column("x").values[6:].tolist() != [6.0, 7.0], (
        "sealing must wipe what was suppressed"
    )


def test_suppressed_records_no_longer_count_for_the_total_that_is_claimed():
    before = small_stratum()
    after = done(before, columns=["x"], k=3, within=["s"], too_small="suppress")
    assert np.nansum(after.column("x").numbers()) == pytest.approx(sum(range(6)))


@pytest.mark.parametrize("too_small", ["refuse", "suppress"])
def test_a_file_below_k_is_refused_either_way(too_small):
    with pytest.raises(TooFewRecords):
        done(Microdata({"x": numbers([1, 2])}), columns=["x"], k=3, too_small=too_small)


def test_exactly_k_records_become_one_group():
    after = done(Microdata({"x": numbers([1, 2, 6])}), columns=["x"], k=3)
    assert after.column("x").values.tolist() == [3.0, 3.0, 3.0]


# -- gaps ---------------------------------------------------------------------------------------------------------------


def test_gaps_stay_and_do_not_count():
    state = [MISSING] * 3 + [SUPPRESSED] * 3 + [0] * 6
    before = Microdata({"x": numbers([9e9] * 6 + [1, 2, 3, 11, 12, 13], state), "y": numbers(range(12))})
    after = done(before, columns=["x", "y"], k=3)
    assert after.column("x").state.tolist() == state
    assert after.column("x").numbers()[6:].tolist() == [2, 2, 2, 12, 12, 12]
    assert after.column("y").values.tolist() == [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10]


def test_missing_and_suppressed_are_different_gaps():
    """The release tells the two apart, so a group must not mix them."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        state = rng.integers(3, size=60).astype(np.uint8)
        data = Microdata({"x": numbers(rng.random(60), state), "y": numbers(rng.random(60))})
        after = done(data, columns=["x", "y"], k=3)
        cells = list(zip(state.tolist(), after.column("x").texts(), after.column("y").texts(), strict=True))
        assert min(counts(cells).values()) >= 3


def test_records_without_any_value_need_no_partners():
    before = Microdata({"x": numbers([0, 1, 2, 3], [MISSING, 0, 0, 0])})
    after = done(before, columns=["x"], k=3)
    assert after.column("x").missing.tolist() == [True, False, False, False]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_claims_hold_for_any_pattern_of_gaps_and_strata(data):
    n = data.draw(st.integers(2, 40))
    states = st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=n, max_size=n)
    values = st.lists(st.integers(-5, 5), min_size=n, max_size=n)
    columns = {name: numbers(data.draw(values), data.draw(states)) for name in ("x", "y")}
    columns["s"] = Column.texts_of(
        data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n, max_size=n))
    )
    k = data.draw(st.integers(3, 5))
    try:
        after = done(Microdata(columns), columns=["x", "y"], k=k, within=["s"], too_small="suppress")
    except TooFewRecords:
        assert n < k
        return
    cells = shown(after, "s", "x", "y")
    assert all(c >= k for row, c in counts(cells).items() if row[1:] != (None, None))


# -- values -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e300, 1e-300, -1e300, 2.3e-308, 1e15])
def test_extreme_sizes(unit):
    x = unit * np.arange(1, 31.0)
    with np.errstate(over="ignore"):
        x = np.clip(x, -1.7e308, 1.7e308)
    after = done(Microdata({"x": numbers(x)}), columns=["x"], k=5)
    assert np.isfinite(after.column("x").values).all()
    assert min(counts(after.column("x").values.tolist()).values()) >= 5


def test_both_extremes_in_one_file():
    data = Microdata({"x": numbers(1e300 * np.arange(9.0)), "y": numbers(1e-300 * np.arange(9.0)[::-1])})
    after = done(data, columns=["x", "y"], k=3)
    np.testing.assert_allclose(after.column("x").values, 1e300 * np.repeat([1.0, 4, 7], 3), rtol=1e-12)
    np.testing.assert_allclose(after.column("y").values, 1e-300 * np.repeat([7.0, 4, 1], 3), rtol=1e-12)


def test_a_constant_column_stays_as_it_is_and_does_not_decide():
    data = Microdata({"x": numbers([0.1] * 6), "y": numbers([1, 2, 3, 10, 11, 12])})
    after = done(data, columns=["x", "y"], k=3)
    assert (after.column("x").values == 0.1).all()
    assert after.column("y").values.tolist() == [2, 2, 2, 11, 11, 11]


def test_infinite_values_are_refused_by_number_not_by_value():
    with pytest.raises(NotFinite) as refused:
        done(Microdata({"x": numbers([1, 2, np.inf, -np.inf])}), columns=["x"], k=3)
    assert refused.value.facts == {"name": "x", "count": 2, "first": 3}


def test_whole_numbers_stay_whole_only_if_all_means_are():
    whole = Microdata({"x": Column.numbers_of(np.array([1, 2, 3, 10, 11, 12]))})
    assert done(whole, columns=["x"], k=3).column("x").kind is Kind.INTEGER
    broken = Microdata({"x": Column.numbers_of(np.array([1, 2, 4, 10, 11, 12]))})
    after = done(broken, columns=["x"], k=3).column("x")
    assert after.kind is Kind.NUMBER
    assert after.values[0] == pytest.approx(7 / 3)


def test_texts_are_refused():
    with pytest.raises(WrongKind):
        done(random_data(), columns=["s"], k=3)


@pytest.mark.parametrize("wrong", [{"k": 2}, {"k": 3.5}, {"columns": []}, {"too_small": "ignore"}, {"kk": 3}])
def test_parameters_out_of_bounds(wrong):
    with pytest.raises(ParameterWrong):
        build(Mdav, {"columns": ["x0"], **wrong})


# -- the checks behind the claims ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        lambda labels: np.where(np.arange(len(labels)) == 0, labels.max() + 1, labels),  # a group of one
        lambda labels: np.arange(len(labels)) // 2,  # groups of k - 1
    ],
)
def test_a_planted_fault_in_the_groups_breaks_a_claim(monkeypatch, fault):
    honest = mdav.mdav_within
    monkeypatch.setattr(mdav, "mdav_within", lambda *given: fault(honest(*given)))
    with pytest.raises(ClaimBroken):
        done(random_data(), columns=["x0", "x1"], k=3, too_small="refuse")


def test_a_planted_fault_in_the_means_breaks_a_claim(monkeypatch):
    honest = averaging.group_averages
    monkeypatch.setattr(averaging, "group_averages", lambda *given: honest(*given) * 1.001)
    with pytest.raises(ClaimBroken):
        done(random_data(), columns=["x0"], k=3)


def test_errors_name_no_value():
    data = Microdata({"x": numbers([987654321.125, np.inf, 3])})
    with pytest.raises(TarnkappeError) as refused:
        done(data, columns=["x"], k=3)
    assert "987654321" not in refused.value.text("en") + refused.value.text("de")
