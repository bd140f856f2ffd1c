"""What a stranger says of originals after an attack: intervals or words, and of which of them he is sure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints, Strings
from tarnkappe.language import NOTHING, Text


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """What the original column held in some released records: numbers from `low` to `high`, or `texts`."""

    column: str
    """A column of the original; it need not be in the release."""
    rows: Ints
    """Places of the records in the released data."""
    low: Floats
    high: Floats
    sure: Bools
    """Where the stranger is certain: nothing else fits what he sees."""
    how: Text
    """Which columns or facts he put together, in words and without a value."""
    texts: Strings | None = None
    """For categories: the words; `low` and `high` say nothing then."""

    @classmethod
    def of_texts(cls, column: str, rows: Ints, texts: Strings, sure: Bools, how: Text) -> Guess:
        """The words that stood in some cells."""
        none = np.full(len(rows), np.nan)
        return cls(column, rows, none, none, sure, how, texts)


@dataclass(frozen=True, slots=True, eq=False)
class CellGuess:
    """What the true values of some cells of a published table are: from `low` to `high`."""

    table: str
    cells: Ints
    """Positions of the cells, as they are published."""
    low: Floats
    high: Floats
    sure: Bools
    how: Text


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """What came of one attack."""

    tried: int
    """How many values, records or cells were attacked; 0 where there was nothing to attack."""
    guesses: tuple[Guess | CellGuess, ...] = ()
    could_not: Text = NOTHING
    """What was not tried, and why."""

    @property
    def answers(self) -> int:
        return sum(len(guess.sure) for guess in self.guesses)

    @property
    def sure(self) -> int:
        return sum(int(np.count_nonzero(guess.sure)) for guess in self.guesses)
