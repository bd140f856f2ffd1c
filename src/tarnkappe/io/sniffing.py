"""Finding out how a text is written: its separator, and what shows whether its encoding was taken for the right one."""

from __future__ import annotations

import re

from tarnkappe.io.lines import NEWLINE, shape, uses_quotes

_CANDIDATES = "\t;|,"  # in case of doubt the rarer sign: a comma also stands in numbers and text
_SAMPLE = 1 << 18
_LONGEST = 160
_MOST_SIGNS = 24
_LEFT_OUT = "…"
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


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


def telling_line(data: bytes, separator: str) -> str:
    """The first line with signs beyond ASCII: the header whole, of a record only the fields that have such signs."""
    found = _BEYOND_ASCII.search(data)
    if not found:
        return ""
    start = data.rfind(b"\n", 0, found.start()) + 1
    end = data.find(b"\n", found.start())
    line = data[start : end if end >= 0 else len(data)].decode(errors="replace").strip()
    if start:
        fields = [field if not field.isascii() else _LEFT_OUT for field in line.split(separator)]
        line = separator.join(fields)
    return line if len(line) <= _LONGEST else _around(line)


def _around(line: str) -> str:
    """So much of a long line as fits, with its first sign beyond ASCII."""
    place = next(i for i, sign in enumerate(line) if not sign.isascii() and sign != _LEFT_OUT)
    start = max(0, place - _LONGEST // 2)
    return f"{_LEFT_OUT}{line[start : start + _LONGEST]}{_LEFT_OUT}"


def signs_beyond_ascii(data: bytes) -> str:
    """The different signs beyond ASCII of the first lines that have some."""
    found = _BEYOND_ASCII.search(data)
    sample = data[found.start() : found.start() + _SAMPLE].decode(errors="ignore") if found else ""
    return "".join(sorted({sign for sign in sample if not sign.isascii()})[:_MOST_SIGNS])
