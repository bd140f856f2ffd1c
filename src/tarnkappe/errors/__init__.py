"""Every error a user can meet: a class with a code that never changes and its sentences in two languages.

An error is declared, not written at the place where it is raised: the class holds the sentences, the raiser
hands in facts (names, counts, positions, never a value from the data). One module per part of the product.

An error is also what Python calls it: input that is wrong is a `ValueError`, a fault of ours a `RuntimeError`; a file that is not
there is a `FileNotFoundError`, a column that is not there a `KeyError`.
"""

from __future__ import annotations

from difflib import get_close_matches
from string import Formatter
from typing import TYPE_CHECKING, ClassVar

from tarnkappe.language import NOTHING, Lang, Text, listed

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["InputWrong", "OurFault", "Refused", "TarnkappeError", "did_you_mean"]


class TarnkappeError(Exception):
    """Base of all errors. `code` is stable; the wording may improve."""

    code: ClassVar[str]
    says: ClassVar[Text]
    """What is wrong, and where."""
    fix: ClassVar[Text] = NOTHING
    """How to put it right."""
    exit_code: ClassVar[int] = 1

    def __init__(self, **facts: object) -> None:
        declared = _fields(self.says) | _fields(self.fix)
        if declared != set(facts):
            raise TypeError(f"{type(self).__name__} takes the facts {sorted(declared)}, not {sorted(facts)}")
        facts = {name: short(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        self.facts = facts
        self.what = self.says.filled(**facts)
        self.remedy = self.fix.filled(**facts)
        super().__init__(self.text("en"))

    def __str__(self) -> str:
        return self.text("en")  # KeyError and OSError would spell it in their own ways

    def __reduce__(self) -> tuple[object, ...]:
        return _made_again, (type(self), self.facts), self.__dict__

    def at(self, place: str) -> None:
        """Say where in the plan it happened."""
        self.what = Text(f"{place}: {self.what.en}", f"{place}: {self.what.de}")
        self.args = (self.text("en"),)

    def text(self, lang: Lang) -> str:
        """The whole message: ``[code] what`` and, on a line of its own, how to put it right."""
        remedy = self.remedy.in_(lang)
        return f"[{self.code}] {self.what.in_(lang)}" + (f"\n  → {remedy}" if remedy else "")


def _made_again(kind: type[TarnkappeError], facts: dict[str, object]) -> TarnkappeError:
    """The error as another process gets it."""
    return kind(**facts)


_LONGEST = 300


def short(name: str) -> str:
    """A name as it is shown: one of thousands of signs would hide the message."""
    if len(name) <= _LONGEST or "\n" in name:
        return name
    return f"{name[: _LONGEST - 60]} … {name[-50:]}"


def _fields(text: Text) -> set[str]:
    return {name for words in (text.en, text.de) for _, name, _, _ in Formatter().parse(words) if name}


class InputWrong(TarnkappeError, ValueError):
    """The data, a file or the plan is wrong (exit code 2). Nothing was written."""

    exit_code = 2


class Refused(TarnkappeError):
    """The goal was not reached (exit code 3). Nothing was released."""

    exit_code = 3


class OurFault(TarnkappeError, RuntimeError):
    """A fault of Tarnkappe itself (exit code 1)."""

    exit_code = 1


def looks_like_number(name: str) -> bool:
    """Whether a name is a number: in a file without a header, it is a value of the first record."""
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True


def did_you_mean(word: str, known: Iterable[str]) -> Text:
    """Suggest the known word that is nearest to a misspelt one, or list what is known; numbers may be data and are left out."""
    names = sorted(name for name in known if not looks_like_number(name))
    near = get_close_matches(word[:_LONGEST].lower(), [n.lower() for n in names], n=1)
    if near:
        hit = next(n for n in names if n.lower() == near[0])
        return Text(f"Did you mean {hit!r}?", f"Meinten Sie {hit!r}?")
    if not names:
        return Text("There is nothing to choose from.", "Es gibt nichts zur Auswahl.")
    return Text(f"Known: {listed(names)}.", f"Bekannt sind: {listed(names)}.")
