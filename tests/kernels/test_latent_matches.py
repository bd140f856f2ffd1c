import numpy as np
import pytest

from reference.fellegi_sunter import em, falling, weight
from tarnkappe.kernels import latent_matches
from tarnkappe.kernels.latent_matches import Model, Shown, fitted, posterior, shares, start, weights


def shown(patterns, sizes):
    """Count patterns given as tuples with None for unknown."""
    told = np.array(
        [[size if at is None else at for at, size in zip(p, sizes, strict=True)] for p in patterns]
    )
    levels, counts = np.unique(told, axis=0, return_counts=True)
    return Shown(levels.astype(np.int8), counts.astype(float), np.array(sizes))


def drawn(seed, n, p, m, u, gaps=0.0):
    draw = np.random.default_rng(seed)
    match = draw.random(n) < p
    columns = []
    for a, b in zip(m, u, strict=True):
        level = np.where(match, draw.choice(len(a), n, p=a), draw.choice(len(b), n, p=b))
        columns.append(np.where(draw.random(n) < gaps, len(a), level))
    levels, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return Shown(levels.astype(np.int8), counts.astype(float), np.array([len(a) for a in m])), match


@pytest.mark.parametrize("free", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("seed", range(4))
def test_em_is_that_of_single_pairs(seed, free, monkeypatch):
    draw = np.random.default_rng(seed)
    sizes = [2, 3, 4]
    patterns = [
        tuple(None if draw.random() < 0.1 else int(draw.integers(size)) for size in sizes) for _ in range(80)
    ]
    counted = shown(patterns, sizes)
    begin = start(counted, 0.2)
    rows = [
        [row[:size].tolist() for row, size in zip(side, sizes, strict=True)] for side in (begin.m, begin.u)
    ]
    p, m, u = em(patterns, sizes, (begin.p, *rows), 0.2, 12, free=free)
    found = _steps(counted, begin, 12, free)
    assert found.p == pytest.approx(p, rel=1e-9)
    for key, size in enumerate(sizes):
        assert found.m[key, :size] == pytest.approx(m[key], rel=1e-9)
        assert found.u[key, :size] == pytest.approx(u[key], rel=1e-9)
    for levels, w in zip(counted.levels, weights(counted.levels, counted.sizes, found), strict=True):
        told = tuple(None if at == size else int(at) for at, size in zip(levels, sizes, strict=True))
        assert w == pytest.approx(weight(told, m, u), abs=1e-6)


def _steps(counted, begin, steps, free):
    """EM cut off after some steps; the compiled loop has the number of steps built in, so it is run as Python."""
    m, u = begin.m.copy(), begin.u.copy()
    saved = latent_matches.STEPS
    latent_matches.STEPS = steps
    try:
        _, p = latent_matches._em.py_func(
            counted.levels, counted.counts, counted.sizes, (begin.p, 0.2), m, u, free
        )
    finally:
        latent_matches.STEPS = saved
    return Model(p, m, u, steps)


def test_compiled_and_python_agree():
    counted, _ = drawn(1, 2000, 0.1, [[0.9, 0.1]] * 4, [[0.2, 0.8]] * 4)
    begin = start(counted, 0.5)
    found = fitted(counted, begin, 0.5, free=(True, True))
    m, u = begin.m.copy(), begin.u.copy()
    steps, p = latent_matches._em.py_func(
        counted.levels, counted.counts, counted.sizes, (begin.p, 0.5), m, u, (True, True)
    )
    assert steps == found.steps < latent_matches.STEPS
    assert p == pytest.approx(found.p)
    np.testing.assert_allclose(m, found.m, rtol=1e-9)


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_probabilities_are_recovered(gaps):
    m = [[0.9, 0.1], [0.8, 0.15, 0.05], [0.95, 0.05], [0.7, 0.2, 0.1]]
    u = [[0.3, 0.7], [0.1, 0.2, 0.7], [0.05, 0.95], [0.05, 0.25, 0.7]]
    counted, match = drawn(5, 200_000, 0.05, m, u, gaps)
    found = fitted(counted, start(counted, 0.2), 0.2, free=(True, True))
    assert found.p == pytest.approx(match.mean(), abs=0.003)
    for key in range(4):
        np.testing.assert_allclose(found.m[key, : len(m[key])], m[key], atol=0.03)
        np.testing.assert_allclose(found.u[key, : len(u[key])], u[key], atol=0.01)


def test_no_more_pairs_belong_together_than_allowed():
    counted, _ = drawn(2, 5000, 0.5, [[0.9, 0.1]] * 3, [[0.2, 0.8]] * 3)
    assert fitted(counted, start(counted, 0.1), 0.1, free=(True, True)).p <= 0.1


def test_agreement_never_speaks_against_a_pair():
    """Keys that depend on each other, where EM left alone takes disagreement for a match."""
    draw = np.random.default_rng(3)
    base = draw.integers(0, 2, 4000)
    levels = np.stack([np.where(draw.random(4000) < 0.1, 1 - base, base) for _ in range(4)], axis=1)
    kinds, counts = np.unique(levels, axis=0, return_counts=True)
    counted = Shown(kinds.astype(np.int8), counts.astype(float), np.array([2, 2, 2, 2]))
    turned = Model(0.3, np.array([[0.1, 0.9]] * 4), shares(counted, counted.counts), 0)
    found = fitted(counted, turned, 0.3, free=(True, True))
    assert (found.m[:, 0] / found.u[:, 0] >= found.m[:, 1] / found.u[:, 1] - 1e-9).all()


@pytest.mark.parametrize("seed", range(30))
def test_pooling_is_the_reference(seed):
    draw = np.random.default_rng(seed)
    sums, u = draw.random((1, 6)), draw.random((1, 6)) + 0.01
    expected = falling(sums[0].tolist(), u[0].tolist())
    latent_matches._order(sums, u, np.array([6]))
    np.testing.assert_allclose(sums[0], expected)
    assert (np.diff(sums[0] / u[0]) <= 1e-12).all()


def test_posterior_is_bayes_rule():
    m, u, p = 0.9, 0.01, 0.02
    expected = p * m / (p * m + (1 - p) * u)
    assert posterior(np.array([np.log2(m / u)]), p) == pytest.approx([expected])
    assert posterior(np.array([-np.inf, np.inf, 5000.0]), p) == pytest.approx([0, 1, 1])


def test_one_pair_and_constant_keys_end_in_finite_numbers():
    for counts in ([1.0], [7.0]):
        counted = Shown(np.zeros((1, 2), dtype=np.int8), np.array(counts), np.array([2, 3]))
        found = fitted(counted, start(counted, 1 - 1e-12), 1 - 1e-12, free=(True, True))
        assert np.isfinite(weights(counted.levels, counted.sizes, found)).all()
        assert 0 < found.p < 1
