"""What is drawn for masks: which cells come first, and where ranges lie.

A range that follows from the values alone tells somebody who runs the program himself which tables lead to it. Which cells
are masked is fixed by their codes and the secret, so that the same ones are masked again in the next period; where a range lies also by
the value of the sum, so that it stays where nothing has changed and is drawn afresh where something has.
"""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.table import Table
from tarnkappe.kernels.drawn_ranges import Draws
from tarnkappe.methods.tables.drawing import draws, draws_of_values
from tarnkappe.randomness import Stream


def at_random(table: Table, stream: Stream, weight: Floats) -> Floats:
    """Ranks of cells such that the highest of any of them is one with a probability in proportion to its weight.

    Source: Efraimidis and Spirakis (2006), algorithm A-ES: the largest u^(1/w), here its logarithm.
    """
    u = draws(table, stream, "order of masks", lasting=True)
    return np.asarray(np.log1p(-u) / weight)


def mask_draws(table: Table, stream: Stream) -> Draws:
    """Four numbers for every cell."""
    more, higher = (draws(table, stream, f"masks: {name}", lasting=True) for name in ("more", "higher"))
    below, above = (draws_of_values(table, stream, f"masks: {name}") for name in ("below", "above"))
    return Draws(more, higher, below, above)
