"""A number for every record by who it is: cells of tables with the same records are known by the sum of these numbers.

Where the data has identifiers they tell who a record is; else all its cells do. The numbers are no secret and never leave the house: what is drawn for
a cell comes from a keyed hash of their sum.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.vocab import Role

Words = NDArray[np.uint64]

_MISSING = np.uint64(0x5851F42D4C957F2D)
_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def with_marks(original: Microdata, result: Microdata) -> tuple[Microdata, Microdata]:
    """Both with a mark for every record: a record that steps have changed keeps that of the original, one that they made has its own."""
    marks = record_marks(original)
    order = np.argsort(original.rows, kind="stable")
    known = original.rows[order]
    behind = result.rows if result.behind is None else result.behind
    root = np.where(result.rows >= 0, result.rows, behind)
    at = order[np.minimum(np.searchsorted(known, root), max(len(known) - 1, 0))] if len(known) else root
    own = marks[at] if len(known) else np.zeros(0, dtype=np.uint64)
    made = mixed(own ^ mixed(result.rows.astype(np.uint64)))
    return replace(original, marks=marks), replace(result, marks=np.where(result.rows >= 0, own, made))


def record_marks(data: Microdata) -> Words:
    """The mark of every record."""
    names = sorted(data.role(Role.IDENTIFIER) or data.names)
    out = np.zeros(len(data), dtype=np.uint64)
    for name in names:
        out = mixed(out ^ mixed(_words(data.column(name)) ^ _word(name)))
    return out


def with_amounts(marks: Words, amounts: Floats) -> Words:
    """The marks of records that add these amounts: another amount is another mark."""
    return mixed(marks ^ number_words(amounts))


def number_words(numbers: Floats) -> Words:
    """64 mixed bits for every number; sums that differ by the last digits of their computation are one."""
    part, power = np.frexp(np.asarray(numbers, dtype=np.float64))
    bits: Words = np.ldexp(np.rint(np.ldexp(part, 40)), power - 40).view(np.uint64)
    return mixed(bits)


def mixed(words: Words) -> Words:
    """Bits spread over the whole word (the finaliser of SplitMix64)."""
    out = words + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in _STEPS:
        out = (out ^ (out >> np.uint64(shift))) * np.uint64(factor)
    done: Words = out ^ (out >> np.uint64(31))
    return done


def _words(column: Column) -> Words:
    if column.kind.is_number:
        x = column.numbers()
        return np.where(np.isnan(x), _MISSING, number_words(np.nan_to_num(x)))
    codes: Ints = column.true_codes()[0]
    words = np.array([*(_word(str(text)) for text in canonical(column)), _MISSING], dtype=np.uint64)
    out: Words = words[codes]
    return out


def _word(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little"))
