"""Cells of a table as numbers: one key per cell, and the cell one step up along each dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]


def strides_of(sizes: Sequence[int]) -> Ints | None:
    """Mixed-radix strides, the last dimension running fastest; None when keys would not fit 63 bits."""
    strides, product = [], 1
    for size in reversed(sizes):
        strides.append(product)
        product *= max(size, 1)
    return np.array(strides[::-1], dtype=np.int64) if product < 2**63 else None


def keys_of(cells: NDArray[Any], strides: Ints) -> Ints:
    """One number per cell; equal numbers if and only if equal cells."""
    out = np.zeros(len(cells), dtype=np.int64)
    for j, stride in enumerate(strides):
        out += cells[:, j].astype(np.int64) * stride
    return out


def parents_of(cells: Nodes, key: Ints, strides: Ints, parents: Sequence[Nodes]) -> Nodes:
    """The row of the cell one step up along each dimension; -1 where there is none. `key` is sorted."""
    up = np.full(cells.shape, -1, dtype=np.int32)
    if len(cells) == 0:
        return up
    for j, (stride, parent) in enumerate(zip(strides, parents, strict=True)):
        node = cells[:, j]
        above = parent[node]
        wanted = key + (above.astype(np.int64) - node) * stride
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        up[:, j] = np.where((above >= 0) & (key[at] == wanted), at, -1)
    return up
