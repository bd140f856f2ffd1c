"""What local suppression has to do, as numbers; and the last step of it: small strata are solved exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tarnkappe.data.column import MISSING, MISSING_CODE, SUPPRESSED, SUPPRESSED_CODE, Bools, Floats, Ints
from tarnkappe.data.strata import Strata
from tarnkappe.kernels.classes import classes, first_records
from tarnkappe.kernels.compatible import Key, compatible_counts
from tarnkappe.kernels.local_suppression import Pattern, patterns
from tarnkappe.methods.microdata.suppression_part import Part
from tarnkappe.vocab import Missing, Suppressed

MOST_RECORDS = 1_000
"""Records of strata that are solved exactly, in all; the smallest strata come first."""
Known = Sequence[tuple[int, ...]]
"""The sets of keys of which an attacker may know any one."""


@dataclass(frozen=True)
class Task:
    """Keys as numbers, and what their cells cost."""

    codes: Ints
    """Records × keys: the true values, MISSING_CODE where there is none."""
    before: Bools
    """Cells that were suppressed before."""
    strata: Strata
    k: int
    costs: Callable[[int], Floats]
    """What a suppressed cell of each key costs, for a k."""
    levels: tuple[Floats, ...]
    """Costs that count one after the other, where the order of columns decides."""

    @cached_property
    def missing(self) -> Bools:
        out: Bools = self.codes == MISSING_CODE
        return out

    def among(self, records: Ints) -> Task:
        """With some of the records only."""
        strata = self.strata.among(records)
        return replace(self, codes=self.codes[records], before=self.before[records], strata=strata)

    def sets(self, keys: Sequence[int]) -> list[Pattern]:
        return patterns(len(keys), self.costs(self.k)[list(keys)])

    def fitting(self, hidden: Bools, keys: Sequence[int]) -> Ints:
        """For every person the released records of its stratum that fit its true values of some keys."""
        strata = Key(self.strata.of, None, max(len(self.strata), 1))
        return compatible_counts(
            [strata, *(self._key(hidden, j) for j in keys)], Missing.CATEGORY, Suppressed.ATTACKER
        )

    def _key(self, hidden: Bools, j: int) -> Key:
        state = np.where(self.missing[:, j], MISSING, np.where(hidden[:, j], SUPPRESSED, 0)).astype(np.uint8)
        return Key(self.codes[:, j], state, max(int(self.codes[:, j].max(initial=0)) + 1, 1))

    def alone(self, hidden: Bools) -> Bools:
        """Records whose combination as it is shown, marks included and none missing, stands in fewer than k records."""
        shown = np.where(hidden, SUPPRESSED_CODE, self.codes)
        found = classes([(self.strata.of, len(self.strata)), *((c, int(c.max()) + 1) for c in shown.T)])
        return np.asarray((found.sizes[found.ids] < self.k) & ~self.missing.any(axis=1))

    def unfitted(self, hidden: Bools, known: Known) -> Bools:
        """Persons whom fewer than k released records fit."""
        return np.asarray(np.logical_or.reduce([self.fitting(hidden, keys) < self.k for keys in known]))


def one_of_each(task: Task, units: Ints) -> tuple[Ints, Ints]:
    """One record for all records of a unit with the same keys, in a stratum; and which of these stands for every record."""
    cells = ((c, int(c.max(initial=0)) + 1) for c in task.codes.T)
    hidden = ((c.astype(np.int64), 2) for c in task.before.T)
    own = [(units, int(units.max(initial=0)) + 1), (task.strata.of, len(task.strata))]
    found = classes([*own, *cells, *hidden])
    return first_records(found), found.ids.astype(np.int64)


def most_of_a_unit(task: Task, units: Ints) -> int:
    """The most records that one unit has in a stratum."""
    return int(
        classes([(units, int(units.max(initial=0)) + 1), (task.strata.of, len(task.strata))]).sizes.max(
            initial=1
        )
    )


def cells_of(sets: Sequence[Pattern], found: Ints, keys: int) -> Bools:
    """The cells of every record's pattern."""
    by_number = np.zeros((len(sets) + 1, keys), dtype=np.bool_)
    for pattern in sets:
        by_number[pattern.number, list(pattern.keys)] = True
    out: Bools = by_number[np.maximum(found, 0)]
    return out


def solved_exactly(
    task: Task,
    hidden: Bools,
    cheaper: Callable[[Part, Bools | None], Bools | None],
    unsafe: Callable[[Bools], Bools],
) -> Bools:
    """With what an integer program finds cheaper in small strata, or at all; it is kept where exact counting finds it safe."""
    of, failed = task.strata.of, np.zeros(len(task.strata), dtype=np.bool_)
    if task.strata.sizes.min() > MOST_RECORDS:
        return hidden
    failed[of[unsafe(hidden)]] = True
    found = hidden.copy()
    for stratum in _small(task, hidden, failed):
        records = task.strata.order[task.strata.starts[stratum] : task.strata.starts[stratum + 1]]
        part = Part(task.codes[records], task.before[records], task.k, task.levels)
        better = cheaper(part, None if failed[stratum] else hidden[records])
        found[records] = hidden[records] if better is None else better
    if (found != hidden).any():
        failed[:] = False
        failed[of[unsafe(found)]] = True
    return np.where(failed[of][:, np.newaxis], hidden, found)


def _small(task: Task, hidden: Bools, failed: Bools) -> Ints:
    """Strata in which cells are suppressed or should be, the smallest first, as long as these are not too many records."""
    wanted = failed.copy()
    wanted[task.strata.of[(hidden & ~task.before).any(axis=1)]] = True
    order = np.argsort(np.where(wanted, task.strata.sizes, MOST_RECORDS + 1), kind="stable")
    few = np.cumsum(task.strata.sizes[order]) <= MOST_RECORDS
    return order[few & wanted[order]]
