"""The attacker in Sullivan's protection test: has all originals of a stratum and looks for the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.nearest_original import Originals, marks
from tarnkappe.kernels.white_noise import covariance
from tarnkappe.methods.microdata.sullivan_scores import NumberScores, Scores

Released = list[NDArray[Any]]
"""Numbers or codes of every column; NaN and -1 where nothing is shown."""


@dataclass(frozen=True)
class Attacker:
    """Scores freed from their correlation, 1 for a category or a gap that differs."""

    scores: list[Scores]
    free: Floats
    originals: Originals
    gaps: bool
    """Whether originals have gaps; where none has, a gap is equally far from all."""

    @staticmethod
    def of(scores: list[Scores], kim_a: float) -> Attacker:
        """Knows that scores were pulled towards the mean by Kim's constant."""
        was: Released = [s.x if isinstance(s, NumberScores) else s.original for s in scores]
        numbers = _numbers(scores, was)
        c, gaps = covariance(numbers), bool(np.isnan(numbers).any())
        free = np.linalg.inv(np.linalg.cholesky(c.matrix + 1e-9 * np.eye(len(c.sd)))).T
        points = _points(scores, was, kim_a * free, gaps=gaps)
        return Attacker(scores, free, Originals(points), gaps)

    def recognises(self, released: Released, rank_limit: int, rows: Ints | None = None) -> Bools:
        """Records that show something and to which fewer than `rank_limit` other originals are nearer than their own.

        `released` are all records, or those of the originals `rows`.
        """
        out: Bools = np.any([_shown(r) for r in released], axis=0)
        own = np.flatnonzero(out) if rows is None else rows[out]
        points = _points(self.scores, [r[out] for r in released], self.free, gaps=self.gaps)
        out[out] = self.originals.recognised(points, own, rank_limit)
        return out


def released_in(data: Microdata, scores: list[Scores]) -> Released:
    """What a file shows in the columns of the scores."""
    return [
        column.numbers() if column.kind.is_number else np.maximum(column.codes()[0], -1)
        for column in (data.column(s.name) for s in scores)
    ]


def _shown(values: NDArray[Any]) -> Bools:
    return ~np.isnan(values) if values.dtype.kind == "f" else values >= 0


def _numbers(scores: list[Scores], values: Released) -> Floats:
    found = [s.scored(v) for s, v in zip(scores, values, strict=True) if isinstance(s, NumberScores)]
    return np.stack(found, axis=1) if found else np.zeros((len(values[0]), 0))


def _points(scores: list[Scores], values: Released, free: Floats, *, gaps: bool) -> Floats:
    numbers = _numbers(scores, values)
    parts = [np.nan_to_num(numbers) @ free]
    if gaps:
        parts.append(np.sqrt(0.5) * np.isnan(numbers))
    for s, v in zip(scores, values, strict=True):
        if not isinstance(s, NumberScores):
            parts.append(marks(v.astype(np.int64), int(s.categories.max()) + 1))
    return np.concatenate(parts, axis=1)
