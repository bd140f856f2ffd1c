"""What receivers are told of suppressed cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tarnkappe.data.contributors import contributors
from tarnkappe.data.microdata import Microdata
from tarnkappe.spec.told_figures import counted

ENOUGH = 3
"""The cells of fewer contributors are not counted for receivers."""


def cells_lost(before: Microdata, after: Microdata, names: Iterable[str]) -> Mapping[str, int]:
    """How many suppressed cells each column has in all, unless they are of one or two contributors."""
    was = before.aligned_to(after)
    hidden = {name: after.column(name).suppressed for name in names}
    lost = {n: int(np.count_nonzero(h)) for n, h in hidden.items() if contributors(was, h) >= ENOUGH}
    told: Mapping[str, int] = counted(lost)
    return told
