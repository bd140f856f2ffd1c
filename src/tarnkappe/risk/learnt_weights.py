"""How much each kind of agreement speaks for a pair: learnt by EM as an attacker must, or from the truth that only the office has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.errors.risk import TooManyPatterns
from tarnkappe.kernels import latent_matches as em
from tarnkappe.kernels.comparison import Best, Grades, Side, best, between, counted, grades, levels_of, side
from tarnkappe.kernels.latent_matches import Model, Shown
from tarnkappe.kernels.one_to_one import Assigned, assigned
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.key_scales import Placed
from tarnkappe.risk.outside import Outside

MOST_PATTERNS = 2**22
LEAST_BITS = 0.5
_ALONE = Text(
    "The keys have too few levels of agreement for EM: other probabilities would fit as well, so the weights are not determined. Take more "
    "keys, or learns: truth.",
    "Die Schlüssel haben für EM zu wenige Stufen der Übereinstimmung: Andere Wahrscheinlichkeiten passen ebenso gut, die Gewichte sind also "
    "nicht bestimmt. Nehmen Sie mehr Schlüssel oder learns: truth.",
)
_RESTLESS = Text(
    "EM did not come to rest, so the weights are not determined. Take other keys, or learns: truth.",
    "EM kam nicht zur Ruhe, die Gewichte sind also nicht bestimmt. Nehmen Sie andere Schlüssel oder learns: truth.",
)
_ALIKE = Text(
    "EM does not separate pairs that belong together from others: the keys hardly tell them apart, and the attacker nearly guesses.",
    "EM trennt zusammengehörige Paare nicht von anderen: Die Schlüssel unterscheiden sie kaum, der Angreifer rät beinahe.",
)


@dataclass(frozen=True, eq=False)
class Compared:
    """All pairs within blocks, counted by pattern."""

    outside: Outside
    known: Side
    released: Side
    grade: Grades
    patterns: Ints
    """Patterns that occur, by number."""
    shown: Shown
    most: float
    """No larger share of the pairs can belong together, one to one."""

    @cached_property
    def pairs(self) -> int:
        return int(self.shown.counts.sum())

    @cached_property
    def true_pairs(self) -> Ints:
        """For every known record that can be found, the pattern (its place among those shown) of the pair it makes with its own."""
        rows = np.flatnonzero(self.outside.findable)
        found = between(
            self.known.values,
            self.known.of[rows],
            self.released.values,
            self.released.of[self.outside.truth[rows]],
            self.grade,
        )
        return np.searchsorted(self.patterns, found)

    @cached_property
    def informative(self) -> Ints:
        """Keys that show at least two levels, unknown ones aside."""
        return np.array([j for j, size in enumerate(self.shown.sizes) if self._levels(j, size) > 1], dtype=np.int64)  # fmt: skip

    def _levels(self, key: int, size: int) -> int:
        level = self.shown.levels[:, key]
        return len(np.unique(level[level < size]))

    @cached_property
    def determined(self) -> bool:
        """Are there as many patterns as a mixture of two classes has parameters?"""
        levels = [self._levels(j, int(self.shown.sizes[j])) for j in self.informative]
        patterns = float(np.prod(np.array(levels, dtype=np.float64)))
        return bool(levels) and patterns - 1 >= 2 * sum(level - 1 for level in levels) + 1

    def learnt(self, *, all_there: bool) -> tuple[Model, bool]:
        """What EM finds, and whether the probabilities of other pairs stayed as counted, because EM does not come to rest with them.

        Who knows that all his persons are in the release knows how many pairs belong together.
        """
        most = min(self.most, 1 - 1e-12)
        begin = em.start(self.shown, most)
        model = em.fitted(self.shown, begin, most, free=(not all_there, True))
        if model.steps < em.STEPS:
            return model, False
        return em.fitted(self.shown, begin, most, free=(not all_there, False)), True

    def known_weights(self) -> Model:
        """What somebody would know who has seen all true pairs."""
        true = np.bincount(self.true_pairs, minlength=len(self.patterns)).astype(np.float64)
        p = float(true.sum() / max(self.pairs, 1))
        return Model(min(p, 1 - 1e-12), em.shares(self.shown, true), em.shares(self.shown, self.shown.counts - true), 0)  # fmt: skip

    def weights(self, model: Model) -> Floats:
        """The weight of every pattern that occurs."""
        return em.weights(self.shown.levels, self.shown.sizes, model)

    def by_number(self, weights: Floats) -> Floats:
        """The weights by the number of the pattern; patterns that do not occur have none."""
        out = np.zeros(self.grade.patterns)
        out[self.patterns] = weights
        return out

    def best(self, weights: Floats) -> Best:
        found: Best = best(self.known, self.released, self.grade, self.by_number(weights))
        return found

    def assigned(self, weights: Floats, limit: float) -> Assigned:
        """One to one, and of that the pairs that reach the limit.

        Ties are shuffled by a fixed seed, so that the order of the files does not matter and a run can be repeated.
        """
        draws = np.random.Generator(np.random.PCG64DXSM((len(self.outside.known), len(self.outside.released))))  # fmt: skip
        by_number = self.by_number(weights)
        found = assigned(self.known, self.released, self.grade, by_number, draws)
        reached = by_number[between(self.known.values, found.one, self.released.values, found.other, self.grade)] >= limit  # fmt: skip
        return Assigned(found.one[reached], found.other[reached], found.times[reached], found.greedy)

    def doubt(self, model: Model) -> Text:
        """Why what EM found is not to be trusted, or nothing."""
        if not self.determined:
            return _ALONE
        if model.steps >= em.STEPS:
            return _RESTLESS
        return _ALIKE if bits(model) < LEAST_BITS else NOTHING


def compared(outside: Outside, keys: tuple[Placed, ...], tolerances: tuple[float, ...]) -> Compared:
    """Count the patterns of all pairs within blocks; numbers agree in levels, categories agree or do not."""
    grade = grades([(0.0,) if key.count else tolerances for key in keys])
    if grade.patterns > MOST_PATTERNS:
        raise TooManyPatterns(found=grade.patterns, most=MOST_PATTERNS)
    known = side(np.column_stack([key.known for key in keys]), outside.known_block, outside.blocks)
    released = side(np.column_stack([key.released for key in keys]), outside.released_block, outside.blocks)
    counts = counted(known, released, grade)
    patterns = np.flatnonzero(counts)
    shown = Shown(levels_of(patterns, grade), counts[patterns].astype(np.float64), grade.sizes - 1)
    sizes = (np.bincount(block, minlength=outside.blocks) for block in (outside.known_block, outside.released_block))  # fmt: skip
    most = float(np.minimum(*sizes).sum() / max(counts.sum(), 1))
    return Compared(outside, known, released, grade, patterns, shown, most)


def bits(model: Model) -> float:
    """How far the two classes lie apart, as the sum over keys of Σ (m - u) log2(m/u)."""
    there = (model.m > 0) & (model.u > 0)
    ratio = np.log2(np.where(there, model.m, 1.0)) - np.log2(np.where(there, model.u, 1.0))
    return float(((model.m - model.u) * ratio).sum())


def upper(weights: Floats, counts: Floats, chance: Floats, share: float) -> float:
    """The lowest weight above which at most this share of the pairs is expected to be wrong; infinite where there is none."""
    order = np.argsort(-weights, kind="stable")
    total, wrong = np.cumsum(counts[order]), np.cumsum((counts * (1 - chance))[order])
    ends = np.append(np.diff(weights[order]) != 0, True)
    fine = ends & (wrong <= share * total + 1e-12)
    return float(weights[order][np.flatnonzero(fine)[-1]]) if fine.any() else np.inf


def lower(weights: Floats, counts: Floats, chance: Floats, share: float) -> float:
    """The highest weight below which at most this share of the pairs that belong together is expected."""
    order = np.argsort(weights, kind="stable")
    true = (counts * chance)[order]
    before = np.cumsum(true) - true
    first = np.append(True, np.diff(weights[order]) != 0)
    fine = first & (before <= share * true.sum() + 1e-12)
    return float(weights[order][np.flatnonzero(fine)[-1]])
