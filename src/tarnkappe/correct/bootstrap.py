"""Intervals by the bootstrap: records, or whole units, drawn again with replacement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.correct.clusters import clusters_of
from tarnkappe.correct.linear import Estimate
from tarnkappe.correct.settings import Settings
from tarnkappe.correct.source import Source
from tarnkappe.data.column import Floats
from tarnkappe.errors.correct import NotConverged
from tarnkappe.language import Text

FAILED = 0.05
"""With a larger share of draws without a solution, percentiles would tell of the lucky ones only."""
_UNSTABLE = Text(
    "in more than one of twenty bootstrap draws there is no solution",
    "in mehr als jeder zwanzigsten Bootstrap-Ziehung gibt es keine Lösung",
)


def percentiles(
    found: Estimate, source: Source, settings: Settings
) -> tuple[Estimate, tuple[Floats, Floats]]:
    """The estimate with standard errors of the draws, and the ends of its percentile intervals."""
    assert found.again is not None
    generator = np.random.default_rng(settings.seed)
    groups = clusters_of(source)
    of = np.arange(len(source.data)) if groups is None else groups
    count = int(of.max(initial=-1)) + 1
    draws = np.empty((settings.bootstrap, len(found.values)))
    for b in range(settings.bootstrap):
        times = np.bincount(generator.integers(0, count, count), minlength=count).astype(np.float64)
        draws[b] = found.again(times[of])
    good = np.isfinite(draws).all(axis=1)
    if np.count_nonzero(~good) > FAILED * len(draws):
        raise NotConverged(why=_UNSTABLE)
    tail = (1 - settings.level) / 2
    low, high = np.quantile(draws[good], [tail, 1 - tail], axis=0)
    covariance = np.cov(draws[good].T, ddof=1).reshape(len(found.values), -1)
    return replace(found, covariance=covariance), (low, high)
