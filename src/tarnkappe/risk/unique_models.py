"""Estimating uniques of the population from the classes of a sample: for each model, per block of records."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.errors.risk import TableTooLarge
from tarnkappe.kernels.classes import Classes, first_records
from tarnkappe.kernels.loglinear import (
    MOST_CELLS,
    cells_of,
    fitted_table,
    main_effects,
    misfit,
    pairs_of_keys,
    single_keys,
)
from tarnkappe.kernels.superpopulation import Sizes, pitman, sizes_of, slide_negative_binomial, zayatz
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.populations import Z

REPLICATES = 99
_SEED = 20261116
LEAST = 10
"""So many classes of one and of two records must be there for a model of class sizes to be trusted."""
LEAST_FRACTION = 0.2
_FEW = Text(
    f"Fewer than {LEAST} classes of one or of two records: too few to fit a model of class sizes.",
    f"Weniger als {LEAST} Klassen mit einem oder mit zwei Datensätzen: zu wenige, um ein Modell der Klassengrößen anzupassen.",
)
_SMALL = Text(
    f"Zayatz's estimate is far too high in samples of less than {LEAST_FRACTION:.0%} of the population. Choose model: pitman or snb.",
    f"Die Schätzung nach Zayatz ist bei Stichproben unter {LEAST_FRACTION:.0%} der Grundgesamtheit viel zu hoch. Wählen Sie model: "
    "pitman oder snb.",
)
_NO_FIT = Text(
    "The model does not fit the sizes of the classes: there is no estimate.",
    "Das Modell passt nicht zu den Größen der Klassen: Es gibt keine Schätzung.",
)


_TOO_CLOSE = Text(
    "The model fits the sample too closely, as too many effects do: the risk is underestimated. Leave pairs out, or take coarser keys.",
    "Das Modell passt sich der Stichprobe zu eng an, wie es zu viele Effekte tun: Das Risiko ist unterschätzt. Lassen Sie pairs weg oder "
    "nehmen Sie gröbere Schlüssel.",
)
_TOO_LOOSE = Text(
    "The model fits the sample too little, because keys depend on each other: the risk is overestimated. Set pairs, or look at other models.",
    "Das Modell passt zu wenig zur Stichprobe, weil Schlüssel voneinander abhängen: Das Risiko ist überschätzt. Setzen Sie pairs oder "
    "vergleichen Sie andere Modelle.",
)
_TINY = 1e-12


class Model(StrEnum):
    """How the uniques of the population are estimated."""

    PITMAN = "pitman"
    ZAYATZ = "zayatz"
    SNB = "snb"
    LOG_LINEAR = "log-linear"
    PML = "log-linear-pml"
    """Pseudo maximum likelihood: fitted to weighted counts."""
    CLOGG_ELIASON = "log-linear-ce"
    """With the share that was drawn as an offset."""

    @property
    def of_sizes(self) -> bool:
        """It looks at the sizes of classes only."""
        return self in _OF_SIZES


_OF_SIZES = {Model.PITMAN: pitman, Model.ZAYATZ: zayatz, Model.SNB: slide_negative_binomial}


class Block(NamedTuple):
    """Records of one stratum."""

    classes: Classes
    codes: Ints
    """(records, keys), 0 or more."""
    weights: Floats
    """Persons each record stands for; all the same where only the size of the population is known."""


class Uniques(NamedTuple):
    """Records that are unique in the population too, estimated."""

    expected: float
    low: float
    high: float
    chance: Floats
    """For every record: the chance to be unique in the population; 0 for those that are not so in the sample."""
    matched: float
    """Expected right assignments among the uniques of the sample; not a number where the model does not tell."""
    doubt: Text
    misfit: float = float("nan")
    """How far a log-linear model is off: above 0 it fits too little, below 0 too closely; about standard normal if it is right."""


def estimate(block: Block, model: Model, *, pairs: bool) -> Uniques:
    """Expected number of records of the block that are unique in the population."""
    alone = block.classes.sizes[block.classes.ids] == 1
    if not alone.any():
        return Uniques(
            0.0, 0.0, 0.0, np.zeros(len(alone)), 0.0, NOTHING
        )  # who is unique in the population is so in the sample
    return _from_sizes(block, model, alone) if model.of_sizes else _from_cells(block, model, pairs=pairs)


def _from_sizes(block: Block, model: Model, alone: Floats) -> Uniques:
    sample, persons = sizes_of(block.classes.sizes), float(block.weights.sum())
    fraction = min(sample.records / persons, 1.0)
    found = _OF_SIZES[model](sample, persons)
    if not np.isfinite(found.uniques):
        nan = float("nan")
        return Uniques(nan, nan, nan, np.where(alone, nan, 0.0), nan, _NO_FIT)
    expected = min(found.uniques * fraction, sample.of(1))
    low, high = _bootstrap(sample, persons, model, found.at)
    few = min(sample.of(1), sample.of(2)) < LEAST
    doubt = _FEW if few else _SMALL if model is Model.ZAYATZ and fraction < LEAST_FRACTION else NOTHING
    chance = np.where(alone, expected / sample.of(1), 0.0)
    return Uniques(expected, min(low, expected), max(high, expected), chance, float("nan"), doubt)


def _bootstrap(sample: Sizes, persons: float, model: Model, at: Floats) -> tuple[float, float]:
    """Percentiles over classes drawn with replacement; always the same draws, so that a measure can be repeated."""
    draw = np.random.Generator(np.random.PCG64(_SEED))
    shares, classes = sample.times / sample.times.sum(), int(sample.times.sum())
    found = []
    for times in draw.multinomial(classes, shares, size=REPLICATES).astype(np.float64):
        again = Sizes(sample.sizes[times > 0], times[times > 0])
        scale = again.records / sample.records
        uniques = _OF_SIZES[model](again, persons * scale, at).uniques
        found.append(min(uniques / scale * sample.records / persons, sample.of(1)))
    low, high = np.nanquantile(found, [0.025, 0.975]) if np.isfinite(found).any() else (0.0, sample.of(1))
    return float(low), float(high)


class _Fit(NamedTuple):
    """A log-linear model of the classes that occur."""

    counts: Floats
    """Expected records of every class."""
    misfit: float
    """See `kernels.loglinear.misfit`; 0 where the table is too large to tell."""


def _from_cells(block: Block, model: Model, *, pairs: bool) -> Uniques:
    """Given one record in the sample, F - 1 is Poisson with mean v = μ(1-π)/π (skinnershlomo2008).

    τ1 = Σ exp(-v) records unique in both; τ2 = Σ (1 - exp(-v))/v right assignments, over the uniques of the sample.
    """
    sizes, ids = block.classes.sizes, block.classes.ids
    persons = np.maximum(np.bincount(ids, weights=block.weights, minlength=len(sizes)), sizes).astype(
        np.float64
    )
    fit = _fitted(block, model, persons, pairs=pairs)
    drawn = sizes / persons
    alone = sizes == 1
    v = (fit.counts * (1 - drawn) / drawn)[alone]
    unique = np.exp(-v)
    matched = np.where(v > _TINY, -np.expm1(-v) / np.where(v > _TINY, v, 1.0), 1.0)
    expected, half = float(unique.sum()), Z * float(np.sqrt((unique * (1 - unique)).sum()))
    chance = np.zeros(len(sizes))
    chance[alone] = unique
    low, high = max(expected - half, 0.0), min(expected + half, float(alone.sum()))
    doubt = _TOO_CLOSE if fit.misfit < -Z else _TOO_LOOSE if fit.misfit > Z else NOTHING
    return Uniques(expected, low, high, chance[ids], float(matched.sum()), doubt, fit.misfit)


def _fitted(block: Block, model: Model, persons: Floats, *, pairs: bool) -> _Fit:
    codes = block.codes[first_records(block.classes)]
    shape = [int(c) + 1 for c in block.codes.max(axis=0)]
    sizes = block.classes.sizes.astype(np.float64)
    overall = float(sizes.sum() / persons.sum())
    counts = persons * overall if model is Model.PML else sizes
    if cells_of(shape) > MOST_CELLS:
        if pairs or model is Model.CLOGG_ELIASON:
            raise TableTooLarge(found=cells_of(shape), most=MOST_CELLS)
        return _Fit(main_effects(codes, counts, shape), 0.0)
    cells = tuple(codes.T)
    table, drawn = np.zeros(shape), np.full(shape, overall)
    table[cells], drawn[cells] = counts, sizes / persons
    margins = (pairs_of_keys if pairs else single_keys)(len(shape))
    fitted = fitted_table(table, margins, drawn if model is Model.CLOGG_ELIASON else None)
    return _Fit(fitted[cells], misfit(table, fitted, drawn))
