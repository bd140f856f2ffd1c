"""The lines and fields of a separated text, found without reading it line by line.

The grammar is that of RFC 4180: a field may stand in quotation marks, inside them separators and line ends
are text and a quotation mark is doubled. Then a byte lies inside quotes if the number of quotation marks
before it is odd. A text in which no field begins with a quotation mark does not use them; there they are
signs like others.

Everything is done on chunks of the bytes with numpy, so that memory stays small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Ints

_CHUNK = 1 << 22
QUOTE, NEWLINE, RETURN, BLANK = b'"'[0], b"\n"[0], b"\r"[0], b" "[0]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Misfit:
    """A line with another number of fields than the first."""

    position: int
    """Where the line begins."""
    fields: int


@dataclass(frozen=True, slots=True)
class Shape:
    """How many lines and fields a text has."""

    lines: int
    fields: int
    """Fields of the first line."""
    misfits: int
    first: Misfit | None


def line_number(data: bytes, position: int) -> int:
    """The line, counted as an editor counts, in which a byte lies."""
    return data.count(b"\n", 0, position) + 1


def uses_quotes(data: bytes, separator: int) -> bool:
    """Whether any field begins with a quotation mark, or with a blank and a quotation mark."""
    view = _view(data)
    for at in _positions(view, QUOTE):
        after_blank = (view[at - 1] == BLANK) & (at > 0)
        if (_begins(view, at, separator) | _begins(view, at - after_blank, separator)).any():
            return True
    return False


def misplaced_quote(data: bytes, separator: int) -> int | None:
    """Position of the first quotation mark that cannot stand there, or of the last if it stays open."""
    view, count, last = _view(data), 0, 0
    for at in _positions(view, QUOTE):
        opens = (np.arange(len(at)) + count) % 2 == 0
        begins = _begins(view, at, separator) | (view[at - 1] == QUOTE)  # or is the second of two
        bad = at[~np.where(opens, begins, _ends(view, at, separator))]
        if len(bad):
            return int(bad[0])
        count, last = count + len(at), int(at[-1])
    return last if count % 2 else None


def shape(data: bytes, separator: int, *, quoted: bool) -> Shape:
    """Count lines and fields. A text that does not end with a line end is taken as if it did."""
    lines, misfits, expected, begin = 0, 0, 0, 0
    first: Misfit | None = None
    for ends, fields in _lines(data, separator, quoted=quoted):
        expected = expected or int(fields[0])
        wrong = np.flatnonzero(fields != expected)
        if first is None and len(wrong):
            at = int(wrong[0])
            first = Misfit(int(ends[at - 1]) + 1 if at else begin, int(fields[at]))
        lines, misfits, begin = lines + len(ends), misfits + len(wrong), int(ends[-1]) + 1
    return Shape(lines, expected, misfits, first)


def _lines(data: bytes, separator: int, *, quoted: bool) -> Iterator[tuple[Ints, Ints]]:
    """For every chunk, where its lines end and how many fields they have."""
    view, inside, open_fields, last = _view(data), 0, 0, -1
    for start in range(0, len(view), _CHUNK):
        block = view[start : start + _CHUNK]
        mark = (block == NEWLINE) | (block == separator)
        if quoted:
            odd = np.cumsum(block == QUOTE, dtype=np.uint8) + np.uint8(inside)  # wraps at 256, which is even
            mark &= odd % 2 == 0
            inside = int(odd[-1]) % 2
        at = np.flatnonzero(mark)
        ends = np.flatnonzero(block[at] == NEWLINE)
        if len(ends):
            fields = np.diff(ends, prepend=-1)
            fields[0] += open_fields
            open_fields, last = 0, int(at[ends[-1]]) + start
            yield at[ends] + start, fields
        open_fields += len(at) - (int(ends[-1]) + 1 if len(ends) else 0)
    if last < len(view) - 1:
        yield np.array([len(view)]), np.array([open_fields + 1])


def _view(data: bytes) -> Bytes:
    return np.frombuffer(data, dtype=np.uint8)


def _positions(view: Bytes, sign: int) -> Iterator[Ints]:
    for start in range(0, len(view), _CHUNK):
        at = np.flatnonzero(view[start : start + _CHUNK] == sign)
        if len(at):
            yield at + start


def _begins(view: Bytes, at: Ints, separator: int) -> Bools:
    """Whether a field begins at these positions."""
    before = view[at - 1]
    begins: Bools = (at == 0) | (before == separator) | (before == NEWLINE)
    return begins


def _ends(view: Bytes, at: Ints, separator: int) -> Bools:
    """Whether a field ends with the signs at these positions, or a quotation mark is the first of two."""
    last = len(view) - 1
    after, second = view[np.minimum(at + 1, last)], view[np.minimum(at + 2, last)]
    line_end = (after == NEWLINE) | ((after == RETURN) & ((second == NEWLINE) | (at + 1 == last)))
    ends: Bools = (at == last) | (after == separator) | (after == QUOTE) | line_end
    return ends
