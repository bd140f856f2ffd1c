"""When the files of a plan were last written: what was found out about a file holds until it is written again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Stamps = dict[str, tuple[int, int]]
"""Name of a file -> time of its last change and bytes."""
_NAMES = ("file", "metadata", "marks", "frame")
"""Under which a plan names files."""


def stamps_of(folder: Path, content: Mapping[str, Any]) -> Stamps:
    """Of every file that a plan names and that is there."""
    found: Stamps = {}
    for name in named(content):
        try:
            seen = (folder / name).stat()
        except (OSError, ValueError):
            continue
        found[name] = seen.st_mtime_ns, seen.st_size
    return found


def written_since(before: Stamps, now: Stamps) -> bool:
    """Whether a file that was known has changed; files that came or went are a matter of the plan."""
    return any(name in now and now[name] != stamp for name, stamp in before.items())


def named(part: Any) -> Iterator[str]:
    """The files that a part of a plan names."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            if name in _NAMES and isinstance(value, str):
                yield value
            else:
                yield from named(value)
    elif isinstance(part, list | tuple):
        for one in part:
            yield from named(one)
