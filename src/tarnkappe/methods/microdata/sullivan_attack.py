"""The attacker in Sullivan's protection test: has all originals of a stratum and looks for the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.nearest_original import Originals, marks
from tarnkappe.kernels.on_cores import on_cores, slices
from tarnkappe.kernels.white_noise import RunningCovariance
from tarnkappe.methods.microdata.sullivan_scores import CategoryScores, Scores

Seen = list[NDArray[Any]]
"""Of every column what an attacker sees: scores of numbers, codes of categories; NaN and -1 where there is none."""


class Places(NamedTuple):
    """Where records lie among the originals."""

    points: Floats
    shown: Bools
    """Whether they show something."""

    def asked(self, rows: Ints | None) -> tuple[Bools, Floats, Ints]:
        """Who shows something, where these lie, and which originals are theirs."""
        own = np.arange(len(self.shown)) if rows is None else rows
        if self.shown.all():
            return self.shown.copy(), self.points, own
        return self.shown.copy(), self.points[self.shown], own[self.shown]

    def of(self, rows: Ints) -> Places:
        """Of some records only."""
        return Places(self.points[rows], self.shown[rows])

    def moved(self, was: Floats) -> Floats:
        """How far they lie from other points."""

        def moved(rows: slice) -> Floats:
            d = self.points[rows] - was[rows]
            out: Floats = np.sqrt(np.einsum("ij,ij->i", d, d))
            return out

        return np.concatenate(on_cores(moved, slices(len(was)), len(was)))


@dataclass(frozen=True)
class Attacker:
    """Scores freed from their correlation, 1 for a category or a gap that differs."""

    counts: list[int]
    """The categories of every column; 0 for numbers."""
    free: Floats
    gaps: bool
    """Whether originals have gaps; where none has, a gap is equally far from all."""
    originals: Originals

    @staticmethod
    def of(scores: Sequence[Scores], numbers: Floats, kim_a: float) -> Attacker:
        """Knows the originals by the scores of their numbers, and that these were pulled towards the mean by Kim's constant."""
        counts = [int(s.categories.max()) + 1 if isinstance(s, CategoryScores) else 0 for s in scores]
        column = iter(numbers.T)
        own = [s.original if isinstance(s, CategoryScores) else next(column) for s in scores]
        c, gaps = RunningCovariance(numbers).now, bool(np.isnan(numbers).any())
        free = np.linalg.inv(np.linalg.cholesky(c.matrix + 1e-9 * np.eye(len(c.sd)))).T
        return Attacker(counts, free, gaps, Originals(_points(own, counts, kim_a * free, gaps=gaps)))

    def places(self, seen: Seen) -> Places:
        """Where records lie among the originals."""
        shown: Bools = np.any([~np.isnan(v) if v.dtype.kind == "f" else v >= 0 for v in seen], axis=0)
        return Places(_points(seen, self.counts, self.free, gaps=self.gaps), shown)

    def recognises(self, places: Places, rank_limit: int, rows: Ints | None = None) -> Bools:
        """Records that show something and to which fewer than `rank_limit` other originals are nearer than their own.

        They are all records, or those of the originals `rows`.
        """
        out, points, own = places.asked(rows)
        out[out] = self.originals.recognised(points, own, rank_limit)
        return out

    def doubts(self, places: Places, rank_limit: int, lead: float, rows: Ints | None = None) -> Bools:
        """Records that might be recognised when they are a little elsewhere, up to a few who would not.

        Whoever is not doubted is not recognised at any place that lies no farther away than half the lead: its own original comes nearer by
        so much at most, and others go away by so much at most.
        """
        out, points, own = places.asked(rows)
        out[out] = self.originals.doubted(points, own, rank_limit, lead)
        return out


def shown_in(data: Microdata, scores: Sequence[Scores]) -> list[NDArray[Any]]:
    """What a file shows in the columns of the scores: numbers and codes; NaN and -1 where nothing is shown."""
    return [
        column.numbers() if column.kind.is_number else np.maximum(column.codes()[0], -1)
        for column in (data.column(s.name) for s in scores)
    ]


def _points(seen: Seen, counts: list[int], free: Floats, *, gaps: bool) -> Floats:
    """Coordinates whose distances are those of the attacker."""
    n = len(seen[0])
    width = len(free) * (1 + gaps) + sum(count + 1 for count in counts if count)
    out = np.empty((n, width))

    def place(rows: slice) -> None:
        numbers = [v[rows] for v, count in zip(seen, counts, strict=True) if not count]
        parts = _number_points(numbers, free, gaps=gaps) if numbers else []
        parts += [marks(v[rows], count) for v, count in zip(seen, counts, strict=True) if count]
        np.concatenate(parts, axis=1, out=out[rows])

    on_cores(place, slices(n), n)
    return out


def _number_points(numbers: list[Floats], free: Floats, *, gaps: bool) -> list[Floats]:
    x = np.stack(numbers, axis=1)
    missing = np.isnan(x)
    if missing.any():
        x[missing] = 0.0
    return [x @ free, np.sqrt(0.5) * missing] if gaps else [x @ free]
