"""Checks of an attack on a finished release, run on releases of all shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from tarnkappe.data.guess import Attempt, CellGuess, Guess
from tarnkappe.data.seen import Seen
from tarnkappe.language import Text
from tarnkappe.spec import Attack, Declared
from tarnkappe.testing.declarations import example
from tarnkappe.testing.example import example_data
from tarnkappe.testing.measures import protected
from tarnkappe.testing.telling import assert_silent, attempt, bytes_of
from tarnkappe.testing.variants import marked, variants


def made(cls: type[Declared]) -> Attack:
    return cast("Attack", example(cls))


def attempted(cls: type[Declared], seen: Seen) -> Attempt:
    """What came of an attack, with what must be true of every attempt checked."""
    found = made(cls).attempt(seen)
    assert found.tried >= 0, f"{cls.id}: tried fewer than none"
    for guess in found.guesses:
        _whole(cls, guess, seen)
    return found


def _whole(cls: type[Declared], guess: Guess | CellGuess, seen: Seen) -> None:
    places = guess.cells if isinstance(guess, CellGuess) else guess.rows
    size = (
        {table.name: len(table) for table in seen.tables}[guess.table]
        if isinstance(guess, CellGuess)
        else seen.records
    )
    lengths = {len(places), len(guess.low), len(guess.high), len(guess.sure)}
    assert len(lengths) == 1, f"{cls.id}: not one answer per place"
    assert ((places >= 0) & (places < size)).all(), f"{cls.id}: guesses at places that are not there"
    known = np.isfinite(guess.low) & np.isfinite(guess.high)
    assert (guess.low[known] <= guess.high[known]).all(), f"{cls.id}: interval upside down"
    assert guess.how.en, f"{cls.id}: does not say how"


def nothing_seen_nothing_guessed(cls: type[Declared]) -> None:
    """Without records and tables there is nothing to attack."""
    assert attempted(cls, Seen()).guesses == (), f"{cls.id}: guesses without seeing anything"


def an_unprotected_file_is_no_riddle(cls: type[Declared]) -> None:
    """On the example, as it is and protected, an attempt comes to its end and can be repeated."""
    for data in (example_data(), protected(example_data())):
        seen = Seen(data.sealed())
        one, two = (attempt(_attempts(cls, seen), f"{cls.id}: example") for _ in range(2))
        assert isinstance(one, Attempt), f"{cls.id}: refuses its example: {one}"
        assert isinstance(two, Attempt), f"{cls.id}: refuses its example the second time: {two}"
        assert (one.tried, one.answers, one.sure) == (two.tried, two.answers, two.sure), (
            f"{cls.id}: another result"
        )


def release_is_left_alone(cls: type[Declared]) -> None:
    """Not a byte of what is seen changes."""
    data = example_data()
    was = bytes_of(data)
    attempted(cls, Seen(data))
    assert bytes_of(data) == was, f"{cls.id}: changes what it sees"


def variants_give_an_attempt(cls: type[Declared]) -> None:
    """Empty, one record, constant, missing, huge …: always an attempt, never an error."""
    for name, data in variants().items():
        found = attempt(_attempts(cls, Seen(data.sealed())), f"{cls.id} on data that is {name}")
        assert isinstance(found, Attempt), f"{cls.id} refuses data that is {name}: {found}"


def nothing_of_the_data_is_told(cls: type[Declared]) -> None:
    """How it was done is said without a value."""
    for name, data in variants(marked()).items():
        found = attempted(cls, Seen(data.sealed()))
        words = [text for guess in found.guesses for text in _words(guess.how)] + list(
            _words(found.could_not)
        )
        assert_silent("\n".join(words), f"{cls.id} on marked data that is {name}")


def _words(text: Text) -> tuple[str, str]:
    return text.en, text.de


def _attempts(cls: type[Declared], seen: Seen) -> Callable[[], Attempt]:
    return lambda: attempted(cls, seen)
