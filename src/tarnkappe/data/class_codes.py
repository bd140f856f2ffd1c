"""Codes that name classes of numbers, such as `2000-4999` or `10000+`: where a class begins, and codes in the order of their classes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_NUMBER = r"-?\d+(?:[.,]\d+)?"
_BELOW = r"<|≤|<=|under|below|up to|less than|unter|bis|bis unter|weniger als"
_ABOVE = r">|≥|>=|from|over|above|more than|at least|ab|über|ueber|mehr als|mindestens"
_CLASS = re.compile(
    rf"\s*(?:(?P<below>{_BELOW})\s*|(?P<above>{_ABOVE})\s*)?(?P<number>{_NUMBER})(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_UNIT = r"(?:\s*[^\W\d][\w .]*)?"
_BETWEEN = re.compile(
    rf"\s*(?:from |von )?(?P<low>{_NUMBER})\s*(?:[-–—]|to|bis)\s*(?:<|under|unter)?\s*(?P<high>{_NUMBER}){_UNIT}\s*",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"\s*(?:\+|and more|or more|and over|und mehr|oder mehr|und darüber){_UNIT}\s*", re.IGNORECASE
)


def begins(code: str) -> tuple[float, int] | None:
    """Where a class begins: its first number, and -1 for what lies below that number; None for a code that is no class."""
    found = _CLASS.fullmatch(code)
    if found is None:
        return None
    return float(found["number"].replace(",", ".")), -1 if found["below"] else 0


def limits(code: str) -> tuple[float, float] | None:
    """The lowest and highest number of a class, infinite where it is open; None for a code that is no class, a plain number among them."""
    between = _BETWEEN.fullmatch(code)
    if between is not None:
        return _number(between["low"]), _number(between["high"])
    found = _CLASS.fullmatch(code)
    if found is None:
        return None
    if found["below"]:
        return -math.inf, _number(found["number"])
    if found["above"] or _MORE.fullmatch(found["rest"]):
        return _number(found["number"]), math.inf
    return None


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def in_order_of_size(codes: Sequence[str], unknown: str = "?") -> list[str]:
    """Codes in the order of the numbers they begin with, where all but the unknown ones do; as they are elsewhere.

    In the order of the alphabet `10000-19999` would stand before `2000-4999`.
    """
    starts = {code: begins(code) for code in codes if code != unknown}
    if not starts or None in starts.values():
        return list(codes)
    first = sorted(starts, key=lambda code: starts[code] or (0.0, 0))
    return [*first, *(code for code in codes if code == unknown)]


def out_of_order(codes: Sequence[str], unknown: str = "?") -> bool:
    """Whether codes that are classes of numbers stand neither upward nor downward."""
    starts = [begins(code) for code in codes if code != unknown]
    known = [start for start in starts if start is not None]
    if len(known) < len(starts):
        return False
    return known not in (sorted(known), sorted(known, reverse=True))
