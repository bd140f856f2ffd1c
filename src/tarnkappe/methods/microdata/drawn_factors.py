"""Moments of the factors that came out, for methods in which they are not those of the law.

Chosen directions and kept totals make changes smaller, and corrected estimates need what the factors are. In files of few contributors,
about whom they would tell, they are those of the law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.contributors import contributor_codes, several_records
from tarnkappe.data.masked import side_by_side
from tarnkappe.data.microdata import Microdata

MANY = 100
"""Factors whose moments tell nothing about one of them; those of one contributor in one column count once."""
_OF: dict[str, Callable[[Floats], float]] = {
    "mean": lambda w: float(w.mean()),
    "variance": lambda w: float(w.var()),
    "raw_moment_2": lambda w: float((w**2).mean()),
    "raw_moment_3": lambda w: float((w**3).mean()),
    "raw_moment_4": lambda w: float((w**4).mean()),
    "mean_of_inverse": lambda w: float((1 / w).mean()),
    "mean_of_logarithm": lambda w: float(np.log(w).mean()),
    "variance_of_logarithm": lambda w: float(np.log(w).var()),
}


@dataclass(frozen=True)
class DrawnFactors:
    """Factors of the values of some columns; 1 where there is no value or none to change."""

    w: Floats
    by: Bools
    """Which contributors have a changed value in which columns."""

    @staticmethod
    def of(before: Microdata, after: Microdata, names: Sequence[str]) -> DrawnFactors:
        """From the numbers before and after."""
        x, y = side_by_side(before, after, names)
        used = np.abs(np.nan_to_num(x)) > 1e-100
        w: Floats = np.where(used, y / np.where(used, x, 1.0), 1.0)
        return DrawnFactors(w, _changed_by(before.aligned_to(after), w != 1))

    def moments(self, told: dict[str, float]) -> dict[str, float]:
        """Those that a law tells, of the factors that came out."""
        if self.by.sum() < MANY:
            return told
        w = self.w[self.w != 1]
        return {name: round(_OF[name](w), 6) for name in told}

    def covariances(self, told: dict[str, float]) -> dict[str, float]:
        """Of the factors of two values of one record, the mean over all pairs; those that a law tells."""
        if _pairs(self.by) < MANY:
            return told
        found = {"covariance": self.w - 1}
        if "covariance_of_logarithms" in told:
            logs = np.log(self.w)
            found["covariance_of_logarithms"] = np.where(self.w != 1, logs - logs[self.w != 1].mean(), 0.0)
        count = _pairs(self.w != 1)
        return {name: round(_products(v) / count, 6) for name, v in found.items()}


def _products(v: Floats) -> float:
    """The sum over all pairs of values of one row, each in both orders."""
    return float((v.sum(axis=1) ** 2 - (v**2).sum(axis=1)).sum())


def _changed_by(data: Microdata, changed: Bools) -> Bools:
    if not several_records(data):
        return changed
    people, who = np.unique(contributor_codes(data), return_inverse=True)
    out = np.zeros((len(people), changed.shape[1]), dtype=np.bool_)
    np.logical_or.at(out, who, changed)
    return out


def _pairs(there: Bools) -> int:
    """How many pairs of values the rows have, each in both orders."""
    count = np.count_nonzero(there, axis=1)
    return int((count * (count - 1)).sum())
