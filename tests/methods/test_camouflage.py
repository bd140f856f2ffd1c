"""Camouflage: the truth is a mixture of the vectors, far from their ends, and patterns within groups differ."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarnkappe as tk
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NameTaken, NotFinite, WrongKind
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.kernels.camouflage import (
    camouflaged,
    group_sums,
    halves,
    hidden_weights,
    step_of,
    sum_bounds,
)
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role

CAMOUFLAGE = tk.catalogue["microdata.camouflage"]


def firms(n=200, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.lognormal(6, 1.5, n) * rng.choice([-1.0, 1.0, 1.0], n)
    x[:: max(n // 10, 1)] = 0.0
    heads = rng.integers(0, 90, n)
    return Microdata(
        {
            "x": Column.numbers_of(x), "heads": Column.numbers_of(heads), "other": Column.numbers_of(x + 1),
            "s": Column.texts_of(rng.choice(["a", "b", "c"], n).tolist()),
        },
        {Role.NUMERIC: ("x", "heads"), Role.SENSITIVE: ("x",)},
    )  # fmt: skip


def done(data, secret="any", **parameters):
    return apply_step(CAMOUFLAGE(**parameters), data, stream(secret, "camouflage"))


def vectors(after, name, k=8):
    return np.stack([after.column(f"{name}_{j}").numbers() for j in range(1, k + 1)], axis=1)


@pytest.mark.parametrize(("k", "count"), [(4, 3), (6, 10), (8, 35), (10, 126)])
def test_halves_are_all_different_and_no_mirror_images(k, count):
    rows = halves(k)
    assert rows.shape == (count, k)
    assert np.all(rows.sum(axis=1) == 0)
    both = {tuple(r) for r in np.concatenate([rows, -rows])}
    assert len(both) == 2 * count


def test_a_half_of_the_weights_is_uniform_between_a_quarter_and_three():
    w = hidden_weights(np.random.default_rng(3), 20_000, 6)
    assert np.allclose(w.sum(axis=1), 1)
    half = np.sort(w[:, [0, 2, 5]].sum(axis=1))
    assert half[0] >= 0.25
    assert half[-1] <= 0.75
    # Kolmogorov–Smirnov against the uniform distribution: 1.95/√n is passed by chance once in a thousand.
    assert np.abs(half - np.linspace(0.25, 0.75, len(half))).max() < 0.5 * 1.95 / np.sqrt(len(half))


@given(
    st.integers(0, 2**32),
    st.floats(0.001, 0.3),
    st.sampled_from([0.0, 1.0, 100.0]),
    st.sampled_from([4, 6, 8]),
)
def test_the_truth_is_the_mixture_with_the_hidden_weights(seed, p, step, k):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(0, 300, 40), 1) * rng.choice([0, 1, 1], 40)
    size = len(halves(k))
    starts = np.append(np.arange(0, 40, size), 40)
    w = hidden_weights(rng, len(starts) - 1, k)
    order = rng.permutation(40)
    y = camouflaged(x, order, starts, w, halves(k), (4 * p / (1 - p), 6 * step), rng).T
    group = np.empty(40, dtype=int)
    group[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    assert np.allclose((y * w[group]).sum(axis=1), x, rtol=1e-9, atol=1e-9)
    far = np.maximum(p * np.abs(x), 1.5 * step) * (x != 0) * (1 - 1e-9) - 1e-12
    assert np.all(y.max(axis=1) - x >= far)
    assert np.all(x - y.min(axis=1) >= far)


def test_patterns_do_not_depend_on_the_weights():
    """The middle apart, the same draws give the same vectors whatever the truth is mixed with."""
    x, order, starts = np.linspace(5, 90, 10), np.arange(10), np.array([0, 10])
    relative = []
    for seed in (1, 2):
        w = hidden_weights(np.random.default_rng(seed), 1, 6)
        y = camouflaged(x, order, starts, w, halves(6), (0.5, 0.0), np.random.default_rng(9)).T
        relative.append((y / y.mean(axis=1, keepdims=True))[0])
    assert np.allclose(relative[0], relative[1])


def test_columns_take_the_place_of_one_with_its_roles():
    before = firms()
    after = done(before, columns=("x", "heads"), within=("s",), vectors=4)
    assert after.names == (
        "other",
        "s",
        *(f"{n}_{j}" for n in ("x", "heads") for j in (1, 2, 3, 4)),
        "camouflage",
    )
    assert after.role(Role.SENSITIVE) == tuple(f"x_{j}" for j in (1, 2, 3, 4))
    assert after.columns["other"] is before.columns["other"]
    groups = after.column("camouflage").values
    for g in np.unique(groups):
        members = np.flatnonzero(groups == g)
        assert len(members) <= 3
        assert len(set(before.column("s").texts()[members])) == 1


def test_zero_stays_zero_and_gaps_stay_gaps():
    before = firms(20)
    state = np.array([0, 1, 2, 0] * 5, dtype=np.uint8)
    before = before.with_columns({"x": replace(before.column("x"), state=state)})
    after = done(before, columns=("x", "heads"))
    y = vectors(after, "x")
    assert np.array_equal(np.isnan(y).any(axis=1), state > 0)
    assert all(np.array_equal(after.column(f"x_{j}").suppressed, state == 2) for j in range(1, 9))
    zero = (before.column("x").numbers() == 0) & (state == 0)
    assert np.all(y[zero] == 0)
    assert not np.isnan(vectors(after, "heads")).any()


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_few_records(n):
    before = firms(max(n, 1)).take(np.arange(n))
    after = done(before, columns=("x", "heads"))
    assert len(after) == n


def test_constants_and_ties():
    before = Microdata(
        {"x": Column.numbers_of(np.full(50, 1234.5)), "t": Column.numbers_of(np.repeat([3, 4], 25))}
    )
    after = done(before, columns=("x", "t"))
    assert len(np.unique(vectors(after, "x"))) > 2


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([1.0, 2.0, 30.0], 1.0), ([100.0, 2300.0, 500.0, 17.0], 100.0), ([0.25, 0.5, 0.75], 0.01), ([0.0, 0.0], 0.0), ([], 0.0),
        ([np.pi, np.e, np.sqrt(2)], 0.0), ([1e300, 2e300], 1e300), ([5e-324], 0.0), ([-20.0, 30.0, 0.0], 10.0),
    ],
)  # fmt: skip
def test_the_step_of_values(values, step):
    assert step_of(np.array(values)) == pytest.approx(step)


def test_small_whole_numbers_are_a_step_away_from_both_ends():
    """Three thousand ones and twos, with little safety: the step decides, and the common shift must not take it away."""
    heads = 1 + np.arange(3000) % 2
    data = Microdata({"heads": Column.numbers_of(heads)})
    shown = vectors(
        CAMOUFLAGE(columns=("heads",), safety=0.1, vectors=4).apply(data, stream("any")), "heads", 4
    )
    assert (shown.min(axis=1) <= heads - 1 + 1e-9).all()
    assert (shown.max(axis=1) >= heads + 1 - 1e-9).all()
    assert np.ptp(shown, axis=1).max() < 8


def test_step_can_be_set():
    after = done(firms(), columns=("x",), base={"x": 25.0})
    y = vectors(after, "x")
    assert np.allclose(y / 2.5, np.rint(y / 2.5))
    told = CAMOUFLAGE(columns=("x",), base={"x": 25.0}).tells(firms(), after)
    assert told["columns"]["x"]["slack"] == pytest.approx(13.75)


def test_claims_see_what_is_wrong():
    before, m = firms(), CAMOUFLAGE(columns=("x",))
    after = m.apply(before, stream("any"))
    assert not broken_claims(m, before, after)

    def changed(change):
        y = change(vectors(after, "x"))
        wrong = after.with_columns({f"x_{j + 1}": Column.numbers_of(y[:, j]) for j in range(8)})
        return {c.says.en[:12] for c in broken_claims(m, before, wrong)}

    truth = before.column("x").numbers()[:, None]
    assert any(s.startswith("every value") for s in changed(lambda y: truth + (y - truth) / 5))
    assert any(s.startswith("the truth") for s in changed(lambda y: y * 1.3))
    assert any(s.startswith("whoever") for s in changed(lambda y: np.sort(y, axis=1)))
    assert "zeros" in changed(lambda y: y + (y == 0))
    inside = changed(lambda y: y + 0.9 * (truth - y.min(axis=1, keepdims=True)))
    assert any(s.startswith("the truth") for s in inside), "each lies between its ends, but not the sums"


@pytest.mark.parametrize("n", [0, 1, 50])
def test_sums_in_groups_as_answers_are_bounded(n):
    rng = np.random.default_rng(n)
    y, group = rng.normal(size=(n, 4)), rng.integers(5, size=n)
    weights = rng.integers(-1, 2, size=(n, 3), dtype=np.int8)
    sums = np.stack([group_sums(v, group, weights, 5, 4.0) for v in y.T])
    for q in range(3):
        low, high = sum_bounds(y / 4, group, weights[:, q].astype(float), group, 5)
        assert np.allclose(sums[:, :, q].min(axis=0), low)
        assert np.allclose(sums[:, :, q].max(axis=0), high)


def test_bad_input_has_a_code():
    data = firms()
    with pytest.raises(WrongKind):
        done(data, columns=("s",))
    with pytest.raises(NameTaken):
        done(data, columns=("x",), into="other")
    with pytest.raises(NameTaken):
        done(data.with_columns({"x_3": data.column("x")}), columns=("x",))
    with pytest.raises(NotFinite):
        done(data.with_columns({"x": Column.numbers_of(np.append(np.ones(199), np.inf))}), columns=("x",))
    with pytest.raises(ResultTooLarge):
        done(data.with_columns({"x": Column.numbers_of(np.linspace(1.2e308, 1.7e308, 200))}), columns=("x",))
