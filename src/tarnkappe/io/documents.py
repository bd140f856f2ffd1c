"""JSON documents of a release, which may come from anywhere: read with limits, so that none can stop or fill the machine."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tarnkappe.language import Text

LARGEST = 64 * 2**20
"""Bytes of a document; those of a release with thousands of columns have fewer than one in a hundred of them."""
_DEEPEST = 60
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""Half of a sign, which no text holds by itself."""
_NO_FILE = Text("it is not a file.", "es ist keine Datei.")
_NOT_OPEN = Text("it cannot be opened.", "es lässt sich nicht öffnen.")
_TOO_LARGE = Text("it is larger than it can be.", "es ist größer, als es sein kann.")
_NO_JSON = Text("it is not JSON.", "es ist kein JSON.")
_TOO_DEEP = Text("its parts are nested too deeply.", "seine Teile sind zu tief verschachtelt.")
_NO_NUMBER = Text(
    "it holds numbers that are none or infinite.", "es enthält Zahlen, die keine oder unendlich sind."
)
_NO_TEXT = Text("it holds signs that are none.", "es enthält Zeichen, die keine sind.")


class DocumentUnreadable(ValueError):
    """Why a document is not read; callers tell it in an error of their own."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


def read_json(path: Path) -> Any:
    """The content of a JSON file that is a file, not too large, not too deep, and holds numbers and text alone."""
    held = bounded_bytes(path)
    try:
        content = json.loads(held, parse_constant=_refused, parse_float=_finite)
    except DocumentUnreadable:
        raise
    except RecursionError:
        raise DocumentUnreadable(_TOO_DEEP) from None
    except ValueError:
        raise DocumentUnreadable(_NO_JSON) from None
    _refuse_deep(content)
    if _HALF.search(held) and not all(map(_is_text, _texts(content))):
        raise DocumentUnreadable(_NO_TEXT)
    return content


def bounded_bytes(path: Path, most: int = LARGEST) -> bytes:
    """What a file holds; a pipe is not waited for, and no more is read than a document can have."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        raise DocumentUnreadable(_NOT_OPEN) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DocumentUnreadable(_NO_FILE)
    with os.fdopen(descriptor, "rb") as file:
        held = file.read(most + 1)
    if len(held) > most:
        raise DocumentUnreadable(_TOO_LARGE)
    return held


def _refused(constant: str) -> float:
    del constant
    raise DocumentUnreadable(_NO_NUMBER)


def _finite(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise DocumentUnreadable(_NO_NUMBER)
    return value


def _refuse_deep(content: Any) -> None:
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        level = [part for whole in level for part in _parts(whole)]
        if not level:
            return
    raise DocumentUnreadable(_TOO_DEEP)


def _parts(whole: Any) -> Iterator[Any]:
    """The parts of a part that have parts themselves."""
    values = whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()
    return (value for value in values if isinstance(value, dict | list))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield from content
        for value in content.values():
            yield from _texts(value)
    elif isinstance(content, list):
        for value in content:
            yield from _texts(value)


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
