"""Limits that may be told: no value of one or two contributors, nor so near to one that it gives it back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Ints

CONTRIBUTORS = 3
CLOSENESS = 0.01
"""Nearer than this part of a value, a figure gives the value back."""
_AROUND = 4
"""A limit is made from so many neighbouring values."""
_DIGITS = 17
"""No number has more."""
_TRIED = 2000
"""So many places are tried on either side."""
_STEPS = (0, 1, 2, 0.5, 1.5, 3, 4, 5, 0.1, 0.2, 0.3, 0.4)
"""How many units a point of quantiles may move, in the order in which it is tried."""
Number = int | float


@dataclass(frozen=True)
class Shown:
    """Values with the contributor of each, both ascending by value."""

    values: NDArray[Any]
    who: Ints
    contributors: int = CONTRIBUTORS
    closeness: float = CLOSENESS

    @staticmethod
    def of(
        values: NDArray[Any], who: Ints, contributors: int = CONTRIBUTORS, closeness: float = CLOSENESS
    ) -> Shown:
        order = np.argsort(values, kind="stable")
        return Shown(values[order], who[order], contributors, closeness)

    @cached_property
    def distinct(self) -> NDArray[Any]:
        return np.unique(self.values)

    @property
    def whole(self) -> bool:
        return bool(np.issubdtype(self.values.dtype, np.integer))

    def tells_few(self, figure: Number) -> bool:
        """Whether a figure is the value of too few contributors, or lies near to the values of too few."""
        ends = sorted((figure / (1 + self.closeness), figure / (1 - self.closeness)))
        return self._few(figure, figure) or self._few(*ends)

    def beyond(self, limit: Number) -> int:
        """How many values are larger."""
        return len(self.values) - int(np.searchsorted(self.values, limit, side="right"))

    def beyond_of(self, contributors: int) -> int:
        """The fewest values at the upper end that so many contributors have; more than there are where they are fewer."""
        people, first = np.unique(self.who[::-1], return_index=True)
        return int(np.sort(first)[contributors - 1]) + 1 if len(people) >= contributors else len(self.who) + 1

    def people(self, low: Number, high: Number) -> int:
        """Contributors with a value from one limit on and below another."""
        begin, end = np.searchsorted(self.values, (low, high), side="left")
        return len(np.unique(self.who[begin:end]))

    def _few(self, low: Number, high: Number) -> bool:
        begin = int(np.searchsorted(self.values, low, side="left"))
        end = int(np.searchsorted(self.values, high, side="right"))
        people = len(np.unique(self.who[begin : min(end, begin + 50)]))
        if people < self.contributors and end > begin + 50:
            people = len(np.unique(self.who[begin:end]))
        return 0 < people < self.contributors

    def first_around(self, places: Iterable[int], beyond: tuple[int, int], *, whole: bool) -> Number | None:
        """The first number that `around` finds at some places with so many values beyond it, from the fewest to the most."""
        found = (self._around(place, beyond, whole=whole) for place in places)
        return next((one for one in found if one is not None), None)

    def _around(self, place: int, beyond: tuple[int, int], *, whole: bool) -> Number | None:
        """The shortest number near the mean of neighbouring values, between the outer two, that may be told; None where there is none."""
        some = self.distinct[max(place, 0) : place + _AROUND]
        if len(some) < 2 or not np.isfinite(some.astype(np.float64)).all():
            return None
        if self.beyond(some[0]) < beyond[0] or self.beyond(some[-1]) > beyond[1]:
            return None
        mean = sum(map(Fraction, some.tolist()), Fraction()) / len(some)
        for found in shortened(mean, whole=whole):
            if (
                some[0] < found < some[-1]
                and beyond[0] <= self.beyond(found) <= beyond[1]
                and not self.tells_few(found)
            ):
                return found
        return None


def upper_limit(shown: Shown, limit: Number, enough: int) -> Number | None:
    """A limit that may be told in place of the value `limit`, with `enough` contributors beyond it; None where there is none.

    The value itself where enough contributors share it. Otherwise a short number near the mean of four neighbouring values, so that it tells of none of
    them: beyond it lie as many values as beyond `limit` or fewer; where no such number may be told, at most twice as many. Where values follow each
    other so closely that every number lies near to one or two of them, it is only no value of theirs: a mean of four tells of none.
    """
    if not shown.tells_few(limit):
        return limit
    at, most, least = (
        int(np.searchsorted(shown.distinct, limit)),
        shown.beyond(limit),
        shown.beyond_of(enough),
    )
    twice = min(max(2 * most, least), (len(shown.values) - 1) // 2)
    outwards = range(at - 1, min(at + _TRIED, len(shown.distinct)))
    inwards = range(at - 1, max(at - _TRIED, -1), -1)
    for whole in (True, False) if shown.whole else (False,):
        for judge in (shown, replace(shown, closeness=0.0)):
            for places, many in ((outwards, most), (inwards, twice)):
                found = judge.first_around(places, (least, many), whole=whole)
                if found is not None:
                    return found
    return None


def cuts_to_tell(shown: Shown, points: Sequence[float]) -> list[float]:
    """Limits of classes in place of points that would tell values of few: the next multiples of the same unit, or of half of it.

    A point that finds none, or whose class would hold too few contributors where it moves, is left out.
    """
    unit = _unit(points)
    found: dict[float, bool] = {}
    for point in points:
        near = (point + sign * steps * unit for steps in _STEPS for sign in (1, -1))
        tellable = next((float(one) for one in near if not shown.tells_few(one)), None)
        if tellable is not None:
            found[tellable] = found.get(tellable, False) or tellable == point
    return _with_enough(shown, found)


def _with_enough(shown: Shown, cuts: Mapping[float, bool]) -> list[float]:
    """The cuts, ascending, without those that moved and have too few contributors on one side; those that stayed say True."""
    kept: list[float] = []
    places = sorted(cuts)
    for at, cut in enumerate(places):
        ends = (kept[-1] if kept else -math.inf, cut, places[at + 1] if at + 1 < len(places) else math.inf)
        if cuts[cut] or all(shown.people(low, high) >= shown.contributors for low, high in pairwise(ends)):
            kept.append(cut)
    return kept


def shortened(number: Fraction, *, whole: bool) -> Iterator[Number]:
    """A number rounded to one digit, to two, and so on; whole ones only where they must be."""
    top = math.floor(math.log10(abs(number))) + 1 if number else 0
    last = 0 if whole else top - _DIGITS
    for power in range(top, last - 1, -1):
        unit = Fraction(10) ** power
        rounded = round(number / unit) * unit
        yield int(rounded) if whole or rounded.denominator == 1 else float(rounded)


def _unit(points: Sequence[float]) -> float:
    """The largest power of ten of which all points are multiples."""
    exact = [Fraction(repr(float(point))) for point in points if point]
    power = next(
        (p for p in range(300, -300, -1) if all((one / Fraction(10) ** p).denominator == 1 for one in exact)),
        0,
    )
    return float(Fraction(10) ** power) if exact else 1.0
