"""Awkward versions of data: each must give an answer or an error with a code, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.testing.example import example_data
from tarnkappe.vocab import Kind

MARKERS = ("ZZMARKERZZ", "987654321")
"""What must never be seen outside the data that `marked` makes: a text, and the digits of a number."""
_ODD = ("", " ", "=1+1", "ä", "a\u0308", "zwei\nZeilen", "0", "-0.0", "true")

Change = Callable[[Column, int], Column]


def variants(base: Microdata | None = None) -> Mapping[str, Microdata]:
    """Awkward versions of `base` by name."""
    data = example_data() if base is None else base
    rows: dict[str, Microdata] = {
        "as it is": data,
        "empty": data.take(np.zeros(0, dtype=np.int64)),
        "one record": data.take(np.arange(1)),
        "two records": data.take(np.arange(2)),
        "duplicate records": _renumbered(data.take(np.repeat(np.arange(len(data)), 2))),
        "out of order": data.take(np.arange(len(data))[::-2]),
    }
    return rows | {name: _changed(data, change) for name, change in _CHANGES.items()}


def nearly_zero() -> Mapping[str, Microdata]:
    """Example data with numbers that lack some of their digits: all of them, or some beside zeros and others."""
    changes = {
        "nearly zero": lambda i: 5e-324 * (1 + i),
        "nearly zero in part": lambda i: np.choose(i.astype(int) % 3, (1e-310, 0.0, 1.0)) * (1 + i),
    }
    return {name: _changed(example_data(), _numbers(make)) for name, make in changes.items()}


def marked(n: int = 60) -> Microdata:
    """Example data with a marker in every text and in one cell of every column of numbers."""
    return _changed(example_data(n), _marked)


def _changed(data: Microdata, change: Change) -> Microdata:
    new = {name: change(column, number) for number, (name, column) in enumerate(data.columns.items())}
    return data.with_columns(new)


def _renumbered(data: Microdata) -> Microdata:
    return Microdata(data.columns, data.roles, origin=data.origin)


def _constant(column: Column, number: int) -> Column:
    del number
    last = column.values[column.observed][-1:]  # a marker, where there is one, stands in the first cell
    return replace(column, values=np.repeat(last, len(column)), state=None) if len(last) else column


def _all(state: np.uint8) -> Change:
    def change(column: Column, number: int) -> Column:
        del number
        return replace(column, state=np.full(len(column), state, dtype=np.uint8))

    return change


def _tied(column: Column, number: int) -> Column:
    del number
    if column.categories is not None:
        return replace(column, values=column.values % min(2, max(1, len(column.categories))))
    middle = np.nanmedian(column.values) if column.observed.any() else 0
    low_high = np.array([1, 7], dtype=column.values.dtype)
    return replace(column, values=low_high[(column.values > middle).astype(int)])


def _numbers(make: Callable[[NDArray[Any]], NDArray[Any]]) -> Change:
    """Change number columns; whole numbers take what fits into them."""

    def change(column: Column, number: int) -> Column:
        if not column.kind.is_number:
            return column
        made = make(np.arange(len(column), dtype=np.float64) + number)
        if column.kind is Kind.INTEGER:
            made = np.clip(made, -(2.0**62), 2.0**62).astype(np.int64)
        return replace(column, values=made)

    return change


def _infinite(i: NDArray[Any]) -> NDArray[Any]:
    return np.select([i % 3 == 0, i % 5 == 0], [np.inf, -np.inf], i)


def _odd_text(column: Column, number: int) -> Column:
    if column.kind is not Kind.CATEGORY:
        return column
    texts = [_ODD[(i + number) % len(_ODD)] for i in range(len(column))]
    return replace(Column.texts_of(texts), state=column.state, hierarchy=column.hierarchy)


def _marked(column: Column, number: int) -> Column:
    if column.kind is Kind.CATEGORY:
        texts = [f"{MARKERS[0]}{(i * (number + 1)) % 7}" for i in range(len(column))]
        return replace(Column.texts_of(texts), state=column.state, hierarchy=column.hierarchy)
    if not column.kind.is_number or not len(column):
        return column
    values = column.values.copy()
    values[np.flatnonzero(column.observed)[:1]] = 987654321 if column.kind is Kind.INTEGER else 987654321.125
    return replace(column, values=values)


_CHANGES: Mapping[str, Change] = {
    "constant": _constant,
    "all missing": _all(MISSING),
    "all suppressed": _all(SUPPRESSED),
    "ties": _tied,
    "huge": _numbers(lambda i: 1e300 * (1 + i)),
    "tiny": _numbers(lambda i: 1e-300 * (1 + i)),
    "negative": _numbers(lambda i: -1.5 * (1 + i)),
    "zeros": _numbers(np.zeros_like),
    "infinite": _numbers(_infinite),
    "odd text": _odd_text,
}
