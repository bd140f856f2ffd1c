"""Noise that a household, or a unit over its periods, drew several times for one value: the mean comes near the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.seen import Seen
from tarnkappe.language import Text
from tarnkappe.spec import Attack, Source, attack
from tarnkappe.vocab import Role

LEAST_MEMBERS = 3
"""Of fewer values a mean is hardly nearer to the truth than one of them."""
_HOW = Text(
    "the mean of {column!r} over the records with one number in {unit!r}",
    "das Mittel von {column!r} über die Datensätze mit einer Nummer in {unit!r}",
)


@attack(
    "attack.averages-out",
    title=Text("Averaging over a household or unit", "Mitteln über Haushalt oder Einheit"),
    does=Text(
        "Averages numbers over the records of one household or unit, where one true value may have been changed several times.",
        "Mittelt Zahlen über die Datensätze eines Haushalts oder einer Einheit, wo ein wahrer Wert mehrmals verändert worden sein kann.",
    ),
    sources=(
        Source("hoehne2010", "section 2.3: noise averages out over several draws"),
        Source("dav2025", "section 3.3: linked records of one person"),
    ),
    knows=Text(
        "The stranger sees which records belong to one household or unit, and supposes that they shared one true value.",
        "Der Fremde sieht, welche Datensätze zu einem Haushalt oder einer Einheit gehören, und nimmt an, dass sie einen wahren Wert teilten.",
    ),
    helps=Text(
        "Name the household or unit under unit in the step that adds noise, so that it draws once for all its records.",
        "Nennen Sie Haushalt oder Einheit unter unit in dem Schritt, der Rauschen hinzufügt; dann wird für alle ihre Datensätze einmal gezogen.",
    ),
    does_not=(
        Text(
            "look at values that differ between the records of a household or unit",
            "Werte betrachten, die sich zwischen den Datensätzen eines Haushalts oder einer Einheit unterscheiden",
        ),
    ),
    example={},
)
class AveragesOut(Attack):
    """Where the members of a household report one income and each got noise of their own, the mean over the members is nearer to it than any of them.

    For every column of numbers and every released household or unit number, the values of groups of three records or more are averaged. The
    stranger is never sure: he only guesses that the true values were alike. Groups that show a single value have nothing to average.
    """

    def attempt(self, seen: Seen) -> Attempt:
        guesses = [
            guess
            for unit in (*seen.role(Role.HOUSEHOLD), *seen.role(Role.UNIT), *seen.role(Role.OWNER))
            for column in seen.numeric
            if column != unit
            for guess in _averaged(seen, column, unit)
        ]
        return Attempt(sum(len(guess.rows) for guess in guesses), tuple(guesses))


def _averaged(seen: Seen, column: str, unit: str) -> Iterator[Guess]:
    """The mean of every group that has enough different values."""
    values, (groups, count) = seen.columns[column].numbers(), seen.columns[unit].codes()
    there = np.flatnonzero(np.isfinite(values) & (groups >= 0))
    if not len(there):
        return
    of, x = groups[there], values[there]
    size = np.bincount(of, minlength=count)
    spread = _largest(x, of, count) + _largest(-x, of, count)
    used = ((size >= LEAST_MEMBERS) & (spread > 0))[of]
    if used.any():
        mean = (np.bincount(of, x, count) / np.maximum(size, 1))[of[used]]
        sure = np.zeros(len(mean), dtype=np.bool_)
        yield Guess(column, there[used], mean, mean, sure, _HOW.filled(column=column, unit=unit))


def _largest(x: Floats, of: Ints, count: int) -> Floats:
    out = np.full(count, -np.inf)
    np.maximum.at(out, of, x)
    return out
