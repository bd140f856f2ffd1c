"""Does a release agree with an earlier one? Counts and means of the strata that both have, such as common years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.process import EarlierUnreadable
from tarnkappe.io.documents import read_json
from tarnkappe.io.released_data import ReleasedColumn, released_data
from tarnkappe.io.staging import MARK
from tarnkappe.language import Text

_NEAR_ZERO = 0.01
"""A mean this small against the standard deviation is no scale: differences are then taken in standard deviations."""
_FILES = ("data.parquet", "data.arrow", "data.csv")


class _Certificate(BaseModel):
    columns: dict[str, ReleasedColumn]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was compared: figures that both releases have."""

    strata: int
    """Strata that both have."""
    compared: int
    """Figures that were compared."""
    apart: int
    """Figures that differ by more than allowed."""
    largest: float
    """The largest relative difference."""


def earlier_data(folder: Path) -> Microdata:
    """The records of an earlier release, from its own files."""
    try:
        told = _Certificate.model_validate(read_json(folder / MARK))
    except (OSError, ValueError, ValidationError):
        raise EarlierUnreadable(folder=folder.name, why=_NO_CERTIFICATE) from None
    file = next((folder / name for name in _FILES if (folder / name).is_file()), None)
    data = released_data(file, told.columns) if file and told.columns else None
    if data is None:
        raise EarlierUnreadable(folder=folder.name, why=_NO_DATA)
    return data


_NO_CERTIFICATE = Text("it has no certificate that can be read.", "sie hat kein lesbares Zertifikat.")
_NO_DATA = Text("it has no records that can be read.", "sie hat keine lesbaren Datensätze.")


def agreement(
    earlier: Microdata, now: Microdata, by: Sequence[str], columns: Sequence[str], within: float
) -> Agreement | None:
    """Compare counts and means of common strata; None where there is no common stratum."""
    strata = _common(earlier, now, by)
    if strata is None:
        return None
    (first, second), size = strata
    differences = [_relative(_counts(first, size), _counts(second, size))]
    differences += [_of_means(_numbers(earlier, n), first, _numbers(now, n), second, size) for n in columns]
    known = np.concatenate(differences)
    known = known[~np.isnan(known)]
    return Agreement(
        size, len(known), int((known > within * (1 + 1e-9)).sum()), float(known.max(initial=0.0))
    )


def _common(earlier: Microdata, now: Microdata, by: Sequence[str]) -> tuple[tuple[Ints, Ints], int] | None:
    """The number of the stratum of every record, -1 for strata that only one has."""
    if not by:
        return (np.zeros(len(earlier), np.int64), np.zeros(len(now), np.int64)), 1
    ours, theirs = (list(zip(*(d.column(n).texts() for n in by), strict=True)) for d in (earlier, now))
    shared = {s for s in set(ours) & set(theirs) if None not in s}
    number = {s: i for i, s in enumerate(sorted(shared))}
    if not number:
        return None
    places = [np.array([number.get(s, -1) for s in strata], dtype=np.int64) for strata in (ours, theirs)]
    return (places[0], places[1]), len(number)


def _numbers(data: Microdata, name: str) -> Floats:
    return data.column(name).numbers()


def _counts(strata: Ints, size: int) -> Floats:
    return np.bincount(strata[strata >= 0], minlength=size).astype(np.float64)


def _relative(old: Floats, new: Floats) -> Floats:
    out: Floats = np.abs(new - old) / old
    return out


def _of_means(old: Floats, first: Ints, new: Floats, second: Ints, size: int) -> Floats:
    """Differences of means in every stratum, relative to the old one; NaN where one of them has no values."""
    was, spread = _mean(old, first, size)
    now, _ = _mean(new, second, size)
    scale = np.where(np.abs(was) < _NEAR_ZERO * spread, spread, np.abs(was))
    with np.errstate(divide="ignore", invalid="ignore"):
        out: Floats = np.abs(now - was) / scale
    return np.where((was == now) & ~np.isnan(was), 0.0, out)


def _mean(values: Floats, strata: Ints, size: int) -> tuple[Floats, Floats]:
    """Mean and standard deviation in every stratum."""
    there: Bools = (strata >= 0) & np.isfinite(values)
    count = np.bincount(strata[there], minlength=size)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: Floats = np.bincount(strata[there], values[there], size) / count
        deviation = (values[there] - mean[strata[there]]) ** 2
        spread: Floats = np.sqrt(np.bincount(strata[there], deviation, size) / count)
    return mean, spread
