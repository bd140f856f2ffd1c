"""Records whose errors were drawn together: they count as one in standard errors."""

from __future__ import annotations

from tarnkappe.correct.source import Source
from tarnkappe.correct.treatments import Factors, Misclassified
from tarnkappe.data.column import Ints
from tarnkappe.data.units import units_of


def clusters_of(source: Source) -> Ints | None:
    """The unit of every record, where one error was drawn for all records of a unit and the release shows units."""
    for story in source.stories.values():
        error = story.error
        drawn = isinstance(error, Misclassified) or (isinstance(error, Factors) and error.shared != "nothing")
        unit = error.unit if drawn and isinstance(error, Misclassified | Factors) else ()
        if unit and all(name in source.data.names for name in unit):
            return units_of(source.data, unit)[0]
    return None
