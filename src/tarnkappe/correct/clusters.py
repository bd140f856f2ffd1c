"""Records whose errors were drawn together: they count as one in standard errors."""

from __future__ import annotations

from tarnkappe.correct.source import Source
from tarnkappe.correct.treatments import Factors, Misclassified, Noise
from tarnkappe.data.column import Ints
from tarnkappe.data.units import units_of


def clusters_of(source: Source) -> Ints | None:
    """The unit of every record, where errors were drawn for the records of a unit together and the release shows units."""
    for story in source.stories.values():
        error = story.error
        alone = isinstance(error, Factors) and error.shared == "nothing"
        unit = error.unit if isinstance(error, Misclassified | Factors | Noise) and not alone else ()
        if unit and all(name in source.data.names for name in unit):
            return units_of(source.data, unit)[0]
    return None
