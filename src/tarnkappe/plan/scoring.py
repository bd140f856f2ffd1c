"""What a stranger's guesses are worth where the truth is known: how many are right, and how many chance alone would make right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Column, Floats, Ints, Strings
from tarnkappe.data.guess import Attempt, CellGuess, Guess
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern

SHIFTS = 8
"""So often guesses are held against the truth of other records, to see what chance does."""
Values = NDArray[Any]
Right = Callable[[Values], Bools]
EXACT = 1e-9
"""Numbers that differ by less, relatively, are the same number."""


@dataclass(frozen=True, slots=True)
class Score:
    """The guesses of one attack, counted over values that the release does not show."""

    answers: int = 0
    right: int = 0
    by_chance: float = 0.0
    """So many would be right if the true values stood in other records."""
    sure: int = 0
    sure_right: int = 0
    sure_by_chance: float = 0.0

    def __add__(self, other: Score) -> Score:
        mine, theirs = (
            (s.answers, s.right, s.by_chance, s.sure, s.sure_right, s.sure_by_chance) for s in (self, other)
        )
        return Score(*(a + b for a, b in zip(mine, theirs, strict=True)))  # type: ignore[arg-type] # counts stay counts

    @property
    def share(self) -> float:
        """The share of answers that are right beyond chance."""
        return _beyond(self.right, self.by_chance, self.answers)

    @property
    def sure_share(self) -> float:
        """The same among those of which the stranger is sure."""
        return _beyond(self.sure_right, self.sure_by_chance, self.sure)


def _beyond(right: int, chance: float, answers: int) -> float:
    """(right − chance)/(answers − chance), and 0 where chance explains it: within three standard deviations of it."""
    if right <= chance + 3 * np.sqrt(chance):
        return 0.0
    return float((right - chance) / max(answers - chance, 1.0))


@dataclass(frozen=True, eq=False)
class Truth:
    """The originals, and what the release shows of them."""

    before: Microdata
    after: Microdata
    patterns: Mapping[str, Pattern]
    """Protected tables by their names."""
    redundant: Collection[str] = ()
    """Columns that the plan drops as redundant, with a reason: that others tell them is no news."""

    def score(self, attempt: Attempt, close: float) -> Score:
        """Count the guesses that are right: the truth lies in the interval, and that is not wider than a share of the truth."""
        total = Score()
        for guess in attempt.guesses:
            total += self._cells(guess) if isinstance(guess, CellGuess) else self._records(guess, close)
        return total

    def _records(self, guess: Guess, close: float) -> Score:
        places = self._places[guess.rows]
        known = np.flatnonzero(places >= 0)
        given_up = guess.column in self.redundant and guess.column not in self.after.columns
        if guess.column not in self.before.columns or given_up or not len(known):
            return Score()
        original, at = self.before.columns[guess.column], places[known]
        shown = self.after.columns.get(guess.column)
        if guess.texts is not None:
            words = original.texts()
            return _texts(guess, known, _Sought(words, at), _shown_texts(shown, guess.rows[known]))
        if not original.kind.is_number:
            return Score()
        return _numbers(
            guess, known, _Sought(original.numbers(), at), _shown(shown, guess.rows[known]), close
        )

    @cached_property
    def _places(self) -> Ints:
        """Where every released record stands in the original; -1 for those that a method made."""
        place = np.full(max(int(self.before.rows.max(initial=-1)) + 1, 1), -1, dtype=np.int64)
        place[self.before.rows] = np.arange(len(self.before))
        rows = self.after.rows
        ours = (rows >= 0) & (rows < len(place))
        return np.where(ours, place[np.where(ours, rows, 0)], -1)

    def _cells(self, guess: CellGuess) -> Score:
        """A cell is given back if what is left is narrower than the protection it needs; where nothing is needed, if it is exact."""
        pattern = self.patterns.get(guess.table)
        if pattern is None:
            return Score()
        truth = pattern.table.value[guess.cells]
        wanted = np.maximum(pattern.lower + pattern.upper, pattern.span)[guess.cells]
        slack = EXACT * np.maximum(np.abs(truth), 1.0)
        narrow = guess.high - guess.low < np.maximum(wanted, 2 * slack) - slack
        holds = (guess.low - slack <= truth) & (truth <= guess.high + slack)
        counted = pattern.primary[guess.cells]
        right, sure = holds & narrow & counted, guess.sure & counted
        return Score(
            int(counted.sum()), int(right.sum()), 0.0, int(sure.sum()), int((right & sure).sum()), 0.0
        )


def _shown(column: Column | None, rows: Ints) -> Floats:
    if column is None or not column.kind.is_number:
        return np.full(len(rows), np.nan)
    return column.numbers()[rows]


def _shown_texts(column: Column | None, rows: Ints) -> Strings:
    return np.full(len(rows), None, dtype=object) if column is None else column.texts()[rows]


@dataclass(frozen=True, slots=True, eq=False)
class _Sought:
    """The true values of a column, and the places of those that are guessed."""

    column: Values
    at: Ints

    @property
    def truth(self) -> Values:
        return self.column[self.at]

    def among(self, counted: Bools) -> _Sought:
        return _Sought(self.column, self.at[counted])

    def others(self) -> list[Values]:
        """Values that other records of the file have: the guessed ones may all have the same."""
        n = len(self.column)
        shifts = sorted({n * i // (SHIFTS + 1) for i in range(1, SHIFTS + 1)} - {0})
        return [self.column[(self.at + shift) % n] for shift in shifts]


def _numbers(guess: Guess, known: Ints, sought: _Sought, shown: Floats, close: float) -> Score:
    """Values that the release shows as they are, or as nearly as the guess, are not counted: nothing is given back there."""
    low, high, sure, truth = guess.low[known], guess.high[known], guess.sure[known], sought.truth
    near = np.maximum(close * np.abs(truth), EXACT)
    hidden = np.isfinite(truth) & ~(np.abs(shown - truth) <= near)
    low, high, sure = low[hidden], high[hidden], sure[hidden]

    def right(values: Floats) -> Bools:
        width = close * np.abs(values)
        slack = np.maximum(EXACT * np.abs(values), width / 2)
        return (
            (low - slack <= values) & (values <= high + slack) & (high - low <= 2 * np.maximum(width, EXACT))
        )

    return _counted(sought.among(hidden), right, sure)


def _texts(guess: Guess, known: Ints, sought: _Sought, shown: Strings) -> Score:
    """Words that the release hides, and those that the stranger takes for changed though they are not: there he is wrong."""
    assert guess.texts is not None, "words were guessed"
    words, sure, truth = guess.texts[known], guess.sure[known], sought.truth
    counted = np.asarray((truth != None) & ((shown != truth) | (words != shown)), dtype=np.bool_)  # noqa: E711 - element by element
    words = words[counted]
    return _counted(
        sought.among(counted), lambda values: np.asarray(words == values, dtype=np.bool_), sure[counted]
    )


def _counted(sought: _Sought, right: Right, sure: Bools) -> Score:
    """Hits on the true values and, as the share of chance, on those of other records."""
    n = len(sought.at)
    if not n:
        return Score()
    hit = right(sought.truth)
    others = [right(values) for values in sought.others()]
    chance = float(np.mean([other.sum() for other in others])) if others else 0.0
    sure_chance = float(np.mean([(other & sure).sum() for other in others])) if others else 0.0
    return Score(n, int(hit.sum()), chance, int(sure.sum()), int((hit & sure).sum()), sure_chance)
