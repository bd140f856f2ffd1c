"""Movers of several records: their places, and the exchanges that bring correlations back."""

import numpy as np
import pytest

from tarnkappe.kernels.annealing import CHUNK, WARM_UP, WARMTH, anneal
from tarnkappe.kernels.copula import drawn_sources
from tarnkappe.kernels.series import Series, in_turn


def some_series(rng, most=5):
    """Up to four blocks of movers, those of a block with equally many records."""
    sizes, places = rng.integers(0, 9, rng.integers(1, 5)), rng.integers(1, most, 4)
    return Series(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), places[: len(sizes)].astype(np.int64)
    )


def members(series):
    """The records of every mover, counted one by one."""
    out, at = [], 0
    for first, last, size in zip(series.starts[:-1], series.starts[1:], series.places, strict=True):
        for _ in range(last - first):
            out.append(list(range(at, at + size)))
            at += size
    return out


def moved(z, source, series):
    now, each = z.copy(), members(series)
    for i, row in enumerate(source):
        for j, k in enumerate(row):
            for mine, theirs in zip(each[i], each[k], strict=True):
                now[mine, j] = z[theirs, j]
    return now


def within_blocks(rng, series, q):
    """Whose values each mover has: another of its block, in every column."""
    out = np.empty((series.starts[-1], q), dtype=np.int64)
    for first, last in zip(series.starts[:-1], series.starts[1:], strict=True):
        for j in range(q):
            order = first + rng.permutation(last - first)
            out[order, j] = np.roll(order, 1)
    return out


@pytest.mark.parametrize("seed", range(30))
def test_records_of_movers(seed):
    rng = np.random.default_rng(seed)
    series = some_series(rng)
    each = members(series)
    n = sum(map(len, each))
    asked = rng.integers(0, max(len(each), 1), 6 if each else 0)
    assert series.rows(asked).tolist() == [r for i in asked for r in each[i]]
    starts = np.array([0, *np.cumsum([len(r) for r in each])])
    assert in_turn(starts, asked).tolist() == series.rows(asked).tolist()
    z = rng.normal(size=(n, 3))
    np.testing.assert_allclose(series.levels(z), np.reshape([z[r].mean(axis=0) for r in each], (-1, 3)))
    source = within_blocks(rng, series, 2)
    np.testing.assert_array_equal(series.moved(z, source), moved(z, source, series))
    step = int(rng.integers(1, 4))
    fewer = series.every(step)
    assert fewer.sizes.tolist() == [len(each[i]) for i in range(0, len(each), step)]


def slow_anneal(z, source, series, goal, most, generator):
    """The same proposals, but every correlation is computed anew for each of them."""

    def measure(now):
        off = (now.T @ now - z.T @ z) / len(z)
        return np.abs(off - np.diag(np.diag(off))).sum()

    q, starts = source.shape[1], series.starts
    at, done, turn, heat = measure(moved(z, source, series)), 0, 0, []
    while done < most and at > goal:
        for b in range(len(starts) - 1):
            first = starts[b] - (turn * CHUNK // 3) % CHUNK
            while first < starts[b + 1] and done < most and at > goal:
                low, high = max(first, starts[b]), min(first + CHUNK, starts[b + 1])
                for _ in range((high - low) * q):
                    if at <= goal or done >= most:
                        break
                    i, k = (low + int(generator.random() * (high - low)) for _ in range(2))
                    j = int(generator.random() * q)
                    if i != k and source[i, j] != k and source[k, j] != i:
                        other = source.copy()
                        other[[i, k], j] = source[[k, i], j]
                        change = measure(moved(z, other, series)) - at
                        if len(heat) < WARM_UP:
                            heat.append(abs(change))
                        warm = WARMTH * np.mean(heat) * (1 - done / most)
                        if change < 0 or (warm > 0 and generator.random() < np.exp(-change / warm)):
                            at, source = at + change, other
                    done += 1
                first += CHUNK
        turn += 1
    return done, source


@pytest.mark.parametrize("seed", range(12))
def test_annealing_counts_as_the_slow_version_does(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, 3)
    places = rng.integers(1, 4, 3) if seed % 3 else np.ones(3, dtype=np.int64)
    series = Series(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), places.astype(np.int64))
    z = rng.normal(size=(int(sizes @ places), 4)) @ rng.normal(size=(4, 4))
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    source = within_blocks(rng, series, 3)
    taken, expected = slow_anneal(
        z, source.copy(), series, 0.2, 400, np.random.Generator(np.random.PCG64(seed))
    )
    assert anneal(z, source, series, 0.2, 400, np.random.Generator(np.random.PCG64(seed))) == taken
    np.testing.assert_array_equal(source, expected)


@pytest.mark.parametrize("q", [1, 3, 4])
def test_units_start_near_the_correlations_of_their_records(q):
    """Two thirds of the units have five records, the others two; levels differ more than the years of a unit."""
    rng = np.random.default_rng(2)
    series = Series(np.array([0, 8000, 12_000]), np.array([5, 2]))
    level = 0.8 * rng.normal(size=(12_000, 4)) + 0.8 * rng.normal(size=(12_000, 1))
    z = np.exp(np.repeat(level, series.sizes, axis=0) + 0.2 * rng.normal(size=(48_000, 4)))
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    source = drawn_sources(z, q, series, np.random.default_rng(3))
    wanted = z.T @ z / len(z)
    now = series.moved(z, source)
    assert np.abs(wanted - now.T @ now / len(z)).max() < 0.1 < wanted[0, 1]
    everyone = np.arange(12_000)
    for j in range(q):
        assert np.array_equal(np.sort(source[:, j]), everyone)
        assert (source[:, j] != everyone).all()
        assert ((source[:, j] < 8000) == (everyone < 8000)).all()
