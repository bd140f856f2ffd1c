"""A second file beside one that was described: a release is often written otherwise than the original it came from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tarnkappe.errors import TarnkappeError
from tarnkappe.io.encoding import decoded
from tarnkappe.io.first_lines import HEAD, is_text
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import existing


def options_for_second(path: Path, options: ReadOptions) -> ReadOptions:
    """The options of the first file, without what is plainly not so in the second.

    That is an encoding where it is UTF-8 or has a mark, signs where its first line is not split by the separator, and a sheet where it is
    no Excel file.
    """
    if not is_text(path.name):
        return options
    options = replace(options, sheet=None)
    with existing(path).open("rb") as file:
        head = file.read(HEAD)
    if options.encoding is not None and _tells_itself(head):
        options = replace(options, encoding=None)
    if options.separator is not None and not _splits(head, options):
        options = replace(options, separator=None, decimal=None)
    return options


def _tells_itself(head: bytes) -> bool:
    """Whether signs beyond ASCII are signs of UTF-8, or a mark tells the encoding."""
    cut = head[: head.rfind(b"\n") + 1] or head
    try:
        return not cut.isascii() and decoded(cut, "utf-8", "")[0] is not None
    except TarnkappeError:
        return False


def _splits(head: bytes, options: ReadOptions) -> bool:
    try:
        text = decoded(head, options.encoding, "")[0]
    except TarnkappeError:
        return True  # reading the file tells what is wrong with it
    return (options.separator or "").encode() in text.split(b"\n", 1)[0]
