"""No value as it was."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def unlike(y: Floats, x: Floats) -> Floats:
    """Where noise is lost in the last digit of a number, take the next number farther from zero; NaN stays."""
    same = y == x
    if not same.any():
        return y
    with np.errstate(over="ignore"):  # beyond the largest number is infinity, which is refused later
        return np.where(same, np.nextafter(x, np.where(x < 0, -np.inf, np.inf)), y)


def unlike_with_sign(y: Floats, x: Floats) -> Floats:
    """As `unlike`, for products: zeros stay zeros, and nothing else becomes zero because it is too small for a number."""
    odd = (y == x) | (y == 0) | (x == 0)
    if not odd.any():
        return y
    out, old, new = y.copy(), x[odd], y[odd]
    tiny = np.copysign(np.nextafter(0.0, 1.0), old)
    out[odd] = np.where(old == 0, old, unlike(np.where(new == 0, tiny, new), old))
    return out
