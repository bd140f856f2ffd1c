"""Simulation and extrapolation (SIMEX): more noise, and from what it does, back to none.

Noise of the same kind is added λ times over; coefficients are drawn as curves over λ and read off at λ = -1, where there would
be no noise (cookstefanski1994). What every record contributes to a coefficient is read off in the same way, and its sum of
squares is the covariance (carroll1996; stefanskicook1995 extrapolate the covariances themselves, which may end below 0). The curve is a polynomial of third degree: the result is an approximation, good while the noise is
small beside what varies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tarnkappe.correct.clusters import clusters_of
from tarnkappe.correct.linear import Estimate
from tarnkappe.correct.source import Source
from tarnkappe.correct.treatments import Factors, Noise, Treatment
from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.units import units_of
from tarnkappe.errors.correct import LogarithmUndefined
from tarnkappe.kernels.corrected_moments import sandwich
from tarnkappe.kernels.unit_noise import Normal, White, drawn_when_asked, white_of_units
from tarnkappe.kernels.white_noise import covariance
from tarnkappe.language import Text

AMOUNTS = (0.5, 1.0, 1.5, 2.0)
DRAWS = 50
WORK = 20_000_000
"""Records times draws at most; large files need fewer draws."""
_NOT_POSITIVE = Text(
    "the logarithm of values with added noise does not exist where more noise makes them negative",
    "der Logarithmus überlagerter Werte existiert nicht, wo mehr Überlagerung sie negativ macht",
)


class More(NamedTuple):
    """How much noise is added, as a multiple of what there is, and its sign."""

    amount: float
    sign: int = 1

    @property
    def root(self) -> float:
        return self.sign * math.sqrt(self.amount)


def simulated(
    source: Source,
    errors: Sequence[Treatment],
    fit: Callable[[Source], Estimate],
    generator: np.random.Generator,
) -> Estimate:
    """The estimate without the noise of these steps.

    Noise is drawn in pairs of opposite sign, which takes most of the chance of the draws away; what remains is added to the variance.
    """
    pairs = int(np.clip(WORK // max(len(source.data), 1), 10, DRAWS)) // 4 * 2
    first = fit(_disturbed(source, errors, More(0.0), generator))
    weights = _extrapolation(np.array([0.0, *AMOUNTS]))
    values = weights[0] * first.values
    halves = (weights[0] * _influence(first), weights[0] * _influence(first))
    chance = np.zeros_like(first.covariance)
    for amount, weight in zip(AMOUNTS, weights[1:], strict=True):
        several = []
        for number in range(pairs):
            for one in _pair(source, errors, amount, fit, generator):
                several.append(one.values)
                half = halves[number % 2]
                half += weight / pairs * _influence(one)
        found = np.array(several)
        values += weight * found.mean(axis=0)
        chance += weight**2 * _spread((found[::2] + found[1::2]) / 2) / pairs
    clusters = clusters_of(source)
    return replace(
        first,
        values=values,
        covariance=_covariance(*halves, clusters) * _care(first, clusters) + chance,
        r2=None,
        printed=None,
        influence=None,
        again=None,
    )


def _influence(one: Estimate) -> Floats:
    assert one.influence is not None
    return one.influence()


def _covariance(one: Floats, two: Floats, clusters: Ints | None) -> Floats:
    """Sum of squares over records, or over records that drew their errors together, HC1.

    Products of contributions from two halves of the draws: their chance, which squares would add up, cancels.
    """
    unit = np.eye(one.shape[1])
    whole, apart = (sandwich(unit, part, clusters, len(one)) for part in ((one + two) / 2, (one - two) / 2))
    less: Floats = whole - apart
    return less if np.linalg.eigvalsh(less)[0] > 0 else whole


def _care(first: Estimate, clusters: Ints | None) -> Floats | float:
    """How much larger covariances are when records are left out one by one, where that is known."""
    if first.left_out is None:
        return 1.0
    own = _influence(first)
    larger = np.sqrt(np.diag(first.left_out()) / np.diag(_covariance(own, own, clusters)))
    return np.outer(np.maximum(larger, 1.0), np.maximum(larger, 1.0))


def _spread(values: Floats) -> Floats:
    return np.cov(values.T, ddof=1).reshape(values.shape[1], -1)


def _extrapolation(at: Floats) -> Floats:
    """Weights that give the value at -1 of the polynomial of third degree that fits best."""
    powers = np.vander(at, 4, increasing=True)
    out: Floats = np.array([1.0, -1.0, 1.0, -1.0]) @ np.linalg.pinv(powers)
    return out


def _pair(
    source: Source,
    errors: Sequence[Treatment],
    amount: float,
    fit: Callable[[Source], Estimate],
    generator: np.random.Generator,
) -> Iterator[Estimate]:
    """Two estimates with the same noise of opposite sign."""
    state = generator.bit_generator.state
    for sign in (1, -1):
        generator.bit_generator.state = state
        try:
            yield fit(_disturbed(source, errors, More(amount, sign), generator))
        except LogarithmUndefined as problem:
            raise source.stories[str(problem.facts["name"])].refused(_NOT_POSITIVE) from None


def _disturbed(
    source: Source, errors: Sequence[Treatment], more: More, generator: np.random.Generator
) -> Source:
    """With so much more noise in the columns of these steps, and these steps forgotten."""
    for error in errors:
        if isinstance(error, Noise | Factors):
            columns = tuple(n for n in error.columns if n in source.stories)
            changed = (
                _with_noise(source, error, columns, more, generator)
                if isinstance(error, Noise)
                else _with_factors(source, error, columns, more, generator)
            )
            source = source.without(error.step.number, changed)
    return source


def _with_noise(
    source: Source, noise: Noise, columns: tuple[str, ...], more: More, generator: np.random.Generator
) -> Mapping[str, Floats]:
    x = np.column_stack([source.numbers(name) for name in columns])
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.log(x) if noise.logs else np.column_stack([source.unpulled(noise, c) for c in x.T])
    z = np.where(np.isfinite(z), z, np.nan)
    white = _white(source, noise, len(columns), generator.standard_normal)
    for rows in source.strata(noise).blocks():
        found = covariance(z[rows])
        r = found.r if noise.proportional else np.eye(len(columns))
        drawn = white(rows) @ _root(r).T
        z[rows] += more.root * np.sqrt(noise.part) * found.sd * drawn
        if noise.logs and noise.centred:  # the mean is moved as well, so that it is back at none
            z[rows] -= more.amount * noise.part * found.sd**2 / 2
    out = np.exp(z) if noise.logs else z
    return {name: out[:, j] for j, name in enumerate(columns)}


def _with_factors(
    source: Source, factors: Factors, columns: tuple[str, ...], more: More, generator: np.random.Generator
) -> Mapping[str, Floats]:
    """More factors of the same mean and variance on the log scale, shared as the first ones were."""
    variance = factors.moments.get("variance_of_logarithm", float(np.log1p(factors.moments["variance"])))
    mean = factors.moments.get("mean_of_logarithm", -variance / 2)
    apart = factors.own.get("variance_of_logarithm", 0.0)
    common = {"nothing": 0.0, "factor": variance - apart}.get(
        factors.shared, factors.covariances.get("covariance_of_logarithms", 0.0)
    )
    ids = _units(source, factors)
    own = generator.standard_normal((len(ids), len(columns))) * np.sqrt(max(variance - common, 0.0))
    shared = generator.standard_normal(int(ids.max(initial=0)) + 1)[ids] * np.sqrt(common)
    change = np.exp(more.root * (own + shared[:, None]) + more.amount * mean)
    return {name: source.numbers(name) * change[:, j] for j, name in enumerate(columns)}


def _white(source: Source, noise: Noise, columns: int, normal: Normal) -> White:
    """White noise of the records, with as much in common in a unit as the first had."""
    if not noise.unit:
        return drawn_when_asked(normal, columns)
    ids = _units(source, noise)
    return white_of_units(ids, int(ids.max(initial=-1)) + 1, columns, noise.common, normal)


def _units(source: Source, error: Factors | Noise) -> Ints:
    there = tuple(name for name in error.unit if name in source.data.names)
    ids, _ = units_of(source.data, there if len(there) == len(error.unit) else ())
    return ids


def _root(r: Floats) -> Floats:
    values, vectors = np.linalg.eigh(r)
    out: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return out
