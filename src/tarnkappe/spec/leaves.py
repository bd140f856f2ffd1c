"""What a method leaves of the columns it treats, for those who analyse them."""

from __future__ import annotations

from enum import StrEnum


class Leaves(StrEnum):
    """Whether an estimate from the columns has to be corrected."""

    OTHER_VALUES = "other values"
    """Values are changed: an estimate needs a correction made for the method."""
    VALUES = "values"
    """What is still there is as it was."""
    GAPS = "gaps"
    """Cells are emptied; what is still shown is as it was."""
    COARSER = "coarser"
    """Categories are coarser and true."""
    EXCHANGED = "exchanged"
    """A column by itself has the values it had, at other records."""
    DERIVED = "derived"
    """Columns are made from others, and as true as those were."""

    @property
    def true(self) -> bool:
        """What is shown is true, at most less of it."""
        return self in (Leaves.VALUES, Leaves.GAPS, Leaves.COARSER)
