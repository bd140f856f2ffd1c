"""Estimators for people who receive protected data.

    import tarnkappe as tk

    tk.correct.model("release", "turnover ~ employees + C(region)")     # a regression
    tk.correct.moments("release", ["turnover", "employees"])            # means, variances, correlations
    tk.correct.frequencies("release", "diagnosis")                      # how often a changed category occurred
    tk.correct.bounds("release", "turnover", "sum", by=["region"])      # answers that hold for certain, after camouflage
    tk.correct.combined(["one", "two", "three"], "y ~ x", "imputed")    # several files of one original
    tk.correct.simulate(original, steps, "y ~ x")                       # for the office: what steps would do to a model
    tk.correct.simulate_moments(original, steps, ["turnover"])          # for the office: how stable its moments would be

All but the last two read what ``about.json`` tells of the protection, and refuse where that is not enough.
"""

from __future__ import annotations

from tarnkappe.correct.certain import Bound, Bounds, bounds
from tarnkappe.correct.combining import combined
from tarnkappe.correct.counts import frequencies
from tarnkappe.correct.fit import model
from tarnkappe.correct.moment_simulation import MomentSimulation, simulate_moments
from tarnkappe.correct.release import Release, open_release
from tarnkappe.correct.replications import Simulation
from tarnkappe.correct.result import Corrected, Figure
from tarnkappe.correct.simulation import simulate
from tarnkappe.correct.spread import moments

__all__ = [
    "Bound",
    "Bounds",
    "Corrected",
    "Figure",
    "MomentSimulation",
    "Release",
    "Simulation",
    "bounds",
    "combined",
    "frequencies",
    "model",
    "moments",
    "open_release",
    "simulate",
    "simulate_moments",
]
