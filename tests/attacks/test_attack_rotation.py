"""Rotated records attacked: by solving for the parts a record is made of, by averaging over periods, with and without units."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.masking import UnitsUnlike
from tarnkappe.kernels.rotation import rotated
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role


def solved(x, y):
    """Knowing all values of a record but the last, look for the parts of the released records that give them: how far off the last one is.

    In standard deviations, for every record. The smallest parts that fit are taken where many do.
    """
    mean = y.mean(axis=0)
    a, b = y - mean, x - mean
    parts = np.linalg.lstsq(a[:, :-1].T, b[:, :-1].T, rcond=None)[0]
    return np.abs(parts.T @ a[:, -1] - b[:, -1]) / b[:, -1].std()


def test_few_records_with_many_values_would_be_solved():
    """Six records with eight values each: the last value comes out to the last digit. With ten records it does not."""
    rng = np.random.default_rng(1)
    few, many = rng.normal(size=(6, 8)), rng.normal(size=(10, 8))
    for x, known in ((few, True), (many, False)):
        z = x - x.mean(axis=0)
        y = x.mean(axis=0) + rotated(z, 0.3, np.random.default_rng(2))
        assert (solved(x, y).max() < 1e-6) == known
        assert known or np.median(solved(x, y)) > 0.1


def file(records, columns=8, firms=None, seed=3):
    rng = np.random.default_rng(seed)
    names = tuple(f"x{j}" for j in range(columns))
    made = {n: Column.numbers_of(rng.normal(size=records)) for n in names}
    if firms:
        made["firm"] = Column.texts_of([f"F{i % firms}" for i in range(records)])
        made["year"] = Column.numbers_of(np.arange(records) // firms)
    return Microdata(made, {Role.PERIOD: ("year",)} if firms else {}), names


def rotate(names, **more):
    return catalogue["microdata.rotate"](columns=names, **more)


def done(step, data):
    return apply_step(step, data, stream("rotated", step.id))


def test_so_few_are_refused_or_suppressed():
    for records in (6, 9):
        data, names = file(records)
        with pytest.raises(TooFewRecords, match="10"):
            done(rotate(names), data)
        hidden = done(rotate(names, too_small="suppress"), data)
        assert not any(hidden.column(n).observed.any() for n in names)
    data, names = file(10)
    after = done(rotate(names), data)
    assert np.median(solved(data.numbers(names), after.numbers(names))) > 0.1


def test_a_claim_says_so():
    data, names = file(9)
    x = data.numbers(names)
    y = x.mean(axis=0) + rotated(x - x.mean(axis=0), 0.3, np.random.default_rng(2))
    broken = broken_claims(rotate(names), data, data.with_numbers(names, y))
    assert [c.says.en for c in broken if "work the last one out" in c.says.en]


def test_units_count_with_all_their_periods():
    """Nine firms with three values in three years have nine values each: eleven firms are needed."""
    for firms, enough in ((10, False), (11, True)):
        data, names = file(3 * firms, columns=3, firms=firms)
        step = rotate(names, unit="firm", within=("year",))
        if enough:
            after = done(step, data)
            x, y = (
                d.numbers(names).reshape(3, firms, 3).transpose(1, 0, 2).reshape(firms, 9)
                for d in (data, after)
            )
            np.testing.assert_allclose(np.cov(x.T), np.cov(y.T), rtol=1e-8, atol=1e-10)
            assert np.median(solved(x, y)) > 0.05
        else:
            with pytest.raises(UnitsUnlike, match=r"10 units .* 11 contributors"):
                done(step, data)
        assert done(rotate(names, within=("year",)), data), "year by year there are enough"


def panel(firms=400, years=16):
    """Firms that hardly change."""
    rng = np.random.default_rng(5)
    level = rng.normal(size=firms)
    x = level[:, None] + 0.01 * rng.normal(size=(firms, years))
    columns = {
        "x": Column.numbers_of(x.ravel()),
        "firm": Column.texts_of([f"F{i}" for i in np.repeat(np.arange(firms), years)]),
        "year": Column.numbers_of(np.tile(np.arange(years), firms)),
    }
    return Microdata(columns, {Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",)}), level


def test_the_mean_over_periods_keeps_the_parts_of_others():
    """Year by year foreign parts average out: of the noise a quarter of its size is left after 16 years, with units all of it."""
    data, level = panel()

    def off(**more):
        step = rotate(("x",), variance_ratio=0.5, within=("year",), **more)
        y = done(step, data).column("x").numbers().reshape(-1, 16)
        told = [r.en for r in step.remarks(data, data)]
        left = y.mean(axis=1) - level * (y.mean(axis=1) @ level) / (level @ level)
        return left.std() / level.std(), any("drawn anew in every period" in r for r in told)

    anew, warned = off()
    alike, silent = off(unit="firm")
    assert warned
    assert not silent
    assert anew < 0.25
    assert alike > 0.45


def test_entries_exits_and_gaps_are_mixed_with_their_like():
    rng = np.random.default_rng(7)
    data, _ = panel(firms=120, years=4)
    there = np.ones(len(data), dtype=bool)
    there[0:120:4] = False  # thirty firms enter in the second year
    data = data.take(np.flatnonzero(there))
    x = data.column("x")
    year = data.column("year").values
    gaps = (rng.random(len(data)) < 0.3) & (year == 3)
    data = data.with_columns({"x": Column(x.kind, x.values, np.where(gaps, MISSING, 0).astype(np.uint8))})
    step = rotate(("x",), unit="firm")
    after = done(step, data)
    assert np.array_equal(after.column("x").missing, gaps)
    assert not broken_claims(step, data, after)
    moved = after.column("x").numbers()
    firm = after.column("firm").texts()
    one = np.flatnonzero((firm == firm[-1]) & ~gaps)[0]
    wrong = moved.copy()
    wrong[one] += 0.5
    said = [c.says.en for c in broken_claims(step, data, after.with_numbers(("x",), wrong[:, None]))]
    assert any("between the periods" in text for text in said)


def test_without_a_period_several_records_of_a_unit_are_matched_in_the_order_of_the_file():
    data, _ = panel(firms=40, years=3)
    plain = data.with_roles({})
    after = done(rotate(("x",), unit="firm"), plain)
    x, y = (d.column("x").numbers().reshape(40, 3) for d in (plain, after))
    np.testing.assert_allclose(np.cov(x.T), np.cov(y.T), rtol=1e-8, atol=1e-10)
