"""Exchanges that begin near given correlations: ranks are drawn jointly, so that large values stand beside large ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.ranks import ascending
from tarnkappe.kernels.series import Series
from tarnkappe.kernels.shuffling import by_rank, conditional, drawn, scores
from tarnkappe.kernels.white_noise import nearest_correlation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS, SAMPLE = 4, 20_000
"""The correlations of the draw are adjusted so often, on so many records."""


def drawn_sources(z: Floats, q: int, series: Series, generator: np.random.Generator) -> Ints:
    """Whose values each mover gets in the first q columns, inside blocks; nobody keeps its own where there is a second.

    The normal draw given the other columns has the correlations of z. Values that take its ranks are not normal, and theirs are
    other ones: so the correlations of the draw are moved by what is missing, on a part of the movers. Units are ranked by their mean.
    """
    if not len(z):
        return np.zeros((0, q), dtype=np.int64)
    wanted, level = z.T @ z / len(z), series.levels(z)
    step = max(1, len(level) // SAMPLE)
    part = z[::step] if series.single else z[series.rows(np.arange(0, len(level), step))]
    some, some_levels = series.every(step), level[::step]
    r = nearest_correlation(wanted)
    aimed = part.T @ part / len(part)
    for _ in range(ROUNDS):
        now = some.moved(part, _sources(some_levels, q, some.starts, r, generator))
        r = nearest_correlation(np.clip(r + aimed - now.T @ now / len(part), -1, 1))
    return _sources(level, q, series.starts, r, generator)


def _sources(z: Floats, q: int, starts: Ints, r: Floats, generator: np.random.Generator) -> Ints:
    b, rest = conditional(r, q)
    given = np.stack([scores(column)[0] for column in z.T[q:]]) if z.shape[1] > q else np.zeros((0, len(z)))
    y = drawn(given, b, rest, generator)
    everyone = np.arange(len(z))
    out = np.empty((len(z), q), dtype=np.int64)
    for j in range(q):
        old, new = (
            ascending(v, everyone, starts) if len(starts) > 2 else np.argsort(v)
            for v in (np.ascontiguousarray(z[:, j]), y[j])
        )
        out[:, j] = by_rank(old, new, starts)
    return out
