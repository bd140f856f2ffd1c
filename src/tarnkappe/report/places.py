"""Where a value stands on the axis of a histogram: bins have one width on paper, whatever they are in the data."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.report.axes import Axis

_ALIKE = 1e-6


def place(values: Floats, axis: Axis) -> Floats:
    """The place on the axis: bin i from i to i + 1, between its edges in proportion (of logarithms where bins grow with the value)."""
    edges = np.asarray(axis.edges, dtype=np.float64)
    at = np.arange(1.0, len(edges) + 1)
    if grows(axis):
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(values > 0, np.log(np.where(values > 0, values, 1.0)), -np.inf)
        return np.asarray(np.interp(logs, np.log(edges), at, left=0.5, right=len(edges) + 0.5))
    return np.asarray(np.interp(values, edges, at, left=0.5, right=len(edges) + 0.5))


def value_at(at: float, axis: Axis) -> float | None:
    """The value at a place; None in the open ends."""
    edges = np.asarray(axis.edges, dtype=np.float64)
    if not 1 <= at <= len(edges):
        return None
    places = np.arange(1.0, len(edges) + 1)
    if grows(axis):
        return float(np.exp(np.interp(at, places, np.log(edges))))
    return float(np.interp(at, places, edges))


def within(values: Floats, axis: Axis) -> Floats:
    """The values between the open ends."""
    kept: Floats = values[(values >= axis.edges[0]) & (values <= axis.edges[-1])]
    return kept


def grows(axis: Axis) -> bool:
    """Whether the bins have equal ratios."""
    edges = np.asarray(axis.edges, dtype=np.float64)
    if len(edges) < 3 or edges[0] <= 0:
        return False
    ratios = edges[1:] / edges[:-1]
    return bool(ratios[0] > 1 + _ALIKE and np.ptp(ratios) <= _ALIKE * ratios[0])
