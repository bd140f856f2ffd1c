"""Numbers as people write them, in both languages."""

from __future__ import annotations

import math

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.language import Text, same

NONE = same("–")
_GERMAN = str.maketrans(",.", ".,")
_NOISE = 1e-9
"""Shares and errors below this are rounding of the computer, not of the data."""


def shown(value: float | None, digits: int = 3) -> Text:
    """Grouped thousands, `digits` significant digits below 1,000, a real minus sign; a dash for no number."""
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return same("∞" if value > 0 else "−∞")
    return _both(_plain(abs(float(value)), digits), negative=value < 0)


def percent(share: float | None, digits: int = 3) -> Text:
    """A share as a percentage: ``12.5%`` and ``12,5 %``."""
    if share is None or math.isnan(share) or math.isinf(share):
        return NONE
    share = 0.0 if abs(share) < _NOISE else share
    if 0 < abs(share) < 0.0001:
        return Text("< 0.01%", "< 0,01\u00a0%")
    text = shown(100 * share, digits)
    return Text(f"{text.en}%", f"{text.de}\u00a0%")


def fixed(value: float, decimals: int = 2) -> Text:
    """A number with a fixed number of decimals, for figures that stand side by side."""
    size = f"{abs(value):.{decimals}f}"
    return _both(size, negative=value < 0 and float(size) != 0)


def grouped(value: float, decimals: int) -> Text:
    """A figure of a table: grouped thousands and a fixed number of decimals."""
    size = f"{abs(value):,.{decimals}f}"
    return _both(size, negative=value < 0 and size.strip("0.,") != "")


def decimals_of(values: Floats, most: int = 2) -> int:
    """How many decimals the figures of a table need, at most `most`."""
    shown = values[np.isfinite(values)]
    needed = (d for d in range(most) if np.allclose(shown, np.round(shown, d), rtol=1e-12, atol=1e-9))
    return next(needed, most)


def error(share: float | None) -> Text:
    """A relative error as a percentage with its sign and two decimals: columns of them can be compared."""
    if share is None or not math.isfinite(share):
        return NONE
    size = f"{abs(100 * share):,.2f}"
    sign = "" if float(size.replace(",", "")) == 0 else "+" if share > 0 else "−"
    return Text(f"{sign}{size}%", f"{sign}{size.translate(_GERMAN)}\u00a0%")


def seconds(spent: float) -> Text:
    """A time that was measured: milliseconds where it was short."""
    if spent < 1:
        text = shown(max(1, round(1000 * spent)))
        return Text(f"{text.en} ms", f"{text.de} ms")
    text = shown(spent)
    return Text(f"{text.en} s", f"{text.de} s")


def _plain(size: float, digits: int) -> str:
    if size >= 1e15:
        return f"{size:.{digits - 1}e}"
    if size >= 1000 or size.is_integer():
        return f"{round(size):,}"
    if size < 1e-4:
        return f"{size:.1e}" if size > _NOISE else "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{size:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def _both(size: str, *, negative: bool) -> Text:
    sign = "−" if negative and size != "0" else ""
    return Text(sign + size, sign + size.translate(_GERMAN))
