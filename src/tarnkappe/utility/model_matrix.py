"""The same model on two files: outcome and regressors of every record, with the same categories on both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.formula import Formula, Term
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.data.spelling import canonical
from tarnkappe.kernels.glm import Family
from tarnkappe.language import NOTHING, Text, listed

CONSTANT = "constant"
MOST = 200
"""A column with more categories is a name, not a regressor."""
_GONE = Text("the release has no column {names}", "die Freigabe hat keine Spalte {names}")
_CLASSES = Text("numbers have become classes in {names}", "aus Zahlen sind Klassen geworden in {names}")
_RECODED = Text("the categories of {names} are others", "die Kategorien von {names} sind andere")
_MANY = Text(f"{{names}} has more than {MOST} categories", f"{{names}} hat mehr als {MOST} Kategorien")
_TWO = Text("the outcome does not have two values", "die Zielgröße hat nicht zwei Werte")
_COUNTS = Text("the outcome has negative values", "die Zielgröße hat negative Werte")
_NUMBERS = Text("the outcome holds no numbers", "die Zielgröße enthält keine Zahlen")
FEW = Text(
    f"fewer than {LEAST} records more than regressors can be used",
    f"weniger als {LEAST} Datensätze mehr, als es Regressoren gibt, sind verwendbar",
)


@dataclass(frozen=True, slots=True)
class Level:
    """One category of a column: its spelling and its number in the order of the original."""

    word: str
    number: int


@dataclass(frozen=True, slots=True)
class Model:
    """A formula and the categories that both files share."""

    formula: Formula
    family: Family
    levels: Mapping[str, tuple[Level, ...]]
    """Column of categories -> its categories; the one the others are compared with comes first."""
    who: str

    def is_category(self, term: Term) -> bool:
        return term.column in self.levels


@dataclass(frozen=True, slots=True)
class Design:
    """The records that can be used."""

    names: tuple[str, ...]
    x: Floats
    y: Floats
    rows: Ints
    """Their positions in the file."""
    rare: frozenset[str]
    """Regressors that stand for fewer records than may be told about."""

    def but(self, name: str) -> Design:
        """Without one regressor."""
        kept = [j for j, other in enumerate(self.names) if other != name]
        return replace(self, names=tuple(self.names[j] for j in kept), x=self.x[:, kept])


def shared_model(formula: Formula, family: Family, before: Microdata, after: Microdata, who: str) -> Model:
    """The categories of the original, those that the release has too first."""
    levels = {
        term.column: _levels(term.column, before, after)
        for term in (*formula.terms, formula.outcome)
        if term.form == "category" or not before.column(term.column).kind.is_number
    }
    return Model(formula, family, levels, who)


def impossible(model: Model, before: Microdata, after: Microdata) -> Text:
    """Say why the release does not allow the model at all, or nothing (gottschalk2002, specification G-U09)."""
    names = model.formula.columns
    gone = [n for n in names if n not in after.columns]
    here = [n for n in names if n not in gone]
    classes = [n for n in here if n not in model.levels and not after.column(n).kind.is_number]
    recoded = [n for n in here if n in model.levels and _strange(before, after, n)]
    for found, why in ((gone, _GONE), (classes, _CLASSES), (recoded, _RECODED)):
        if found:
            return why.filled(names=listed(found))
    return NOTHING


def design(model: Model, data: Microdata) -> Design | Text:
    """Make the matrix of one file, or say why there is none."""
    many = [name for name, levels in model.levels.items() if len(levels) > MOST]
    if many:
        return _MANY.filled(names=listed(many))
    y = _outcome(model, data)
    if isinstance(y, Text):
        return y
    parts = [(CONSTANT, np.ones(len(data)))] if model.formula.constant else []
    parts += [part for term in model.formula.terms for part in _regressors(model, term, data)]
    x = np.column_stack([values for _, values in parts]) if parts else np.zeros((len(data), 0))
    used = np.isfinite(y) & np.isfinite(x).all(axis=1)
    return _used(tuple(name for name, _ in parts), x[used], y[used], np.flatnonzero(used))


def _used(names: tuple[str, ...], x: Floats, y: Floats, rows: Ints) -> Design | Text:
    """Without categories that no record has."""
    marks = np.array(["[" in name for name in names], dtype=np.bool_)
    records = np.count_nonzero(x, axis=0)
    kept = ~marks | (records > 0)
    rare = frozenset(
        n for n, mark, count in zip(names, marks, records, strict=True) if mark and count < LEAST
    )
    names = tuple(n for n, k in zip(names, kept, strict=True) if k)
    if len(y) < len(names) + LEAST:
        return FEW
    return Design(names, x[:, kept], y, rows, rare)


def _outcome(model: Model, data: Microdata) -> Floats | Text:
    term = model.formula.outcome
    if model.is_category(term):
        if model.family != "logistic":
            return _NUMBERS
        levels = sorted(model.levels[term.column], key=lambda level: level.number)
        return _mark(data, term.column, levels[1].word) if len(levels) == 2 else _TWO
    y = _formed(term, data, model.who)
    there = y[~np.isnan(y)]
    if model.family == "logistic" and not np.isin(there, (0.0, 1.0)).all():
        return _TWO
    return _COUNTS if model.family == "poisson" and (there < 0).any() else y


def _regressors(model: Model, term: Term, data: Microdata) -> Iterator[tuple[str, Floats]]:
    if not model.is_category(term):
        yield str(term), _formed(term, data, model.who)
        return
    whole = not model.formula.constant and term == next(
        t for t in model.formula.terms if model.is_category(t)
    )
    for level in model.levels[term.column][0 if whole else 1 :]:
        yield f"{term.column}[{level.number}]", _mark(data, term.column, level.word)


def _mark(data: Microdata, name: str, word: str) -> Floats:
    """1 where a column has a category, 0 where it has another, NaN where it has none."""
    column = data.column(name)
    codes, _ = column.codes()
    table = np.append((canonical(column) == word).astype(np.float64), [np.nan, np.nan])
    out: Floats = table[codes]
    return out


def _formed(term: Term, data: Microdata, who: str) -> Floats:
    """A number in the form in which it enters; a value without logarithm is not used."""
    x = data.numbers([term.column], who)[:, 0]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if term.form == "square":
            return x**2
        return np.where(x > 0, np.log(x), np.nan) if term.form == "log" else x


def _levels(name: str, before: Microdata, after: Microdata) -> tuple[Level, ...]:
    """Categories in order of their spelling; the most frequent one that both files have goes first."""
    counts = _counts(before, name)
    other = _counts(after, name) if name in after.columns else {}
    levels = [Level(word, number) for number, word in enumerate(sorted(counts), 1)]
    first = max(levels, key=lambda at: (at.word in other, counts[at.word], -at.number), default=None)
    return tuple(sorted(levels, key=lambda at: (at is not first, at.number)))


def _counts(data: Microdata, name: str) -> dict[str, int]:
    column = data.column(name)
    codes, _ = column.codes()
    words = canonical(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(words))
    return {str(words[i]): int(counts[i]) for i in np.flatnonzero(counts)}


def _strange(before: Microdata, after: Microdata, name: str) -> bool:
    """No released category is one of the original."""
    new = _counts(after, name)
    return bool(new) and not set(new) & set(_counts(before, name))
