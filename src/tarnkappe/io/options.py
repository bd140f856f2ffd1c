"""What a user may say about a file, and the words for it checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from tarnkappe.errors import did_you_mean
from tarnkappe.errors.data import WordUnknown
from tarnkappe.language import Text
from tarnkappe.vocab import Kind, Role

Word = TypeVar("Word", bound=StrEnum)

_ROLE = Text("role", "Eine Rolle")
_KIND = Text("type", "Einen Typ")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a file where the file itself leaves it open."""

    types: Mapping[str, Kind] = field(default_factory=dict)
    """Column name → kind, instead of the one the values suggest."""
    missing: tuple[str, ...] = ("",)
    """Marks that mean *missing* in text files and Excel cells. A field with nothing in it is always
    missing; without ``""`` in this list, a quoted empty field is an empty text."""
    encoding: str = "utf-8"
    """Any codec Python knows. A byte order mark of UTF-16 or UTF-32 goes before ``utf-8``."""
    separator: str | None = None
    """Default: whichever of tab ; | , the header and the first lines agree on."""
    decimal: str | None = None
    """``.`` or ``,``. Default: the comma if the separator is ; or tab and the numbers show it, else the
    point."""
    sheet: str | int | None = None
    """Name of an Excel sheet or its number, counted from 1. Default: the first."""


def kinds_of(types: Mapping[str, Kind | str]) -> dict[str, Kind]:
    """The kinds behind the words of a plan."""
    return {name: _known(Kind, word, _KIND) for name, word in types.items()}


def roles_of(
    roles: Mapping[Role, Sequence[str]] | Mapping[str, Sequence[str] | str],
) -> dict[Role, tuple[str, ...]]:
    """Roles as a plan or a notebook writes them: ``{"key": ["sex", "age"], "weight": "w"}``."""
    return {
        _known(Role, word, _ROLE): (names,) if isinstance(names, str) else tuple(names)
        for word, names in roles.items()
    }


def _known(words: type[Word], word: str, what: Text) -> Word:
    try:
        return words(word)
    except ValueError:
        raise WordUnknown(
            what=what, word=word, hint=did_you_mean(str(word), [w.value for w in words])
        ) from None
