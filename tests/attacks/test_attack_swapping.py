"""Attackers against exchanged values. They know the originals of what they look for, the release and the method; not the secret."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.covariance_swap import CovarianceSwap
from tarnkappe.methods.microdata.half_swap import HalfSwap
from tarnkappe.methods.microdata.massc import Massc
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.methods.microdata.record_swap import RecordSwap
from tarnkappe.methods.microdata.shuffle import Shuffle
from tarnkappe.methods.microdata.swap import Swap
from tarnkappe.methods.microdata.swap_unprotected import SwapUnprotected
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step

N = 500


def originals(columns, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=(N, 1))
    return np.exp(size + 0.8 * rng.normal(size=(N, columns)))


def as_data(x, **more):
    columns = {f"x{j}": Column.numbers_of(x[:, j]) for j in range(x.shape[1])}
    return Microdata(columns | more)


def released(step, data, secret="the secret"):
    return apply_step(step, data, stream(secret))


def by_value(x, y):
    """Share of records that are found by looking for their own value in one column."""
    return np.mean([np.argmin(np.abs(y - v)) == i for i, v in enumerate(x)])


@pytest.mark.parametrize(
    "step",
    [
        Swap(columns=("x0",)),
        Swap(columns=("x0",), near=("x1",)),
        HalfSwap(columns=("x0",)),
        RankSwap(columns={"x0": {"percent": 10}}),
        Shuffle(columns=("x0",), given=("x1",)),
    ],
    ids=lambda s: s.id,
)
def test_a_value_leads_to_the_wrong_record(step):
    x = originals(2)
    assert by_value(x[:, 0], x[:, 0]) == 1
    assert by_value(x[:, 0], released(step, as_data(x)).column("x0").values) <= 1 / N


def windows_of_all(x, y, reach):
    """Records whose released values lie, in every column, within the window around the original."""
    ranks = [np.searchsorted(np.sort(x[:, j]), x[:, j]) for j in range(x.shape[1])]
    now = [np.searchsorted(np.sort(x[:, j]), y[:, j]) for j in range(x.shape[1])]
    fits = np.ones((N, N), dtype=bool)
    for was, new in zip(ranks, now, strict=True):
        fits &= np.abs(new[None, :] - was[:, None]) <= reach
    return fits


def test_undoing_by_rank_works_with_many_columns_and_not_with_one():
    """What the card says it does not do: the windows of eight columns leave one record for most; that of one leaves fifty."""
    x = originals(8)
    columns = {f"x{j}": {"percent": 10} for j in range(8)}
    y = released(RankSwap(columns=columns), as_data(x)).numbers(tuple(columns))
    many = windows_of_all(x, y, 50)
    one = windows_of_all(x[:, :1], y[:, :1], 50)
    assert np.diag(many).all() and np.diag(one).all()
    assert (many.sum(axis=1) == 1).mean() > 0.5
    assert np.median(one.sum(axis=1)) > 50


def test_another_run_does_not_show_how_to_undo_an_exchange_with_the_nearest():
    """The attacker runs the method himself with a secret of his own on the columns that stayed: he hits far less than all pairs."""
    x = originals(2)
    y = released(Swap(columns=("x0",), near=("x1",)), as_data(x)).column("x0").values
    mine = released(
        Swap(columns=("x0",), near=("x1",)), as_data(np.column_stack([np.arange(N), x[:, 1]])), "mine"
    )
    guess = y[mine.column("x0").values.astype(int)]
    assert np.mean(guess == x[:, 0]) < 0.8
    plain = released(Swap(columns=("x0",)), as_data(x)).column("x0").values
    other = released(Swap(columns=("x0",)), as_data(np.column_stack([np.arange(N), x[:, 1]])), "mine")
    assert np.mean(plain[other.column("x0").values.astype(int)] == x[:, 0]) < 0.02


def test_a_unique_person_is_not_found_in_its_town():
    rng = np.random.default_rng(3)
    town, age, job = rng.integers(0, 10, N), rng.integers(0, 12, N), rng.integers(0, 5, N)
    data = as_data(
        np.zeros((N, 0)),
        town=Column.texts_of([f"t{v}" for v in town]),
        age=Column.texts_of([f"a{v}" for v in age]),
        job=Column.texts_of([f"j{v}" for v in job]),
    )
    after = released(RecordSwap(columns=("town",), keys=("age", "job"), k=2), data)
    known = np.array([f"{t}/{a}/{j}" for t, a, j in zip(town, age, job, strict=True)])
    shown = np.array(
        [f"{t[1:]}/{a}/{j}" for t, a, j in zip(after.column("town").texts(), age, job, strict=True)]
    )
    values, times = np.unique(known, return_counts=True)
    unique = np.isin(known, values[times == 1])
    assert unique.sum() > 50
    assert not (known[unique] == shown[unique]).any()


# -- series over periods -----------------------------------------------------------------------------------------------------

FIRMS, YEARS = 300, 5


def panel(seed=1, change=0.15):
    """Firms in five years, in the order of firm and year: three columns that follow the size of the firm."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(FIRMS, 1, 1)) + 0.5 * rng.normal(size=(FIRMS, 1, 3))
    x = np.exp(level + change * rng.normal(size=(FIRMS, YEARS, 3))).reshape(-1, 3)
    firm, year = np.repeat(np.arange(FIRMS), YEARS), np.tile(np.arange(YEARS), FIRMS)
    return as_data(x, firm=Column.numbers_of(firm), year=Column.numbers_of(year))


COLUMNS = ("x0", "x1", "x2")


