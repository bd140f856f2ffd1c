"""Random orthogonal maps of the records that keep the mean.

Source: ting2008 (ROMM): y = T x with a random orthogonal T and T·1 = 1 keeps the mean and the covariance matrix exactly.
Departs: the paper orthogonalises a full n × n matrix, which takes n³ steps; here T is a product of rotations of three records
each around the axis (1, 1, 1). Each is orthogonal and keeps 1, so T is and does; a pass takes n steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PASSES = 4
"""After so many, a record holds parts of up to 81 others."""


def angle(d: float) -> float:
    """Angle of one rotation so that after all passes a record keeps 1/√(1 + d) of its own deviation on average."""
    own = (1 + d) ** (-1 / (2 * PASSES))
    return float(np.arccos((3 * own - 1) / 2))


def rotated(z: Floats, d: float, generator: np.random.Generator) -> Floats:
    """Mix the rows of centred values (at least three rows)."""
    z = z.copy()
    n = len(z)
    for _ in range(PASSES):
        shuffled = generator.permutation(n)
        _turn(z, shuffled[: n - n % 3], angle(d), generator)
        if n % 3:  # the last one or two, with others that have already been turned
            _turn(z, np.roll(shuffled, n % 3)[:3], angle(d), generator)
    return z


def _turn(z: Floats, rows: Ints, phi: float, generator: np.random.Generator) -> None:
    """Rotate the rows, three by three, around (1, 1, 1) by ±phi."""
    a, b, c = rows.reshape(-1, 3).T
    swing = np.where(generator.random((len(a), 1)) < 0.5, -1.0, 1.0) * np.sin(phi) / np.sqrt(3)
    own, rest = (1 + 2 * np.cos(phi)) / 3, (1 - np.cos(phi)) / 3
    p, q, r = z[a], z[b], z[c]
    z[a] = own * p + (rest - swing) * q + (rest + swing) * r
    z[b] = (rest + swing) * p + own * q + (rest - swing) * r
    z[c] = (rest - swing) * p + (rest + swing) * q + own * r
