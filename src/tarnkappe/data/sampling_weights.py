"""How many persons of the population every record of a sample stands for."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.risk import PopulationNeeded, WeightsNotPositive
from tarnkappe.language import Text, same
from tarnkappe.vocab import Role

_HINT = Text(
    "Give a column the role weight, or give the size of the population.",
    "Geben Sie einer Spalte die Rolle weight oder nennen Sie die Größe der Grundgesamtheit.",
)


def weights_of(data: Microdata, who: str) -> Floats:
    """The weights of the records; each must be above 0."""
    names = data.role(Role.WEIGHT)
    if not names:
        raise PopulationNeeded(who=same(who), hint=_HINT)
    weights = data.column(names[0]).numbers()
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(wrong):
        raise WeightsNotPositive(name=names[0], count=len(wrong), first=data.record(wrong[0]))
    return weights
