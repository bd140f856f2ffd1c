"""What a measure returns: never a bare number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from tarnkappe.language import NOTHING, Text

Json = Any
"""What JSON can hold."""


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """A value with what is needed to judge it."""

    value: float
    low: float | None = None
    high: float | None = None
    """Ends of the confidence interval, where there is one."""
    baseline: float | None = None
    """What the original data, or an attacker who only guesses, reaches."""
    trusted: bool = True
    because: Text = NOTHING
    """The reason in words; always given when the value is not to be trusted."""
    details: Mapping[str, Json] = field(default_factory=dict)
    """Tables and series behind the value: aggregates only, no record."""
    per_record: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    """One value per record, for the office; never written to a release."""
    per_cell: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False, compare=False)
    """Values per cell of a table, or further ones per record, by name, for the office; never written to a release."""
    reads: Text = NOTHING
    """The sentence for the value where that of the measure does not fit: units were counted, not records."""

    def __post_init__(self) -> None:
        if not self.trusted and not self.because:
            raise TypeError("a finding that is not to be trusted must say why")

    def __repr__(self) -> str:
        """The value and what judges it; of the details only the names."""
        told = {"low": self.low, "high": self.high, "baseline": self.baseline}
        parts = [f"{float(self.value)!r}"]
        parts += [f"{name}={float(end)!r}" for name, end in told.items() if end is not None]
        parts += [] if self.trusted else [f"not to be trusted: {self.because.en}"]
        parts += [f"details: {', '.join(map(str, self.details))}"] if self.details else []
        parts += [f"per_record: {len(self.per_record):,} values"] if self.per_record is not None else []
        return f"Finding({', '.join(parts)})"

    def as_json(self) -> dict[str, Json]:
        """The finding without its values per record."""
        return {
            "value": plain(self.value),
            "low": plain(self.low),
            "high": plain(self.high),
            "baseline": plain(self.baseline),
            "trusted": self.trusted,
            "because": {"en": self.because.en, "de": self.because.de} if self.because else None,
            "details": plain(self.details),
        }


def plain(value: Any) -> Json:
    """Turn numpy values, tuples, texts and parameters into what JSON can hold; not-a-number becomes null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Text):
        return {"en": value.en, "de": value.de}
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
