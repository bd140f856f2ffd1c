"""Sullivan's draws: what an attacker is said to see is what he sees, and who is said to be recognised is."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.white_noise import covariance
from tarnkappe.methods.microdata import sullivan_draws
from tarnkappe.methods.microdata.sullivan_attack import Attacker, Places
from tarnkappe.methods.microdata.sullivan_draws import Aim, Draws, Part, Passed
from tarnkappe.methods.microdata.sullivan_scores import scores_of, seen, with_categories
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue

NAMES = ("x", "y", "s")
KINDS = {
    "skewed": np.exp,
    "whole": lambda z: np.round(3 * z),
    "zeros": lambda z: np.where(z < 0.3, 0.0, z),
}


def people(n, kind="skewed", gaps=0.0, seed=1):
    rng = np.random.default_rng(seed)
    x = KINDS[kind](rng.normal(size=(n, 1)) + rng.normal(size=(n, 2)))
    x[rng.random((n, 2)) < gaps] = np.nan
    return Microdata(
        {
            "x": Column.numbers_of(x[:, 0]),
            "y": Column.numbers_of(x[:, 1]),
            "s": Column.texts_of(rng.choice(["a", "b", "c"], n).tolist()),
        }
    )


def drawn(data, *, exact, names=NAMES, redraws=30, rank_limit=2):
    """Draws for a file and what they give, with the attacker and the scores that they knew."""
    (scores, numbers), rng = scores_of(data, names, "test"), np.random.default_rng(5)
    aim = Aim(0.5, exact, rank_limit, redraws)
    v = with_categories(scores, numbers, rng)
    attacker = Attacker.of(scores, numbers, aim.kim_a)
    draws = Draws(Part(scores, v, covariance(v)), attacker, aim, rng)
    return draws, draws.released(), attacker, scores


def recognised(data, names, released, rank_limit):
    """An attacker of our own: every distance, from scores by interpolation."""
    numbers = [n for n in names if data.column(n).kind.is_number]
    scores = {s.name: s for s in scores_of(data, names, "test")[0]}
    own = np.column_stack([scores[n].scored(data.column(n).numbers()) for n in numbers])
    now = np.column_stack([scores[n].scored(released[names.index(n)]) for n in numbers])
    matrix = covariance(own).matrix + 1e-9 * np.eye(len(numbers))
    free = np.linalg.inv(np.linalg.cholesky(matrix)).T
    gaps, gaps_now = np.isnan(own), np.isnan(now)
    own, now = np.where(gaps, 0.0, own) @ free / np.sqrt(1.5), np.where(gaps_now, 0.0, now) @ free
    d = ((now[:, None] - own[None]) ** 2).sum(axis=2) + 0.5 * (gaps_now[:, None] != gaps[None]).sum(axis=2)
    for name in set(names) - set(numbers):
        codes = data.column(name).codes()[0]
        d += released[names.index(name)][:, None] != codes[None]
    return (d < np.diag(d)[:, None] * (1 - 1e-9)).sum(axis=1) < rank_limit


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_who_is_said_to_be_recognised_is(kind, gaps, exact):
    data = people(300, kind, gaps)
    for redraws in (1, 30):
        _, (values, found), _, _ = drawn(data, exact=exact, redraws=redraws)
        assert np.array_equal(found, recognised(data, NAMES, values, 2))
    assert found.sum() < 30


def test_most_are_recognised_where_they_are_drawn_once_and_none_in_the_end():
    data, names = people(300), ("x", "y")
    _, (_, once), _, _ = drawn(data, exact=False, names=names, redraws=1)
    _, (_, often), _, _ = drawn(data, exact=False, names=names, redraws=50)
    assert once.sum() > 2 * often.sum()
    assert not often.any()


@pytest.mark.parametrize("names", [("s",), ("x",), NAMES])
def test_who_passes_at_once_is_not_drawn_anew(names):
    draws, _, _, _ = drawn(people(300), exact=False, names=names)
    assert 0.1 < np.mean(draws._redraws == 0) < 1


def test_who_moved_far_from_where_he_passed_is_tested_again():
    """The lead is lost at half of it, and there is none where the test was not passed."""
    passed = Passed(np.zeros((4, 1)), np.array([0.1, 0.1, 0.1, 0.0]))
    places = Places(np.array([[0.0], [0.049], [-0.051], [0.0]]), np.ones(4, dtype=bool))
    assert passed.elsewhere(places, None).tolist() == [2, 3]
    some = np.array([2, 0])
    assert passed.elsewhere(places.of(some), some).tolist() == [0]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_seen_is_what_the_values_show(kind, exact):
    draws, (values, _), _, scores = drawn(people(400, kind, 0.1), exact=exact)
    shown, said = draws._shown(None)
    for a, b in zip(seen(scores, shown), said, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    for a, b in zip(shown, values, strict=True):
        assert np.array_equal(a, b, equal_nan=True), "the map has not moved since the last test of all"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_guessed_is_near(kind):
    """Of values by rank, a guess misses by less than the lead for nearly all."""
    draws, _, _, _ = drawn(people(4000, kind), exact=True)
    _, said = draws._shown(None)
    for a, b in zip(draws._guessed(None, draws._masked.x), said, strict=True):
        assert np.mean(np.abs(a - b) > sullivan_draws.LEAD) < 0.01


def test_the_noise_has_the_variance_asked_for():
    """What is added to Kim's constant times the scores has the covariance a² d Σ: 10,000 records, five standard errors of a variance.

    A variance that is 10 % off is seven of them away.
    """
    data, names = people(10_000), ("x", "y")
    (scores, v), aim = scores_of(data, names, "test"), Aim(0.5, False, 2, 1)
    part = Part(scores, v, covariance(v))
    draws = Draws(part, Attacker.of(scores, v, aim.kim_a), aim, np.random.default_rng(5))
    noise = draws._masked.x - v / np.sqrt(1.5)
    expected = 0.5 / 1.5 * part.covariance.matrix
    np.testing.assert_allclose(
        covariance(noise).matrix, expected, atol=5 * np.sqrt(2 / 10_000) * expected.max()
    )


def test_the_covariance_of_scores_is_restored():
    data = people(5000)
    _, (values, _), _, scores = drawn(data, exact=False, names=("x", "y"))
    now = np.column_stack(seen(scores, values))
    was = covariance(scores_of(data, ("x", "y"), "test")[1]).matrix
    np.testing.assert_allclose(covariance(now).matrix, was, rtol=0.01)


@pytest.mark.parametrize("tiny", [1e-310, 5e-324])
def test_exact_values_are_kept_to_the_last_bit(tiny):
    """Also next to values so much larger that dividing by their size would lose them."""
    rng = np.random.default_rng(2)
    x = np.concatenate([[tiny, 1e200, -tiny], np.exp(rng.normal(size=300))])
    data = Microdata({"x": Column.numbers_of(x), "y": Column.numbers_of(rng.normal(size=303))})
    step = catalogue["microdata.sullivan"](columns=("x", "y"), marginals="exact", unprotected="suppress")
    after = step.apply(data, stream("any"))
    assert np.array_equal(np.sort(after.column("x").values), np.sort(x))


@pytest.mark.parametrize("exact", [False, True])
def test_several_draws_at_once_are_the_draws_one_after_the_other(exact, monkeypatch):
    """Of several draws the first that passes counts: as many redraws on average, never more than allowed, noted where they are.

    40 files of 150 records; means apart by no more than four standard errors. To take the last draw in place of the first would give ten
    times as many.
    """
    tries = {}
    for at_once in (1, 1024):
        monkeypatch.setattr(sullivan_draws, "AT_ONCE", at_once)
        files = [drawn(people(150, seed=seed), exact=exact, redraws=12)[0] for seed in range(40)]
        assert max(draws._redraws.max() for draws in files) <= 12
        tries[at_once] = np.array([draws._redraws.mean() for draws in files])
        for draws in files[:5]:
            rows = np.flatnonzero(draws._redraws > 0)[:7]
            doubted = draws._drawn(rows, 3, 0.01)
            points, again = draws._tested(rows, draws._masked.x[rows], 0.01)
            assert np.array_equal(doubted, again)
            np.testing.assert_allclose(draws._passed.points[rows], points, atol=1e-12)
    error = np.sqrt(sum(t.var() / len(t) for t in tries.values()))
    assert abs(tries[1].mean() - tries[1024].mean()) < 4 * error
    assert tries[1].mean() > 0.05
