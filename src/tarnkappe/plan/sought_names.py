"""Identifiers sought in texts of whatever place: codes and labels of tables, names of columns, titles and reasons.

Texts are compared by their words: Unicode form, capitals, accents, signs between letters and the order of words make no difference. A name
of several words, or a number with letters in it, is found at once. Single words are also towns and professions, and plain numbers coincide:
of these more must be there than chance explains.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tarnkappe.data.column import Column
from tarnkappe.data.spelling import canonical

SHORTEST = 4
"""Signs of a word that is sought; shorter ones are found everywhere."""
SHORTEST_NUMBER = 5
"""Digits of a plain number that is sought."""
DENSE = 0.1
"""Numbers that fill more than this share of their range are no sign of anybody."""
_WORDS = re.compile(r"[^\W_]+")

Phrase = tuple[str, ...]


def words_of(text: str) -> Phrase:
    """The words of a text in one spelling: letters and digits only, without capitals and accents."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(sign))
    return tuple(_WORDS.findall(bare))


@dataclass(frozen=True, slots=True)
class SoughtNames:
    """The values of an identifier, by how sure a sign each is."""

    telling: frozenset[Phrase]
    """Words in alphabetical order: names of several words, and words with letters and digits."""
    joined: frozenset[str]
    """The same without what stands between the words."""
    single: frozenset[str]
    """Single words of letters."""
    numbers: frozenset[str]
    """Digits only, without zeros in front."""
    longest: int
    """Words of the longest name."""
    unique: bool
    """Most records have a value of their own."""

    @staticmethod
    def of(column: Column) -> SoughtNames:
        """What to look for of an identifier."""
        codes = column.true_codes()[0]
        spelt = canonical(column)
        values = {words_of(str(spelt[code])) for code in set(codes[codes >= 0].tolist())}
        telling = {v for v in values if _telling(v)}
        return SoughtNames(
            telling=frozenset(tuple(sorted(v)) for v in telling),
            joined=frozenset("".join(v) for v in telling),
            single=frozenset(
                v[0] for v in values if len(v) == 1 and v[0].isalpha() and len(v[0]) >= SHORTEST
            ),
            numbers=frozenset(
                bare
                for v in values
                if "".join(v).isdecimal() and len(bare := "".join(v).lstrip("0")) >= SHORTEST_NUMBER
            ),
            longest=max(map(len, values), default=0),
            unique=2 * len(values) > int((codes >= 0).sum()),
        )

    def found_in(self, texts: Iterable[str]) -> bool:
        """Whether texts of one place hold values of the identifier, more than chance explains."""
        several = [words for text in dict.fromkeys(texts) if (words := words_of(text))]
        return (
            any(self._tells(words) for words in several)
            or self._lists_words(several)
            or self._lists_numbers(several)
        )

    def _tells(self, words: Phrase) -> bool:
        return any(
            tuple(sorted(run)) in self.telling or "".join(run) in self.joined for run in self._runs(words)
        )

    def _runs(self, words: Phrase) -> Iterator[Phrase]:
        """Words that follow each other, as many as a name can have; one more where it is written in one word less."""
        for start in range(len(words)):
            for end in range(start + 1, min(start + self.longest + 1, len(words)) + 1):
                yield words[start:end]

    def _lists_words(self, several: list[Phrase]) -> bool:
        """Most of the texts are single words that are identifiers."""
        if not self.unique:
            return False
        long = [words for words in several if len("".join(words)) >= SHORTEST]
        found = sum(len(words) == 1 and words[0] in self.single for words in long)
        return found > 1 and 2 * found > len(long)

    def _lists_numbers(self, several: list[Phrase]) -> bool:
        if not self.numbers or not self.unique:
            return False
        values = [int(number) for number in self.numbers]
        share = len(values) / (max(values) - min(values) + 1)
        if share > DENSE:
            return False
        shown = {bare for words in several for run in (*words, "".join(words)) if (bare := _digits(run))}
        found = sum(number in self.numbers for number in shown)
        expected = share * len(shown)
        return (found > 1 and 2 * found > len(shown)) or found > expected + 5 * expected**0.5 + 2


def _telling(words: Phrase) -> bool:
    whole = "".join(words)
    if len(whole) < SHORTEST or whole.isdecimal():
        return False
    mixed = any(sign.isdigit() for sign in whole)
    return mixed or (len(words) > 1 and len(whole) > SHORTEST)


def _digits(word: str) -> str:
    """A plain number without zeros in front, where it is long enough to be sought."""
    bare = word.lstrip("0")
    return bare if bare.isdecimal() and len(bare) >= SHORTEST_NUMBER else ""
