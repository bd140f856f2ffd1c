"""Attackers against noise. They know originals and what is told with a release, never a draw.

Attacks that a method claims to withstand must fail; attacks that its card names under "does not" must work, so that the warning
is seen to be true.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.special import ndtr

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step

N = 2000
NAMES = ("turnover", "employees")


def firms(n=N, seed=1, waves=1):
    """Firms with turnover and employees, loosely related; over several waves they hardly change."""
    rng = np.random.default_rng(seed)
    size = np.exp(1.2 * rng.normal(size=n))
    heads = size * np.exp(0.6 * rng.normal(size=n))
    firm = np.repeat(np.arange(n), waves)
    return Microdata({
        "turnover": Column.numbers_of(100 * size[firm]), "employees": Column.numbers_of(5 * heads[firm] + 1),
        "firm": Column.numbers_of(firm), "year": Column.numbers_of(np.tile(np.arange(waves), n)),
    })  # fmt: skip


def released(data, id, secret="attacked", **parameters):
    step = build(catalogue[f"microdata.{id}"], {"columns": NAMES, **parameters})
    return apply_step(step, data, stream(secret, id)).numbers(NAMES)


def says(id):
    return " ".join(t.en for t in catalogue[f"microdata.{id}"].does_not)


def linked(x, y):
    """Share of records whose nearest released record, on standardised logarithms, is their own."""
    a, b = np.log(x), np.log(np.maximum(y, x.min() / 10))
    _, nearest = cKDTree(b / a.std(axis=0)).query(a / a.std(axis=0))
    return np.mean(nearest == np.arange(len(x)))


# -- the ratio attack (R15, G-R07) ---------------------------------------------------------------------------------------


def test_a_shared_factor_falls_to_the_ratio_attack():
    """Ratios that are nearly right narrow units down and give every factor away to a few per cent, as the card says."""
    data = firms()
    x, y = data.numbers(NAMES), released(data, "factor-noise", factors={"law": "uniform"}, shared="factor")
    true, seen = x[:, 0] / x[:, 1], y[:, 0] / y[:, 1]
    assert not np.any(np.abs(seen / true - 1) < 1e-9), "no ratio is exact"
    near = [np.count_nonzero(np.abs(seen / t - 1) < 0.042) for t in true]
    assert np.median(near) < 0.1 * len(true)
    guess = y[:, 0] * x[:, 1] / y[:, 1]
    np.testing.assert_allclose(guess, x[:, 0], rtol=0.042)
    assert "one value of a record" in says("factor-noise")
    assert "that are nearly right identify" in says("factor-noise")


@pytest.mark.parametrize(
    ("s", "within_5", "within_10"), [(0.03, 0.757, 0.977), (0.05, 0.519, 0.833), (0.07, 0.386, None)]
)
@pytest.mark.parametrize("id", ["factor-noise", "controlled-noise"])
def test_one_known_value_against_a_shared_sign(id, s, within_5, within_10):
    """R15: after a match, y·(x_known/y_known) is off by about s·√2; without the known value hardly one in forty is near."""
    data = firms(20_000)
    law = {"law": "mixture", "f": 0.11, "s": s}
    x, y = data.numbers(NAMES), released(data, id, factors=law)
    error = np.abs(y[:, 0] * x[:, 1] / y[:, 1] / x[:, 0] - 1)
    assert np.mean(error <= 0.05) == pytest.approx(within_5, abs=0.02)
    if within_10:
        assert np.mean(error <= 0.10) == pytest.approx(within_10, abs=0.02)
    without = np.mean(np.abs(y[:, 0] / x[:, 0] - 1) <= 0.05)
    expected = ndtr((0.05 - 0.11) / s) - ndtr((-0.05 - 0.11) / s)
    if id == "factor-noise":
        assert without == pytest.approx(expected, abs=0.015)
    else:
        assert expected - 0.01 < without < 1.6 * expected + 0.02
    assert "three in four" in says("controlled-noise")


def test_choosing_directions_makes_changes_smaller_unless_one_column_steers():
    """A finding of our own: N17 looks at the whole change, so it takes directions against w*; N16 does not look at it."""
    data = firms(20_000)
    law = {"law": "mixture", "f": 0.11, "s": 0.07}
    x = data.numbers(NAMES)
    near = {
        by: np.mean(
            np.abs(released(data, "controlled-noise", factors=law, control={"by": by}) / x - 1) <= 0.05
        )
        for by in ("one-column", "all-columns")
    }
    assert near["one-column"] == pytest.approx(ndtr(-0.06 / 0.07) - ndtr(-0.16 / 0.07), abs=0.01)
    assert near["all-columns"] > near["one-column"] + 0.02
    assert "unless control is by one column" in says("controlled-noise")
    safe = released(data, "controlled-noise", factors={**law, "smallest": 0.06})
    assert np.abs(safe / x - 1).min() >= 0.06 * (1 - 1e-9)


def test_the_variance_that_is_told_is_the_one_that_came_out():
    data = firms(20_000)
    step = build(
        catalogue["microdata.controlled-noise"], {"columns": NAMES, "factors": {"f": 0.11, "s": 0.07}}
    )
    after = apply_step(step, data, stream("told"))
    told, changes = step.tells(data, after), after.numbers(NAMES) / data.numbers(NAMES) - 1
    assert told["factor"]["variance"] == pytest.approx(changes.var(), abs=1e-5)
    assert told["factor"]["variance"] < 0.95 * step.factors.variance
    pairs = [(changes[:, i] * changes[:, j]).mean() for i in range(len(NAMES)) for j in range(i)]
    assert told["within_record"]["covariance"] == pytest.approx(np.mean(pairs), abs=1e-6)


def test_the_ratio_attack_finds_nobody_when_only_the_sign_is_shared():
    data = firms()
    x, y = data.numbers(NAMES), released(data, "factor-noise")
    true, seen = x[:, 0] / x[:, 1], y[:, 0] / y[:, 1]
    hits = [np.flatnonzero(np.abs(seen / t - 1) < 1e-3) for t in true]
    assert np.mean([h.tolist() == [i] for i, h in enumerate(hits)]) < 0.02


def test_few_factors_are_found_by_trying():
    """The factors of a table with two of them follow from the moments that are told; heads that come out whole are the true ones."""
    heads = np.random.default_rng(1).integers(1, 5000, 2000)
    data = Microdata(
        {
            "turnover": Column.numbers_of(heads.astype(float)),
            "employees": Column.numbers_of(heads.astype(float)),
        }
    )
    table = {"law": "table", "values": (0.83, 1.17), "shares": (0.5, 0.5)}
    y = released(data, "factor-noise", factors=table, shared="nothing")[:, 0]
    spread = np.sqrt(
        build(
            catalogue["microdata.factor-noise"], {"columns": NAMES, "factors": table, "shared": "nothing"}
        ).tells(data, data)["factor"]["variance"]
    )
    guesses = np.stack([y / (1 - spread), y / (1 + spread)])
    whole = np.abs(guesses - np.rint(guesses)) < 1e-6
    found = whole.sum(axis=0) == 1
    assert found.mean() > 0.9
    assert np.array_equal(np.rint(guesses[0])[found & whole[0]], heads[found & whole[0]])
    assert "finds whole numbers again" in says("factor-noise")
    assert "finds whole numbers again" in says("controlled-noise")


# -- averaging ---------------------------------------------------------------------------------------------------------


def spread_of_means(y, waves):
    return y.reshape(-1, waves, 2).mean(axis=1)


def test_new_factors_in_every_wave_average_out():
    """√(1/12/25): the mean over 25 waves is five times as near as a single value; one factor per unit is not averaged away."""
    data = firms(400, waves=25)
    x = data.numbers(NAMES)[::25]
    law = {"factors": {"law": "uniform"}, "shared": "factor"}
    anew = spread_of_means(released(data, "factor-noise", unit=("firm", "year"), **law), 25) / x - 1
    once = spread_of_means(released(data, "factor-noise", unit=("firm",), **law), 25) / x - 1
    assert anew.std() == pytest.approx(np.sqrt(1 / 12 / 25), rel=0.15)
    assert once.std() == pytest.approx(np.sqrt(1 / 12), rel=0.15)
    assert "mean comes near the truth" in says("factor-noise")


def test_the_same_direction_in_all_waves_withstands_averaging():
    """With the firm as unit every value stays off by about f, however many waves are averaged."""
    data = firms(400, waves=25)
    x = data.numbers(NAMES)[::25]
    for id, more in (("factor-noise", {}), ("controlled-noise", {"within": ("year",)})):
        off = np.abs(spread_of_means(released(data, id, unit=("firm",), **more), 25) / x - 1)
        assert np.quantile(off, 0.01) > 0.09
        loose = np.abs(spread_of_means(released(data, id, **more), 25) / x - 1)
        assert np.median(loose) < 0.04, "one direction per record would not"


ADDITIVE = [
    ("noise", {}),
    ("correlated-noise", {}),
    ("log-noise", {"variance_ratio": 0.1}),
    ("mixture-noise", {}),
]


def noise_over_waves(id, more, waves):
    """Noise of every value, on the scale it was drawn on, in its standard deviations: firms, waves, columns."""
    data = firms(400, waves=waves)
    x, y = data.numbers(NAMES), released(data, id, within=("year",), **more)
    e = np.log(y / x) if id == "log-noise" else y - x
    return (e / e.std(axis=0)).reshape(-1, waves, 2)


@pytest.mark.parametrize(("id", "more"), ADDITIVE)
def test_noise_in_common_withstands_averaging(id, more):
    """The mean over 25 waves keeps half of the variance or more; drawn anew, a twenty-fifth is left."""
    anew = noise_over_waves(id, more, 25).mean(axis=1).std()
    once = noise_over_waves(id, {**more, "unit": ("firm",)}, 25).mean(axis=1).std()
    assert anew == pytest.approx(0.2, rel=0.15)
    assert once > np.sqrt(0.5) * 0.9
    assert once < np.sqrt(0.75) * 1.15, "the rest of it is averaged away"


@pytest.mark.parametrize(("id", "more"), ADDITIVE)
def test_one_known_wave_does_not_give_the_next_away(id, more):
    """Whoever knows the noise of one wave guesses that of the next by a line: the square of the correlation is what he gains."""
    e = noise_over_waves(id, {**more, "unit": ("firm",)}, 2)
    known, wanted = e[:, 0].ravel(), e[:, 1].ravel()
    left = wanted - known * (known @ wanted) / (known @ known)
    gained = 1 - left.var() / wanted.var()
    assert gained == pytest.approx(0.625**2 if id == "mixture-noise" else 0.5**2, abs=0.08)


def test_several_releases_of_additive_noise_average_out():
    data = firms()
    x = data.numbers(NAMES)
    one = released(data, "noise", "0") - x
    many = np.mean([released(data, "noise", str(k)) for k in range(16)], axis=0) - x
    assert many.std() < 0.3 * one.std()
    assert "released again" in says("noise")


# -- linkage -----------------------------------------------------------------------------------------------------------


def test_linkage_works_on_what_is_hardly_changed():
    data = firms()
    assert (
        linked(
            data.numbers(NAMES),
            released(data, "factor-noise", factors={"law": "mixture", "f": 1e-4, "s": 1e-5}),
        )
        > 0.95
    )


@pytest.mark.parametrize(
    ("id", "parameters", "most"),
    [
        ("factor-noise", {"factors": {"law": "uniform"}, "shared": "nothing"}, 0.12),
        ("factor-noise", {}, 0.35),
        ("controlled-noise", {}, 0.35),
        ("log-noise", {"variance_ratio": 0.1}, 0.10),
        ("redraw", {"order": "random"}, 0.01),
    ],
)
def test_linkage_finds_few(id, parameters, most):
    data = firms()
    assert linked(data.numbers(NAMES), released(data, id, **parameters)) < most


def test_more_noise_fewer_links_and_more_known_columns_more_links():
    """G-M15: with more than four to six key variables the noise has to be raised."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1000, 8))
    data = Microdata({f"x{j}": Column.numbers_of(x[:, j]) for j in range(8)})

    def hits(columns, ratio):
        names = data.names[:columns]
        step = build(catalogue["microdata.noise"], {"columns": names, "variance_ratio": ratio})
        y = apply_step(step, data, stream("keys")).numbers(names)
        _, nearest = cKDTree(y).query(x[:, :columns])
        return np.mean(nearest == np.arange(1000))

    by_keys = [hits(k, 0.1) for k in (1, 2, 4, 8)]
    assert by_keys == sorted(by_keys)
    assert by_keys[0] < 0.02
    assert by_keys[-1] > 0.9
    assert hits(8, 2.0) < 0.3
    assert "four to six" in says("noise")


