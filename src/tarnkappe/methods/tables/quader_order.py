"""In which order cells are looked at: large ones first, and those near each other together, so that memory is read once."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.kernels.cuboids import Lattice


def doublings(amount: Floats) -> Floats:
    """Amounts of about the same size have the same number; -inf for nothing."""
    with np.errstate(divide="ignore"):
        return np.floor(np.log2(amount))


def neighbourhood(lattice: Lattice, rows: Ints) -> Ints:
    """The sum one step above every cell in all dimensions: cells below it are corners of the same cuboids."""
    above = rows.copy()
    for j in range(lattice.up.shape[1]):
        parent = lattice.up[above, j]
        above = np.where(parent >= 0, parent, above)
    return above
