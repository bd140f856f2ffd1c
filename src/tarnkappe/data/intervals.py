"""Numbers in classes: bands of equal width and classes between cut points.

Classes are half-open, [low, high), and cover every number: no gap and no overlap, whatever the values. Limits
are decimal numbers as people write them, so 0.3 stands in the band of width 0.1 that begins at 0.3, although
the quotient of the binary numbers is 2.9999999999999996.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats, Ints, Strings
from tarnkappe.data.hierarchy import TOTAL, Hierarchy
from tarnkappe.data.hierarchy_builders import Level, from_levels
from tarnkappe.errors.data import NotFinite, NothingToUse
from tarnkappe.errors.hierarchy import ClassesNone, ClassesTooNarrow, HierarchyNotNested
from tarnkappe.kernels.class_means import rounded_quantiles
from tarnkappe.language import Text

_LOWEST, _HIGHEST = Decimal("-Infinity"), Decimal("Infinity")
_MOST_CLASSES = 2.0**51
"""Farther from the origin, neighbouring limits can no longer be told apart."""
_LONGEST = Decimal(10) ** 21
"""Whole limits up to here are written out."""
_DIGITS = 60


def _from_one(place: int) -> int:
    return place + 1


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes that occur in some values, in ascending order."""

    ids: Ints
    """The class of every value."""
    limits: tuple[tuple[Decimal, Decimal], ...]
    """Low and high of every class, infinite where it is open; low belongs to it, high does not."""
    whole: bool
    """The values are whole numbers."""

    def codes(self) -> Strings:
        """``<18``, ``18-34`` for whole numbers, ``18-<35`` for others, ``>=65``; ``Total`` where all values are one class."""
        codes = np.empty(len(self.limits), dtype=object)
        codes[:] = [_spelt_class(low, high, whole=self.whole) for low, high in self.limits]
        return codes

    def midpoints(self) -> Floats:
        """The middle of every class, of 20-24 it is 22; infinite where an end is open."""
        return np.array([_middle(low, high, whole=self.whole) for low, high in self.limits], dtype=np.float64)

    def level(self) -> Level:
        return self.ids, self.codes()


