"""Who stands behind the figures of a stratum: a check that methods which keep or show such figures share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.microdata import Microdata


def enough_in_strata(data: Microdata, cells: Bools, of: Ints, needed: int, unit: Sequence[str] = ()) -> bool:
    """In every stratum the records with these cells are those of enough contributors, or there are none; a unit that is named counts once."""
    stratum, who = of[cells], contributor_codes(data, unit)[cells]
    order = np.lexsort((who, stratum))
    a, b = stratum[order], who[order]
    another = np.append(True, (a[1:] != a[:-1]) | (b[1:] != b[:-1]))[: len(a)]
    people = np.bincount(a[another])
    return bool(np.all((people == 0) | (people >= needed)))
