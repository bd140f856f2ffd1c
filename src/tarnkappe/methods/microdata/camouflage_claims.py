"""What camouflage claims, checked column by column and on all cores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.camouflage import group_sums
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.standard import power_scale

ROUNDING = 1e-9
SHIFT = 0.5
"""Largest common shift of the vectors of a value, in steps: with it every mixture gives values that lie anywhere between two steps."""
FINE = 10
"""Vectors are shown to so many parts of a step."""
SLACK = SHIFT + SHIFT / FINE
"""How far the mixture may be from the truth, in steps."""
QUESTIONS = 5
"""So many sums with signs and choices by chance are asked when a claim is checked."""

Weights = NDArray[np.int8]


class Camouflages(Protocol):
    """What the claims need to know of the method."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def safety(self) -> float: ...
    @property
    def into(self) -> str: ...
    def vector_names(self, name: str) -> tuple[str, ...]:
        """The columns in place of one."""

    def step(self, data: Microdata, name: str) -> float:
        """The step of the values of a column; 0 where they have none."""


@dataclass(frozen=True)
class Shown:
    """One column where it is shown: the truth, the vectors, and the groups."""

    truth: Floats
    vectors: list[Floats]
    group: Ints

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """Least and largest of the vectors of every record."""
        low, high = (self.vectors[0].copy() for _ in range(2))
        for v in self.vectors[1:]:
            np.minimum(low, v, out=low)
            np.maximum(high, v, out=high)
        return low, high

    @cached_property
    def largest(self) -> Floats:
        low, high = self.ends
        return np.maximum(-low, high)

    @cached_property
    def scale(self) -> float:
        """Over it, sums do not overflow."""
        return float(power_scale(self.largest[:, None])[0])

    def near(self, step: float) -> Floats:
        """What rounding and shift allow, over the scale."""
        out: Floats = ROUNDING * (self.largest / self.scale)
        out += SLACK * step / self.scale
        return out


def _every_column(
    holds: Callable[[Shown, str], bool], m: Camouflages, before: Microdata, after: Microdata
) -> bool:
    was, now = before.paired(after)
    groups = now.column(m.into).values

    def held(name: str) -> bool:
        truth, vectors = _numbers(was.column(name)), [_numbers(now.column(v)) for v in m.vector_names(name)]
        there = ~np.isnan(truth)
        if there.all():
            return holds(Shown(truth, vectors, groups), name)
        return holds(Shown(truth[there], [v[there] for v in vectors], groups[there]), name)

    return all(on_cores(held, m.columns, len(groups)))


def _numbers(column: Column) -> Floats:
    """As `Column.numbers`, but not copied where all are shown."""
    return column.numbers() if column.state is not None else column.values.astype(np.float64, copy=False)


def answers_hold(m: Camouflages, before: Microdata, after: Microdata) -> bool:
    """Every record, every group, and sums of many records with signs by chance."""
    signs = np.random.default_rng(1).integers(-1, 2, (len(after), QUESTIONS), dtype=np.int8)

    def holds(s: Shown, name: str) -> bool:
        near = s.near(m.step(before, name))
        truth, low, high = (v / s.scale for v in (s.truth, *s.ends))
        if not np.all((low - near <= truth) & (truth <= high + near)):
            return False
        weights = np.column_stack([np.ones(len(s.truth), dtype=np.int8), signs[: len(s.truth)]])
        return _sums_hold(s, near, weights)

    return _every_column(holds, m, before, after)


def _sums_hold(s: Shown, near: Floats, weights: Weights) -> bool:
    """Whether the true sum of every group lies between its bounds with the first weights, and that of all with the others."""
    groups = int(s.group.max(initial=-1)) + 1
    true = group_sums(s.truth, s.group, weights, groups, s.scale)
    slack = group_sums(near, s.group, np.abs(weights), groups, 1.0)
    low, high = np.full(true.shape, np.inf), np.full(true.shape, -np.inf)
    for v in s.vectors:
        part = group_sums(v, s.group, weights, groups, s.scale)
        np.minimum(low, part, out=low)
        np.maximum(high, part, out=high)
    low, high = low - slack - true, high + slack - true
    each = np.all((low[:, 0] <= 0) & (high[:, 0] >= 0))
    return bool(each and np.all((low.sum(axis=0) <= 0) & (high.sum(axis=0) >= 0)))


def far_from_both_ends(m: Camouflages, before: Microdata, after: Microdata) -> bool:
    """Every value but zero is away from both ends by `safety` percent, and by a step."""

    def holds(s: Shown, name: str) -> bool:
        far = np.maximum(m.safety / 100 * np.abs(s.truth), m.step(before, name)) * (s.truth != 0)
        near, (low, high) = far - ROUNDING * s.largest, s.ends
        return bool(np.all((high >= s.truth + near) & (low <= s.truth - near)))

    return _every_column(holds, m, before, after)


def own_patterns(m: Camouflages, before: Microdata, after: Microdata) -> bool:
    """Half of the vectors above the middle, and no two records of a group with the same half, or with opposite ones."""

    def holds(s: Shown, _: str) -> bool:
        low, high = s.ends
        middle = (high / 2 + low / 2) / 2
        bits, count = np.zeros(len(low), dtype=np.int64), np.zeros(len(low), dtype=np.int8)
        for j, v in enumerate(s.vectors):
            upper = v / 2 > middle
            count += upper
            bits |= upper.astype(np.int64) << j
        every = (1 << len(s.vectors)) - 1
        bits = np.where(
            bits & 1, bits, bits ^ every
        )  # of two mirror images the one that has the first vector above
        use = s.truth != 0
        if not np.all(count[use] == len(s.vectors) // 2):
            return False
        found = classes([(s.group[use], int(s.group.max(initial=0)) + 1), (bits[use], every + 1)])
        return len(found.sizes) == np.count_nonzero(use)

    return _every_column(holds, m, before, after)


def zeros_kept(m: Camouflages, before: Microdata, after: Microdata) -> bool:
    """Zero in all vectors where the truth is, and nowhere else."""

    def holds(s: Shown, _: str) -> bool:
        low, high = s.ends
        return np.array_equal(s.truth == 0, (low == 0) & (high == 0))

    return _every_column(holds, m, before, after)
