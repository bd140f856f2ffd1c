"""Bias by method: how far one step of a run moved means and standard deviations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, quantities
from tarnkappe.kernels.moments import Moments, moments, relative_error
from tarnkappe.vocab import Role


def moved(before: Microdata, after: Microdata) -> dict[str, dict[str, float]]:
    """Relative errors of mean and standard deviation of every quantity that a step changed.

    Of all quantities where it left out or added records, or changed the weights. Figures near zero before the step have no relative
    error and are not told, nor figures of fewer than ten values (gottschalk2002, table A.2: effects of methods on means and variances).
    It describes a run and never stops one: infinite numbers and unusable weights are left out.
    """
    w_before, w_after = _weights(before), _weights(after)
    if w_before is None or w_after is None:
        w_before = w_after = None
    out: dict[str, dict[str, float]] = {}
    for name in _touched(before, after):
        a, b = _moments(before, name, w_before), _moments(after, name, w_after)
        told = _errors(a, b) if min(a.n, b.n) >= LEAST else {}
        if told:
            out[name] = told
    return out


def _errors(a: Moments, b: Moments) -> dict[str, float]:
    pairs = {"mean": (b.mean, a.mean), "sd": (b.sd, a.sd)}
    found = {what: relative_error(new, old, a.size) for what, (new, old) in pairs.items()}
    return {what: error for what, (error, guarded) in found.items() if not guarded}


def _moments(data: Microdata, name: str, w: Floats | None) -> Moments:
    x = data.column(name).numbers()
    return moments(np.where(np.isinf(x), np.nan, x), w)


def _touched(before: Microdata, after: Microdata) -> Iterator[str]:
    """Quantities of both sides that may have other figures."""
    here = set(quantities(after))
    same = np.array_equal(before.rows, after.rows) and _weight(before) is _weight(after)
    for name in quantities(before):
        if name in here and not (same and after.columns[name] is before.columns[name]):
            yield name


def _weight(data: Microdata) -> Column | None:
    return next((data.columns[name] for name in data.role(Role.WEIGHT)), None)


def _weights(data: Microdata) -> Floats | None:
    column = _weight(data)
    if column is None or not column.kind.is_number:
        return None
    w = column.numbers()
    return w if bool(np.isfinite(w).all() and (w >= 0).all()) else None
