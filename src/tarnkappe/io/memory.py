"""Files that are small on the disk and would fill the memory are refused before they are unpacked."""

from __future__ import annotations

import os
from pathlib import Path

from tarnkappe.errors.files import UnpacksTooLarge

_LARGE, _RATIO = 2**30, 500
"""Bytes that any file may take, and how many times its size beyond them; sheets and columns of data pack to a tenth."""
_CELL = 9
"""Bytes of a value and its state."""


def refuse_bomb(path: Path, unpacked: int, large: int = _LARGE, ratio: int = _RATIO) -> None:
    """Refuse a file that would take more memory than this machine has, or many times more than data of its size takes."""
    most = min(_memory(), max(large, ratio * path.stat().st_size))
    if unpacked > most:
        raise UnpacksTooLarge(file=str(path), need=_spelt(unpacked), most=_spelt(most))


def of_cells(records: int, columns: int) -> int:
    """Bytes that so many values take when they are read."""
    return records * columns * _CELL


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _spelt(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
