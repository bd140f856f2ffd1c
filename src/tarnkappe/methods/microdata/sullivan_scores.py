"""Records as normal scores, for Sullivan's masking: what stands for which column, and how to come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NothingToUse, WrongKind
from tarnkappe.errors.masking import NoSpread
from tarnkappe.kernels.normal_scores import EDGE, SmoothCdf, category_columns, category_of
from tarnkappe.kernels.standard import SMALLEST_SPREAD, power_scale
from tarnkappe.language import Text

_NUMBERS_OR_CATEGORIES = Text("numbers or categories", "Zahlen oder Kategorien")


@dataclass(frozen=True)
class NumberScores:
    """A numeric column and its smoothed distribution function."""

    name: str
    x: Floats
    cdf: SmoothCdf
    scale: float
    width = 1

    def of(self, rows: Ints) -> NumberScores:
        """Of some records only."""
        return replace(self, x=self.x[rows])

    def forth(self, generator: np.random.Generator) -> Floats:
        del generator
        return self.own[:, None]

    @cached_property
    def own(self) -> Floats:
        """The scores of the column itself."""
        return self.scored(self.x)

    def scored(self, x: Floats) -> Floats:
        gaps = np.isnan(x)
        if not gaps.any():
            return self.cdf.scores(x / self.scale)
        return np.where(gaps, np.nan, self.cdf.scores(np.nan_to_num(x) / self.scale))

    def back(self, v: Floats, *, exact: bool) -> Floats:
        """Values for scores: between the old ones, or old ones of other records in the order of the scores."""
        there = ~np.isnan(self.x)
        if not exact:
            with np.errstate(over="ignore"):
                return np.where(there, self.cdf.values(np.nan_to_num(v[:, 0])) * self.scale, np.nan)
        out = np.full(len(v), np.nan)
        rows = np.flatnonzero(there)
        out[rows[np.argsort(v[rows, 0], kind="stable")]] = np.sort(self.x[rows])
        return out


@dataclass(frozen=True)
class CategoryScores:
    """A categorical column as uniform columns, one for every category but the most frequent."""

    name: str
    codes: Ints
    """Places in `categories`, -1 where missing or suppressed."""
    categories: Ints
    """Codes of the column, the most frequent last."""
    h: Floats

    @property
    def width(self) -> int:
        return len(self.h) - 1

    @property
    def original(self) -> Ints:
        """Codes of the column; -1 where there is none."""
        return np.where(self.codes < 0, -1, self.categories[self.codes])

    def of(self, rows: Ints) -> CategoryScores:
        """Of some records only."""
        return replace(self, codes=self.codes[rows])

    def forth(self, generator: np.random.Generator) -> Floats:
        d = category_columns(self.codes, self.h, generator.random((len(self.codes), self.width)))
        out: Floats = ndtri(np.clip(d, EDGE, 1 - EDGE))
        return np.where(self.codes[:, None] < 0, np.nan, out)

    def back(self, v: Floats, *, exact: bool) -> Ints:
        """Codes of the column; -1 where there is none. Frequencies are kept on average only."""
        del exact
        found = self.categories[category_of(ndtr(np.nan_to_num(v)), self.h)]
        return np.where(self.codes < 0, -1, found)


Scores = NumberScores | CategoryScores


def scores_of(data: Microdata, names: Sequence[str], who: str) -> list[Scores]:
    """How every column becomes normal scores; refused where there is nothing to learn from."""
    return [_scores(data, name, who) for name in names]


def _scores(data: Microdata, name: str, who: str) -> Scores:
    column = data.column(name)
    if column.kind.is_number:
        return _number(data, name, who)
    if column.categories is None:
        raise WrongKind(name=name, found=column.kind.text, who=who, needed=_NUMBERS_OR_CATEGORIES)
    return _category(column, name)


def _number(data: Microdata, name: str, who: str) -> NumberScores:
    x = data.numbers((name,), who)[:, 0]
    y = x[~np.isnan(x)]
    if not len(y):
        raise NothingToUse(name=name)
    scale = float(power_scale(y[:, None])[0])
    if np.ptp(y / scale) <= SMALLEST_SPREAD:
        where = Text("the file or a stratum", "der Datei oder einer Schicht")
        raise NoSpread(who=who, name=name, where=where)
    return NumberScores(name, x, SmoothCdf.of(y / scale), scale)


def _category(column: Column, name: str) -> CategoryScores:
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
