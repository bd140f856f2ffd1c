"""Work that leaves Python's lock alone, on several cores at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")

CORES = min(os.cpu_count() or 1, 4)
"""More do not pay: the work waits for the memory."""
WORTH = 10_000
"""For fewer records threads cost more than they save."""
SLICE = 2048
"""So many records fit into the fast memory of a core with what is computed from them, and products of so few are computed by the thread
that asks: larger ones wait for threads of their own."""


_here = local()
"""Whether this thread is one of ours, so that all cores are at work already."""


def on_cores(work: Callable[[Part], Result], parts: Iterable[Part], size: int) -> list[Result]:
    """`work` on every part, each of so many records; results in the order of the parts do not depend on the number of cores."""
    parts = list(parts)
    if len(parts) < 2 or size < WORTH or CORES < 2 or getattr(_here, "busy", False):
        return [work(part) for part in parts]
    with ThreadPoolExecutor(min(CORES, len(parts)), initializer=_occupy) as pool:
        return list(pool.map(work, parts))


def _occupy() -> None:
    _here.busy = True


def slices(size: int) -> list[slice]:
    """Records in parts small enough for the fast memory; at least one part."""
    return [slice(first, min(first + SLICE, size)) for first in range(0, max(size, 1), SLICE)]
