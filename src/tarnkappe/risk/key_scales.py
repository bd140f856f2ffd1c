"""The keys of both files as numbers whose differences can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.kernels.standard import power_scale
from tarnkappe.risk.outside import CategoryKey, NumberKey, Outside

Scale = Literal["rank", "sd", "value"]
"""What a difference is a part of: all ranks of the release, the standard deviation, or the value itself."""
_SMALL = 0.01
"""Values below this part of the typical one count as small: there differences are taken as they are, not as parts of the value."""


@dataclass(frozen=True, eq=False)
class Placed:
    """One key of both files; NaN where it is unknown. Categories keep their codes."""

    name: str
    known: Floats
    released: Floats
    count: int = 0
    """Categories; 0 for numbers."""


def placed(outside: Outside, scale: Scale) -> tuple[Placed, ...]:
    """All keys on a scale. Dates have no zero, so where numbers are taken relative to themselves they are taken in standard deviations."""
    return tuple(
        _codes(key)
        if isinstance(key, CategoryKey)
        else _numbers(key, scale if outside.released.column(key.name).kind.is_number or scale == "rank" else "sd")
        for key in outside.keys
    )  # fmt: skip


def _codes(key: CategoryKey) -> Placed:
    known, released = (
        np.where(codes >= 0, codes, np.nan).astype(np.float64) for codes in (key.known, key.released)
    )
    return Placed(key.name, known, released, key.count)


def _numbers(key: NumberKey, scale: Scale) -> Placed:
    if scale == "rank":
        return Placed(key.name, _ranks(key.known, key.released), _ranks(key.released, key.released))
    if scale == "sd":
        return Placed(key.name, *_standardised(key.known, key.released))
    return Placed(key.name, *_logarithms(key.known, key.released))


def _ranks(values: Floats, among: Floats) -> Floats:
    """Where values stand in the order of the release, from 0 to 1; equal values stand in the middle of their ranks."""
    ordered = np.sort(among[~np.isnan(among)])
    below, upto = (np.searchsorted(ordered, values, which) for which in ("left", "right"))
    return np.where(np.isnan(values), np.nan, (below + upto) / (2 * max(len(ordered), 1)))


def _standardised(known: Floats, released: Floats) -> tuple[Floats, Floats]:
    """In standard deviations of the release."""
    there = released[~np.isnan(released)]
    unit = float(power_scale(np.concatenate([there, known[~np.isnan(known)]])[:, None])[0])
    spread = float((there / unit).std()) if len(there) else 0.0
    by = spread or 1.0
    return known / unit / by, released / unit / by


def _logarithms(known: Floats, released: Floats) -> tuple[Floats, Floats]:
    """sign(x)·ln(1 + |x|/s): differences are relative ones, except near zero."""
    sizes = np.abs(released[~np.isnan(released) & (released != 0)])
    typical = float(np.exp(np.median(np.log(sizes)))) if len(sizes) else 1.0
    return _logarithm(known, typical), _logarithm(released, typical)


def _logarithm(values: Floats, typical: float) -> Floats:
    out, there = np.full(len(values), np.nan), ~np.isnan(values)
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, and ln(1 + 0) comes out as 0
        size = np.log(np.abs(values[there])) - np.log(typical) - np.log(_SMALL)
    out[there] = np.sign(values[there]) * np.logaddexp(0.0, size)
    return out
