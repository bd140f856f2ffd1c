"""Columns made from others: the state of a cell follows from the cells it is made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column, States


def states_of(parts: Sequence[Column]) -> States:
    """Missing where a part is missing, else suppressed where one is suppressed."""
    state = np.full(len(parts[0]), OBSERVED, dtype=np.uint8)
    for part in parts:
        state[part.suppressed & (state == OBSERVED)] = SUPPRESSED
    for part in parts:
        state[part.missing] = MISSING
    return state
