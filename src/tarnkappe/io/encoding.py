"""Bytes of a text file in any encoding become UTF-8."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator

from tarnkappe.errors.files import EncodingUnknown, EncodingWrong

_CHUNK = 1 << 24
_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def as_utf8(raw: bytes, encoding: str, file: str) -> bytes:
    """The text as UTF-8 without byte order mark; a fault is told with its position, never with the text."""
    name = _known(encoding)
    if name == "utf-8":
        name = next((marked for mark, marked in _MARKS if raw.startswith(mark)), name)
    text = _transcoded(raw, name, file).removeprefix(codecs.BOM_UTF8)
    nul = text.find(b"\0")  # no text has it; a binary file or an unmarked UTF-16 has
    if nul >= 0:
        raise EncodingWrong(file=file, encoding=name, position=nul + 1)
    return text


def _known(encoding: str) -> str:
    try:
        " ".encode(encoding)  # fails for codecs that are not for text, too
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise EncodingUnknown(encoding=encoding) from None


def _transcoded(raw: bytes, encoding: str, file: str) -> bytes:
    if encoding == "utf-8":
        deque(_decoded(raw, encoding, file), maxlen=0)  # only checked
        return raw
    return b"".join(_decoded(raw, encoding, file))


def _decoded(raw: bytes, encoding: str, file: str) -> Iterator[bytes]:
    """The text as UTF-8, in chunks."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(raw), _CHUNK):
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(raw[start : start + _CHUNK], final=start + _CHUNK >= len(raw)).encode()
        except UnicodeError as fault:
            position = start - pending + getattr(fault, "start", 0) + 1
            raise EncodingWrong(file=file, encoding=encoding, position=position) from None
        yield text
