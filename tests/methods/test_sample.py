"""Sampling: shares, strata, units, weights, and what the book says of it."""

import numpy as np
import pytest
from scipy import stats

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.errors.selection import ShareUnknown, StrataThin
from tarnkappe.methods.microdata.sample import Sample
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role


def people(n, strata=("a",), units=None):
    columns = {
        "g": Column.texts_of([strata[i % len(strata)] for i in range(n)]),
        "x": Column.numbers_of(np.arange(n, dtype=float)),
        "w": Column.numbers_of(np.full(n, 2.0)),
    }
    if units is not None:
        columns["u"] = Column.texts_of(units)
    return Microdata(columns, {Role.WEIGHT: ("w",)})


def taken(method, data, seed):
    return apply_step(method, data, stream(f"secret number {seed}", method.id))


def test_min_and_max_survive_as_often_as_the_book_says():
    """Höhne 2010, L512 (TV-02): P = n(n-1) / (N(N-1)); 4 of 10. Two-sided error probability 1e-4 over 3,000 draws."""
    method, data = Sample(share=0.4), people(10)
    both = sum(
        {0.0, 9.0} <= set(taken(method, data, seed).column("x").values.tolist()) for seed in range(3000)
    )
    p = 4 * 3 / (10 * 9)
    low, high = stats.binom.ppf([5e-5, 1 - 5e-5], 3000, p)
    assert low <= both <= high


@pytest.mark.parametrize("design", ["simple", "systematic"])
def test_every_record_has_the_same_chance_and_weighted_totals_have_no_bias(design):
    """Chance 0.35 of 7 in one stratum, 0.35 of 3 in the other; 4,000 draws, error probability 1e-4 per record."""
    data = people(10, strata=("a", "a", "b"))
    method = Sample(share=0.35, within=("g",), design=design)
    hits, totals = np.zeros(10), []
    for seed in range(4000):
        after = taken(method, data, seed)
        hits[after.rows] += 1
        totals.append((after.column("w").numbers() * after.column("x").numbers()).sum())
    low, high = stats.binom.ppf([5e-5, 1 - 5e-5], 4000, 0.35)
    assert np.all((low <= hits) & (hits <= high))
    assert abs(np.mean(totals) - 2 * 45) < 4 * np.std(totals) / np.sqrt(4000)


def test_systematic_takes_equal_steps():
    rows = taken(Sample(share=0.25, design="systematic"), people(40), 1).rows
    assert set(np.diff(rows)) == {4}
    assert len(rows) == 10


def test_units_are_drawn_whole():
    units = [None if i % 7 == 0 else f"u{i % 5}" for i in range(30)]
    after = taken(Sample(share=0.5, unit="u"), people(30, units=units), 3)
    kept = set(after.rows.tolist())
    for unit in {u for u in units if u}:
        mine = {i for i in range(30) if units[i] == unit}
        assert mine <= kept or not mine & kept


def test_shares_by_value():
    data = people(40, strata=("a", "b"))
    after = taken(Sample(share={"a": 1.0, "b": 0.5}, within=("g",)), data, 1)
    counts = {t: after.column("g").texts().tolist().count(t) for t in "ab"}
    assert counts == {"a": 20, "b": 10}
    assert sorted(set(after.column("w").numbers())) == [2.0, 4.0]
    with pytest.raises(ShareUnknown):
        taken(Sample(share={"a": 1.0}, within=("g",)), data, 1)


def test_thin_strata_are_refused():
    with pytest.raises(StrataThin):
        taken(Sample(share=0.5, within=("g",), at_least=4), people(12, strata=("a", "b", "c")), 1)


def test_parameters_that_do_not_fit():
    for wrong in ({"share": 0}, {"share": 1.5}, {"share": {"a": 0.5}}, {"share": 0.5, "design": "odd"}):
        with pytest.raises(ParameterWrong):
            Sample(**wrong)
