"""A place for libraries that write to a path only.

On Linux it is memory: nothing reaches the disk, so nothing is left there when the process is killed.
Elsewhere it is a file in a private folder that is removed at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory


def written_bytes(write: Callable[[str], None]) -> bytes:
    """What `write` writes to the path it is given."""
    return _through_memory(write) if sys.platform == "linux" else _through_folder(write)


def _through_memory(write: Callable[[str], None]) -> bytes:
    with open(os.memfd_create("tarnkappe"), "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        write(f"/proc/self/fd/{file.fileno()}")
        return file.read()


def _through_folder(write: Callable[[str], None]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        write(str(path))
        return path.read_bytes()
