"""The attacker in Sullivan's protection test: has all originals of a stratum and looks for the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.nearest_original import Originals, marks
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.white_noise import covariance
from tarnkappe.methods.microdata.sullivan_scores import NumberScores, Scores

LEAD = 0.04
"""In standard deviations of a score. Redraws move records by about a hundredth."""

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
        out = shown(released)
        own = np.flatnonzero(out) if rows is None else rows[out]
        out[out] = self.originals.recognised(self.seen(released, out), own, rank_limit)
        return out

    def seen(self, released: Released, rows: Bools) -> Floats:
        """Where some of the released records lie among the originals."""
        some = released if rows.all() else [r[rows] for r in released]
        return _points(self.scores, some, self.free, gaps=self.gaps)


class Trial:
    """The attack on all records, repeated while a few are drawn anew.

    A draw moves the others a little, since covariances are adjusted. Who was safe by a lead stays safe until moved by half of it: the
    right original comes nearer by no more than that, the others go no farther away. Only the rest is attacked again.
    """

    def __init__(self, attacker: Attacker, rank_limit: int) -> None:
        self._attacker, self._rank_limit = attacker, rank_limit
        self._first: Floats | None = None
        self._unsure: Bools = np.zeros(0, dtype=np.bool_)

    def recognised(self, released: Released) -> Bools:
        """As the attacker finds it."""
        out = shown(released)
        own, seen = np.flatnonzero(out), self._attacker.seen(released, out)
        if self._first is None:
            found, self._unsure = self._attacker.originals.recognised_by(seen, own, self._rank_limit, LEAD)
            self._first = seen
        else:
            moved = np.sqrt(((seen - self._first) ** 2).sum(axis=1))
            found = self._unsure | (2.02 * moved >= LEAD)  # a hundredth is room for rounding
            found[found] = self._attacker.originals.recognised(seen[found], own[found], self._rank_limit)
        out[own] = found
        return out


def released_in(data: Microdata, scores: list[Scores]) -> Released:
    """What a file shows in the columns of the scores."""
    return [
        column.numbers() if column.kind.is_number else np.maximum(column.codes()[0], -1)
        for column in (data.column(s.name) for s in scores)
    ]


def shown(released: Released) -> Bools:
    """Records of which anything is shown."""
    out: Bools = np.any([~np.isnan(r) if r.dtype.kind == "f" else r >= 0 for r in released], axis=0)
    return out


def _numbers(scores: list[Scores], values: Released) -> Floats:
    """Scores of the numbers; those of the originals are known already."""
    numbers = [(s, v) for s, v in zip(scores, values, strict=True) if isinstance(s, NumberScores)]
    found = on_cores(lambda n: n[0].own if n[1] is n[0].x else n[0].scored(n[1]), numbers, len(values[0]))
    return np.stack(found, axis=1) if found else np.zeros((len(values[0]), 0))


def _points(scores: list[Scores], values: Released, free: Floats, *, gaps: bool) -> Floats:
    numbers = _numbers(scores, values)
    missing = np.isnan(numbers)
    parts = [np.where(missing, 0.0, numbers) @ free if missing.any() else numbers @ free]
    if gaps:
        parts.append(np.sqrt(0.5) * missing)
    for s, v in zip(scores, values, strict=True):
        if not isinstance(s, NumberScores):
            parts.append(marks(v.astype(np.int64), int(s.categories.max()) + 1))
    return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
