"""Model formulas as statisticians write them: ``log(y) ~ x1 + x2**2 + C(region) - 1``.

Small on purpose: sums of columns, their logarithms and squares, categories and the constant. Interactions are not read, because
a correction must know the error of every regressor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tarnkappe.errors.correct import FormulaWrong
from tarnkappe.language import Text

Form = Literal["plain", "log", "square", "category"]
_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>`[^`]+`)|(?P<number>\d+(?![\w.]))|(?P<name>[^\W\d][\w.]*)|(?P<sign>\*\*|[~+\-*^:/()]))"
)
LONGEST = 10_000
_END = Text("something is missing at the end", "am Ende fehlt etwas")
_UNKNOWN = Text("this sign is not known here", "dieses Zeichen ist hier nicht bekannt")


@dataclass(frozen=True, slots=True)
class Term:
    """One column in the form in which it enters the model."""

    column: str
    form: Form = "plain"

    def __str__(self) -> str:
        shown = self.column if re.fullmatch(r"[^\W\d][\w.]*", self.column) else f"`{self.column}`"
        return {"plain": shown, "log": f"log({shown})", "square": f"{shown}**2", "category": f"C({shown})"}[
            self.form
        ]


@dataclass(frozen=True, slots=True)
class Formula:
    """An outcome and what explains it."""

    outcome: Term
    terms: tuple[Term, ...]
    constant: bool = True

    def __str__(self) -> str:
        right = [str(term) for term in self.terms] or ["1"]
        return f"{self.outcome} ~ {' + '.join(right)}{'' if self.constant else ' - 1'}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([self.outcome.column, *(term.column for term in self.terms)]))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    place: int


def parse_formula(words: str) -> Formula:
    """Read a formula; what cannot be read is refused with its place."""
    if len(words) > LONGEST:
        raise FormulaWrong(place=LONGEST, why=Text("it is too long", "sie ist zu lang"))
    return _Reader(list(_tokens(words)), len(words) + 1).formula()


def _tokens(words: str) -> Iterator[_Token]:
    at = 0
    while at < len(words.rstrip()):
        found = _TOKEN.match(words, at)
        if found is None:
            blanks = len(words[at:]) - len(words[at:].lstrip())
            raise FormulaWrong(place=at + blanks + 1, why=_UNKNOWN)
        kind = found.lastgroup or ""
        yield _Token(kind, found[kind].strip("`"), found.start(kind) + 1)
        at = found.end()


class _Reader:
    """One pass over the tokens."""

    def __init__(self, tokens: list[_Token], end: int) -> None:
        self.tokens, self.end, self.at = tokens, end, 0

    def formula(self) -> Formula:
        outcome = self._term()
        if outcome.form not in ("plain", "log"):
            self._wrong(
                Text(
                    "the outcome is a column or its logarithm",
                    "Zielgröße ist eine Spalte oder ihr Logarithmus",
                ),
                -1,
            )
        self._expect("~")
        terms, constant = self._sum()
        for term in terms:
            if term.column == outcome.column:
                self._wrong(Text("the outcome explains itself", "die Zielgröße erklärt sich selbst"))
        if not terms and not constant:
            self._wrong(Text("nothing explains the outcome", "nichts erklärt die Zielgröße"))
        return Formula(outcome, tuple(terms), constant)

    def _sum(self) -> tuple[list[Term], bool]:
        terms: list[Term] = []
        constant, minus = True, self._take("-")
        while True:
            token = self._peek()
            if token is not None and token.kind == "number":
                constant = self._constant(minus=minus)
            elif minus:
                self._wrong(
                    Text("only the constant can be taken away", "nur die Konstante lässt sich abziehen")
                )
            else:
                terms.append(self._fresh(terms))
            if self._peek() is None:
                return terms, constant
            minus = self._take("-")
            if not minus:
                self._expect("+")

    def _constant(self, *, minus: bool) -> bool:
        token = self._next()
        if token.text not in ("0", "1"):
            self._wrong(
                Text("of numbers, only 0 and 1 stand alone", "von Zahlen stehen nur 0 und 1 allein"), -1
            )
        return (token.text == "1") is not minus

    def _fresh(self, terms: list[Term]) -> Term:
        term = self._term()
        if term in terms:
            self._wrong(Text("a regressor stands there twice", "ein Regressor steht zweimal da"), -1)
        return term

    def _term(self) -> Term:
        token = self._next()
        if token.kind == "name" and token.text in ("log", "C", "I") and self._take("("):
            return self._called(token.text)
        return self._column(token)

    def _called(self, function: str) -> Term:
        inner = self._column(self._next())
        self._expect(")")
        if function == "I":
            return inner
        if inner.form != "plain":
            self._wrong(Text("functions take a column alone", "Funktionen nehmen nur eine Spalte"), -1)
        return Term(inner.column, "log" if function == "log" else "category")

    def _column(self, token: _Token) -> Term:
        if token.kind not in ("name", "quoted"):
            self._wrong(Text("here a column is expected", "hier wird eine Spalte erwartet"), -1)
        return self._squared(Term(token.text))

    def _squared(self, term: Term) -> Term:
        if not (self._take("**") or self._take("^")):
            return term
        if self._next().text != "2":
            self._wrong(Text("the only power is 2", "die einzige Potenz ist 2"), -1)
        return Term(term.column, "square")

    def _peek(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _next(self) -> _Token:
        token = self._peek()
        if token is None:
            raise FormulaWrong(place=self.end, why=_END)
        self.at += 1
        return token

    def _take(self, sign: str) -> bool:
        token = self._peek()
        found = token is not None and token.kind == "sign" and token.text == sign
        self.at += found
        return found

    def _expect(self, sign: str) -> None:
        if self._peek() is None:
            raise FormulaWrong(place=self.end, why=_END)
        if not self._take(sign):
            self._wrong(Text(f"here {sign} is expected", f"hier wird {sign} erwartet"))

    def _wrong(self, why: Text, back: int = 0) -> None:
        at = self.at + back
        place = self.tokens[at].place if 0 <= at < len(self.tokens) else self.end
        raise FormulaWrong(place=place, why=why)
