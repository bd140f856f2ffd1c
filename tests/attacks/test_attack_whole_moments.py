"""Mean and variance of few whole numbers, attacked by enumerating the whole numbers that have them."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.masking import MomentsTell, NotRestored
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def done(id, data, **parameters):
    step = catalogue[f"microdata.{id}"](**parameters)
    return apply_step(step, data, stream("whole", step.id))


def sets_with(total, squares, count, low, high):
    """Ascending whole numbers between two ends with a sum and a sum of squares."""
    if count == 1:
        return [(total,)] if low <= total <= high and total * total == squares else []
    found = []
    for first in range(low, min(high, total // count) + 1):
        rest, left = total - first, squares - first * first
        if left * (count - 1) >= rest * rest:  # variances are not negative
            found += [(first, *more) for more in sets_with(rest, left, count - 1, first, high)]
    return found


def test_the_attacker_finds_four_whole_numbers():
    """Control: the enumeration works on what the moments of four would tell."""
    true = (12, 13, 13, 15)
    assert sets_with(sum(true), sum(v * v for v in true), 4, 1, 40) == [true]


def persons(sizes, high=400, seed=3):
    g = np.random.default_rng(seed)
    n = sum(sizes)
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    return Microdata(
        {"x": Column.numbers_of(g.integers(1, high, n)), "s": Column.texts_of([f"s{i}" for i in stratum])}
    )


def test_rotated_strata_of_few_whole_numbers_are_refused_or_suppressed():
    data = persons([4] * 40)
    with pytest.raises(TooFewRecords):
        done("rotate", data, columns=("x",), within=("s",))
    hidden = done("rotate", data, columns=("x",), within=("s",), too_small="suppress")
    assert hidden.column("x").suppressed.all()


def test_an_insider_among_ten_rotated_whole_numbers_finds_many_solutions():
    """Numbers so small that everything can be listed: knowing one of ten, the other nine are never the only ones that fit."""
    data = persons([10] * 6, high=15)
    after = done("rotate", data, columns=("x",), within=("s",))
    x, y, s = data.column("x").values, after.column("x").values, data.column("s").texts()
    for name in np.unique(s):
        shown = y[s == name]
        total, squares = round(shown.sum()), round((shown**2).sum())
        own = int(x[s == name][0])
        assert len(sets_with(total - own, squares - own**2, 9, 1, 15)) > 20


def test_cents_are_whole_numbers_too():
    g = np.random.default_rng(4)
    data = Microdata(
        {"x": Column.numbers_of(g.integers(100, 4000, 12) / 100), "s": Column.texts_of([*"aaabbbbccccc"])}
    )
    with pytest.raises(TooFewRecords):
        done("rotate", data, columns=("x",), within=("s",))


def groups_of_four(shown):
    """Pairs of values that make up a group of four neighbours: each stands in two records or more."""
    values, counts = np.unique(shown, return_counts=True)
    return [
        (values[i], values[i + 1]) for i in range(0, len(values) - 1, 2) if counts[i] == counts[i + 1] == 2
    ]


def test_averages_with_the_variance_kept_do_not_tell_whole_numbers():
    g = np.random.default_rng(5)
    data = Microdata({"x": Column.numbers_of(np.sort(g.lognormal(4, 1, 400)).astype(np.int64) + 3)})
    held_as_decimals = Microdata({"x": Column.numbers_of(data.column("x").values.astype(np.float64))})
    for whole_numbers in (data, held_as_decimals):
        with pytest.raises(MomentsTell):
            done("spread-average", whole_numbers, columns=("x",), k=4, whole="decimals")
    shown = done("spread-average", data, columns=("x",), k=4).column("x").values
    tried = sure = 0
    for low, high in groups_of_four(shown):
        mean, spread = (low + high) / 2, (high - low) / 2
        near = range(max(int(mean - 2 * spread) - 3, 1), int(mean + 2 * spread) + 4)
        if len(near) > 30:
            continue
        fitting = [c for c in combinations_with_replacement(near, 4)
                   if round(np.mean(c) - np.std(c)) == low and round(np.mean(c) + np.std(c)) == high]  # fmt: skip
        tried += 1
        sure += len(fitting) == 1
    assert tried > 10
    assert sure == 0


@pytest.mark.parametrize("beyond", [3, 4, 9])
def test_few_top_coded_values_do_not_follow_from_restored_moments(beyond):
    """Untouched values are recognised on the line a·x + b, so that sum and sum of squares of the coded ones follow."""
    g = np.random.default_rng(beyond)
    x = g.lognormal(8, 1, 600).round()
    x[:60] = 0
    limit = float(np.mean(np.sort(x)[-beyond - 1 : -beyond + 1])) if beyond > 1 else 0.0
    data = Microdata({"x": Column.numbers_of(x)})
    step = {"use": "microdata.top-bottom-code", "columns": ["x"], "upper": limit}
    with pytest.raises(NotRestored):
        done("restore-variance", data, columns=("x",), step=step)
    left = done("restore-variance", data, columns=("x",), step=step, block=100).column("x").values
    assert np.array_equal(left, np.minimum(x, limit)), "blocks with few coded values are left as they are"


def test_many_top_coded_values_may_have_their_moments_back():
    x = np.random.default_rng(1).lognormal(8, 1, 600).round()
    data = Microdata({"x": Column.numbers_of(x)})
    step = {"use": "microdata.top-bottom-code", "columns": ["x"], "upper": float(np.sort(x)[-30])}
    after = done("restore-variance", data, columns=("x",), step=step).column("x").values
    assert after.std() == pytest.approx(x.std())
