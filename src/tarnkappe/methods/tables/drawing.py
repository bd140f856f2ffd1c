"""Randomness of cells: fixed by their records and the secret, or drawn afresh."""

from __future__ import annotations

import hashlib

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.record_marks import number_words
from tarnkappe.data.table import Table
from tarnkappe.kernels.siphash import Words, uniforms
from tarnkappe.randomness import Stream


def draws_of_values(table: Table, stream: Stream, purpose: str) -> Floats:
    """A number in [0, 1) for every cell, fixed by its codes, its value and the secret: it stays while the cell stays as it is."""
    key = stream.lasting_key(f"cells and values\0{purpose}")
    words = [_words(h, key)[table.cells[:, j]] for j, h in enumerate(table.dimensions)]
    value = (table.value + 0.0).view(np.uint64)  # 0.0 and -0.0 are one value
    return uniforms(np.stack([*words, value], axis=1), key[16:])


def draws(table: Table, stream: Stream, purpose: str, *, lasting: bool, series: str = "") -> Floats:
    """A number in [0, 1) for every cell.

    With `lasting` it comes from a keyed hash of the records in the cell: a cell with the same records that add the same has the same number in every
    table that shows it, whatever it is called there, and in every run with the secret; as soon as one record is another the number is another, so that two editions
    do not show the change. Where the records are not known (files of cells), or there are none, it comes from the codes and the value: dimensions in which the cell
    stands at the total are left out and the others sorted by name. `series` keeps what is measured apart.
    """
    if not lasting:
        return stream.generator.random(len(table))
    kind = "count" if table.counts else "value"
    key = stream.lasting_key(f"cells\0{purpose}\0{kind}\0{series}")
    order = np.argsort([h.name for h in table.dimensions], kind="stable")
    codes = np.stack([_words(table.dimensions[j], key)[table.cells[:, j]] for j in order], axis=1)
    content = number_words(table.value) | np.uint64(1)
    if table.marks is not None:
        known = table.marks != 0
        codes[known], content = 0, np.where(known, table.marks, content)
    return uniforms(np.column_stack([codes, content]), key[16:])


def _words(dimension: Hierarchy, key: bytes) -> Words:
    """64 bits for every code; 0 for the total."""
    named = [f"{dimension.name}\0{code}".encode() for code in dimension.codes]
    found = [hashlib.blake2b(name, key=key[:16], digest_size=8).digest() for name in named]
    out = np.array([int.from_bytes(word, "little") | 1 for word in found], dtype=np.uint64)
    out[0] = 0
    return out
