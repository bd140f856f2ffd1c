"""One column: values, the state of every cell, and what the values mean.

A cell is *observed*, *missing* (it was so in the original) or *suppressed* (we took it away). The three survive every
step. Under a suppressed cell the true value stays in memory, because only with it can be counted what an attacker
who knows the person sees; `sealed()` wipes it, and nothing is written or shown unsealed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.coding import compact, dense_codes
from tarnkappe.vocab import Kind

if TYPE_CHECKING:
    from tarnkappe.data.hierarchy import Hierarchy

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
States = NDArray[np.uint8]
Strings = NDArray[np.object_]

OBSERVED, MISSING, SUPPRESSED = np.uint8(0), np.uint8(1), np.uint8(2)
MISSING_CODE, SUPPRESSED_CODE = -1, -2


def state_column(name: str) -> str:
    """Name of the column that tells the states of another column's cells."""
    return f"{name}_cell"


BOOLEANS: Strings = np.array(["false", "true"], dtype=object)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Column:
    """Values of one kind. Categories hold small integer codes into `categories`."""

    kind: Kind
    values: NDArray[Any]
    state: States | None = None
    """None when every cell is observed."""
    categories: Strings | None = None
    label: str = ""
    value_labels: Mapping[str, str] = field(default_factory=dict)
    hierarchy: Hierarchy | None = None
    describes: tuple[str, ...] = ()
    """Columns of whose cells this one tells something, as flags do: what is suppressed there is suppressed here."""

    def __post_init__(self) -> None:
        if self.kind in (Kind.CATEGORY, Kind.BOOLEAN) and self.categories is None:
            raise TypeError("a categorical column needs its categories")
        if self.state is not None and not self.state.any():
            object.__setattr__(self, "state", None)
        object.__setattr__(self, "values", without_negative_zero(self.values))
        for array in (self.values, self.state, self.categories):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Column({self.kind.value}, {len(self):,} cells)"

    # -- making -----------------------------------------------------------------------------------------------

    @staticmethod
    def numbers_of(values: NDArray[Any], state: States | None = None, **meaning: Any) -> Column:
        """Floats become a number column (NaN is missing), integers a whole-number column."""
        if np.issubdtype(values.dtype, np.floating):
            values = np.array(values, dtype=np.float64)
            return Column(Kind.NUMBER, values, _with_missing(np.isnan(values), state), **meaning)
        return Column(Kind.INTEGER, np.array(values, dtype=np.int64), state, **meaning)

    @staticmethod
    def texts_of(texts: Sequence[str | None], **meaning: Any) -> Column:
        """Code a list of strings; None is missing. Categories are in alphabetical order."""
        missing = np.array([t is None for t in texts], dtype=np.bool_)
        filled = np.array(["" if t is None else t for t in texts], dtype=object)
        categories, codes = np.unique(filled, return_inverse=True)
        if len(filled) == 0 or missing.all():
            categories, codes = np.array([], dtype=object), np.zeros(len(filled), dtype=np.int64)
        return Column(
            Kind.CATEGORY, compact(codes), _with_missing(missing, None), categories.astype(object), **meaning
        )

    @staticmethod
    def coded(
        codes: NDArray[Any], categories: Strings, state: States | None = None, **meaning: Any
    ) -> Column:
        """Codes into categories, as they are."""
        return Column(Kind.CATEGORY, compact(codes), state, np.asarray(categories, dtype=object), **meaning)

    def empty_as(self, kind: Kind) -> Column:
        """A column in which every value is missing, as one of another kind: nothing in it says what it is."""
        if kind in (Kind.CATEGORY, Kind.BOOLEAN):
            names = BOOLEANS if kind is Kind.BOOLEAN else np.array([], dtype=object)
            return replace(self, kind=kind, values=np.zeros(len(self), dtype=np.uint8), categories=names)
        values = np.full(len(self), np.nan) if kind is Kind.NUMBER else np.zeros(len(self), dtype=np.int64)
        return replace(self, kind=kind, values=values, categories=None)

    # -- reading ----------------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """There are records, and every value is missing."""
        return self.state is not None and bool((self.state == MISSING).all())

    @property
    def observed(self) -> Bools:
        return np.ones(len(self), dtype=np.bool_) if self.state is None else self.state == OBSERVED

    @property
    def missing(self) -> Bools:
        return np.zeros(len(self), dtype=np.bool_) if self.state is None else self.state == MISSING

    @property
    def suppressed(self) -> Bools:
        return np.zeros(len(self), dtype=np.bool_) if self.state is None else self.state == SUPPRESSED

    def numbers(self) -> Floats:
        """The values as floats; NaN where missing or suppressed."""
        out = self.values.astype(np.float64)
        if self.state is not None:
            out[self.state != OBSERVED] = np.nan
        return out

    def true_codes(self) -> tuple[Ints, int]:
        """Dense codes for comparing records, the true value under suppressed cells; missing is -1."""
        if self.categories is not None:
            codes, count = self.values.astype(np.int64), len(self.categories)
        else:
            codes, count = dense_codes(self.values)
        if self.state is not None:
            codes[self.state == MISSING] = MISSING_CODE
        return codes, count

    def codes(self) -> tuple[Ints, int]:
        """Dense codes for comparing records as they are released: missing is -1, suppressed is -2."""
        codes, count = self.true_codes()
        if self.state is not None:
            codes[self.state == SUPPRESSED] = SUPPRESSED_CODE
        return codes, count

    def distinct(self) -> Strings:
        """The categories behind `true_codes`, as text: for hierarchies and reports inside the office."""
        if self.categories is not None:
            return self.categories
        return np.array([self.spelt(v) for v in np.unique(self.values)], dtype=object)

    def in_file_order(self) -> tuple[str, ...]:
        """The values that occur, as text, in the order in which they first do."""
        codes = self.true_codes()[0]
        first, at = np.unique(codes[codes >= 0], return_index=True)
        spelt = self.distinct()
        return tuple(str(spelt[code]) for code in first[np.argsort(at)])

    def spelt(self, value: Any) -> str:
        """One value as text."""
        if self.kind is Kind.DATE:
            return str(np.datetime64(int(value), "D"))
        if self.kind is Kind.DATETIME:
            return str(np.datetime64(int(value), "us"))
        if self.kind is Kind.INTEGER:
            return str(int(value))
        return repr(float(value) + 0.0)

    def texts(self) -> Strings:
        """What is shown of every cell; None where missing or suppressed."""
        out: Strings
        if self.categories is not None and len(self.categories):
            out = self.categories[self.values]
        elif self.categories is not None:
            out = np.full(len(self), None, dtype=object)
        else:
            kinds, inverse = np.unique(self.values, return_inverse=True)
            out = np.array([self.spelt(v) for v in kinds], dtype=object)[inverse]
        if self.state is not None:
            out[self.state != OBSERVED] = None
        return out

    @property
    def nbytes(self) -> int:
        """Memory of the coded values."""
        return self.values.nbytes + (0 if self.state is None else self.state.nbytes)

    # -- changing (a new column each time) ----------------------------------------------------------------------

    def take(self, positions: Ints | Bools) -> Column:
        state = None if self.state is None else self.state[positions]
        return replace(self, values=self.values[positions], state=state)

    def followed_by(self, other: Column) -> Column:
        """With the cells of another column of the same kind and categories at the end."""
        states = [np.zeros(len(c), dtype=np.uint8) if c.state is None else c.state for c in (self, other)]
        values = np.concatenate([self.values, other.values])
        return replace(self, values=values, state=np.concatenate(states))

    def suppress(self, cells: Bools) -> Column:
        """Mark cells as suppressed. A missing cell stays missing."""
        state = np.zeros(len(self), dtype=np.uint8) if self.state is None else self.state.copy()
        state[cells & (state == OBSERVED)] = SUPPRESSED
        return replace(self, state=state)

    def with_numbers(self, values: Floats) -> Column:
        """New numbers in the observed cells; the others keep their state. Whole numbers stay whole if all are.

        A number that is no longer whole makes the column a number column: nothing is rounded silently.
        """
        whole = self.kind is Kind.INTEGER and _whole(values if self.state is None else values[self.observed])
        kind, dtype = (self.kind, np.int64) if whole else (Kind.NUMBER, np.float64)
        if self.state is None:
            return replace(self, kind=kind, values=values.astype(dtype))
        new = np.where(self.observed, values, 0).astype(dtype, copy=False)
        return replace(self, kind=kind, values=np.where(self.observed, new, self.values))

    def with_numbers_at(self, cells: Ints | Bools, values: Floats) -> Column:
        """New numbers in some observed cells; whole numbers stay whole, and all other cells exact, if the new numbers are whole."""
        whole = self.kind is Kind.INTEGER and _whole(values)
        new = self.values.copy() if whole else self.values.astype(np.float64)
        new[cells] = values
        return replace(self, kind=self.kind if whole else Kind.NUMBER, values=new)

    def with_codes(self, codes: NDArray[Any], categories: Strings) -> Column:
        """New categories; the states stay as they are."""
        return replace(
            self,
            kind=Kind.CATEGORY,
            values=compact(codes),
            categories=np.asarray(categories, dtype=object),
            value_labels={},
        )

    def sealed(self) -> Column:
        """Wipe the true values under suppressed cells; drop categories and labels that no observed cell shows."""
        wiped = self._wiped()
        if not self.value_labels:
            return wiped
        shown = set(wiped.texts())
        return replace(wiped, value_labels={v: label for v, label in self.value_labels.items() if v in shown})

    def _wiped(self) -> Column:
        if self.state is None and self.categories is None:
            return self
        hidden = ~self.observed
        if self.categories is None:
            blank = np.nan if self.kind is Kind.NUMBER else 0
            return replace(self, values=np.where(hidden, blank, self.values).astype(self.values.dtype))
        if self.kind is Kind.BOOLEAN:
            return replace(self, values=np.where(hidden, 0, self.values).astype(np.uint8))
        used = np.zeros(len(self.categories), dtype=np.bool_)
        used[self.values[~hidden]] = True
        position = np.cumsum(used) - 1
        values = np.zeros(len(self), dtype=np.int64)
        values[~hidden] = position[self.values[~hidden]]
        return replace(self, values=compact(values), categories=self.categories[used])


def without_negative_zero(values: NDArray[Any]) -> NDArray[Any]:
    """The same values with 0.0 for -0.0: they are equal, so records that differ only in this sign must not look different in a file."""
    if not np.issubdtype(values.dtype, np.floating):
        return values
    zero = values == 0
    negative = zero.any() and np.signbit(values[zero]).any()
    return np.where(zero, 0.0, values).astype(values.dtype, copy=False) if negative else values


def _with_missing(missing: Bools, state: States | None) -> States | None:
    if not missing.any():
        return state
    out = np.zeros(len(missing), dtype=np.uint8) if state is None else state.copy()
    out[missing & (out == OBSERVED)] = MISSING
    return out


def _whole(values: Floats) -> bool:
    return bool(np.all(np.isfinite(values) & (values == np.rint(values)) & (np.abs(values) < 2**62)))
