"""The probabilities of all released records for every person an attacker looks for, without keeping them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.kernels.comparison import Side, side
from tarnkappe.kernels.hit_miss import (
    Errors,
    Found,
    Ratios,
    density,
    frequency,
    of_pairs,
    posterior,
    ratios,
    searched,
)
from tarnkappe.risk.key_scales import Placed
from tarnkappe.risk.outside import Outside


@dataclass(frozen=True, eq=False)
class Sought:
    """What the attacker finds for every person of his file."""

    outside: Outside
    known: Side
    found: Found
    errors: list[Errors]
    right: Floats
    """The chance that the most probable released record is the person's own; ties are shared out."""

    @property
    def compared(self) -> bool:
        """Is there a pair at all?"""
        return bool((self.outside.block_sizes[self.outside.known_block] > 0).any())

    def believed(self, absent: float) -> Floats:
        """The highest posterior probability of every person, who is in no record with probability `absent`."""
        of = self.known.of
        sizes = self.outside.block_sizes[self.outside.known_block]
        return posterior(self.found.highest[of], self.found.total[of], sizes, absent)


def sought(outside: Outside, keys: tuple[Placed, ...], errors: list[Errors]) -> Sought:
    """Search every different known record among the released ones of its block."""
    known = side(np.column_stack([key.known for key in keys]), outside.known_block, outside.blocks)
    released = side(np.column_stack([key.released for key in keys]), outside.released_block, outside.blocks)
    anybody = [_anybody(known.values[:, j], key, errors[j].noise) for j, key in enumerate(keys)]
    parts = ratios(np.column_stack(anybody), errors)
    found = searched(known, released, parts)
    return Sought(outside, known, found, errors, _right(outside, known, released, parts, found))


def _anybody(y: Floats, key: Placed, noise: float) -> Floats:
    return frequency(y, key.released, key.count) if key.count else density(y, key.released, noise)


def _right(outside: Outside, known: Side, released: Side, parts: Ratios, found: Found) -> Floats:
    right, rows = np.zeros(len(outside.known)), np.flatnonzero(outside.findable)
    kind = known.of[rows]
    own = of_pairs(known, kind, released, released.of[outside.truth[rows]], parts)
    ties = np.maximum(found.ties[kind], 1)
    right[rows] = np.where((own == found.highest[kind]) & (own > 0), 1 / ties, 0.0)
    return right