@pytest.mark.parametrize("rank_limit", [1, 2, 4])
def test_sullivan_withstands_the_attacker_of_its_test(rank_limit):
    """An attacker of our own, by counting: whitened normal scores of ranks, nearest originals."""
    data = firms(400)
    step = build(
        catalogue["microdata.sullivan"],
        {"columns": NAMES, "rank_limit": rank_limit, "unprotected": "suppress"},
    )
    after = apply_step(step, data, stream("sullivan"))
    shown = after.column("turnover").observed
    assert shown.mean() > 0.9
    x, y = data.numbers(NAMES), after.numbers(NAMES)
    from scipy.special import ndtri

    order = np.sort(x, axis=0)

    def scores(v):
        share = np.column_stack(
            [np.interp(v[:, j], order[:, j], (np.arange(400) + 0.5) / 400) for j in range(2)]
        )
        return ndtri(np.clip(share, 1e-3, 1 - 1e-3))

    free = np.linalg.inv(np.linalg.cholesky(np.cov(scores(x).T))).T
    a, b = scores(x) @ free / np.sqrt(1.5), scores(np.nan_to_num(y)) @ free
    nearer = np.array(
        [np.count_nonzero(((b[i] - a) ** 2).sum(axis=1) < ((b[i] - a[i]) ** 2).sum()) for i in range(400)]
    )
    assert np.mean(nearer[shown] >= rank_limit) > 0.97, (
        "up to the difference of the two score functions at the rim"
    )


# -- bounds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("smallest", [0.05, 0.10])
def test_no_value_is_useful_below_the_smallest_change(smallest):
    data = firms()
    x = data.numbers(NAMES)
    laws = [
        {"law": "mixture", "f": 0.15, "s": 0.05, "smallest": smallest},
        {"law": "normal", "s": 0.2, "smallest": smallest},
    ]
    for law in laws:
        assert np.abs(released(data, "factor-noise", factors=law) / x - 1).min() >= smallest * (1 - 1e-9)
    assert np.abs(released(data, "controlled-noise", factors=laws[0]) / x - 1).min() >= smallest * (1 - 1e-9)


def test_the_first_sign_of_the_book_tells_the_largest_firm_and_ours_does_not():
    data = firms(200)
    top = np.argmax(data.numbers(NAMES)[:, 0] / 100 + data.numbers(NAMES)[:, 1] / 5)

    def down(first):
        runs = [
            released(data, "controlled-noise", str(k), control={"by": "all-columns", "first": first})
            for k in range(30)
        ]
        return np.mean([y[top, 0] < data.numbers(NAMES)[top, 0] for y in runs])

    assert down("down") == 1
    assert 0.1 < down("random") < 0.9
