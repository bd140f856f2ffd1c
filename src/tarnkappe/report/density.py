"""From a numeric column to a smooth curve and a box, before and after, on the axis of its histogram. No single record shows.

The curve is a kernel density estimate: Gaussian kernel, bandwidth by Silverman's rule of thumb
0.9 · min(sd, IQR/1.34) · n^(-1/5) (silverman1986, equation 3.31), reflected at both ends, computed from 512 counts in one pass.
Boxes end at guarded quantiles: the mean of three records with three more beyond.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from tarnkappe.data.column import Column, Floats
from tarnkappe.kernels.moments import guarded_quantiles
from tarnkappe.report.axes import FEWEST, SMALLEST, Axis
from tarnkappe.report.histogram import Binning, binning
from tarnkappe.report.places import place, within

BOX = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Ends of the whiskers and of the box, and the median."""
GRID = tuple(i / 20 for i in range(1, 20))
"""Shares at which the quantiles of both sides are compared."""
_CELLS = 512
_SHOWN = 4
"""Every fourth cell is a point of the curve."""
_NARROWEST = 0.2
"""Smallest bandwidth, in bins."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One side: the curve as share per bin, its bandwidth in bins, and the quantiles as places."""

    curve: Floats
    bandwidth: float
    box: tuple[float, ...] | None
    quantiles: tuple[float, ...]
    """At `GRID`; NaN where too few records lie beyond."""


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Both sides over one axis."""

    axis: Axis
    places: Floats
    before: Shape
    after: Shape


def shapes(before: Column, after: Column) -> Shapes | None:
    """Curves and quantiles of both sides; None where there is too little to show or a number has a bin of its own."""
    found = binning(before, after)
    if found is None or found.axis.whole or len(found.axis.edges) < 4:
        return None
    sides = _sides(found)
    if sides is None:
        return None
    end = len(found.axis.edges)
    middles = 1 + (np.arange(_CELLS) + 0.5) * (end - 1) / _CELLS
    return Shapes(found.axis, middles[::_SHOWN], *sides)


def _sides(found: Binning) -> tuple[Shape, Shape] | None:
    old, new = (_shape(values, found.axis) for values in (found.old, found.new))
    return None if old is None or new is None else (old, new)


def _shape(values: Floats, axis: Axis) -> Shape | None:
    at = place(within(values, axis), axis)
    if len(at) < FEWEST:
        return None
    width = (len(axis.edges) - 1) / _CELLS
    counts = np.bincount(np.minimum(((at - 1) / width).astype(np.int64), _CELLS - 1), minlength=_CELLS)
    h = _bandwidth(at)
    smooth = gaussian_filter1d(counts.astype(np.float64), h / width, mode="reflect") / width
    smooth[smooth * 2 * h < SMALLEST] = 0.0
    quantiles = place(np.asarray(guarded_quantiles(values, None, (*BOX, *GRID))), axis)
    box = quantiles[: len(BOX)]
    return Shape(
        smooth[::_SHOWN] / len(values),
        h,
        None if np.isnan(box).any() else tuple(box.tolist()),
        tuple(quantiles[len(BOX) :].tolist()),
    )


def _bandwidth(at: Floats) -> float:
    first, third = np.quantile(at, (0.25, 0.75))
    spread = min(float(at.std()), float(third - first) / 1.34) or float(at.std())
    return max(_NARROWEST, float(0.9 * spread * len(at) ** -0.2))
