"""The first lines of a text file: they show how it is split, long before a large file is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tarnkappe.io.encoding import as_utf8
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.parsing import shows_decimal_comma
from tarnkappe.io.read_text import split_text
from tarnkappe.io.sniffing import separator_of

HEAD = 1 << 18
"""Bytes that are looked at."""
TEXTS = (".csv", ".tsv", ".txt")
"""Endings of separated text."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What splits a text file into fields and numbers."""

    separator: str
    decimal: str


def is_text(file: str) -> bool:
    """Whether a file of that name is separated text."""
    return Path(file).suffix.lower() in TEXTS


def write_head(path: Path, head: Path, encoding: str | None) -> None:
    """Write the first lines of a file to another, as UTF-8; a file that is shorter is written whole."""
    with path.open("rb") as file:
        raw = file.read(HEAD + 4)
    whole = len(raw) <= HEAD
    raw = raw if whole else raw[: HEAD - HEAD % 4]
    text = as_utf8(raw if whole else _to_line_end(raw, encoding), encoding, str(path))
    head.write_bytes(text)


def signs_of(head: Path, options: ReadOptions) -> Signs:
    """The separator and decimal sign with which a head as `write_head` makes it is read."""
    data = head.read_bytes()
    separator = options.separator or separator_of(data, "\t" if head.suffix.lower() == ".tsv" else ",")
    if options.decimal is not None:
        return Signs(separator, options.decimal)
    fields = split_text(head, separator, "utf-8")
    comma = separator != "," and any(shows_decimal_comma(column.slice(1)) for column in fields)
    return Signs(separator, "," if comma else ".")


def of_head(options: ReadOptions) -> ReadOptions:
    """The options for a head, which is UTF-8 whatever the file is."""
    return replace(options, encoding="utf-8")


def _to_line_end(raw: bytes, encoding: str | None) -> bytes:
    """Cut after the last whole line, so that no sign and no record is torn."""
    wide = raw.startswith((b"\xff\xfe", b"\xfe\xff")) or (encoding or "").lower().replace("-", "").startswith(
        "utf16"
    )
    end = raw.rfind(b"\n")
    if end < 0:
        return raw
    if not wide:
        return raw[: end + 1]
    while end >= 0 and raw[end - end % 2 : end - end % 2 + 2] not in (b"\n\x00", b"\x00\n"):
        end = raw.rfind(b"\n", 0, end)
    return raw[: end - end % 2 + 2] if end >= 0 else raw
