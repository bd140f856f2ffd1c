"""Files on their way in: written as they come, readable by their owner alone, never larger than allowed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable
from pathlib import Path

from tarnkappe.errors.studio import UploadNotKept, UploadTooLarge

_OURS = 0o600


async def keep(path: Path, parts: AsyncIterable[bytes], largest: int) -> int:
    """Write the parts to a file and tell how many bytes they are; a file that is too large is not kept."""
    beside = path.with_name(f".{path.name}.part")
    size = 0
    try:
        with open(beside, "wb", opener=_private) as file:  # noqa: ASYNC230 - a local disk; the opener sets the mode
            async for part in parts:
                size += len(part)
                if size > largest:
                    raise UploadTooLarge(largest=f"{largest // 2**20} MiB")
                file.write(part)
        beside.replace(path)
    except OSError as problem:
        raise UploadNotKept(why=os.strerror(problem.errno or 0)) from None
    finally:
        beside.unlink(missing_ok=True)
    return size


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _OURS)
