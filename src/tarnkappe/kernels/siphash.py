"""SipHash-2-4, a keyed hash for short messages, over rows of 64-bit words; compiled.

Source: Aumasson & Bernstein (2012), SipHash: a fast short-input PRF. Without the 128-bit key nobody can tell the results from
random numbers, however many of them he sees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Words = NDArray[np.uint64]


@njit(cache=True)
def hashes(words: Words, k0: np.uint64, k1: np.uint64) -> Words:
    """The hash of every row; words that are 0 are left out, so rows that differ only by them are alike."""
    out = np.empty(len(words), np.uint64)
    for i in range(len(words)):
        v0, v1 = k0 ^ np.uint64(0x736F6D6570736575), k1 ^ np.uint64(0x646F72616E646F6D)
        v2, v3 = k0 ^ np.uint64(0x6C7967656E657261), k1 ^ np.uint64(0x7465646279746573)
        count = 0
        for m in words[i]:
            if m != 0:
                v0, v1, v2, v3 = _taken_in(v0, v1, v2, v3, m)
                count += 1
        last = np.uint64((8 * count) & 0xFF) << np.uint64(56)  # the length in bytes ends the message
        v0, v1, v2, v3 = _taken_in(v0, v1, v2, v3, last)
        v2 ^= np.uint64(0xFF)
        for _ in range(4):
            v0, v1, v2, v3 = _round(v0, v1, v2, v3)
        out[i] = v0 ^ v1 ^ v2 ^ v3
    return out


def uniforms(words: Words, key: bytes) -> NDArray[np.float64]:
    """A number in [0, 1) for every row of words, fixed by a key of at least 16 bytes."""
    k0, k1 = (np.uint64(int.from_bytes(key[i : i + 8], "little")) for i in (0, 8))
    high: Words = hashes(words, k0, k1) >> np.uint64(11)
    return high.astype(np.float64) * 2.0**-53


@njit(cache=True, inline="always")
def _turned(x: Any, bits: int) -> Any:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@njit(cache=True)
def _round(v0: Any, v1: Any, v2: Any, v3: Any) -> Any:
    v0, v2 = v0 + v1, v2 + v3
    v1, v3 = _turned(v1, 13) ^ v0, _turned(v3, 16) ^ v2
    v0, v2 = _turned(v0, 32) + v3, v2 + v1
    v1, v3 = _turned(v1, 17) ^ v2, _turned(v3, 21) ^ v0
    return v0, v1, _turned(v2, 32), v3


@njit(cache=True)
def _taken_in(v0: Any, v1: Any, v2: Any, v3: Any, m: Any) -> Any:
    v3 ^= m
    for _ in range(2):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ m, v1, v2, v3
