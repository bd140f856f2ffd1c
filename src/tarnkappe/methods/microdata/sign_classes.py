"""Negative values, zeros and positive values as files of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.strata import Strata
from tarnkappe.kernels.classes import classes


def by_sign(blocks: Strata, columns: Sequence[Floats]) -> Strata:
    """Blocks in which all values of a column have one sign; source: hoehne2010, 3.3.2 (sign classes and structural zeros)."""
    signs = (np.sign(column).astype(np.int64) + 1 for column in columns)
    found = classes([(blocks.of.astype(np.int64), len(blocks)), *((sign, 3) for sign in signs)])
    return Strata(found.ids, found.sizes)
