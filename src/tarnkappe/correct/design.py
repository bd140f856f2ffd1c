"""The matrix of a model: one column per regressor, as released and as it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tarnkappe.correct.source import Source
from tarnkappe.correct.treatments import Grouped, Limits, MomentsKept, Story
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.formula import Formula, Term
from tarnkappe.errors.correct import (
    Collinear,
    NotTold,
    OptionWrong,
    OutcomeWrong,
    TooFewRecords,
    TooManyCategories,
)
from tarnkappe.language import Text

CONSTANT = Term("", "plain")
MOST = 200
"""A category with more values is a name, not a regressor."""
_FLAG = Text("the column that flags its limits", "die Spalte, die ihre Grenzen anzeigt,")
_TWO = Text("it needs two values, and has {count}", "sie braucht zwei Werte und hat {count}")
_JOINT = Text(
    "moments are kept only among the columns that were rotated together",
    "Momente bleiben nur unter den gemeinsam rotierten Spalten erhalten",
)


@dataclass(frozen=True)
class Part:
    """One column of the matrix."""

    term: Term
    level: str | None = None
    """The category it stands for."""

    @property
    def name(self) -> str:
        if self.term == CONSTANT:
            return "constant"
        return str(self.term) if self.level is None else f"{self.term.column}[{self.level}]"


@dataclass(frozen=True)
class Design:
    """Regressors and outcome of every record of the release; what is not used has weight 0."""

    parts: tuple[Part, ...]
    """The regressors and, last, the outcome."""
    shown: Floats
    values: Floats
    weight: Floats

    @property
    def used(self) -> Bools:
        return self.weight > 0

    @property
    def records(self) -> int:
        return int(np.count_nonzero(self.weight))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts[:-1])

    @property
    def has_constant(self) -> bool:
        return bool(self.parts) and self.parts[0].term == CONSTANT


def design_of(formula: Formula, source: Source, weight: str | None = None) -> Design:
    """Build the matrix; records with an empty cell, or with a regressor at its limit, are not used."""
    for name in formula.columns:
        source.stories[name].refuse_lost(alone=weight is None and set(formula.columns) == {name})
        _refuse(source.stories[name], formula)
    weights = _weights(source, weight) * _used(formula, source)
    _enough(int(np.count_nonzero(weights)), 2)
    parts, shown, values = [], [], []
    for part, one, other in _columns(formula, source, weights > 0):
        parts.append(part)
        shown.append(np.where(weights > 0, one, 0.0))
        values.append(np.where(np.isnan(other), 0.0, other))
    _enough(int(np.count_nonzero(weights)), len(parts) + 1)
    return Design(tuple(parts), np.column_stack(shown), np.column_stack(values), weights)


def _refuse(story: Story, formula: Formula) -> None:
    if isinstance(story.error, MomentsKept):
        alike = set(formula.columns) <= set(story.error.columns)
        plain = all(term.form == "plain" for term in (formula.outcome, *formula.terms))
        if not (alike and plain):
            raise story.refused(_JOINT)


def _enough(found: int, needed: int) -> None:
    if found < needed:
        raise TooFewRecords(found=found, needed=needed)


def _used(formula: Formula, source: Source) -> Bools:
    used = np.logical_and.reduce([source.observed(name) for name in formula.columns])
    for name in {term.column for term in formula.terms}:
        error = source.stories[name].error
        if isinstance(error, Limits):
            used &= unflagged(source, error, name)
    out: Bools = used
    return out


def unflagged(source: Source, limits: Limits, name: str) -> Bools:
    """Records whose value lies within the limits."""
    if limits.flag not in source.data.names:
        raise NotTold(what=_FLAG, name=name, step=limits.step.number, method=limits.step.title)
    out: Bools = source.data.column(limits.flag).texts() == "none"
    return out


def _weights(source: Source, name: str | None) -> Floats:
    if name is None:
        return np.ones(len(source.data))
    weight = np.nan_to_num(source.numbers(name))
    if (weight < 0).any():
        must = Text("a column without negative values", "eine Spalte ohne negative Werte")
        raise OptionWrong(option="weight", given=repr(name), must=must)
    return weight


def _columns(formula: Formula, source: Source, used: Bools) -> Iterator[tuple[Part, Floats, Floats]]:
    """Every column as it was released and as it is used."""
    if formula.constant:
        one = np.ones(len(source.data))
        yield Part(CONSTANT), one, one
    whole = not formula.constant
    for term in formula.terms:
        if source.is_category(term):
            yield from _levels(term, source, used, every=whole)
            whole = False
        else:
            yield Part(term), source.shown(term), source.value(term)
    yield _outcome(formula.outcome, source, used)


def _levels(term: Term, source: Source, used: Bools, *, every: bool) -> Iterator[tuple[Part, Floats, Floats]]:
    """Indicators of the categories, but for the first, with which the others are compared."""
    texts = source.data.column(term.column).texts()
    found = source.stand_ins(term.column)
    names = found.levels(term.column) if found else tuple(sorted({str(t) for t in set(texts[used])}))
    if len(names) > MOST:
        raise TooManyCategories(name=term.column, count=len(names), most=MOST)
    if len(names) < 2 and not every:
        raise Collinear(names=str(term))
    for name in names if every else names[1:]:
        shown = (texts == name).astype(np.float64)
        yield Part(term, name), shown, found.of({term.column: name}) if found else shown


def _outcome(term: Term, source: Source, used: Bools) -> tuple[Part, Floats, Floats]:
    """The outcome; of two categories, whether it is the second; of classes nothing, they have limits instead."""
    if isinstance(source.stories[term.column].error, Grouped):
        nothing = np.zeros(len(source.data))
        return Part(term), nothing, nothing
    if not source.is_category(term):
        return Part(term), source.shown(term), source.value(term)
    texts = source.data.column(term.column).texts()
    found = source.stand_ins(term.column)
    names = found.levels(term.column) if found else tuple(sorted({str(t) for t in set(texts[used])}))
    if len(names) != 2:
        raise OutcomeWrong(name=term.column, family="logit", why=_TWO.filled(count=len(names)))
    shown = (texts == names[1]).astype(np.float64)
    return Part(term, names[1]), shown, found.of({term.column: names[1]}) if found else shown
