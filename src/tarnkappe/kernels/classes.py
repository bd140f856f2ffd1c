"""Equivalence classes: records that agree on every key, from integer codes in one pass over the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

Ints = NDArray[np.int64]
Codes = NDArray[Any]

MISSING_CODE, SUPPRESSED_CODE = -1, -2
MARKS = 2
"""Codes below zero."""
_LARGEST = 2**63 - 1


class Classes(NamedTuple):
    """A partition of the records."""

    ids: NDArray[Any]
    """Class of every record: 0, 1, … in the order in which classes first appear."""
    sizes: Ints
    """Records in every class."""


def classes(columns: Iterable[tuple[Codes, int]]) -> Classes:
    """Find the records that agree on every column; missing (-1) and suppressed (-2) are values like others.

    Parameters
    ----------
    columns
        At least one column as (codes, count): integer codes -2 … count - 1. They are taken one at a time, so
        with a generator only one copy is alive: ``classes(data.column(name).codes() for name in keys)``.
    """
    keys, span = _first(*next(it := iter(columns)))
    for codes, count in it:
        radix = count + MARKS
        if span > _LARGEST // radix:
            ids, span = _numbered(keys)
            keys = ids.astype(np.int64)
        keys *= radix  # mixed radix: equal keys if and only if equal codes
        keys += codes
        keys += MARKS
        span *= radix
    ids, count = _numbered(keys)
    return Classes(ids, _compiled().sizes_of(ids, count))


def same_numbers(numbers: NDArray[np.uint64]) -> Classes:
    """Records that have the same number."""
    ids, count = _numbered(np.ascontiguousarray(numbers).view(np.int64))
    return Classes(ids, _compiled().sizes_of(ids, count))


def first_records(found: Classes) -> Ints:
    """Position of the first record of every class."""
    first: Ints = _compiled().firsts(found.ids, len(found.sizes))
    return first


def index_type(largest: int) -> type[np.signedinteger[Any]]:
    """Choose the type for codes and positions up to `largest`: 32 bits where they suffice."""
    return np.int32 if largest < 2**31 else np.int64


def _first(codes: Codes, count: int) -> tuple[Ints, int]:
    keys = codes.astype(np.int64)
    keys += MARKS
    return keys, count + MARKS


def _numbered(keys: Ints) -> tuple[NDArray[Any], int]:
    ids = np.empty(len(keys), dtype=index_type(len(keys)))
    return ids, int(_compiled().number(keys.view(np.uint64), ids))


def _compiled() -> Any:
    """Load the compiled part when it is first used: numba takes a while."""
    from tarnkappe.kernels import hashing  # noqa: PLC0415

    return hashing
