"""Sullivan's transformations: numbers as normal scores and back.

Source: gottschalk2002, 4.3 (G-M17). Categories become uniform numbers first; see `uniform_categories`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EDGE = 1e-12
"""Probabilities this near to 0 or 1 are moved inwards: a score is finite."""
RUNGS = 16_384
"""A ladder has so many."""


@dataclass(frozen=True)
class Ladder:
    """What a score becomes when values are given by rank, nearly: straight between rungs that are equally far apart."""

    low: float
    per: float
    """Rungs in a unit of the scores."""
    becomes: Floats
    """At every rung, and once more at the last."""

    @staticmethod
    def of(v: Floats, becomes: Floats) -> Ladder:
        """From scores in ascending order and what they become."""
        rungs = np.interp(np.linspace(v[0], v[-1], RUNGS), v, becomes)
        per = (RUNGS - 1) / (v[-1] - v[0]) if v[-1] > v[0] else 0.0
        return Ladder(float(v[0]), float(per), np.append(rungs, rungs[-1]))

    def scores(self, v: Floats) -> Floats:
        """What they become; beyond the ends what the ends become."""
        up = np.clip((v - self.low) * self.per, 0, RUNGS - 1)
        rung = up.astype(np.int64)
        below = self.becomes[rung]
        out: Floats = below + (up - rung) * (self.becomes[rung + 1] - below)
        return out


@dataclass(frozen=True)
class SmoothCdf:
    """A smoothed distribution function: linear between the midpoints of neighbouring values, mirrored at the ends."""

    borders: Floats
    at: Floats
    """Its value at every border, from 0 to 1."""

    @staticmethod
    def of(x: Floats) -> SmoothCdf:
        """From at least two different values."""
        return SmoothCdf.of_ascending(np.sort(x))

    @staticmethod
    def of_ascending(up: Floats) -> SmoothCdf:
        """As `of`, from values in ascending order."""
        rises = up[1:] > up[:-1]
        new = None if rises.all() else np.append(0, np.flatnonzero(rises) + 1)
        values = up if new is None else up[new]
        borders = np.empty(len(values) + 1)
        between = borders[1:-1]
        np.subtract(values[1:], values[:-1], out=between)
        between /= 2
        between += values[:-1]
        borders[0], borders[-1] = 2 * values[0] - borders[1], 2 * values[-1] - borders[-2]
        at = np.arange(len(up) + 1.0) if new is None else np.append(new, float(len(up)))
        at /= len(up)
        return SmoothCdf(borders, at)

    def scores(self, x: Floats) -> Floats:
        """Asked in ascending order, what lies in the fast memory serves many: five times as fast for millions."""
        order, out = np.argsort(x), np.empty(len(x))
        out[order] = self.ascending_scores(x[order])
        return out

    def values_and_scores(self, v: Floats) -> tuple[Floats, Floats]:
        """Values for scores, and the scores of these values, which are the same but for rounding and the ends."""
        order = np.argsort(v)
        up = v[order]
        up = np.interp(ndtr(up, out=up), self.at, self.borders)
        values, scores = np.empty(len(v)), np.empty(len(v))
        values[order], scores[order] = up, self.ascending_scores(up)
        return values, scores

    def ascending_scores(self, x: Floats) -> Floats:
        """As `scores`, of values in ascending order."""
        share = np.interp(x, self.borders, self.at)
        np.clip(share, EDGE, 1 - EDGE, out=share)
        out: Floats = ndtri(share, out=share)
        return out


def adjusted(v: Floats, was: Floats, now: Floats) -> Floats:
    """Give scores with the covariance `now` the covariance `was`: v U°⁻¹ U with upper Cholesky factors."""
    lower_was, lower_now = np.linalg.cholesky(was), np.linalg.cholesky(now)
    out: Floats = v @ np.linalg.solve(lower_now.T, lower_was.T)
    return out
