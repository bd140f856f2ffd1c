"""What a column is about, judged by its name.

A name is split into words (``Geburtsdatum_Kunde`` gives *geburtsdatum kunde*), umlauts are spelt out. In both
languages the last noun says what a thing is, so the topic whose word ends last in the name is taken, and the
longest one if several do: *household income* is an income, *Haushaltsgröße* is a size.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import accumulate

from tarnkappe.plan.words import NAME, NAME_ENDS, NOUNS, NUMBER, NUMBER_ENDS, TOPICS, Topic

_SHORTEST_PART = 6
"""Shorter words must stand alone: *alter* is an age, *Verwalter* and *alternative* are not."""
_NOUNS = frozenset(NOUNS.split())
_LONG_NOUNS = frozenset(noun for noun in _NOUNS if len(noun) > 4)
_ENDINGS = ("", "s", "n", "en", "es")


@cache
def words_of(name: str) -> tuple[str, ...]:
    """The words of a column name, in small letters."""
    spread = unicodedata.normalize("NFC", re.sub(r"([a-zäöüß0-9])([A-ZÄÖÜ])", r"\1 \2", name)).lower()
    for sign, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        spread = spread.replace(sign, letters)
    plain = "".join(c for c in unicodedata.normalize("NFKD", spread) if not unicodedata.combining(c))
    return tuple(re.findall(r"[a-z]+|[0-9]+", plain))


@cache
def topic_of(name: str) -> Topic | None:
    """What a column with this name is about, as far as the vocabulary tells."""
    words = words_of(name)
    if _numbers_units(words):
        return NUMBER
    whole, borders = "".join(words), {0, *accumulate(map(len, words))}
    ends = [(_end(word, whole, borders), len(word)) for _, word in _vocabulary()]
    best = max(ends)
    if best[0] > 0:
        return _vocabulary()[ends.index(best)][0]
    if set(words) & set(NAME_ENDS):
        return NAME
    return NUMBER if set(words) & set(NUMBER_ENDS) else None


def names_it(name: str, word: str) -> bool:
    """Whether a name is about a word or phrase: it ends in it, or it is one of the words of the name."""
    words, whole = words_of(name), "".join(words_of(word))
    return bool(whole) and _end(whole, "".join(words), {0, *accumulate(map(len, words))}) > 0


def _end(word: str, whole: str, borders: set[int]) -> int:
    """Where the word ends in a name, if it begins and ends where a word of the name does; -1 otherwise.

    A long word may also be the first or the last part of a compound.
    """
    found = -1
    start = whole.find(word)
    while start >= 0:
        end = start + len(word)
        alone = start in borders and any(
            end + len(e) in borders and whole.startswith(e, end) for e in _ENDINGS
        )
        part = len(word) >= _SHORTEST_PART and (start in borders or end in borders)
        found = end if alone or part else found
        start = whole.find(word, start + 1)
    return found


def _numbers_units(words: tuple[str, ...]) -> bool:
    """``customer id``, ``Vertragsnummer``, ``id``: numbers persons, firms or cases, not places or groups."""
    whole = "".join(words)
    for end in NUMBER_ENDS:
        if whole.endswith(end):
            of = whole.removesuffix(end)
            apart = words[-1] == end or len(end) > 3
            if of in _NOUNS or (apart and (not of or any(of.endswith(noun) for noun in _LONG_NOUNS))):
                return True
    return False


@cache
def _vocabulary() -> tuple[tuple[Topic, str], ...]:
    return tuple((topic, "".join(words_of(word))) for topic in TOPICS for word in topic.words.split(","))
