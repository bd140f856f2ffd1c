"""What a user may say about a file, and the words for it checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

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
    encoding: str | None = None
    """Any codec Python knows. A byte order mark of UTF-16 or UTF-32 goes before ``utf-8``. Default: as the byte order mark says, else
    UTF-8, else cp1252 where the text decodes in it."""
    separator: str | None = None
    """Default: whichever of tab ; | , the header and the first lines agree on."""
    decimal: str | None = None
    """``.`` or ``,``. Default: the comma if the separator is another sign and the numbers show it, else the
    point."""
    sheet: str | int | None = None
    """Name of an Excel sheet or its number, counted from 1. Default: the first."""
    header: bool | None = None
    """Whether the first line of a text file holds the names of the columns; without one they are ``column_1``, ``column_2``, … Default: it does,
    and a line that looks like a record is refused."""

    def as_found(self, found: HowRead | None) -> ReadOptions:
        """These options, with what a text file left open as it was found: read again with them, the file gives the same."""
        if found is None:
            return self
        return replace(
            self, encoding=found.encoding, separator=found.separator, decimal=self.decimal or found.decimal
        )


_LINE = Text(
    "{file} is not UTF-8 and has no byte order mark; it was read as {encoding}. Does this read right? {shown}\n"
    "If not, name the encoding (--encoding, or encoding: in a plan).",
    "{file} ist kein UTF-8 und hat keine Bytereihenfolge-Marke; sie wurde als {encoding} gelesen. Liest sich das richtig? {shown}\n"
    "Wenn nicht, die Kodierung nennen (--encoding, im Plan encoding:).",
)
_SIGNS = Text(
    "{file} is not UTF-8 and has no byte order mark; it was read as {encoding}, with these signs beyond ASCII: {shown}. "
    "If they are wrong, name the encoding.",
    "{file} ist kein UTF-8 und hat keine Bytereihenfolge-Marke; sie wurde als {encoding} gelesen, mit diesen Zeichen außerhalb von ASCII: "
    "{shown}. Wenn sie falsch sind, die Kodierung nennen.",
)


@dataclass(frozen=True, slots=True)
class HowRead:
    """How a text file was read, where it leaves that open."""

    encoding: str
    separator: str
    decimal: str | None
    """None where no number has a fraction, or where columns differ in their decimal sign."""
    assumed: bool = False
    """Nothing in the file tells the encoding; it was assumed."""
    line: str = ""
    """Where it was assumed: the first line with signs beyond ASCII, of records only the fields that have some. For the screen of whoever
    reads the file, to see whether it reads right; never for a log or a document."""
    signs: str = ""
    """Where it was assumed: the different signs beyond ASCII, which tell nobody's value."""

    def notice(self, file: str, *, line: bool = False) -> Text:
        """That the encoding was assumed, with what shows whether it reads right."""
        said = _LINE if line and self.line else _SIGNS
        return said.filled(file=file, encoding=self.encoding, shown=self.line if line else self.signs)


def options_of(said: Mapping[str, Any]) -> ReadOptions:
    """What a command or a form says of a file, as options."""
    plain: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in said.items()}
    return ReadOptions(**plain)


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
