"""Questions in the terminal: asked until the answer fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tarnkappe.cli.screen import out
from tarnkappe.errors.process import AnswerMissing
from tarnkappe.language import Lang, Text

_YES = {"y", "yes", "j", "ja"}
_NO = {"n", "no", "nein"}


@dataclass(frozen=True, slots=True)
class Interview:
    """Asks in one language; an empty answer leaves the question open or takes what is proposed."""

    lang: Lang

    def title(self, number: int, title: Text, asks: Text) -> None:
        """Begin a step."""
        out.print()
        step = Text("Step {n} of 12", "Schritt {n} von 12").filled(n=number).in_(self.lang)
        out.print(f"{step}: {title.in_(self.lang)}", style="bold", markup=False)
        out.print(asks.in_(self.lang), style="dim", markup=False, soft_wrap=True)

    def tell(self, text: Text) -> None:
        out.print(f"• {text.in_(self.lang)}", markup=False, soft_wrap=True)

    def words(self, question: Text, default: str = "") -> str | None:
        """Free text; None if left open."""
        shown = question.in_(self.lang) + (f" [{default}]" if default else "")
        try:
            given = out.input(f"  {shown}: ", markup=False, emoji=False).strip()
        except EOFError:
            raise AnswerMissing(question=question) from None
        return given or default or None

    def several(self, question: Text) -> list[str]:
        """Answers between semicolons."""
        given = self.words(question) or ""
        return [part.strip() for part in given.split(";") if part.strip()]

    def sure(self, question: Text, *, default: bool) -> bool:
        """Yes or no."""
        signs = Text("Y/n", "J/n") if default else Text("y/N", "j/N")
        asked = Text("{q} ({signs})", "{q} ({signs})").filled(q=question, signs=signs)
        while True:
            given = (self.words(asked) or "").lower()
            if given in _YES | _NO or not given:
                return given in _YES if given else default
            self.tell(Text("Please answer y or n.", "Bitte mit j oder n antworten."))

    def one_of(self, question: Text, choices: Mapping[str, Text]) -> str | None:
        """A choice by its number or name; None if left open."""
        for place, (name, says) in enumerate(choices.items(), 1):
            out.print(f"    {place}  {name}: {says.in_(self.lang)}", markup=False, soft_wrap=True)
        names = list(choices)
        while True:
            given = self.words(question)
            if given is None or given in names:
                return given
            if given.isdigit() and 1 <= int(given) <= len(names):
                return names[int(given) - 1]
            self.tell(Text("Please give a number of the list.", "Bitte eine Nummer der Liste angeben."))

    def names(self, question: Text, known: Sequence[str]) -> list[str]:
        """Names of columns, between commas."""
        while True:
            given = [part.strip() for part in (self.words(question) or "").split(",") if part.strip()]
            unknown = [name for name in given if name not in known]
            if not unknown:
                return given
            says = Text("There is no column {name!r}.", "Es gibt keine Spalte {name!r}.")
            self.tell(says.filled(name=unknown[0]))

    def pairs(self, question: Text, known: Sequence[str], allowed: Sequence[str]) -> dict[str, str]:
        """``column=word`` between commas."""
        while True:
            given = [part.partition("=") for part in (self.words(question) or "").split(",") if part.strip()]
            wanted = {name.strip(): word.strip() for name, _, word in given}
            if set(wanted) <= set(known) and set(wanted.values()) <= set(allowed):
                return wanted
            says = Text(
                "Please write column=role; roles: {roles}.", "Bitte Spalte=Rolle angeben; Rollen: {roles}."
            )
            self.tell(says.filled(roles=", ".join(allowed)))
