"""What masking by ranges cost, and how it went step by step. All for the office alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools
from tarnkappe.data.pattern import Pattern, Status


class MaskLoss(NamedTuple):
    """What ranges cost on one level."""

    level: str
    """Names of the levels of all dimensions, joined."""
    cells: int
    masked: int
    width: float
    """Sum of the widths of the ranges, each as a share of its value, of 1 at least."""


def mask_losses(pattern: Pattern) -> tuple[MaskLoss, ...]:
    """Masked cells and relative widths by level, from the total downward (specification of Schenker 2019, 14.5)."""
    table, masked = pattern.table, np.asarray(pattern.status == Status.RANGE)
    wide = np.zeros(len(table))
    if pattern.shown_low is not None and pattern.shown_high is not None:
        wide = (pattern.shown_high - pattern.shown_low) / np.maximum(np.abs(table.value), 1.0)
    levels = np.stack([h.level[table.cells[:, j]] for j, h in enumerate(table.dimensions)], axis=1)
    distinct, which = np.unique(levels, axis=0, return_inverse=True)
    which = which.reshape(-1)
    return tuple(
        MaskLoss(
            " × ".join(h.level_names[n] for h, n in zip(table.dimensions, level, strict=True)), int((which == i).sum()),
            int(masked[which == i].sum()), float(wide[masked & (which == i)].sum()),
        )
        for i, level in enumerate(distinct)
    )  # fmt: skip


def mask_steps(pattern: Pattern) -> dict[str, list[str]]:
    """What every cell shows after each step, by its label: 1, 2a, 2b, … 3a. The last column is what is published."""
    label = np.array([_label(text.en) for text in pattern.reasons], dtype=object)[pattern.reason]
    masked = pattern.status == Status.RANGE
    low, high = (
        pattern.table.value if end is None else end for end in (pattern.shown_low, pattern.shown_high)
    )
    out: dict[str, list[str]] = {}
    seen: Bools = np.zeros(len(pattern.table), dtype=np.bool_)
    for step in sorted(set(label[masked]), key=lambda s: (s[:1], len(s), s)):
        seen |= masked & (label == step)
        out[step] = [
            f"{low[i]:.0f}-{high[i]:.0f}" if seen[i] else f"{pattern.table.value[i]:.0f}"
            for i in range(len(seen))
        ]
    return out


def _label(reason: str) -> str:
    return reason.partition(":")[0]
