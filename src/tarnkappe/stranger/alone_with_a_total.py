"""Totals of households, owners or units that a single member makes up: the total is the member's value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.seen import Seen
from tarnkappe.language import Text
from tarnkappe.spec import Attack, Source, attack
from tarnkappe.vocab import Role

NEARLY = 0.95
"""In so many households with several members a column must show one value for all, to be taken for one of the household."""
_HOW = Text(
    "{total!r} stands for all records with one {unit!r}; where only one of them has a value of {column!r}, it is that",
    "{total!r} steht für alle Datensätze mit einer {unit!r}; wo nur einer davon einen Wert in {column!r} hat, ist es dieser",
)


@attack(
    "attack.alone-with-a-total",
    title=Text("Totals of a single member", "Summen eines einzigen Mitglieds"),
    does=Text(
        "Takes the total of a household, owner or unit for the value of its only member, or of the only one who has any.",
        "Nimmt die Summe eines Haushalts, Eigentümers oder einer Einheit für den Wert des einzigen Mitglieds oder des einzigen, das einen hat.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1: the suppressed information must not follow from the other variables"),
        Source("dav2025", "section 3.3.2: dependent variables"),
    ),
    knows=Text(
        "The stranger sees which records belong to one household, owner or unit, and which numbers all of them have in common.",
        "Der Fremde sieht, welche Datensätze zu einem Haushalt, Eigentümer oder einer Einheit gehören und welche Zahlen allen gemeinsam sind.",
    ),
    helps=Text(
        "Mask or drop the total of the household, owner or unit as well, or make it anew from masked values. Where a dropped column is merely "
        "redundant, say so (accept: what: computed, columns: …, reason: …).",
        "Maskieren oder entfernen Sie auch die Summe des Haushalts, Eigentümers oder der Einheit, oder bilden Sie sie aus maskierten Werten neu. Ist "
        "eine entfernte Spalte nur entbehrlich, so sagen Sie das (accept: what: computed, columns: …, reason: …).",
    ),
    does_not=(
        Text(
            "solve for members of households in which several have a value",
            "nach Mitgliedern von Haushalten auflösen, in denen mehrere einen Wert haben",
        ),
    ),
    example={},
)  # fmt: skip
class AloneWithATotal(Attack):
    """The income of a household of one person is that person's income, whatever was done to the latter.

    Every released number that is the same for all records of a household, owner or unit is held against every number that a step changed or dropped. In
    households with one record, and in those where all others show zero, the first is the guess for the second. The stranger is not sure: he does not know which
    numbers are totals of which.
    """

    def attempt(self, seen: Seen) -> Attempt:
        units = {*seen.role(Role.HOUSEHOLD), *seen.role(Role.OWNER), *seen.role(Role.UNIT)}
        guesses = [
            guess
            for unit in sorted(units)
            for guess in _of_unit(seen, unit, [name for name in _hidden(seen) if name not in units])
        ]
        return Attempt(sum(len(guess.rows) for guess in guesses), tuple(guesses))


def _hidden(seen: Seen) -> list[str]:
    """Numbers that steps changed, and columns that they removed."""
    changed = {name for fact in seen.facts for name in fact.columns if name in seen.numeric}
    told = [fact.told.get("removed", ()) for fact in seen.facts]
    removed = {str(name) for names in told if isinstance(names, (list, tuple)) for name in names}
    return sorted(changed | (removed - set(seen.columns)))


def _of_unit(seen: Seen, unit: str, hidden: list[str]) -> Iterator[Guess]:
    codes, count = seen.columns[unit].codes()
    of: Ints = np.asarray(codes, dtype=np.int64)
    if not hidden or not (of >= 0).any():
        return
    alone = {name: _alone(seen, name, of, count) for name in hidden}
    for total in seen.numeric:
        values = seen.columns[total].numbers()
        if total == unit or not _in_common(values, of, count):
            continue
        for name in hidden:
            rows = np.flatnonzero(alone[name] & np.isfinite(values))
            if name != total and len(rows):
                x = values[rows]
                how = _HOW.filled(total=total, unit=unit, column=name)
                yield Guess(name, rows, x, x, np.zeros(len(rows), dtype=np.bool_), how)


def _alone(seen: Seen, name: str, of: Ints, count: int) -> Bools:
    """Records that are the only one of their unit, or the only one that does not show zero."""
    shown = seen.columns.get(name)
    known = of >= 0
    counts = known if shown is None else known & ~(shown.observed & (shown.numbers() == 0))
    several = np.bincount(of[counts], minlength=count)
    return np.asarray(counts & (several[np.maximum(of, 0)] == 1))


def _in_common(values: Floats, of: Ints, count: int) -> bool:
    """Whether nearly all units with several records show one value, and units differ."""
    there = np.flatnonzero((of >= 0) & np.isfinite(values))
    if not len(there):
        return False
    x, unit = values[there], of[there]
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, unit, x)
    np.maximum.at(high, unit, x)
    several = np.bincount(unit, minlength=count) > 1
    if not several.any():
        return False
    return float((low == high)[several].mean()) >= NEARLY and float(np.ptp(x)) > 0
