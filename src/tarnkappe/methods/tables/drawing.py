"""Randomness of cells: fixed by their codes and the secret, or drawn afresh."""

from __future__ import annotations

import hashlib

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.table import Table
from tarnkappe.kernels.siphash import Words, uniforms
from tarnkappe.randomness import Stream


def draws(table: Table, stream: Stream, purpose: str, *, lasting: bool, series: str = "") -> Floats:
    """A number in [0, 1) for every cell.

    With `lasting` it comes from a keyed hash of the codes of the cell. Dimensions in which it stands at the total are left out and
    the others sorted by name, so that a cell has the same number in every table that shows it, and in every run with the secret.
    `series` keeps what is measured apart: whoever knows one measure of a cell must not learn the noise of another.
    """
    if not lasting:
        return stream.generator.random(len(table))
    kind = "count" if table.counts else "value"
    key = stream.lasting_key(f"cells\0{purpose}\0{kind}\0{series}")
    order = np.argsort([h.name for h in table.dimensions], kind="stable")
    words = [_words(table.dimensions[j], key)[table.cells[:, j]] for j in order]
    return uniforms(np.stack(words, axis=1), key[16:])


def _words(dimension: Hierarchy, key: bytes) -> Words:
    """64 bits for every code; 0 for the total."""
    named = [f"{dimension.name}\0{code}".encode() for code in dimension.codes]
    found = [hashlib.blake2b(name, key=key[:16], digest_size=8).digest() for name in named]
    out = np.array([int.from_bytes(word, "little") | 1 for word in found], dtype=np.uint64)
    out[0] = 0
    return out
