"""Linear relations between columns of numbers: ``turnover = domestic + foreign``, ``gross = 1.19 * net``, ``exports <= turnover``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.relations import RelationBroken, RelationWrong
from tarnkappe.language import Text, same

Sense = Literal["=", "<=", ">="]
LONGEST = 10_000
EXACT = 1e-9
"""What computing with floating point may be off, as a share of the largest term."""
SMALL = 0.02
"""Rounding is small against the numbers: a share of their middle size. Among numbers of one digit nothing is known of rounding."""
UNITS = tuple(10.0**d for d in range(9, -7, -1))
_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>`[^`]+`)|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?P<name>[^\W\d][\w.]*)|(?P<sign><=|>=|[=+\-*]))"
)
_NAME = re.compile(r"[^\W\d][\w.]*")
_END = Text("something is missing at the end", "am Ende fehlt etwas")
_UNKNOWN = Text("this sign is not known here", "dieses Zeichen ist hier nicht bekannt")


@dataclass(frozen=True, slots=True)
class LinearRelation:
    """The coefficients times their columns, plus the constant, are zero (``=``), at most zero (``<=``) or at least zero (``>=``)."""

    coefficients: Mapping[str, float]
    constant: float = 0.0
    sense: Sense = "="
    left: str = field(default="", compare=False)
    """The column that stands alone on the left: the sum of the others, which follows from them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", MappingProxyType(dict(self.coefficients)))

    def __hash__(self) -> int:
        return hash((frozenset(self.coefficients.items()), self.constant, self.sense))

    def __str__(self) -> str:
        """As it is written in a plan, with the column that follows on the left."""
        alone = self.left or next(iter(self.coefficients))
        weights, constant = self.solved_for(alone)
        turned = self.coefficients[alone] < 0 and self.sense != "="
        sign = {"<=": ">=", ">=": "<="}[self.sense] if turned else self.sense
        return f"{_spelt(alone)} {sign} {_sum(weights, constant)}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.coefficients)

    def solved_for(self, name: str) -> tuple[dict[str, float], float]:
        """A column as a sum of the others: their weights, and the constant."""
        own = self.coefficients[name]
        weights = {n: -c / own for n, c in self.coefficients.items() if n != name}
        return weights, -self.constant / own + 0.0

    def sum(self, data: Microdata) -> Floats:
        """What must be zero (or not above, or not below) in every record; NaN where a column has no value."""
        out = np.full(len(data), self.constant)
        for name, coefficient in self.coefficients.items():
            out += coefficient * data.column(name).numbers()
        return out

    def tolerance(self, data: Microdata) -> Floats:
        """How far the sum may be from zero in every record: half a unit of the last digit of each column, and what computing loses."""
        terms = [abs(c) * np.abs(data.column(n).numbers()) for n, c in self.coefficients.items()]
        units = [abs(c) * unit_of(data.column(n).numbers()) for n, c in self.coefficients.items()]
        rounding = sum(units) / 2
        middle = max((_middle(term) for term in terms), default=0.0)
        largest = np.maximum.reduce(
            [np.nan_to_num(t) for t in terms] + [np.full(len(data), abs(self.constant))]
        )
        out: Floats = EXACT * largest + (rounding if rounding <= SMALL * middle else 0.0)
        return out

    def broken(self, data: Microdata) -> Bools:
        """The records that have all the columns and break the relation."""
        found, allowed = self.sum(data), self.tolerance(data)
        with np.errstate(invalid="ignore"):
            below = (found < -allowed) if self.sense in ("=", ">=") else np.zeros(len(data), dtype=np.bool_)
            above = (found > allowed) if self.sense in ("=", "<=") else np.zeros(len(data), dtype=np.bool_)
        return np.asarray(below | above)

    def holds(self, data: Microdata) -> bool:
        """Whether it holds in every record that has all the columns."""
        return not self.broken(data).any()


