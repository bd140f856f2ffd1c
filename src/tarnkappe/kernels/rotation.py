"""Random orthogonal maps of the records that keep the mean.

Source: ting2008 (ROMM): y = T x with a random orthogonal T and T·1 = 1 keeps the mean and the covariance matrix exactly.
Departs: the paper orthogonalises a full n × n matrix, which takes n³ steps. Seen from the mean, a rotation turns pairs of directions at right
angles to each other. For few records these are drawn at random; for many they are the waves of a Fourier transform over the records in
random order, sine and cosine of one frequency being a pair: n log n steps, and every record gets a part of every other.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.optimize import brentq

from tarnkappe.kernels.on_cores import on_cores

Floats = NDArray[np.float64]

FEW = 100
"""Up to so many records directions are drawn at random: of few, an order by chance may make a wave of equal values."""
LEAST, MOST = 0.5, 1.5
"""Every pair is turned by an angle of its own, between these parts of the same one: none stays, and no two are alike."""
_AT, _WEIGHT = np.polynomial.legendre.leggauss(12)
_PARTS = (LEAST + MOST) / 2 + (MOST - LEAST) / 2 * _AT


@lru_cache(maxsize=1024)
def angle(d: float, n: int) -> float:
    """Mean angle with which n records keep 1/√(1 + d) of their own deviation on average.

    What is lost by a turn is 1 - cos, as twice the square of a sine, which has all its digits for small angles too. Of an even number of
    records one direction stays as it is, and the others are turned a little farther.
    """
    turned = 2 * ((n - 1) // 2)
    lost = -np.expm1(-np.log1p(d) / 2) * (n - 1) / turned

    def excess(phi: float) -> float:
        return float(_WEIGHT @ np.sin(_PARTS * phi / 2) ** 2 - lost)

    return float(brentq(excess, 0.0, 2.8, xtol=1e-15))


def rotated(z: Floats, d: float, generator: np.random.Generator) -> Floats:
    """Mix the rows of centred values (at least three rows)."""
    n = len(z)
    phi = generator.uniform(LEAST, MOST, (n - 1) // 2) * angle(d, n)
    phi *= np.where(generator.random(len(phi)) < 0.5, -1.0, 1.0)
    return _in_random_directions(z, phi, generator) if n <= FEW else _in_waves(z, phi, generator)


def _in_random_directions(z: Floats, phi: Floats, generator: np.random.Generator) -> Floats:
    drawn = np.column_stack([np.ones(len(z)), generator.standard_normal((len(z), 2 * len(phi)))])
    basis = np.linalg.qr(drawn)[0][:, 1:]
    a, b = basis[:, ::2], basis[:, 1::2]
    u, v = a.T @ z, b.T @ z
    less, swing = -2 * np.sin(phi / 2)[:, None] ** 2, np.sin(phi)[:, None]
    out: Floats = z + a @ (less * u - swing * v) + b @ (less * v + swing * u)
    return out


def _in_waves(z: Floats, phi: Floats, generator: np.random.Generator) -> Floats:
    order, out = generator.permutation(len(z)), np.empty(z.shape, order="F")
    turn = np.ones(len(z) // 2 + 1, dtype=np.complex128)
    turn[1 : len(phi) + 1] = np.exp(1j * phi)

    def mix(j: int) -> None:
        out[order, j] = irfft(rfft(z[order, j]) * turn, len(z))

    on_cores(mix, range(z.shape[1]), len(z))
    return out
