"""Two languages, one declaration: every sentence a user reads exists in English and German."""

from __future__ import annotations

import locale
import os
from dataclasses import dataclass
from typing import Literal

Lang = Literal["en", "de"]
LANGUAGES: tuple[Lang, ...] = ("en", "de")


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence in English and in German; `str()` gives the English one."""

    en: str
    de: str

    def __str__(self) -> str:
        return self.en

    def in_(self, lang: Lang) -> str:
        return self.de if lang == "de" else self.en

    def filled(self, **facts: object) -> Text:
        """Fill the placeholders; facts that are themselves texts are filled in their language."""
        return Text(self.en.format(**_in("en", facts)), self.de.format(**_in("de", facts)))

    def __bool__(self) -> bool:
        return bool(self.en)


NOTHING = Text("", "")


def _in(lang: Lang, facts: dict[str, object]) -> dict[str, object]:
    return {name: fact.in_(lang) if isinstance(fact, Text) else fact for name, fact in facts.items()}


def same(words: str) -> Text:
    """Words that are alike in both languages: codes, column names, file names."""
    return Text(words, words)


def both(description: str) -> Text:
    """Split a description written as ``English. | Deutsch.``."""
    en, _, de = description.partition(" | ")
    return Text(en.strip(), (de or en).strip())


def listed(words: list[str] | tuple[str, ...], most: int = 12) -> str:
    """``a, b, c …``: names in a sentence, cut where the list would swamp it."""
    shown = ", ".join(words[:most])
    return shown + (f" … ({len(words)})" if len(words) > most else "")


def number(value: float, lang: Lang, digits: int = 4) -> str:
    """Format a number for people: thousands grouped, at least `digits` significant digits, no powers of ten."""
    if float(value).is_integer() or abs(value) >= 10**digits:
        text = f"{value:,.0f}"
    else:
        text = f"{value:,.{digits}g}" if abs(value) >= 1e-4 or not value else f"{value:.{digits}f}"
    return text.translate(str.maketrans(",.", ".,")) if lang == "de" else text


def from_locale() -> Lang:
    """The language of the user's locale: German if it says so, otherwise English."""
    named = next((os.environ[v] for v in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(v)), "")
    return "de" if (named or locale.getlocale()[0] or "").lower().startswith("de") else "en"
