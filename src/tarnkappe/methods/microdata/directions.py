"""The directions of controlled noise: which units go up, and which down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.strata import Strata
from tarnkappe.kernels.controlled import (
    Order,
    Targets,
    Values,
    from_large_to_small,
    one_column_signs,
    ranked_signs,
    scores,
    targets,
)
from tarnkappe.kernels.controlled_search import (
    AT_ONCE,
    EXHAUSTIVE,
    FEW,
    Draws,
    balanced,
    best_signs,
    costs_of,
    drawn,
    exchanged_signs,
    spelled,
)
from tarnkappe.kernels.on_cores import CORES, on_cores
from tarnkappe.methods.microdata.controls import AllColumns, BestOf, Exchange
from tarnkappe.methods.microdata.factor_laws import MixtureFactors

Noise = tuple[Floats, Floats]
"""The part that every value has of its own, and the direction of every unit."""


@dataclass(frozen=True)
class Undirected:
    """What directions are chosen for: values of about 1 (NaN where there is none), and the law of the noise."""

    z: Floats
    unit: Ints
    units: int
    strata: Strata
    law: MixtureFactors

    @property
    def stratum(self) -> Ints:
        return self.strata.of.astype(np.int64)

    def targets(self, alpha: float) -> Targets:
        return targets(self.z, self.stratum, len(self.strata), alpha)


def by_one_column(u: Undirected, column: int, first: str, generator: np.random.Generator) -> Noise:
    """One-dimensional ranking (N16)."""
    w, steering = u.law.spreads(generator, u.z.shape), slice(column, column + 1)
    size = np.bincount(u.unit, np.abs(u.z[:, column]), u.units).astype(np.float64)
    order = from_large_to_small(size, u.unit, generator.random(u.units))
    begin = directions(generator, len(u.strata)) if first == "random" else np.full(len(u.strata), -1.0)
    v = order.values(u.z[:, steering], w[:, steering], u.stratum, u.law.f)
    return w, order.as_numbered(one_column_signs(v, len(u.strata), begin))


def by_all_columns(u: Undirected, how: AllColumns, generator: np.random.Generator) -> Noise:
    """Multi-dimensional ranking (N17)."""
    first = -1.0 if how.first == "down" else None
    w, order, _, signs = _ranked(u, u.targets(how.alpha), first, generator)
    return w, order.as_numbered(signs)


def by_exchange(u: Undirected, how: Exchange, generator: np.random.Generator) -> Noise:
    """Optimisation (N15), from the ranking on; few units are tried in every combination."""
    t = u.targets(how.alpha)
    w, order, v, signs = _ranked(u, t, None, generator)
    if u.units <= EXHAUSTIVE:
        return w, order.as_numbered(best_signs(v, t, u.units))
    return w, order.as_numbered(exchanged_signs(v, t, balanced(signs), how.rounds, generator))


def _ranked(
    u: Undirected, t: Targets, first: float | None, generator: np.random.Generator
) -> tuple[Floats, Order, Values, Floats]:
    w, ties = u.law.spreads(generator, u.z.shape), directions(generator, u.units)
    order = from_large_to_small(scores(u.z, u.unit, u.units), u.unit, generator.random(u.units))
    v = order.values(u.z, w, u.stratum, u.law.f)
    return w, order, v, ranked_signs(v, t, float(ties[0]) if first is None else first, ties[order.units])


def best_of(u: Undirected, how: BestOf, generator: np.random.Generator) -> Noise:
    """The best of many draws (N14). No more draws of spreads are held at once than there are cores."""
    t, parts = u.targets(how.alpha), -(-how.runs // max(min(len(u.z) // FEW, AT_ONCE), 1))
    numbers = [len(some) for some in np.array_split(np.arange(how.runs), parts)]
    waiting = list(zip(numbers, generator.spawn(parts), strict=True))
    best: list[tuple[float, int, Draws]] = []
    while waiting:
        now, waiting = waiting[:CORES], waiting[CORES:]
        best += on_cores(lambda part: _best_among(u, t, *part), now, len(u.z))
        best = [min(best, key=lambda each: each[0])]
    _, r, draws = best[0]
    signs = np.empty(u.units)
    signs[u.unit] = spelled(draws.ups, r)
    return drawn(draws, r, u.strata.order), signs


def _best_among(u: Undirected, t: Targets, number: int, own: np.random.Generator) -> tuple[float, int, Draws]:
    """The objective of the best of some draws, and which of them it is."""
    w, n = u.law.spreads(own, u.z.shape[::-1]), len(u.z)
    ups, alike = (own.integers(1 << 64, size=size, dtype=np.uint64) for size in (u.units, n))
    draws = Draws(w, ups[u.unit], alike, own.integers(n, size=number))
    costs = costs_of(u.z, u.law.f, t, draws, u.strata.order, u.strata.starts)
    best = int(np.argmin(costs))
    return float(costs[best]), best, draws


def directions(generator: np.random.Generator, count: int) -> Floats:
    """Up or down, by chance."""
    return np.where(generator.random(count) < 0.5, -1.0, 1.0)
