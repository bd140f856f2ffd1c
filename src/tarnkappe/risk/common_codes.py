"""The same column of a release and of other files in common codes: what an attacker compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import MISSING_CODE, SUPPRESSED_CODE, Column, Floats, Ints, Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.risk.register import lifted
from tarnkappe.vocab import Kind


@dataclass(frozen=True, slots=True, eq=False)
class CommonColumn:
    """One column of several files, the release first."""

    codes: tuple[Ints, ...]
    """By file: the place of the value among all values, -1 where missing, -2 where suppressed."""
    values: Floats | None
    """The numbers behind the codes, ascending; None for categories."""

    @property
    def ordered(self) -> bool:
        return self.values is not None

    def cells(self) -> tuple[Ints, ...]:
        """By file, for Gower's distance: numbers in parts of the range that the release shows."""
        from tarnkappe.kernels.gower_tree import ONE, UNSEEN  # noqa: PLC0415 - numba is loaded when first used

        places = self._places() if self.values is not None else None
        return tuple(_cells(codes, places, ONE, UNSEEN) for codes in self.codes)

    def _places(self) -> Floats:
        """Where each value lies between the smallest (0) and the largest (1) that the release shows; 2 and -1 are far outside."""
        assert self.values is not None
        shown = self.codes[0][self.codes[0] >= 0]
        if not len(shown):
            return np.zeros(len(self.values))
        scaled = self.values / (np.abs(self.values).max() or 1.0)  # no overflow
        low, high = scaled[shown.min()], scaled[shown.max()]
        if low == high:
            return np.asarray(np.select([scaled < low, scaled > low], [-1.0, 2.0], 0.0))
        return np.asarray(np.clip((scaled - low) / (high - low), -1.0, 2.0))


def common(files: Sequence[Microdata], name: str) -> CommonColumn:
    """Code a column alike in all files; true values under suppressed cells are not used.

    Numbers and dates keep their order. Otherwise the spelling counts; where the released column has a hierarchy, a code of another file counts
    as the released code above it.
    """
    columns = [file.column(name) for file in files]
    kinds = {column.kind for column in columns}
    if all(kind.is_number for kind in kinds):
        for file in files:
            file.numbers((name,))  # infinite numbers are refused
        return _ordered(columns)
    return _ordered(columns) if kinds in ({Kind.DATE}, {Kind.DATETIME}) else _spelt(columns)


def _ordered(columns: Sequence[Column]) -> CommonColumn:
    values = np.unique(np.concatenate([c.values[c.observed] for c in columns]))
    codes = tuple(_with_gaps(np.searchsorted(values, c.values), c) for c in columns)
    return CommonColumn(codes, values.astype(np.float64))


def _spelt(columns: Sequence[Column]) -> CommonColumn:
    released = columns[0].sealed()
    columns = [released, *columns[1:]]
    shown = canonical(released)
    spelt = [shown, *(_as_released(released, set(shown), column) for column in columns[1:])]
    _, place = np.unique(np.concatenate(spelt).astype(str), return_inverse=True)
    parts = np.split(place, np.cumsum([len(s) for s in spelt])[:-1])
    codes = tuple(
        _with_gaps(np.append(part, 0)[c.true_codes()[0]], c) for part, c in zip(parts, columns, strict=True)
    )
    return CommonColumn(codes, None)


def _as_released(released: Column, shown: set[str], column: Column) -> Strings:
    return canonical(column) if released.hierarchy is None else lifted(released.hierarchy, shown, column)


def _with_gaps(codes: Ints, column: Column) -> Ints:
    out = codes.astype(np.int64)
    out[column.missing] = MISSING_CODE
    out[column.suppressed] = SUPPRESSED_CODE
    return out


def _cells(codes: Ints, places: Floats | None, one: int, unseen: int) -> Ints:
    if places is None:
        cells = codes * (2 * one)
    else:
        scaled = np.rint(np.append(places, [0.0, 4.0]) * one).astype(
            np.int64
        )  # -1, missing, is the last: far from all
        cells = scaled[codes]
    cells[codes == SUPPRESSED_CODE] = unseen
    return cells
