"""What imputation learns from and for: the parts of a file, and means and most frequent values of groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.kernels.imputation import cell_donors, left_out
from tarnkappe.kernels.standard import power_scale
from tarnkappe.randomness import Stream

ENOUGH = 3
"""Of two contributors a mean tells each the other, and a donor is known."""
NO_GROUP = -1
Estimate = Callable[[NDArray[Any], Ints, Ints, Ints], NDArray[Any]]
"""(values, groups of the wanted records, groups of those to learn from, their places) -> estimates."""


class Part(NamedTuple):
    """A stratum: the records to learn from and those to be imputed, each in the order of the file."""

    known: Ints
    wanted: Ints

    @property
    def own(self) -> Ints | None:
        """The places of the wanted records among the known ones; either all of them are known or none is."""
        at = np.searchsorted(self.known, self.wanted)
        found = np.array_equal(self.known[np.minimum(at, len(self.known) - 1)], self.wanted)
        return np.asarray(at) if found else None

    def again(self, generator: np.random.Generator) -> Part:
        """Other records to learn from, drawn with replacement (the approximate Bayesian bootstrap); the same where all are imputed."""
        if self.own is not None:
            return self
        return Part(np.sort(generator.choice(self.known, len(self.known))), self.wanted)

    def donors(self, groups: Ints, who: Ints, stream: Stream) -> Ints:
        """For every wanted record another one, of its group where that gives nothing away."""
        shared = self.shared(groups, who)
        known, wanted = groups[self.known], np.where(shared, groups[self.wanted], NO_GROUP)
        donors: Ints = self.known[cell_donors(known, wanted, self.own, stream.generator)]
        return donors

    def estimates(self, of: Estimate, values: NDArray[Any], groups: Ints, who: Ints) -> NDArray[Any]:
        """What the groups of the wanted records have in common; where all are wanted, groups of too few contributors get what the others have.

        Estimates from the other records only would give the own value back where all are imputed: means of the others add up to the sum of
        all, and in a group that is tied between two values each record would show the one that it does not have.
        """
        shared = self.shared(groups, who)
        learn = self.known[shared] if self.own is not None and shared.any() else self.known
        return of(values, np.where(shared, groups[self.wanted], NO_GROUP), groups[learn], learn)

    def shared(self, groups: Ints, who: Ints) -> Bools:
        """For every wanted record, whether its group may be used: where all are imputed only one of enough contributors."""
        if self.own is None:
            return np.ones(len(self.wanted), dtype=np.bool_)
        group, radix = groups[self.known], int(who.max()) + 1
        people = np.bincount(np.unique(group * radix + who[self.known]) // radix)
        large: Bools = (people >= ENOUGH)[group]
        return large


def left_out_of(parts: list[Part], estimate: Callable[[Ints, Ints], NDArray[Any]]) -> NDArray[Any]:
    """Estimates of the known records of all strata, each from others of its stratum."""
    return np.concatenate([left_out(part.known, estimate) for part in parts])


def scaled(values: Floats) -> tuple[Floats, float]:
    """Numbers that can be squared, and what they were divided by."""
    scale = float(power_scale(np.nan_to_num(values)))
    return values / scale, scale


def means(y: Floats, wanted: Ints, known: Ints, learn: Ints) -> Floats:
    """The mean of each wanted group over the records to learn from; of all of these where it has none."""
    size = int(max(known.max(), wanted.max(initial=0))) + 1
    sums, counts = np.bincount(known, y[learn], size), np.bincount(known, minlength=size)
    there = (wanted != NO_GROUP) & (counts[wanted] > 0)
    return np.where(there, sums[wanted] / np.maximum(counts[wanted], 1), y[learn].mean())


def modes(codes: Ints, wanted: Ints, known: Ints, learn: Ints) -> Ints:
    """The most frequent value of each wanted group over the records to learn from; of all of these where it has none."""
    size = int(codes.max()) + 1
    pairs, counts = np.unique(known * size + codes[learn], return_counts=True)
    order = np.lexsort((pairs, counts, pairs // size))
    group, code = pairs[order] // size, pairs[order] % size
    last = np.searchsorted(group, wanted, "right") - 1
    there = (last >= 0) & (group[last] == wanted)
    return np.where(there, code[last], int(np.bincount(codes[learn]).argmax()))
