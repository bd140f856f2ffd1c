"""Estimators for people who receive protected data.

    import tarnkappe as tk

    tk.correct.model("release", "turnover ~ employees + C(region)")     # a regression
    tk.correct.moments("release", ["turnover", "employees"])            # means, variances, correlations
    tk.correct.frequencies("release", "diagnosis")                      # how often a changed category occurred
    tk.correct.bounds("release", "turnover", "sum", by=["region"])      # answers that hold for certain, after camouflage
    tk.correct.combined(["one", "two", "three"], "y ~ x", "imputed")    # several files of one original

All read what ``about.json`` tells of the protection, and refuse where that is not enough.
"""

from __future__ import annotations

from tarnkappe.correct.certain import Bound, Bounds, bounds
from tarnkappe.correct.combining import combined
from tarnkappe.correct.counts import frequencies
from tarnkappe.correct.fit import model
from tarnkappe.correct.release import Release, open_release
from tarnkappe.correct.result import Corrected, Figure
from tarnkappe.correct.spread import moments

__all__ = [
    "Bound",
    "Bounds",
    "Corrected",
    "Figure",
    "Release",
    "bounds",
    "combined",
    "frequencies",
    "model",
    "moments",
    "open_release",
]
