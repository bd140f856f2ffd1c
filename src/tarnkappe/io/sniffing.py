"""Finding the separator of a text out."""

from __future__ import annotations

from tarnkappe.io.lines import NEWLINE, shape, uses_quotes

_CANDIDATES = "\t;|,"  # in case of doubt the rarer sign: a comma also stands in numbers and text
_SAMPLE = 1 << 18


def separator_of(data: bytes, otherwise: str) -> str:
    """The sign that splits the header and on which most of the first lines agree, or `otherwise`."""
    sample = _whole_lines(data)
    agreement = {sign: _agreement(sample, ord(sign)) for sign in _CANDIDATES}
    best = max(agreement, key=lambda sign: agreement[sign])  # the first of equals
    return best if agreement[best] else otherwise


def _whole_lines(data: bytes) -> bytes:
    end = data.rfind(NEWLINE, 0, _SAMPLE)
    return data if len(data) <= _SAMPLE or end < 0 else data[:end]


def _agreement(sample: bytes, separator: int) -> float:
    """Share of lines with as many fields as the header; 0 if the header has one field only."""
    found = shape(sample, separator, quoted=uses_quotes(sample, separator))
    return 1 - found.misfits / found.lines if found.fields > 1 else 0.0
