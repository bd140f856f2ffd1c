"""Suppressed cells that other records or columns of the release tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.seen import Seen
from tarnkappe.language import Text
from tarnkappe.spec import Attack, Source, attack
from tarnkappe.vocab import Role

NEARLY = 0.95
"""In so many households or units a value must be one for all, for the stranger to guess it where it is suppressed."""
BY_CHANCE = np.log(1e-6)
"""So unlikely, as a logarithm, it must be that records agree by chance."""
_HOW = Text(
    "suppressed cells of {column!r} stand in other records with the same {by!r}",
    "unterdrückte Zellen von {column!r} stehen in anderen Datensätzen mit demselben {by!r}",
)


@attack(
    "attack.fill-in",
    title=Text("Filling in suppressed cells", "Ergänzen unterdrückter Zellen"),
    does=Text(
        "Fills suppressed cells with what co-members of a household, other periods of a unit, or another column tell.",
        "Ergänzt unterdrückte Zellen um das, was andere Mitglieder eines Haushalts, andere Perioden einer Einheit oder eine andere Spalte verraten.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1: the suppressed information must not follow from the other variables"),
        Source("dav2025", "section 3.2.2, cell suppression; section 3.3.2, dependent variables"),
    ),
    knows=Text(
        "The stranger sees which records agree in a column, and that all of them that show another one show the same there.",
        "Der Fremde sieht, welche Datensätze in einer Spalte übereinstimmen und dass alle, die eine andere zeigen, dort dasselbe zeigen.",
    ),
    helps=Text(
        "Give households and units their roles and let microdata.local-suppression suppress: it takes what belongs together as one. Or drop the column "
        "that tells the other.",
        "Geben Sie Haushalten und Einheiten ihre Rollen und lassen Sie microdata.local-suppression unterdrücken: Es nimmt, was zusammengehört, als eines. Oder "
        "entfernen Sie die Spalte, die die andere verrät.",
    ),
    does_not=(
        Text(
            "put two columns together, but for the household and its period",
            "zwei Spalten zusammennehmen, außer dem Haushalt und seiner Periode",
        ),
        Text(
            "guess values that were changed and not suppressed",
            "Werte raten, die verändert und nicht unterdrückt wurden",
        ),
    ),
    example={},
)  # fmt: skip
class FillIn(Attack):
    """What is suppressed in one record is read off another.

    For every column with suppressed cells all other columns are tried. Where the records that agree in one of them always show one value of the first, and
    too often for chance, suppressed cells are filled with the value that others of the same group show; of that the stranger is sure. The number of
    records of a household is tried like a column: it tells its size. Of households and
    units (roles `household` and `unit`) he also guesses where nearly all show one value each.
    """

    def attempt(self, seen: Seen) -> Attempt:
        hidden = {n: np.flatnonzero(c.suppressed) for n, c in seen.columns.items() if c.suppressed.any()}
        groups = dict(_groups(seen)) if hidden else {}
        guesses = [
            guess
            for name, rows in hidden.items()
            for by, group in groups.items()
            if name not in group.columns
            for guess in _read_off(seen.columns[name], rows, name, by, group)
        ]
        return Attempt(sum(len(rows) for rows in hidden.values()), tuple(guesses))


class _Group(NamedTuple):
    """Records that agree in what is shown; -1 where it is not."""

    of: Ints
    columns: tuple[str, ...]
    unit: bool


def _groups(seen: Seen) -> Iterator[tuple[str, _Group]]:
    units = {*seen.role(Role.HOUSEHOLD), *seen.role(Role.UNIT)}
    codes = {name: _numbered(column) for name, column in seen.columns.items()}
    for name, of in codes.items():
        yield name, _Group(of, (name,), name in units)
    for home in seen.role(Role.HOUSEHOLD):
        yield f"n({home})", _Group(_members(codes[home]), (home,), unit=False)
        for period in seen.role(Role.PERIOD):
            both = np.unique(np.column_stack([codes[home], codes[period]]), axis=0, return_inverse=True)[1]
            known = (codes[home] >= 0) & (codes[period] >= 0)
            yield f"{home} × {period}", _Group(np.where(known, both.ravel(), -1), (home, period), unit=True)


def _members(of: Ints) -> Ints:
    """How many records have the same number; -1 where it is not shown."""
    many = np.bincount(of[of >= 0], minlength=1)
    return np.where(of >= 0, many[np.maximum(of, 0)], -1)


def _numbered(column: Column) -> Ints:
    """A number for every value that is shown."""
    shown = np.flatnonzero(column.observed)
    out = np.full(len(column), -1, dtype=np.int64)
    out[shown] = np.unique(column.values[shown], return_inverse=True)[1].ravel()
    return out


def _read_off(column: Column, rows: Ints, name: str, by: str, group: _Group) -> Iterator[Guess]:
    values = _numbered(column)
    open_ = np.flatnonzero((group.of >= 0) & (values >= 0))
    if not len(open_):
        return
    open_ = open_[np.argsort(group.of[open_], kind="stable")]
    starts = np.flatnonzero(np.diff(group.of[open_], prepend=-1))
    low, high = (f.reduceat(values[open_], starts) for f in (np.minimum, np.maximum))
    size = np.diff(starts, append=len(open_))
    agreed = np.asarray(low == high)
    several = size > 1
    if not several.any() or not _a_rule(values[open_], size, several & agreed):
        return
    share = float(agreed[several].mean())
    if share < (NEARLY if group.unit else 1):
        return
    first, place = open_[starts], np.searchsorted(group.of[open_[starts]], group.of[rows])
    there = place < len(first)
    there[there] = (group.of[first[place[there]]] == group.of[rows[there]]) & agreed[place[there]]
    if there.any():
        how = _HOW.filled(column=name, by=by)
        yield _guess(column, name, rows[there], first[place[there]], how, sure=share == 1)


def _a_rule(values: Ints, size: Ints, agreed: Bools) -> bool:
    """Whether so many records would hardly agree if each showed the most frequent value as often as it occurs."""
    most = float(np.bincount(values).max()) / len(values)
    return most < 1 and float((size[agreed] - 1).sum()) * np.log(most) < BY_CHANCE


def _guess(column: Column, name: str, rows: Ints, source: Ints, how: Text, *, sure: bool) -> Guess:
    """What other records show, for suppressed cells."""
    certain = np.full(len(rows), sure)
    if column.kind.is_number:
        found = column.numbers()[source]
        return Guess(name, rows, found, found, certain, how)
    return Guess.of_texts(name, rows, column.texts()[source], certain, how)
