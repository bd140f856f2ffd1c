"""One column of a frame becomes coded values.

What a column becomes depends on its type alone, with one exception: whole numbers that do not fit into 64
bits become text, so that they stay exact. Decimals become the nearest float. Times with a zone become UTC,
and instants are kept to the microsecond. Categories are always in alphabetical order: the same data has the
same codes whichever frame or file it came in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tarnkappe.data.column import BOOLEANS, MISSING, Column, Ints, States
from tarnkappe.errors.data import TypeNotPossible
from tarnkappe.errors.files import ColumnType
from tarnkappe.kernels.coding import compact
from tarnkappe.vocab import Kind

_LARGEST = 2**63 - 1
_MICROSECONDS = {"ms": 1000, "us": 1}


def column_of(values: pl.Series, name: str, **meaning: Any) -> Column:
    """The coded column. `meaning` is its label and its value labels."""
    kind = values.dtype
    if is_text(kind):
        return texts_of([values], **meaning)
    if kind == pl.Boolean:
        return Column(Kind.BOOLEAN, _filled(values.cast(pl.UInt8), 0), _state(values), BOOLEANS, **meaning)
    if kind.is_float() or (isinstance(kind, pl.Decimal) and kind.scale):
        return _numbers(values.cast(pl.Float64), meaning)
    if kind.is_integer() or isinstance(kind, pl.Decimal):
        return _whole_numbers(values, meaning)
    if kind == pl.Date:
        return Column(Kind.DATE, _filled(values.to_physical(), 0), _state(values), **meaning)
    if isinstance(kind, pl.Datetime):
        return Column(Kind.DATETIME, _microseconds(values, kind.time_unit, name), _state(values), **meaning)
    raise ColumnType(name=name, found=type(kind).__name__)


def is_text(kind: pl.DataType) -> bool:
    """Whether a column of this type becomes categories."""
    return kind in (pl.String, pl.Categorical, pl.Enum, pl.Null, pl.Time)


def texts_of(parts: Iterable[pl.Series], **meaning: Any) -> Column:
    """Code text that comes in parts: each is coded by itself, so that only one need be in memory as text."""
    coded = [_coded_texts(part.cast(pl.String)) for part in parts]
    categories = pl.concat([distinct for distinct, _, _ in coded]).unique().sort()
    state = np.concatenate([state for _, _, state in coded])
    codes = np.zeros(len(state), dtype=np.min_scalar_type(max(len(categories) - 1, 0)))
    start = 0
    for distinct, part, _ in coded:
        place = distinct.cast(pl.Enum(categories)).to_physical().to_numpy().astype(codes.dtype)
        if len(place):
            codes[start : start + len(part)] = place[part]
        start += len(part)
    codes[state == MISSING] = 0
    return Column(Kind.CATEGORY, codes, state, np.array(categories.to_list(), dtype=object), **meaning)


def _coded_texts(texts: pl.Series) -> tuple[pl.Series, NDArray[Any], States]:
    """The distinct texts, a code into them for every record, and which records are missing."""
    distinct = texts.drop_nulls().unique().sort()
    codes = texts.cast(pl.Enum(distinct)).to_physical()
    return distinct, compact(_filled(codes, 0)), texts.is_null().to_numpy().astype(np.uint8) * MISSING


def _state(values: pl.Series) -> States | None:
    """Missing where null."""
    return values.is_null().to_numpy().astype(np.uint8) * MISSING if values.null_count() else None


def _filled(values: pl.Series, blank: Any) -> Any:
    return values.fill_null(blank).to_numpy()


def _numbers(numbers: pl.Series, meaning: dict[str, Any]) -> Column:
    values = _filled(numbers, np.nan)
    missing = np.isnan(values)
    return Column(Kind.NUMBER, values, missing.astype(np.uint8) if missing.any() else None, **meaning)


def _whole_numbers(numbers: pl.Series, meaning: dict[str, Any]) -> Column:
    low, high = numbers.min(), numbers.max()
    if low is not None and (int(low) < -_LARGEST - 1 or int(high) > _LARGEST):  # type: ignore[arg-type]
        return texts_of([numbers], **meaning)
    return Column(Kind.INTEGER, _filled(numbers.cast(pl.Int64), 0), _state(numbers), **meaning)


def _microseconds(instants: pl.Series, unit: str, name: str) -> Ints:
    """Microseconds since 1970 in UTC; finer instants are cut."""
    ticks: Ints = _filled(instants.to_physical(), 0)
    if unit == "ns":
        return ticks // 1000
    most = _LARGEST // _MICROSECONDS[unit]
    beyond = np.flatnonzero((ticks > most) | (ticks < -most))
    if len(beyond):
        raise TypeNotPossible(name=name, kind=Kind.DATETIME.text, count=len(beyond), first=int(beyond[0]) + 1)
    return ticks * _MICROSECONDS[unit]