@dataclass(frozen=True, slots=True)
class Bands:
    """Classes of equal width, on as many levels as there are widths: band k begins at origin + k · width."""

    widths: tuple[float, ...]
    """In any order; each must be a multiple of the next smaller one."""
    origin: float = 0.0
    total: str = TOTAL

    def build(self, name: str, column: Column) -> Hierarchy:
        """The bands that the values of a column lie in, and the values below them."""
        refuse_widths(name, self.widths)
        self.refuse_values(name, column)
        values = distinct_values(column)
        levels = [classes.level() for classes in self.classes(values)]
        return from_levels(name, [*levels, leaves(column, values)], self.total, rule=self)

    def classes(self, values: NDArray[Any]) -> list[Classes]:
        """The bands of every width, coarse to fine, that the values lie in. The values must be finite."""
        widths = sorted((exact(w) for w in self.widths), reverse=True)
        fine = self._numbers(values, widths[-1])
        whole = bool(np.issubdtype(values.dtype, np.integer))
        return [self._coarser(fine, widths[-1], width, whole=whole) for width in widths]

    def refuse_values(self, name: str, column: Column, record: Callable[[int], int] = _from_one) -> None:
        """No band holds an infinite value, and none can be told from the next far away from the origin.

        `record` gives the number of a record for messages, where that is not its place in the column (`Microdata.record`).
        """
        values = np.where(column.missing, 0, column.values).astype(np.float64)
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise NotFinite(name=name, count=len(infinite), first=record(int(infinite[0])))
        width = min(self.widths)
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.abs(values) / width + abs(self.origin) / width >= _MOST_CLASSES
        if far.any():
            raise ClassesTooNarrow(name=name, count=int(far.sum()), first=record(int(np.argmax(far))))

    def _numbers(self, values: NDArray[Any], width: Decimal) -> Ints:
        """K of the band that every value lies in.

        The quotient may be off by one, so the limits of the bands around it decide.
        """
        near = np.unique(np.floor((values.astype(np.float64) - self.origin) / float(width)).astype(np.int64))
        numbers = np.unique(np.concatenate([near - 1, near, near + 1]))
        limits = comparable([self._limit(int(k), width) for k in numbers], values.dtype)
        return numbers[np.searchsorted(limits, values, side="right") - 1]

    def _limit(self, k: int, width: Decimal) -> Decimal:
        with localcontext(prec=_DIGITS):
            return exact(self.origin) + k * width

    def _coarser(self, fine: Ints, width: Decimal, coarse: Decimal, *, whole: bool) -> Classes:
        """Bands of a multiple of the width; they are nested because they are made from the finer ones."""
        times = min(int(coarse / width), 2**62)  # beyond, every k gives 0 or -1 just the same
        numbers, ids = np.unique(fine // times, return_inverse=True)
        limits = tuple((self._limit(k, coarse), self._limit(k + 1, coarse)) for k in numbers.tolist())
        return Classes(ids.ravel(), limits, whole)


@dataclass(frozen=True, slots=True)
class Cuts:
    """Classes between cut points, open at both ends, on as many levels as there are lists of cut points."""

    points: tuple[tuple[float, ...], ...]
    """Coarse to fine; every list holds the points of the list before it."""
    total: str = TOTAL

    @staticmethod
    def at_quantiles(column: Column, name: str, count: int) -> Cuts:
        """Cut the values shown into about equally large classes, at rounded points that part some of them."""
        values = column.numbers()
        values = values[np.isfinite(values)]
        if not len(values):
            raise NothingToUse(name=name)
        low, high = values.min(), values.max()
        points = tuple(p for p in rounded_quantiles(values, count) if low < p <= high)
        if not points:
            raise ClassesNone(name=name)
        return Cuts((points,))

    def build(self, name: str, column: Column) -> Hierarchy:
        """The classes that the values of a column lie in, and the values below them."""
        refuse_points(name, self.points)
        values = distinct_values(column)
        levels = [classes.level() for classes in self.classes(values)]
        return from_levels(name, [*levels, leaves(column, values)], self.total, rule=self)

    def classes(self, values: NDArray[Any]) -> list[Classes]:
        """The classes on every level, coarse to fine, that the values lie in."""
        return [self._between(values, [exact(p) for p in points]) for points in self.points]

    def _between(self, values: NDArray[Any], points: list[Decimal]) -> Classes:
        place = np.searchsorted(comparable(points, values.dtype), values, side="right")
        numbers, ids = np.unique(place, return_inverse=True)
        ends = [_LOWEST, *points, _HIGHEST]
        limits = tuple((ends[k], ends[k + 1]) for k in numbers.tolist())
        return Classes(ids.ravel(), limits, bool(np.issubdtype(values.dtype, np.integer)))


def refuse_widths(name: str, widths: tuple[float, ...]) -> None:
    """Every width must be a multiple of the next smaller one."""
    ordered = sorted(exact(w) for w in widths if 0 < w < math.inf)
    nested = not any(a == b or _remainder(b, a) for a, b in pairwise(ordered))
    if not ordered or len(ordered) < len(widths) or not nested:
        why = Text(
            "every width must be a multiple of the next smaller one.",
            "jede Breite muss ein Vielfaches der nächstkleineren sein.",
        )
        raise HierarchyNotNested(name=name, why=why)


def refuse_points(name: str, points: tuple[tuple[float, ...], ...]) -> None:
    """Cut points must grow, and the points of a level must be among those of the next finer one."""
    growing = all(p and all(a < b for a, b in pairwise([-math.inf, *p, math.inf])) for p in points)
    if not points or not growing or any(not set(a) < set(b) for a, b in pairwise(points)):
        why = Text(
            "cut points must grow, and every level must hold all points of the coarser one and more.",
            "Grenzen müssen wachsen, und jede Ebene muss alle Grenzen der gröberen und weitere enthalten.",
        )
        raise HierarchyNotNested(name=name, why=why)


def distinct_values(column: Column) -> NDArray[Any]:
    """The different values of a column in ascending order, also those under suppressed cells; no NaN."""
    values = np.unique(column.values[~column.missing])
    return values[~np.isnan(values)] if values.dtype.kind == "f" else values


def leaves(column: Column, values: NDArray[Any]) -> Level:
    """Every value as a class of its own."""
    codes = np.empty(len(values), dtype=object)
    codes[:] = [column.spelt(v) for v in values.tolist()]
    return np.arange(len(values)), codes


def exact(number: float) -> Decimal:
    """The number itself if it is whole, otherwise the decimal number that people read when it is printed."""
    number = float(number)
    return Decimal(int(number)) if number.is_integer() and abs(number) < _LONGEST else Decimal(repr(number))


def comparable(limits: list[Decimal], kind: np.dtype[Any]) -> NDArray[Any]:
    """Ascending limits in the type of the values, so that ``value >= limit`` decides exactly.

    For whole numbers a limit is rounded up; limits that no value of the type reaches are left out.
    """
    if not np.issubdtype(kind, np.integer):
        return np.array([float(limit) for limit in limits], dtype=np.float64)
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    up = [max(math.ceil(limit), least) for limit in limits]
    return np.array([limit for limit in up if limit <= most], dtype=np.int64)


def _remainder(large: Decimal, small: Decimal) -> Decimal:
    with localcontext(prec=800):  # every quotient of two floats has fewer digits
        return large % small


def _spelt_class(low: Decimal, high: Decimal, *, whole: bool) -> str:
    if low.is_infinite() and high.is_infinite():
        return TOTAL
    if low.is_infinite():
        return f"<{spelt(high)}"
    if high.is_infinite():
        return f">={spelt(low)}"
    if whole and _is_whole(low) and _is_whole(high):
        return spelt(low) if high - low == 1 else f"{spelt(low)}-{spelt(high - 1)}"
    return f"{spelt(low)}-<{spelt(high)}"


_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_CLASS = re.compile(
    rf"<(?P<below>{_NUMBER})|>=(?P<above>{_NUMBER})|(?P<low>{_NUMBER})(?:-(?P<open><?)(?P<high>{_NUMBER}))?"
)


def limits_of(code: str) -> tuple[float, float] | None:
    """The limits of a class from its code: ``18-34`` is [18, 35); None where it is not the code of a class."""
    if code == TOTAL:
        return -math.inf, math.inf
    found = _CLASS.fullmatch(code)
    if found is None:
        return None
    if found["below"]:
        return -math.inf, float(found["below"])
    if found["above"]:
        return float(found["above"]), math.inf
    low = float(found["low"])
    if found["high"] is None:
        return low, low + 1
    return low, float(found["high"]) + (0 if found["open"] else 1)


def spelt(limit: Decimal) -> str:
    """A limit as people write it: 18, 0.3, 1e+30."""
    return str(int(limit)) if _is_whole(limit) and abs(limit) < _LONGEST else repr(float(limit))


def _is_whole(limit: Decimal) -> bool:
    return limit == limit.to_integral_value()


def _middle(low: Decimal, high: Decimal, *, whole: bool) -> float:
    if low.is_infinite() and high.is_infinite():
        return math.inf
    last = high - 1 if whole and _is_whole(low) and _is_whole(high) else high
    return float((low + last) / 2)
