"""Bytes of a text file in any encoding become UTF-8.

Where nobody names the encoding, the file tells it: by its byte order mark, else because it is UTF-8. What is neither is taken for
cp1252, the encoding of Windows in Western Europe, where it decodes; that is an assumption, so it is shown to whoever reads the file.
Nothing is weighed by how likely its letters are: cp1250 and cp1252 differ in a few signs that no statistics of letters tells apart.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator

from tarnkappe.errors.files import EncodingUnknown, EncodingWrong

ASSUMED = "cp1252"
"""What text that is not UTF-8 and has no mark is taken for."""
_CHUNK = 1 << 24
_UTF_8 = "utf-8"
_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_SIGNS = re.compile(rb"[\xc3-\xf4][\x80-\xbf]+")
_BEYOND_ASCII = bytes(range(128, 256))


def as_utf8(raw: bytes, encoding: str | None, file: str) -> bytes:
    """The text as UTF-8 without byte order mark; a fault is told with its position, never with the text."""
    return decoded(raw, encoding, file)[0]


def decoded(raw: bytes, encoding: str | None, file: str) -> tuple[bytes, str]:
    """The text as UTF-8 without byte order mark, and the encoding it was read in: the one given, else the one that is found."""
    given = None if encoding is None else _known(encoding)
    name = _marked(raw, _UTF_8) if given in (None, _UTF_8) else given
    assert name is not None
    try:
        text = _transcoded(raw, name, file)
    except EncodingWrong:
        if given is not None or name != _UTF_8 or _damaged_utf8(raw):
            raise
        text, name = _assumed(raw, file), ASSUMED
    text = text.removeprefix(codecs.BOM_UTF8)
    nul = text.find(b"\0")  # no text has it; a binary file or an unmarked UTF-16 has
    if nul >= 0:
        raise EncodingWrong(file=file, encoding=name, position=nul + 1)
    return text, name


def _marked(raw: bytes, otherwise: str) -> str:
    return next((marked for mark, marked in _MARKS if raw.startswith(mark)), otherwise)


def _assumed(raw: bytes, file: str) -> bytes:
    """The text read as cp1252; where that fails too, the fault of UTF-8 is told."""
    try:
        return _transcoded(raw, ASSUMED, file)
    except EncodingWrong:
        return _transcoded(raw, _UTF_8, file)


def _damaged_utf8(raw: bytes) -> bool:
    """Whether most signs beyond ASCII are whole signs of UTF-8: then the text is UTF-8 with a fault, and read as cp1252 it would be garbled."""
    inside = sum(len(found.group()) for found in _WIDE_SIGNS.finditer(raw))
    return inside > (len(raw) - len(raw.translate(None, _BEYOND_ASCII))) / 2


def _known(encoding: str) -> str:
    try:
        " ".encode(encoding)  # fails for codecs that are not for text, too
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise EncodingUnknown(encoding=encoding) from None


def _transcoded(raw: bytes, encoding: str, file: str) -> bytes:
    if encoding == _UTF_8:
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
