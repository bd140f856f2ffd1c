"""Categories that were changed by chance and that another column, a gap or a household number still tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Ints, Strings
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.seen import Fact, Seen
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Attack, Source, attack

ODDS = 5.0
"""A value is taken for that of a whole group if the next one is less likely by this much, as a logarithm."""
FITS = 3.0
"""The value of a group may be shown less often than if all had it, by so many standard deviations."""
TOGETHER = 2.5
"""The same for all groups together."""
MIXED = 0.2
"""If more of the records stand in groups with several true values, the column tells nothing for sure."""
NEVER = 1e-9
"""A change that is not possible has no larger chance."""
MOST_CELLS = 20_000_000
"""Groups × values that are looked at for one pair of columns."""
_HOW = Text(
    "{column!r} has one value in all records with the same {by!r}, and the told probabilities of a change say which",
    "{column!r} hat in allen Datensätzen mit gleichem {by!r} einen Wert, und die genannten Wahrscheinlichkeiten eines Wechsels sagen, welchen",
)
_GAP = Text(
    "{column!r} has one value in all records that have, or lack, a value of {by!r}",
    "{column!r} hat in allen Datensätzen mit, oder ohne, Wert in {by!r} einen Wert",
)
_STRATA = Text(
    "Probabilities that differ between strata were not used.",
    "Wahrscheinlichkeiten, die sich zwischen Schichten unterscheiden, wurden nicht verwendet.",
)


@attack(
    "attack.read-from-others",
    title=Text("Changed categories read from other columns", "Geänderte Kategorien aus anderen Spalten gelesen"),
    does=Text(
        "Looks for columns, weights, gaps and household numbers that tell the category which was changed at random.",
        "Sucht Spalten, Gewichte, Lücken und Haushaltsnummern, die die zufällig geänderte Kategorie verraten.",
    ),
    sources=(
        Source("dav2025", "section 3.3.2: dependent variables such as town and postcode under PRAM"),
        Source("templ2015", "section on PRAM: combinations that cannot be tell what was changed"),
    ),
    knows=Text(
        "The stranger has the released records and the matrix of probabilities that the documents tell.",
        "Der Fremde hat die freigegebenen Datensätze und die Matrix der Wahrscheinlichkeiten, die die Dokumente nennen.",
    ),
    helps=Text(
        "Drop or coarsen the column that tells the other, change both in one step (columns, joint), name the household or unit under unit, or make weights anew "
        "after the step.",
        "Entfernen oder vergröbern Sie die Spalte, die die andere verrät, ändern Sie beide in einem Schritt (columns, joint), nennen Sie Haushalt oder Einheit unter "
        "unit, oder bilden Sie Gewichte nach dem Schritt neu.",
    ),
    does_not=(
        Text("put two columns together", "zwei Spalten zusammennehmen"),
        Text(
            "use probabilities that differ between strata",
            "Wahrscheinlichkeiten verwenden, die sich zwischen Schichten unterscheiden",
        ),
    ),
    example={},
)  # fmt: skip
class ReadFromOthers(Attack):
    """Where the county is shown, a land that was changed at random is no secret: all records of a county had one.

    For every column with a told matrix of changes, records are put together that agree in another column, or that have or lack a value there. If what such a
    group shows is what one true value for all of them would show under the matrix, and any other value is much less likely, that value is the guess for all
    records of the group. Groups whose true values differ show that value less often and are passed over; a column in which many groups do is passed over as a whole.
    """

    def attempt(self, seen: Seen) -> Attempt:
        told = [one for fact in seen.facts for one in _changes(seen, fact)]
        skipped = any(_in_strata(fact) for fact in seen.facts)
        guesses = [guess for one in told for guess in _read(seen, one)]
        tried = sum(len(one.shown) for one in told)
        return Attempt(tried, tuple(guesses), _STRATA if skipped else NOTHING)


class _Changed(NamedTuple):
    """Columns that were changed as one, what they show, and the chances from true values (rows) to shown ones."""

    columns: tuple[str, ...]
    shown: Ints
    """Numbers of the shown values among all values; -1 where there is none."""
    words: tuple[Strings, ...]
    """By column: the words of every value; nothing for values that the release does not show."""
    matrix: Floats


def _treated(fact: Fact) -> Sequence[Mapping[str, Any]]:
    treated = fact.told.get("treated", ())
    return [one for one in treated if isinstance(one, Mapping) and one.get("strata")] if treated else []


def _in_strata(fact: Fact) -> bool:
    return any(len(one["strata"]) > 1 for one in _treated(fact))


def _changes(seen: Seen, fact: Fact) -> Iterator[_Changed]:
    for one in _treated(fact):
        columns = tuple(one.get("columns", ()))
        stratum = one["strata"][0]
        if len(one["strata"]) == 1 and "matrix" in stratum and columns and set(columns) <= set(seen.columns):
            found = _matched(seen, columns, stratum)
            if found is not None:
                yield found


def _matched(seen: Seen, columns: tuple[str, ...], stratum: Mapping[str, Any]) -> _Changed | None:
    """The values of a matrix stand in ascending order; those that the release does not show are numbered."""
    matrix = np.asarray(stratum["matrix"], dtype=float)
    size, absent = len(matrix), set(stratum.get("absent", ()))
    there = np.logical_and.reduce([seen.columns[name].observed for name in columns])
    texts = [seen.columns[name].texts()[there].astype(str) for name in columns]
    ids = [np.unique(text, return_inverse=True) for text in texts]
    joint = np.zeros(int(there.sum()), dtype=np.int64)
    for words, place in ids:
        joint = joint * len(words) + place
    _, first, place = np.unique(joint, return_index=True, return_inverse=True)
    numbers = np.array([i for i in range(size) if i not in absent], dtype=np.int64)
    if matrix.shape != (size, size) or len(numbers) != len(first) or size < 2:
        return None
    shown = np.full(len(there), -1, dtype=np.int64)
    shown[there] = numbers[place.ravel()]
    words_of = []
    for text in texts:
        words = np.full(size, None, dtype=object)
        words[numbers] = text[first]
        words_of.append(words)
    return _Changed(columns, shown, tuple(words_of), np.maximum(matrix, NEVER))


def _read(seen: Seen, changed: _Changed) -> Iterator[Guess]:
    for name, column in seen.columns.items():
        if name in changed.columns:
            continue
        gaps = ~column.observed
        if gaps.any() and not gaps.all():
            yield from _guesses(changed, gaps.astype(np.int64), _GAP, name)
        yield from _guesses(changed, _groups(column), _HOW, name)


def _groups(column: Column) -> Ints:
    """A number for every value that is shown."""
    there = np.flatnonzero(column.observed)
    out = np.full(len(column), -1, dtype=np.int64)
    out[there] = np.unique(column.values[there], return_inverse=True)[1].ravel()
    return out


def _guesses(changed: _Changed, group: Ints, how: Text, by: str) -> Iterator[Guess]:
    used = np.flatnonzero((group >= 0) & (changed.shown >= 0))
    if not len(used):
        return
    names, of = np.unique(group[used], return_inverse=True)
    size = len(changed.matrix)
    if len(names) < 2 or len(names) * size > MOST_CELLS:
        return
    counts = np.bincount(of * size + changed.shown[used], minlength=len(names) * size).reshape(-1, size)
    value, sure = _one_for_all(counts.astype(float), changed.matrix, gaps=how is _GAP)
    hit = sure[of]
    if not hit.any():
        return
    rows, values = used[hit], value[of[hit]]
    for column, words in zip(changed.columns, changed.words, strict=True):
        certain = np.ones(len(rows), dtype=np.bool_)
        yield Guess.of_texts(column, rows, words[values], certain, how.filled(column=column, by=by))


def _one_for_all(counts: Floats, matrix: Floats, *, gaps: bool) -> tuple[Ints, Bools]:
    """For every group the most likely common value, and whether the group shows what that value would show, and not what the whole file shows."""
    likely = counts @ np.log(matrix).T
    order = np.argsort(likely, axis=1)
    rows = np.arange(len(counts))
    best = order[:, -1]
    shown = counts.sum(axis=0)
    unrelated = counts @ np.log(np.maximum(shown / shown.sum(), 1e-12))
    next_best = np.maximum(likely[rows, order[:, -2]], unrelated)
    clear = likely[rows, best] - next_best >= ODDS
    n, stays = counts.sum(axis=1), matrix[best, best]
    short = (counts[rows, best] - n * stays) / np.sqrt(np.maximum(n * stays * (1 - stays), 1e-12))
    impossible = ((counts > 0) & (matrix[best] <= NEVER)).any(axis=1)
    fits = clear & ~impossible & (short >= -FITS)
    missed = n[clear & ~fits].sum()
    if not gaps and missed > MIXED * n[clear].sum():
        return best, np.zeros_like(fits)
    if fits.any() and short[fits].sum() < -TOGETHER * np.sqrt(fits.sum()):
        fits[:] = False
    return best, fits
