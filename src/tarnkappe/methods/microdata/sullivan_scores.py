"""Records as normal scores, for Sullivan's masking: what stands for which column, and how to come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NothingToUse, WrongKind
from tarnkappe.errors.masking import NoSpread
from tarnkappe.kernels.normal_scores import EDGE, Ladder, SmoothCdf
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.ranks import in_order
from tarnkappe.kernels.standard import SMALLEST_SPREAD, power_scale
from tarnkappe.kernels.uniform_categories import categories_of, uniform_columns
from tarnkappe.language import Text

_NUMBERS_OR_CATEGORIES = Text("numbers or categories", "Zahlen oder Kategorien")


class Shown(NamedTuple):
    """What a column will show."""

    values: NDArray[Any]
    seen: NDArray[Any]
    """What an attacker makes of it: scores of numbers, and codes as they are."""
    ladder: Ladder | None = None
    """What becomes of other scores, where values are given by rank."""


@dataclass(frozen=True)
class NumberScores:
    """A numeric column and its smoothed distribution function."""

    name: str
    x: Floats
    cdf: SmoothCdf
    scale: float
    width = 1

    def __len__(self) -> int:
        return len(self.x)

    def of(self, rows: Ints | slice) -> NumberScores:
        """Of some records only."""
        return replace(self, x=self.x[rows])

    def scored(self, x: Floats) -> Floats:
        """Scores of values; where there is none, there is no score."""
        gaps = np.isnan(x)
        if not gaps.any():
            return self.cdf.scores(x / self.scale)
        return np.where(gaps, np.nan, self.cdf.scores(np.nan_to_num(x) / self.scale))

    def guessed(self, v: Floats, ladder: Ladder | None) -> Floats:
        """The scores that values for the scores `v` will have."""
        gaps, out = np.isnan(self.x), v[:, 0] if ladder is None else ladder.scores(v[:, 0])
        return np.where(gaps, np.nan, out) if gaps.any() else out

    def back(self, v: Floats, *, exact: bool) -> Shown:
        """Values for scores: between the old ones, or old ones of other records in the order of the scores."""
        there = ~np.isnan(self.x)
        if there.all():
            return self._back(v[:, 0], exact=exact)
        found = self._back(v[there, 0], exact=exact)
        values, seen = np.full(len(v), np.nan), np.full(len(v), np.nan)
        values[there], seen[there] = found.values, found.seen
        return Shown(values, seen, found.ladder)

    def _back(self, v: Floats, *, exact: bool) -> Shown:
        if exact:
            return self._by_rank(v)
        values, seen = self.cdf.values_and_scores(v)
        with np.errstate(over="ignore"):
            values *= self.scale
        return Shown(values, seen)

    def _by_rank(self, v: Floats) -> Shown:
        order, (up, climbing) = in_order(v), self._ascending
        values, seen = np.empty(len(v)), np.empty(len(v))
        values[order], seen[order] = up, climbing
        return Shown(values, seen, Ladder.of(v[order], climbing))

    def ladder(self, v: Floats) -> Ladder:
        """What scores will become by their rank among the scores `v` of all records."""
        there = ~np.isnan(self.x)
        return Ladder.of(np.sort(v[there, 0]), self._ascending[1])

    @cached_property
    def _ascending(self) -> tuple[Floats, Floats]:
        """The values there are, from the smallest on, and their scores."""
        up = np.sort(self.x[~np.isnan(self.x)])
        return up, self.cdf.ascending_scores(up / self.scale)


@dataclass(frozen=True)
class CategoryScores:
    """A categorical column as uniform columns, one for every category but the most frequent."""

    name: str
    codes: Ints
    """Places in `categories`, -1 where missing or suppressed."""
    categories: Ints
    """Codes of the column, the most frequent last."""
    h: Floats

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def width(self) -> int:
        return len(self.h) - 1

    @property
    def original(self) -> Ints:
        """Codes of the column; -1 where there is none."""
        return np.where(self.codes < 0, -1, self.categories[self.codes])

    def of(self, rows: Ints | slice) -> CategoryScores:
        """Of some records only."""
        return replace(self, codes=self.codes[rows])

    def drawn(self, generator: np.random.Generator) -> Floats:
        """Scores for the categories."""
        d = uniform_columns(self.codes, self.h[None], generator.random((len(self.codes), self.width)))
        out: Floats = ndtri(np.clip(d, EDGE, 1 - EDGE))
        return np.where(self.codes[:, None] < 0, np.nan, out)

    def ladder(self, v: Floats) -> None:
        """Codes are not given by rank."""

    def guessed(self, v: Floats, ladder: Ladder | None) -> Ints:
        """Codes of the column for scores; -1 where there is none. Frequencies are kept on average only."""
        del ladder
        found = self.categories[categories_of(ndtr(v), self.h[None])]
        return np.where(self.codes < 0, -1, found)

    def back(self, v: Floats, *, exact: bool) -> Shown:
        """As `guessed`: codes are shown as they are."""
        del exact
        found = self.guessed(v, None)
        return Shown(found, found)


Scores = NumberScores | CategoryScores


def scores_of(data: Microdata, names: Sequence[str], who: str) -> tuple[list[Scores], Floats]:
    """How every column becomes normal scores, and the scores of the numeric ones, each in one piece: (records, columns).

    Refused where there is nothing to learn from.
    """
    numeric = [name for name in names if data.column(name).kind.is_number]
    own = np.empty((len(numeric), len(data)))

    def scores(name: str) -> Scores:
        if name in numeric:
            return _number(data, name, who, own[numeric.index(name)])
        return _category(data.column(name), name, who)

    return on_cores(scores, names, len(data)), own.T


def with_categories(scores: Sequence[Scores], numbers: Floats, generator: np.random.Generator) -> Floats:
    """The scores of numbers together with scores drawn for the categories, in the order of the columns."""
    if numbers.shape[1] == len(scores):
        return numbers
    column = iter(numbers.T)
    parts = [next(column)[:, None] if isinstance(s, NumberScores) else s.drawn(generator) for s in scores]
    return np.concatenate(parts, axis=1)


def seen(scores: Sequence[Scores], values: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """What an attacker makes of values: scores of numbers, and codes as they are."""
    pairs = list(zip(scores, values, strict=True))
    return on_cores(
        lambda p: p[0].scored(p[1]) if isinstance(p[0], NumberScores) else p[1], pairs, len(scores[0])
    )


def _number(data: Microdata, name: str, who: str, own: Floats) -> NumberScores:
    """How a numeric column becomes scores; these are put into `own`."""
    x = data.numbers((name,), who)[:, 0]
    order = np.argsort(x)[: len(x) - np.count_nonzero(np.isnan(x))]  # gaps come last
    if not len(order):
        raise NothingToUse(name=name)
    up = x[order]
    scale = float(power_scale(up[[0, -1], None])[0])
    up /= scale
    if up[-1] - up[0] <= SMALLEST_SPREAD:
        where = Text("the file or a stratum", "der Datei oder einer Schicht")
        raise NoSpread(who=who, name=name, where=where)
    cdf = SmoothCdf.of_ascending(up)
    own.fill(np.nan)
    own[order] = cdf.ascending_scores(up)
    return NumberScores(name, x, cdf, scale)


def _category(column: Column, name: str, who: str) -> CategoryScores:
    if column.categories is None:
        raise WrongKind(name=name, found=column.kind.text, who=who, needed=_NUMBERS_OR_CATEGORIES)
    codes, _ = column.codes()
    found, counts = np.unique(codes[codes >= 0], return_counts=True)
    if not len(found):
        raise NothingToUse(name=name)
    by_size = np.argsort(counts, kind="stable")
    place = np.full(int(found.max()) + 1, -1, dtype=np.int64)
    place[found[by_size]] = np.arange(len(found))
    placed = np.where(codes >= 0, place[np.maximum(codes, 0)], -1)
    return CategoryScores(name, placed, found[by_size], counts[by_size] / counts.sum())


def with_category(column: Column, codes: Ints) -> Column:
    """New categories in the observed cells; the others stay as they are."""
    return replace(column, values=np.where(column.observed, codes, column.values).astype(column.values.dtype))
