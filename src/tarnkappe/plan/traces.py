"""Looking for direct identifiers that are still in a release under another name.

A released column holds an identifier when it tells that of its own record, whole or inside a longer text, or when it
lists those of other records (the mother's number, the name of the partner). Names are found at once. Numbers and
very short texts coincide by chance, so for them more records must agree than chance explains.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.plan.sought_names import words_of
from tarnkappe.vocab import Kind

SHORTEST = 4
"""Texts with fewer signs than this are found everywhere by chance."""
SHIFTS = 8
"""So often records are compared with wrong ones, to see what chance does."""
DENSE = 0.1
"""Numbers that fill more than this share of their range are no sign of anybody."""


def traces(before: Microdata, after: Microdata, identifier: str) -> list[str]:
    """Name the columns of `after` that still tell the identifier."""
    old, new = before.paired(after)
    sought = _Words.of(old.column(identifier))
    return [n for n, c in new.columns.items() if _tells(sought, c, inside=n != identifier)]


@dataclass(frozen=True)
class _Words:
    """A column as words: the code of every record, below 0 where nothing is shown, and the word of every code."""

    codes: Ints
    words: tuple[str, ...]

    @staticmethod
    def of(column: Column) -> _Words:
        codes, _ = column.codes()
        plain = str if column.kind.is_number else _plain
        return _Words(codes, tuple(plain(word) for word in canonical(column)))

    @cached_property
    def used(self) -> dict[str, None]:
        """The words that are shown, each once."""
        shown = np.zeros(len(self.words), dtype=np.bool_)
        shown[self.codes[self.codes >= 0]] = True
        return dict.fromkeys(compress(self.words, shown.tolist()))

    @cached_property
    def numeric(self) -> bool:
        return all(word.isdecimal() for word in self.used)

    @cached_property
    def places(self) -> dict[str, int]:
        """A number for every word; leading zeros make no difference."""
        return {word: place for place, word in enumerate(dict.fromkeys(map(_bare, self.words)))}

    @cached_property
    def own(self) -> Ints:
        """The number of every record's word."""
        return self.placed(self.places)

    def placed(self, places: dict[str, int]) -> Ints:
        """The number that another column gives to every record's word; -1 where it has none."""
        return np.array([*(places.get(_bare(word), -1) for word in self.words), -1, -1])[self.codes]


def _plain(text: str) -> str:
    """Letters and digits only, in one spelling."""
    return "".join(words_of(text))


def _bare(word: str) -> str:
    return word.lstrip("0") or "0" if word.isdecimal() else word


def _tells(sought: _Words, column: Column, *, inside: bool) -> bool:
    shown = _Words.of(column)
    if _equal(sought, shown) or _lists_others(sought, shown):
        return True
    texts = column.kind is Kind.CATEGORY or column.value_labels
    return bool(inside and texts) and _within(sought, _labelled(shown, column))


def _labelled(shown: _Words, column: Column) -> _Words:
    """Labels of values are released with them."""
    if not column.value_labels:
        return shown
    plain = str if column.kind.is_number else _plain
    labels = {plain(code): _plain(label) for code, label in column.value_labels.items()}
    return _Words(shown.codes, tuple(f"{word} {labels.get(word, '')}" for word in shown.words))


def _equal(sought: _Words, shown: _Words) -> bool:
    """Whole values of the own record."""
    a, b = sought.own, shown.placed(sought.places)
    both = (a >= 0) & (shown.codes >= 0)
    same = both & (a == b)
    if not sought.numeric and any(
        len(sought.words[code]) >= SHORTEST for code in set(sought.codes[same].tolist())
    ):
        return True
    often = np.bincount(a[both], minlength=1), np.bincount(b[both & (b >= 0)], minlength=1)
    most = min(map(len, often))
    expected = float(often[0][:most] @ often[1][:most]) / max(int(both.sum()), 1)
    return _more_than_chance(int(same.sum()), expected, a[both])


def _within(sought: _Words, shown: _Words) -> bool:
    """Own values inside a longer text."""
    hits = _held(sought, shown, 0)
    if not hits or not sought.numeric:
        return hits > 0
    n = len(sought.codes)
    shifts = sorted({n * i // (SHIFTS + 1) for i in range(1, SHIFTS + 1)} - {0})
    chance = float(np.mean([_held(sought, shown, shift) for shift in shifts])) if shifts else 0.0
    both = (sought.codes >= 0) & (shown.codes >= 0)
    return _more_than_chance(hits, chance, sought.codes[both])


def _held(sought: _Words, shown: _Words, shift: int) -> int:
    """So many records hold the word of the record `shift` places before; each pair of words is looked at once."""
    a = np.roll(sought.codes, shift)
    both = (a >= 0) & (shown.codes >= 0)
    pairs, counts = np.unique(a[both] * len(shown.words) + shown.codes[both], return_counts=True)
    inner = [sought.words[code] for code in pairs // max(len(shown.words), 1)]
    outer = [shown.words[code] for code in pairs % max(len(shown.words), 1)]
    held = [len(a) >= SHORTEST and a in b for a, b in zip(inner, outer, strict=True)]
    return int(counts[np.array(held, dtype=np.bool_)].sum())


def _lists_others(sought: _Words, shown: _Words) -> bool:
    """Most of the values are identifiers, of whichever record."""
    known = sought.used
    if 2 * len(known) <= len(sought.codes) or (sought.numeric and _dense(known)):
        return False
    long = [word for word in shown.used if len(word) >= SHORTEST]
    found = sum(word in known for word in long)
    return found > 1 and 2 * found > len(long)


def _dense(numbers: Iterable[str]) -> bool:
    values = [int(number) for number in numbers]
    return len(values) > DENSE * (max(values) - min(values) + 1)


def _more_than_chance(found: int, expected: float, sought: Ints) -> bool:
    """More than five standard deviations, or all of several different ones."""
    all_of_them = found == len(sought) and len(np.unique(sought)) > 1
    return all_of_them or found > expected + 5 * np.sqrt(expected) + 2
