"""Another release of the same data: cells hidden here and shown there, and noise that was drawn twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.guess import Attempt, CellGuess, Guess
from tarnkappe.data.seen import Seen, SeenTable
from tarnkappe.language import Text
from tarnkappe.spec import Attack, Source, attack

_OPEN_THERE = Text(
    "{column!r} is hidden here and shown in another release, in records that agree in all columns of codes both have",
    "{column!r} ist hier verborgen und steht in einer anderen Freigabe in Datensätzen, die in allen gemeinsamen Spalten mit Codes übereinstimmen",
)
_MEAN = Text(
    "the mean of {column!r} over this and another release",
    "das Mittel von {column!r} über diese und eine andere Freigabe",
)
_CELLS = Text(
    "cells of table {table!r} are hidden here and shown in another release",
    "Zellen der Tabelle {table!r} sind hier verborgen und stehen in einer anderen Freigabe",
)


@attack(
    "attack.shown-elsewhere",
    title=Text("What another release shows", "Was eine andere Freigabe zeigt"),
    does=Text(
        "Looks for hidden cells in other releases of the same data, and averages numbers that were changed in both.",
        "Sucht verborgene Zellen in anderen Freigaben derselben Daten und mittelt Zahlen, die in beiden verändert wurden.",
    ),
    sources=(
        Source("sweeney2002", "section 4.2: complementary release attack"),
        Source("dav2025", "section 4.2: complementary release"),
    ),
    knows=Text(
        "The stranger has other releases of the same data and supposes that records which agree in all columns of codes, and are alone with that, "
        "belong together.",
        "Der Fremde hat andere Freigaben derselben Daten und nimmt an, dass Datensätze zusammengehören, die in allen Spalten mit Codes "
        "übereinstimmen und damit allein sind.",
    ),
    helps=Text(
        "Name a register in the plan, so that a new release is held against the earlier ones; release the same file again instead of a second version.",
        "Nennen Sie im Plan ein Register, damit eine neue Freigabe mit den früheren verglichen wird; geben Sie dieselbe Datei noch einmal frei statt "
        "einer zweiten Fassung.",
    ),
    does_not=(
        Text(
            "put together records that several others look like, or codes of other levels",
            "Datensätze zusammenführen, denen mehrere andere gleichen, oder Codes anderer Ebenen",
        ),
    ),
    example={},
)
class ShownElsewhere(Attack):
    """Two versions of one file, or of one table, side by side.

    Records are matched by all columns of codes that both releases have, where a combination stands once in each. What is suppressed here and shown
    there is then known, and two changed values of one number are averaged, which the stranger is not sure of. Cells of tables are the same where
    the measure and the names and codes of all dimensions are. Without another release (`--earlier`) nothing is tried.
    """

    def attempt(self, seen: Seen) -> Attempt:
        guesses: list[Guess | CellGuess] = []
        for other in seen.earlier:
            guesses += [*_records(seen, other), *_cells(seen, other)]
        return Attempt(sum(len(guess.sure) for guess in guesses), tuple(guesses))


def _records(here: Seen, there: Seen) -> Iterator[Guess]:
    both = [name for name in here.columns if name in there.columns]
    codes = [
        name
        for name in both
        if here.columns[name].kind is there.columns[name].kind and not _number(here, name)
    ]
    mine, theirs = _matched(here, there, codes)
    if not len(mine):
        return
    for name in both:
        a, b = here.columns[name].take(mine), there.columns[name].take(theirs)
        if _number(here, name) and _number(there, name):
            yield from _numbers(name, mine, a, b)
        else:
            found = a.suppressed & b.observed
            if found.any():
                sure = np.ones(int(found.sum()), dtype=np.bool_)
                yield Guess.of_texts(
                    name, mine[found], b.texts()[found], sure, _OPEN_THERE.filled(column=name)
                )


def _number(seen: Seen, name: str) -> bool:
    return seen.columns[name].kind.is_number


def _numbers(name: str, rows: Ints, a: Column, b: Column) -> Iterator[Guess]:
    x, y = a.numbers(), b.numbers()
    open_there = a.suppressed & np.isfinite(y)
    if open_there.any():
        yield _guess(name, rows[open_there], y[open_there], _OPEN_THERE, sure=True)
    differ = np.isfinite(x) & np.isfinite(y) & (x != y)
    if differ.any():
        yield _guess(name, rows[differ], ((x + y) / 2)[differ], _MEAN, sure=False)


def _guess(name: str, rows: Ints, values: Floats, how: Text, *, sure: bool) -> Guess:
    return Guess(name, rows, values, values, np.full(len(rows), sure), how.filled(column=name))


def _matched(here: Seen, there: Seen, names: Sequence[str]) -> tuple[Ints, Ints]:
    """Records that stand alone with their codes in both releases; a suppressed code is not compared with one that is shown."""
    n = here.records
    joint = np.zeros(n + there.records, dtype=np.int64)
    for name in names:
        a, b = here.columns[name], there.columns[name]
        if a.suppressed.any() or b.suppressed.any():
            continue
        words = np.concatenate([a.texts(), b.texts()]).astype(str)
        codes = np.unique(words, return_inverse=True)[1]
        joint = np.unique(joint * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return _alone(joint[:n], joint[n:], len(joint) + 1)


def _alone(first: Ints, second: Ints, size: int) -> tuple[Ints, Ints]:
    """The places of combinations that stand once on either side."""
    once = (np.bincount(first, minlength=size) == 1) & (np.bincount(second, minlength=size) == 1)
    where = np.full(size, -1, dtype=np.int64)
    where[second] = np.arange(len(second))
    mine = np.flatnonzero(once[first])
    return mine, where[first[mine]]


def _cells(here: Seen, there: Seen) -> Iterator[CellGuess]:
    """Hidden cells that a table of the other release shows."""
    for table in here.tables:
        hidden = table.hidden
        for other in there.tables:
            if not len(hidden) or other.measure != table.measure or not _same_dimensions(table, other):
                continue
            shown = dict(zip(_spelt(other), other.value.tolist(), strict=True))
            spelt = _spelt(table)
            values = np.array([shown.get(spelt[cell], np.nan) for cell in hidden.tolist()])
            known = np.isfinite(values)
            if known.any():
                sure = np.ones(int(known.sum()), dtype=np.bool_)
                yield CellGuess(
                    table.name,
                    hidden[known],
                    values[known],
                    values[known],
                    sure,
                    _CELLS.filled(table=table.name),
                )


def _same_dimensions(one: SeenTable, other: SeenTable) -> bool:
    return sorted(tree.name for tree in one.dimensions) == sorted(tree.name for tree in other.dimensions)


def _spelt(table: SeenTable) -> list[tuple[str, ...]]:
    """The codes of every cell, by the names of the dimensions."""
    order = sorted(range(len(table.dimensions)), key=lambda j: table.dimensions[j].name)
    parts = [np.asarray(table.dimensions[j].codes)[table.codes[:, j]].tolist() for j in order]
    return list(zip(*parts, strict=True)) if parts else [()] * len(table)
