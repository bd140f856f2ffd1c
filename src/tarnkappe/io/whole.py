"""Formats that know floats only: whole numbers are told by their values."""

from __future__ import annotations

import polars as pl

_EXACT = float(2**53)
"""Up to here a float holds every whole number."""


def if_whole(numbers: pl.Series) -> pl.Series:
    """As whole numbers if all are, otherwise as they are. Negative zero is no whole number."""
    exact = (numbers == numbers.floor()) & (numbers.abs() <= _EXACT)
    negative_zero = (numbers == 0) & (1 / numbers < 0)
    return numbers.cast(pl.Int64) if exact.all() and not negative_zero.any() else numbers