def as_series(data):
    """Logarithms of all years side by side: what the attacker compares."""
    return np.log(np.maximum(data.numbers(COLUMNS), 1e-3)).reshape(FIRMS, -1)


def by_series(data, after, columns=slice(None)):
    """Firms whose own series is the nearest of those released, by the tenth of the differences that is smallest: one true year is enough."""
    x, y = (as_series(d).reshape(FIRMS, YEARS, 3)[:, :, columns].reshape(FIRMS, -1) for d in (data, after))
    apart = np.array([np.quantile(np.abs(y - one), 0.1, axis=1) for one in x])
    return np.flatnonzero(apart.argmin(axis=1) == np.arange(FIRMS))


def test_a_share_of_the_years_is_no_share_of_the_firms():
    """Where every record exchanges by itself, nearly all firms keep a year and are found by it; whole firms are found if they did not exchange."""
    data, half = panel(), {"share": 0.5, "tolerance": 0.05, "within": ("year",)}
    alone = by_series(data, released(CovarianceSwap(columns=COLUMNS, **half), data))
    after = released(CovarianceSwap(columns=COLUMNS, unit="firm", **half), data)
    stayed = (as_series(after) == as_series(data)).all(axis=1)
    assert len(alone) > 0.9 * FIRMS
    assert stayed.sum() == FIRMS / 2
    assert (~stayed[by_series(data, after)]).sum() <= 3


def test_the_series_of_firms_that_exchanged_lead_to_others():
    """With all firms in the exchange: one in 300 by chance, in each column and in all together."""
    hits = []
    for seed in range(4):
        data = panel(seed)
        after = released(
            CovarianceSwap(columns=COLUMNS, within=("year",), unit="firm"), data, f"secret {seed}"
        )
        hits += [len(by_series(data, after, c)) for c in (slice(0, 1), slice(1, 2), slice(2, 3))]
        hits.append(len(by_series(data, after)))
    assert max(hits) <= 5
    assert np.mean(hits) <= 2


def found_by_series(data, after, safety):
    """The nearest of all released series, year by year over the standard deviation; counted where a value is off by less than `safety` percent."""
    x, y = (d.numbers(COLUMNS).reshape(FIRMS, YEARS, 3) for d in (data, after))
    near = (np.abs(y - x) < safety / 100 * np.abs(x)).any(axis=(1, 2))
    z, w = ((v / x.std(axis=0)).reshape(FIRMS, -1) for v in (x, y))
    nearest = ((w[:, None] - z[None]) ** 2).sum(axis=2).argmin(axis=1)
    return np.count_nonzero((nearest == np.arange(FIRMS)) & near)


def mean_of_years(data, after):
    """How far the mean over the years is off, in parts of the standard deviation of the noise of a year."""
    x, y = (d.numbers(COLUMNS).reshape(FIRMS, YEARS, 3) for d in (data, after))
    return np.median(np.abs((y - x).mean(axis=1)) / np.std(x, axis=(0, 1)) / np.sqrt(0.1))


def test_noise_that_hides_every_year_does_not_hide_all_of_them():
    """Record by record nobody is recognised; all years together show many firms, and their mean is near the truth."""
    data = panel()
    given = {"columns": COLUMNS, "within": ("year",), "safety": 10.0, "variance_ratio": 0.1}
    alone = released(SwapUnprotected(**given), data)
    whole = released(SwapUnprotected(unit="firm", **given), data)
    assert found_by_series(data, alone, 10) > 0.15 * FIRMS
    assert found_by_series(data, whole, 10) == 0
    assert mean_of_years(data, whole) > 1.3 * mean_of_years(data, alone)


def persons(seed):
    """Places and jobs of people in five years; one in ten moves once."""
    rng = np.random.default_rng(seed)
    firm, year = np.repeat(np.arange(FIRMS), YEARS), np.tile(np.arange(YEARS), FIRMS)
    place = rng.integers(0, 8, FIRMS)[firm] + (year >= 3) * (rng.random(FIRMS) < 0.1)[firm]
    texts = {"place": place, "job": np.minimum(rng.geometric(0.1, FIRMS), 30)[firm]}
    columns = {n: Column.texts_of([f"{n} {i}" for i in v]) for n, v in texts.items()}
    return Microdata({**columns, "firm": Column.numbers_of(firm), "year": Column.numbers_of(year)})


def by_any_year(data, after):
    """Persons whose values are theirs alone in a year, and stand beside their number in that year's release."""
    seen = [[], []]
    for d, out in ((data, seen[0]), (after, seen[1])):
        out += zip(*(d.column(n).texts() for n in ("place", "job", "year", "firm")), strict=True)
    values = [row[:3] for row in seen[0]]
    unique = {row for row in seen[0] if values.count(row[:3]) == 1}
    return len({row[3] for row in unique & set(seen[1])}) / len({row[3] for row in unique})


def test_a_person_that_is_left_out_in_one_year_is_there_in_the_next():
    """Of people with a combination of their own at most the bound is found with units; without, nearly all in some year."""
    rates = {"alone": [], "whole": []}
    for seed in range(3):
        data = persons(seed)
        given = {"keys": ("place", "job"), "risk": 0.3, "into": "w", "similar": ((),)}
        for name, more in (("alone", {"more": ("year",)}), ("whole", {"unit": "firm", "period": "year"})):
            rates[name].append(by_any_year(data, released(Massc(**given, **more), data, f"secret {seed}")))
    assert np.mean(rates["whole"]) <= 0.33
    assert np.mean(rates["alone"]) > 0.7
