"""Draws with quota against the exact conditional distribution."""

from itertools import permutations

import numpy as np

from tarnkappe.kernels.category_draw import drawn_labels, fitted, log_odds, own_share


def test_the_draw_has_the_conditional_distribution():
    """Four records, three categories: all arrangements are listed. 4,000 draws, chi-square below its 1 - 1e-6 quantile (11 degrees: 53)."""
    rng = np.random.default_rng(1)
    odds, labels = rng.normal(size=(4, 3)), np.array([0, 1, 1, 2])
    ways = sorted(set(permutations(labels)))
    weight = np.exp([sum(odds[i, v] for i, v in enumerate(way)) for way in ways])
    expected = 4000 * weight / weight.sum()
    seen = dict.fromkeys(ways, 0)
    for _ in range(4000):
        seen[tuple(drawn_labels(odds, labels, rng).tolist())] += 1
    found = np.array([seen[way] for way in ways])
    assert len(ways) == 12
    assert ((found - expected) ** 2 / expected).sum() < 53
    assert (
        (found - 4000 / 12) ** 2 / (4000 / 12)
    ).sum() > 200  # a draw that ignored the odds would be noticed


def test_the_model_keeps_means_by_category():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(2, 3000))
    labels = np.argmax(np.stack([np.zeros(3000), 2 * x[0], x[1]]) + rng.gumbel(size=(3, 3000)), axis=0)
    b = fitted(x, labels, 3)
    p = np.exp(log_odds(b, x))
    p /= p.sum(axis=1, keepdims=True)
    for k in range(3):
        assert abs(p[:, k].sum() - (labels == k).sum()) < 3
        assert np.abs(x @ p[:, k] - x[:, labels == k].sum(axis=1)).max() < 5
    assert 0.4 < own_share(b, x, labels) < 0.8


def test_edges():
    rng = np.random.default_rng(3)
    assert drawn_labels(np.zeros((1, 1)), np.zeros(1, dtype=np.int64), rng).tolist() == [0]
    assert drawn_labels(np.zeros((0, 1)), np.zeros(0, dtype=np.int64), rng).tolist() == []
    none = np.zeros((0, 50))
    b = fitted(none, np.arange(50) % 2, 2)
    assert abs(own_share(b, none, np.arange(50) % 2) - 0.5) < 0.01
