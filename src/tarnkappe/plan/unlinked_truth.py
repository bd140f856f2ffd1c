"""Scoring guesses where nobody says which released record is whose: against all originals that agree in the columns no step touched.

A guess counts as right where one of the originals that could be behind a record has the value. Where a single one could, that is exact; where
several could, it is an upper bound, and so is the part of chance that it is held against.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.microdata import Microdata
from tarnkappe.plan.scoring import EXACT, SHIFTS, Score


@dataclass(frozen=True, eq=False)
class UnlinkedTruth:
    """The originals, the released records, and the columns by which they are compared."""

    before: Microdata
    after: Microdata
    untouched: tuple[str, ...]

    def score(self, attempt: Attempt, close: float) -> Score:
        """Count the guesses on records; cells of tables have no truth here."""
        mine, theirs = self._groups
        total = Score()
        for guess in attempt.guesses:
            if isinstance(guess, Guess) and guess.column in self.before.columns:
                total += self._judged(guess, mine, theirs, close)
        return total

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """The group of every released record and of every original: those that agree in all columns no step touched."""
        n = len(self.after)
        joint = np.zeros(n + len(self.before), dtype=np.int64)
        for name in self.untouched:
            both = np.concatenate([_words(self.after.columns[name]), _words(self.before.columns[name])])
            codes = np.unique(both, return_inverse=True)[1]
            joint = np.unique(joint * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
        return joint[:n], joint[n:]

    def _judged(self, guess: Guess, mine: Ints, theirs: Ints, close: float) -> Score:
        found = self._texts(guess, theirs) if guess.texts is not None else self._numbers(guess, theirs, close)
        if found is None:
            return Score()
        hidden, low, high, keys = found
        of, sure = mine[guess.rows][hidden], guess.sure[hidden]
        n = len(of)
        if not n:
            return Score()
        hit = keys.hold(of, low, high)
        shifts = sorted({n * i // (SHIFTS + 1) for i in range(1, SHIFTS + 1)} - {0})
        others = [keys.hold(np.roll(of, shift), low, high) for shift in shifts]
        chance = float(np.mean([o.sum() for o in others])) if others else 0.0
        sure_chance = float(np.mean([(o & sure).sum() for o in others])) if others else 0.0
        return Score(n, int(hit.sum()), chance, int(sure.sum()), int((hit & sure).sum()), sure_chance)

    def _numbers(self, guess: Guess, theirs: Ints, close: float) -> tuple[Bools, Ints, Ints, _Held] | None:
        """Narrow guesses at values that the release does not show as nearly itself."""
        column = self.before.columns[guess.column]
        if not column.kind.is_number:
            return None
        middle = (guess.low + guess.high) / 2
        near = np.maximum(close * np.abs(middle) / 2, EXACT)
        shown = self.after.columns.get(guess.column)
        visible = np.full(len(guess.rows), np.nan)
        if shown is not None and shown.kind.is_number:
            visible = shown.numbers()[guess.rows]
        hidden = (guess.high - guess.low <= 2 * near) & ~(np.abs(visible - middle) <= near)
        truth = column.numbers()
        known = np.unique(truth[np.isfinite(truth)])
        low = np.searchsorted(known, (guess.low - near)[hidden], "left")
        high = np.searchsorted(known, (guess.high + near)[hidden], "right") - 1
        return hidden, low, high, _Held.of(theirs, np.isfinite(truth), truth, known)

    def _texts(self, guess: Guess, theirs: Ints) -> tuple[Bools, Ints, Ints, _Held] | None:
        assert guess.texts is not None, "words were guessed"
        shown = self.after.columns.get(guess.column)
        visible = np.full(len(guess.rows), "", dtype=object) if shown is None else _words(shown)[guess.rows]
        said = guess.texts.astype(str)
        hidden = np.asarray(visible.astype(str) != said)
        truth = _words(self.before.columns[guess.column]).astype(str)
        known = np.unique(truth)
        low = np.searchsorted(known, said[hidden], "left")
        high = np.searchsorted(known, said[hidden], "right") - 1
        return hidden, low, high, _Held.of(theirs, np.ones(len(truth), dtype=np.bool_), truth, known)


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Which values the originals of every group have, as sorted keys: group, then rank of the value."""

    keys: Ints
    ranks: int

    @staticmethod
    def of(groups: Ints, there: Bools, values: Floats, known: Floats) -> _Held:
        ranks = len(known) + 1
        return _Held(np.unique(groups[there] * ranks + np.searchsorted(known, values[there])), ranks)

    def hold(self, groups: Ints, low: Ints, high: Ints) -> Bools:
        """Whether a group has a value from one rank to another."""
        first = np.searchsorted(self.keys, groups * self.ranks + low, "left")
        last = np.searchsorted(self.keys, groups * self.ranks + high, "right")
        return np.asarray((last > first) & (high >= low))


def _words(column: Column) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """What is shown of every cell; an empty one is a word of its own."""
    texts = column.texts()
    return np.where(texts == None, "", texts).astype(object)  # noqa: E711 - element by element
