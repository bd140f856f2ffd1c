"""What somebody gains who looks into the release: how often a record that stands alone with its identifying values is the one sought."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import Units
from tarnkappe.methods.microdata.unit_substitution import kept_units, sharing, shows_own


def right_when_alone(
    before: Microdata, after: Microdata, was: Units, now: Units, names: Sequence[str]
) -> float:
    """Of records, or units, that nobody shares the identifying values with in the release: the share that is matched rightly, on average.

    One that shows values of its own is right with the chance of one over the number that had them before; one that shows those of a donor never.
    """
    alone = np.flatnonzero(sharing(after, now, names) == 1)
    if not len(alone):
        return 0.0
    unit = kept_units(before, after, was)[now.first[alone]]
    own = shows_own(before, after, was, names)[unit]
    return float(np.mean(own / sharing(before, was, names)[unit]))
