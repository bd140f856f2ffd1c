"""How coarse the keys must be so that few records stay recognisable: a greedy walk from fine to coarse.

Each step makes one key one level coarser: the key that lowers the average risk most for what is lost. The
risk of a record is one over the size of its class; the mean over all records is the number of classes per
record. A key is worth the root of the share of its entropy that is left, so that the first bits count most.
It is left out only when every other key would have to be left out too. When few enough records lie in small
classes, keys that were made coarser than needed get their levels back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.kernels.candidate_units import class_units
from tarnkappe.kernels.classes import classes, first_records, same_numbers

_LOOKED_AT = 100_000
"""So many classes are looked at to choose the next step; the goal itself is always judged on all records."""
_ONE_BY_ONE = 64
"""Up to so many keys are made coarser one at a time, all of these classes looked at; of more keys, several at once, and fewer classes."""
_ALL = slice(None)
Signs = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A key in all its levels: codes of the records and, for each level, the coarser code of every code."""

    name: str
    codes: Ints
    ladder: tuple[Ints, ...]
    """Level 0 is the total, the last is the column as it is. The last entry is for missing values: they stay
    missing, but in the total, which stands for a column that is left out, nothing can be told apart."""
    fixed: bool
    """May not be made coarser."""
    worth: Floats
    """What is left of the key on each level, from 0 to 1."""
    lowest: int = 0
    """It may not be made coarser than this level."""

    @property
    def finest(self) -> int:
        return len(self.ladder) - 1

    def at(self, level: int, records: Ints) -> tuple[Ints, int]:
        """The codes of some records on a level, ready for counting."""
        step = self.ladder[level]
        return step[self.codes[records]], int(step.max(initial=0)) + 1


def make_key(
    name: str, column: Column, hierarchy: Hierarchy | None, *, fixed: bool = False, lowest: int = 0
) -> Key:
    """Prepare a key; the levels of its hierarchy, or only the column as it is and the total."""
    if hierarchy is None:
        codes, count = column.codes()
        codes = np.where(codes == -2, count, codes)  # a suppressed value is a value like others
        ladder = [np.zeros(count + 1, dtype=np.int64), np.arange(count + 1)]
    else:
        placed = hierarchy.place(column)
        codes = placed.cells
        ladder = [_dense(hierarchy.ancestors(level)[placed.nodes]) for level in range(hierarchy.depth + 1)]
    counts = np.bincount(codes[codes >= 0], minlength=len(ladder[0]))
    return Key(
        name=name,
        codes=codes,
        ladder=tuple(np.append(step, -1 if level else 0) for level, step in enumerate(ladder)),
        fixed=fixed,
        worth=_worth([_entropy(step, counts) for step in ladder]),
        lowest=min(lowest, len(ladder) - 1),
    )


def _dense(nodes: Ints) -> Ints:
    return np.asarray(np.unique(nodes, return_inverse=True)[1].ravel())


def _entropy(step: Ints, counts: Ints) -> float:
    """Entropy of the coarser codes, in nats."""
    sums = np.bincount(step, weights=counts)
    shares = sums[sums > 0] / max(1, int(counts.sum()))
    return float(-(shares * np.log(shares)).sum())


def _worth(entropies: list[float]) -> Floats:
    return np.sqrt(np.array(entropies) / max(entropies[-1], 1e-12))


@dataclass(frozen=True, slots=True)
class Coarse:
    """Where the walk ended."""

    levels: Mapping[str, int]
    left: int
    """Records that still lie in classes smaller than k."""


class _Walk:
    """The classes on the finest levels stand for the records; coarser classes are unions of them.

    Every code of every level has a random number of 64 bits, and a record the sum of those of its codes: records of one class have the same sum,
    others hardly ever (one pair in 10¹⁹). So a key is changed without looking at the others, however many there are.
    """

    def __init__(self, keys: Sequence[Key], k: int, units: Ints | None) -> None:
        self.keys = keys
        self.k = k
        self.units = units
        self.levels = {key.name: key.finest for key in keys}
        everyone = np.arange(len(keys[0].codes))
        found = classes(key.at(key.finest, everyone) for key in keys)
        self.records, self.weights, self.finest = first_records(found), found.sizes, found.ids
        looked_at = min(_LOOKED_AT, _LOOKED_AT * _ONE_BY_ONE // len(keys))
        self.some = slice(None, None, max(1, -(-len(self.records) // looked_at)))
        self.sums = np.zeros(len(self.records), dtype=np.uint64)
        for key in keys:
            self.sums += self._signs(key, key.finest)

    def _signs(self, key: Key, level: int, part: slice = _ALL) -> Signs:
        """The random numbers of the records' codes of a key on a level."""
        codes, count = key.at(level, self.records[part])
        drawn = np.random.default_rng([len(key.ladder), level, *key.name.encode()])
        return drawn.integers(2**64, size=count + 1, dtype=np.uint64)[
            codes
        ]  # the last one is that of missing values

    def left(self) -> int:
        """Records in classes of fewer than k records, or units."""
        same = same_numbers(self.sums)
        records = np.bincount(same.ids, weights=self.weights)
        many = (
            records
            if self.units is None
            else class_units(same._replace(ids=same.ids[self.finest]), self.units)
        )
        return int(records[many < self.k].sum())

    def move(self, key: Key, level: int) -> None:
        """Put a key on another level."""
        self.sums += self._signs(key, level) - self._signs(key, self.levels[key.name])
        self.levels[key.name] = level

    def step(self) -> bool:
        """Make the best key one level coarser, of very many keys several at once; False if none can be."""
        open_keys = [key for key in self.keys if not key.fixed and self.levels[key.name] > key.lowest]
        candidates = [key for key in open_keys if self.levels[key.name] > 1] or open_keys
        if not candidates:
            return False
        now = len(same_numbers(self.sums[self.some]).sizes)
        best = sorted(candidates, key=lambda key: -self._gain(key, now))
        for key in best[: -(-len(candidates) // _ONE_BY_ONE)]:
            self.move(key, self.levels[key.name] - 1)
        return True

    def _gain(self, key: Key, now: int) -> float:
        level = self.levels[key.name]
        changed = self._signs(key, level - 1, self.some) - self._signs(key, level, self.some)
        fewer = now - len(same_numbers(self.sums[self.some] + changed).sizes)
        lost = key.worth[level] - key.worth[level - 1]
        return float((fewer + 1e-6) / (lost + 1e-6))

    def give_back(self, allowed: int) -> None:
        """Return levels while the goal still holds, to the keys that lost most first."""
        for key in sorted(self.keys, key=lambda key: key.worth[self.levels[key.name]]):
            while self.levels[key.name] < key.finest:
                self.move(key, self.levels[key.name] + 1)
                if self.left() > allowed:
                    self.move(key, self.levels[key.name] - 1)
                    break


def coarsen(keys: Sequence[Key], k: int, allowed: int, units: Ints | None = None) -> Coarse:
    """Make keys coarser until at most `allowed` records lie in classes smaller than `k`, if that can be: of records, or of the units given."""
    walk = _Walk(keys, k, units)
    while walk.left() > allowed and walk.step():
        pass
    if walk.left() <= allowed:
        walk.give_back(allowed)
    return Coarse(dict(walk.levels), walk.left())