def unit_of(values: Floats) -> float:
    """The unit of the last digit: the largest power of ten of which all values are multiples; 0 where there is none."""
    known = np.abs(values[np.isfinite(values)])
    known = known[known > 0]
    if not len(known):
        return 0.0
    glance = known[:: max(1, len(known) // 1000)]
    for unit in UNITS:
        if _multiples(glance, unit) and _multiples(known, unit):
            return unit
    return 0.0


def _multiples(values: Floats, unit: float) -> bool:
    parts = values / unit
    return (
        bool((np.abs(parts - np.rint(parts)) <= 1e-9 * np.maximum(parts, 1)).all())
        and float(parts.max()) < 1e12
    )


def _middle(values: Floats) -> float:
    known = values[np.isfinite(values) & (values != 0)]
    return float(np.median(known)) if len(known) else 0.0


def refuse_broken(relations: Sequence[LinearRelation], data: Microdata) -> None:
    """Refuse data in which a declared relation does not hold."""
    for relation in relations:
        wrong = np.flatnonzero(relation.broken(data))
        if len(wrong):
            raise RelationBroken(
                relation=same(str(relation)), count=len(wrong), records=len(data), first=data.record(wrong[0])
            )


def _spelt(name: str) -> str:
    return name if _NAME.fullmatch(name) else f"`{name}`"


def _sum(weights: Mapping[str, float], constant: float) -> str:
    out = ""
    for name, weight in weights.items():
        size = "" if abs(weight) == 1 else f"{abs(weight):.12g} * "
        sign = " - " if weight < 0 else " + " if out else ""
        out += f"{sign if out else sign.strip()}{size}{_spelt(name)}"
    if constant or not out:
        out += f" {'-' if constant < 0 else '+'} {abs(constant):.12g}" if out else f"{constant:.12g}"
    return out


# -- reading ----------------------------------------------------------------------------------------------------


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


def parse_relation(words: str) -> LinearRelation:
    """Read a relation; what cannot be read is refused with its place."""
    if len(words) > LONGEST:
        raise RelationWrong(place=LONGEST, why=Text("it is too long", "sie ist zu lang"))
    return _Reader(list(_tokens(words)), len(words) + 1).relation()


def _tokens(words: str) -> Iterator[_Token]:
    at = 0
    while at < len(words.rstrip()):
        found = _TOKEN.match(words, at)
        if found is None:
            blanks = len(words[at:]) - len(words[at:].lstrip())
            raise RelationWrong(place=at + blanks + 1, why=_UNKNOWN)
        kind = found.lastgroup or ""
        yield _Token(kind, found[kind].strip("`"), found.start(kind) + 1)
        at = found.end()


class _Reader:
    """One pass over the tokens: a sum, a sign of comparison, a sum."""

    def __init__(self, tokens: list[_Token], end: int) -> None:
        self.tokens, self.end, self.at = tokens, end, 0

    def relation(self) -> LinearRelation:
        left, constant = self._sum()
        sense = self._sense()
        right, other = self._sum()
        if self.at < len(self.tokens):
            raise self._wrong(Text("here the relation should end", "hier sollte die Beziehung enden"))
        both = {n: left.get(n, 0.0) - right.get(n, 0.0) for n in (*left, *right)}
        coefficients = {n: c for n, c in both.items() if c != 0}
        if len(coefficients) < 2:
            raise self._wrong(
                Text(
                    "a relation is between two columns or more",
                    "eine Beziehung besteht zwischen zwei oder mehr Spalten",
                )
            )
        alone = [
            n for n in (left if len(left) == 1 else right if len(right) == 1 else ()) if n in coefficients
        ]
        return LinearRelation(coefficients, constant - other, sense, alone[0] if alone else "")

    def _sense(self) -> Sense:
        senses: tuple[Sense, ...] = ("=", "<=", ">=")
        for sense in senses:
            if self._take(sense):
                return sense
        raise self._wrong(
            _END
            if self.at >= len(self.tokens)
            else Text("here =, <= or >= is expected", "hier wird =, <= oder >= erwartet")
        )

    def _sum(self) -> tuple[dict[str, float], float]:
        weights: dict[str, float] = {}
        constant, sign = 0.0, self._sign(first=True)
        while True:
            name, size = self._term()
            if name:
                weights[name] = weights.get(name, 0.0) + sign * size
            else:
                constant += sign * size
            if self.at >= len(self.tokens) or self.tokens[self.at].text in ("=", "<=", ">="):
                return weights, constant
            sign = self._sign(first=False)

    def _sign(self, *, first: bool) -> float:
        if self._take("-"):
            return -1.0
        if not self._take("+") and not first:
            raise self._wrong(Text("here + or - is expected", "hier wird + oder - erwartet"))
        return 1.0

    def _term(self) -> tuple[str, float]:
        token = self._next()
        if token.kind == "number":
            return self._times(float(token.text))
        if token.kind in ("name", "quoted"):
            return token.text, self._number() if self._take("*") else 1.0
        self.at -= 1
        raise self._wrong(
            Text("here a column or a number is expected", "hier wird eine Spalte oder eine Zahl erwartet")
        )

    def _times(self, size: float) -> tuple[str, float]:
        """A number alone, or times a column."""
        named = self._take("*") or self._peek() in ("name", "quoted")
        if not named:
            return "", size
        token = self._next()
        if token.kind not in ("name", "quoted"):
            self.at -= 1
            raise self._wrong(Text("here a column is expected", "hier wird eine Spalte erwartet"))
        return token.text, size

    def _number(self) -> float:
        token = self._next()
        if token.kind != "number":
            self.at -= 1
            raise self._wrong(Text("here a number is expected", "hier wird eine Zahl erwartet"))
        return float(token.text)

    def _peek(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def _next(self) -> _Token:
        if self.at >= len(self.tokens):
            raise self._wrong(_END)
        self.at += 1
        return self.tokens[self.at - 1]

    def _take(self, sign: str) -> bool:
        there = self.at < len(self.tokens) and self.tokens[self.at][:2] == ("sign", sign)
        self.at += there
        return there

    def _wrong(self, why: Text) -> RelationWrong:
        place = self.tokens[self.at].place if self.at < len(self.tokens) else self.end
        return RelationWrong(place=place, why=why)
