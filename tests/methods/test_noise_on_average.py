"""What noise methods claim on average, over many seeds.

Each test compares the mean over `RUNS` seeds with its expectation, five standard errors allowed, estimated from the runs
themselves: a right method fails once in about 1.7 million. The power is part of the tests: with the same allowance, a variance of the
noise that is 10 % off must be seen (`test_the_tests_have_power`).
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.expectation import variance_before
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Holds, catalogue
from tarnkappe.spec.parameters import build

RUNS, N, ALLOWED = 120, 2000, 5.0
NAMES = ("a", "b")


def data(seed=1):
    """Not too skewed, correlated 0.6, positive."""
    z = np.random.default_rng(seed).normal(size=(N, 2))
    x = np.exp(0.4 * np.column_stack([z[:, 0], 0.6 * z[:, 0] + 0.8 * z[:, 1]]))
    return Microdata({n: Column.numbers_of(x[:, j]) for j, n in enumerate(NAMES)})


@cache
def released(id, parameters):
    """What comes out of every run; `parameters` as JSON, so that several tests can look at the same runs."""
    step = build(catalogue[f"microdata.{id}"], {"columns": NAMES, **json.loads(parameters)})
    before = data()
    return [step.apply(before, stream("on average", id, k)).numbers(NAMES) for k in range(RUNS)]


def runs(id, look, **parameters):
    """What `look` sees in every run."""
    x = data().numbers(NAMES)
    return np.array([look(x, y) for y in released(id, json.dumps(parameters))])


def near(found, expected, times=1.0):
    """Within five standard errors of the mean of the runs; exactly where runs do not differ."""
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return bool(np.all(np.abs(found.mean(axis=0) - np.asarray(expected) * times) <= ALLOWED * error + 1e-9))


def means(x, y):
    return y.mean(axis=0) - x.mean(axis=0)


def added(x, y):
    """Variance of what was added, in parts of the variance."""
    return (y - x).var(axis=0) / x.var(axis=0)


def covariances(x, y):
    return (np.cov(y.T) / np.cov(x.T)).ravel()


ADDITIVE = {
    "independent": ("noise", {}),
    "uniform": ("noise", {"noise": {"law": "uniform", "smallest": 0.4}}),
    "bounded": ("noise", {"noise": {"law": "normal", "smallest": 0.3, "largest": 2.0}}),
    "correlated": ("correlated-noise", {}),
    "exact": ("correlated-noise", {"moments": "exact"}),
    "höhne": ("mixture-noise", {"separation": 0.6}),
    "yancey": ("mixture-noise", {"kind": "yancey"}),
    "roque": ("mixture-noise", {"kind": "roque"}),
    "roque, uneven": (
        "mixture-noise",
        {"kind": "roque", "peak_shares": [1, 2, 3], "peak_spreads": [3, 1, 1]},
    ),
}


@pytest.mark.parametrize("form", ADDITIVE)
def test_additive_noise_has_the_variance_asked_for_and_keeps_means(form):
    id, parameters = ADDITIVE[form]
    assert near(runs(id, added, variance_ratio=0.2, **parameters), [0.2, 0.2])
    assert near(runs(id, means, variance_ratio=0.2, **parameters), [0, 0])


@pytest.mark.parametrize("form", [f for f in ADDITIVE if f not in ("independent", "uniform", "bounded")])
def test_covariances_all_grow_alike(form):
    id, parameters = ADDITIVE[form]
    assert near(runs(id, covariances, variance_ratio=0.2, **parameters), [1.2] * 4)


def test_independent_noise_leaves_covariances_and_lifts_variances():
    assert near(runs("noise", covariances, variance_ratio=0.2), [1.2, 1, 1, 1.2])


@pytest.mark.parametrize("form", ADDITIVE)
def test_records_with_gaps_get_noise_of_the_same_size(form):
    """Half of the records lack the second column. The power is part of the test: 10 % more or less is seen."""
    id, parameters = ADDITIVE[form]
    x, gap = data().numbers(NAMES)[:1000], np.random.default_rng(7).random(1000) < 0.5
    before = Microdata(
        {"a": Column.numbers_of(x[:, 0]), "b": Column.numbers_of(np.where(gap, np.nan, x[:, 1]))}
    )
    step = build(catalogue[f"microdata.{id}"], {"columns": NAMES, "variance_ratio": 0.2, **parameters})
    size = x[~gap, 0].var() if id == "mixture-noise" or "moments" in parameters else x[:, 0].var()
    after = (step.apply(before, stream("gaps", id, k)).numbers(("a",))[:, 0] for k in range(RUNS // 2))
    found = np.array([((y - x[:, 0])[gap] ** 2).mean() / size for y in after])
    assert near(found, 0.2)
    assert not near(found, 0.2, 0.9)
    assert not near(found, 0.2, 1.1)


@pytest.mark.parametrize("kim", ["asymptotic", "sample", "realised"])
def test_kim_gives_covariances_back(kim):
    """The sample constant is meant for divisors n - 1: it is off by 0.2/(1.2 n)."""
    found = runs("correlated-noise", covariances, variance_ratio=0.2, kim=kim)
    assert near(found, [1] * 4) or np.abs(found.mean(axis=0) - 1).max() < 1e-3


def test_logarithms_keep_their_means_and_correlation():
    def log_means(x, y):
        return means(np.log(x), np.log(y))

    assert near(runs("log-noise", log_means, variance_ratio=0.2), [0, 0])
    assert near(
        runs("log-noise", lambda x, y: covariances(np.log(x), np.log(y)), variance_ratio=0.2), [1.2] * 4
    )
    assert not near(runs("log-noise", means, variance_ratio=0.2), [0, 0]), "values grow"
    assert near(runs("log-noise", means, variance_ratio=0.2, unbiased=True), [0, 0])


def test_noise_that_is_turned_around_is_as_large():
    """With twice the standard deviation a third of the noise would change a sign; its mean square stays the one asked for."""

    def squares(x, y):
        return ((y - x) ** 2).mean(axis=0) / x.var(axis=0)

    assert near(runs("noise", squares, variance_ratio=4.0, signs="keep"), [4, 4])


def test_means_on_logarithms_are_right_in_every_stratum():
    """Half the variance that is taken off is that of the stratum: logarithms vary by 0.25 in one and by 1 in the other.

    The power is part of the test: 10 % more or less taken off is seen in each of them.
    """
    spread = np.array([0.5, 1.0])
    z = np.random.default_rng(5).normal(size=4000) * np.repeat(spread, 2000)
    before = Microdata({"a": Column.numbers_of(np.exp(z)), "s": Column.texts_of(["s"] * 2000 + ["t"] * 2000)})
    step = build(
        catalogue["microdata.log-noise"],
        {"columns": ("a",), "variance_ratio": 0.5, "unbiased": True, "within": ("s",)},
    )
    after = (
        step.apply(before, stream("log strata", step.id, k)).numbers(("a",))[:, 0] for k in range(RUNS // 2)
    )
    found = np.array([(y / np.exp(z)).reshape(2, 2000).mean(axis=1) for y in after])
    assert near(found, [1, 1])
    for off in (-0.1, 0.1):
        wrong = np.exp(off * 0.5 * spread**2 / 2)
        assert not any(near(found[:, j], wrong[j]) for j in range(2))


@pytest.mark.parametrize("control", [{"by": "one-column"}, {"by": "best-of", "runs": 2}])
def test_controlled_factors_have_the_spread_asked_for(control):
    """Directions that do not look at the spreads leave them as they are drawn: 40,000, five standard errors, half of what 10 % would be."""
    x = np.exp(np.random.default_rng(3).normal(size=(20_000, 2)))
    before = Microdata({n: Column.numbers_of(x[:, j]) for j, n in enumerate(NAMES)})
    step = build(
        catalogue["microdata.controlled-noise"],
        {"columns": NAMES, "factors": {"f": 0.2, "s": 0.03}, "control": control},
    )
    change = np.abs(step.apply(before, stream("spread")).numbers(NAMES) / x - 1)
    assert change.mean() == pytest.approx(0.2, abs=5 * 0.03 / np.sqrt(40_000))
    assert change.var() == pytest.approx(0.03**2, rel=5 * np.sqrt(2 / 40_000))


LAWS = {
    "mixture": ({"law": "mixture", "f": 0.2, "s": 0.05}, "sign"),
    "cut mixture": ({"law": "mixture", "f": 0.2, "s": 0.05, "smallest": 0.12}, "sign"),
    "normal": ({"law": "normal", "s": 0.15, "smallest": 0.01, "largest": 0.6}, "nothing"),
    "uniform": ({"law": "uniform"}, "factor"),
    "log-normal": ({"law": "log-normal", "s": 0.2}, "nothing"),
    "table": ({"law": "table", "values": (0.7, 0.9, 1.2, 1.5), "shares": (0.25, 0.3, 0.4, 0.05)}, "nothing"),
    "shared table": ({"law": "table", "values": (0.5, 1.25), "shares": (1 / 3, 2 / 3)}, "factor"),
}


@pytest.mark.parametrize("law", LAWS)
def test_factors_keep_means_and_have_the_variance_they_tell(law):
    factors, shared = LAWS[law]
    step = build(
        catalogue["microdata.factor-noise"], {"columns": NAMES, "factors": factors, "shared": shared}
    )
    told = step.factors.moments()
    assert near(runs("factor-noise", means, factors=factors, shared=shared), [0, 0])
    assert near(
        runs("factor-noise", lambda x, y: (y / x).var(axis=0), factors=factors, shared=shared),
        told["variance"],
    )
    for k in (2, 3, 4):
        found = runs(
            "factor-noise", lambda x, y, k=k: ((y / x) ** k).mean(axis=0), factors=factors, shared=shared
        )
        assert near(found, told[f"raw_moment_{k}"])


@pytest.mark.parametrize("law", LAWS)
def test_variances_are_right_after_correction(law):
    """N18 and the estimator of Gottschalk 1.2: on average over the seeds, the variance of the data."""
    factors, shared = LAWS[law]
    v = build(
        catalogue["microdata.factor-noise"], {"columns": NAMES, "factors": factors, "shared": shared}
    ).factors.variance

    def corrected(x, y):
        return [variance_before(b.mean(), b.var(), v) / a.var() for a, b in zip(x.T, y.T, strict=True)]

    found = runs("factor-noise", corrected, factors=factors, shared=shared)
    bias = v / N  # E(mean²) is larger than the squared mean by its variance, a small part
    assert near(found, 1) or np.abs(found.mean(axis=0) - 1).max() < 20 * bias
    assert not near(
        runs("factor-noise", lambda x, y: y.var(axis=0) / x.var(axis=0), factors=factors, shared=shared), 1
    )


@pytest.mark.parametrize("id", ["noise", "correlated-noise", "log-noise", "mixture-noise", "sullivan"])
def test_the_ratio_that_is_told_is_the_one_that_was_drawn(id):
    """Data users correct with it: 10 % off would be carried into every estimate."""
    step = build(catalogue[f"microdata.{id}"], {"columns": NAMES, "variance_ratio": 0.17})
    told = step.tells(data(), data())
    assert told["variance_ratio"] == 0.17
    if id == "sullivan":
        assert told["kim_a"] == pytest.approx(1 / np.sqrt(1.17), abs=1e-6)


def test_the_tests_have_power():
    """Noise whose variance is 10 % too large or too small is seen, additive and multiplicative."""
    for wrong in (0.18, 0.22):
        assert not near(runs("noise", added, variance_ratio=wrong), [0.2, 0.2])
        assert not near(runs("correlated-noise", added, variance_ratio=wrong), [0.2, 0.2])
        assert not near(runs("correlated-noise", covariances, variance_ratio=wrong), [1.2] * 4)
    for wrong in (0.9, 1.1):
        s = 0.05 * np.sqrt(wrong)
        f = 0.2 * np.sqrt(wrong)
        found = runs(
            "factor-noise", lambda x, y: (y / x).var(axis=0), factors={"law": "mixture", "f": f, "s": s}
        )
        assert not near(found, 0.2**2 + 0.05**2)


@pytest.mark.parametrize(
    "id",
    [
        "noise",
        "correlated-noise",
        "log-noise",
        "mixture-noise",
        "factor-noise",
        "controlled-noise",
        "sullivan",
    ],
)
def test_claims_made_on_average_hold_in_thirty_runs(id):
    """Their checks allow for chance (six standard errors, or a tenth): in no run do they fail."""
    parameters = {"unprotected": "suppress"} if id == "sullivan" else {}
    step = build(catalogue[f"microdata.{id}"], {"columns": NAMES, **parameters})
    claims = [c for c in (*step.preserves, *step.protects) if c.holds is Holds.ON_AVERAGE and c.applies(step)]
    assert claims
    before = data()
    for k in range(30 if id != "sullivan" else 5):
        after = step.apply(before, stream("claims", id, k))
        for claim in claims:
            assert claim.check(step, before, after), claim.says.en


def test_the_checks_of_claims_on_average_can_fail():
    before = data()
    moved = before.with_numbers(NAMES, before.numbers(NAMES) * 1.1)
    for id in ("noise", "correlated-noise", "log-noise", "mixture-noise", "factor-noise", "controlled-noise"):
        step = build(catalogue[f"microdata.{id}"], {"columns": NAMES})
        claims = [c for c in step.preserves if c.holds is Holds.ON_AVERAGE and c.applies(step)]
        assert not all(claim.check(step, before, moved) for claim in claims), id
