"""Expectations of random factors by quadrature, and variances before and after multiplicative noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Density = Callable[[Floats], Floats]

NODES = 96
FAR = 12.0
"""Standard deviations beyond which a normal density is nothing."""


@dataclass(frozen=True)
class Nodes:
    """Points and weights that stand for a distribution: E g(W) = Σ weight·g(point)."""

    points: Floats
    weights: Floats

    def mean(self, g: Callable[[Floats], Floats]) -> float:
        return float(self.weights @ g(self.points))


def nodes(pieces: list[tuple[float, float]], density: Density) -> Nodes:
    """Gauss-Legendre points on the pieces where the density, known up to a factor, is not zero."""
    at, weight = _gauss()
    points = np.concatenate([low + (high - low) * (at + 1) / 2 for low, high in pieces])
    widths = np.concatenate([(high - low) * weight / 2 for low, high in pieces])
    weights = widths * density(points)
    return Nodes(points, weights / weights.sum())


@cache
def _gauss() -> tuple[Floats, Floats]:
    at, weight = np.polynomial.legendre.leggauss(NODES)
    return np.asarray(at), np.asarray(weight)


def variance_before(mean: float, variance: float, factor_variance: float) -> float:
    """Variance of the data from that of data times independent factors with mean 1 (hoehne2010, 4.2.3, N18).

    V(XW) = (1 + V(W))·V(X) + V(W)·E(X)², solved for V(X). Right in expectation; with very skewed data the few largest
    units decide what comes out.
    """
    return (variance - factor_variance * mean**2) / (1 + factor_variance)
