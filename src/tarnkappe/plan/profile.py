"""What the columns of a file are like: counts, shares and shapes, and not a single value."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.standard import lacks_digits
from tarnkappe.plan.shapes import Shape, shape_of
from tarnkappe.vocab import Kind

_NUMBERED = re.compile(r"(\D{1,8})(\d{1,18})")
_LOOKED_AT = 2_000
"""So many different values are looked at to judge their shape, spread evenly over all of them."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column in numbers. Missing values are a share of all records, other shares are of the values."""

    name: str
    kind: Kind
    records: int
    missing_share: float
    distinct: int
    """Different values."""
    unique_share: float
    """Share of the values that occur once."""
    top_share: float
    """Share of the most frequent value."""
    largest_share: float | None
    """Share of the largest number in the sum of all, without signs."""
    sequential: bool
    """Whole numbers without a gap, as running numbers are; also behind letters that are always the same: F0, F1, F2."""
    sound: bool
    """No number is infinite, or so near to zero that it lacks digits: no step takes such numbers."""
    negative: bool
    """Some number is below zero."""
    skewness: float | None
    """Of numbers, if they differ."""
    shape: Shape | None
    """What nearly all values look like."""
    length: int | None
    """Number of signs, if all codes are equally long."""

    @property
    def observed(self) -> int:
        return round(self.records * (1 - self.missing_share))

    @property
    def distinct_share(self) -> float:
        """Different values per value: 1 if no value occurs twice."""
        return self.distinct / self.observed if self.observed else 0.0

    @property
    def constant(self) -> bool:
        """There is at most one value."""
        return self.distinct <= 1

    @property
    def unique(self) -> bool:
        """Every value occurs once."""
        return self.observed > 0 and self.distinct == self.observed

    @property
    def date_like(self) -> bool:
        return self.kind in (Kind.DATE, Kind.DATETIME) or self.shape is Shape.DATE


def profile(data: Microdata) -> tuple[ColumnProfile, ...]:
    """Profile every column; suppressed cells count as missing."""
    return tuple(_profiled(name, column) for name, column in data.columns.items())


def _profiled(name: str, column: Column) -> ColumnProfile:
    codes, count = column.codes()
    counts = np.bincount(codes[codes >= 0], minlength=count)
    used = np.flatnonzero(counts)
    observed = int(counts.sum())
    texts = _some_texts(column, used)
    numbers = column.numbers()[column.observed] if column.kind.is_number else None
    lengths = {len(text) for text in texts}
    return ColumnProfile(
        name=name,
        kind=column.kind,
        records=len(column),
        missing_share=1 - observed / len(column) if len(column) else 0.0,
        distinct=len(used),
        unique_share=float((counts == 1).sum() / observed) if observed else 0.0,
        top_share=float(counts.max() / observed) if observed else 0.0,
        largest_share=None if numbers is None else _largest_share(numbers),
        sequential=_running(column, used),
        sound=numbers is None or bool(np.isfinite(numbers).all() and not lacks_digits(numbers).any()),
        negative=numbers is not None and bool((numbers < 0).any()),
        skewness=None if numbers is None else _skewness(numbers),
        shape=shape_of(texts),
        length=lengths.pop() if len(lengths) == 1 else None,
    )


def _some_texts(column: Column, used: Ints) -> list[str]:
    """Some of the different values of categories and whole numbers, always the same ones."""
    looked_at = used[:: max(1, -(-len(used) // _LOOKED_AT))]
    if column.kind is Kind.CATEGORY and column.categories is not None:
        return [str(text) for text in column.categories[looked_at]]
    if column.kind is Kind.INTEGER:
        return [str(value) for value in np.unique(column.values)[looked_at].tolist()]
    return []


def _running(column: Column, used: Ints) -> bool:
    if column.kind is Kind.INTEGER:
        return _without_gap(column.values[column.observed], len(used))
    if column.kind is not Kind.CATEGORY or column.categories is None or len(used) < 2:
        return False
    return _numbered([str(text) for text in column.categories[used]])


def _numbered(texts: list[str]) -> bool:
    """The same letters and a running number: F0, F1, F2 …, also with leading zeros."""
    first = _NUMBERED.fullmatch(texts[0])
    if first is None:
        return False
    found = set()
    for text in texts:
        one = _NUMBERED.fullmatch(text)
        if one is None or one[1] != first[1]:
            return False
        found.add(int(one[2]))
    return len(found) == len(texts) == max(found) - min(found) + 1


def _largest_share(values: Floats) -> float | None:
    """Of the finite values, scaled first so that huge ones do not overflow."""
    sizes = np.abs(values[np.isfinite(values)])
    largest = float(sizes.max(initial=0.0))
    return float(1 / (sizes / largest).sum()) if largest > 0 else None


def _without_gap(values: NDArray[np.int64], distinct: int) -> bool:
    return distinct > 1 and int(values.max()) - int(values.min()) + 1 == distinct


def _skewness(values: Floats) -> float | None:
    """Third standardised moment of the finite values, scaled first so that huge values do not overflow."""
    finite = values[np.isfinite(values)]
    largest = np.abs(finite).max(initial=0.0)
    if largest == 0:
        return None
    centred = finite / largest - (finite / largest).mean()
    spread = float(np.sqrt((centred**2).mean()))
    if spread < 1e-12:
        return None
    return float(((centred / spread) ** 3).mean())
