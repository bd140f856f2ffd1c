"""The process that opens files of foreign formats: it reads what it is asked for and hands tables and labels back.

The libraries for these formats are written in C and Rust and meet files that nobody of ours has made; a damaged one can end
the process that reads it. So they run here, with limits, and not where the work is. Nothing is unpickled on the way back.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import polars as pl
from polars.exceptions import PanicException

LENGTH = struct.Struct(">Q")
_LARGE = 64 * 2**20
"""Bytes after which the process ends and gives its memory back; the next file gets a new one."""
_SECONDS, _PER_MIB = 120, 2
"""Time of the processor that a file may take, and more by its size."""
_META = (
    "column_names_to_labels",
    "readstat_variable_types",
    "variable_measure",
    "original_variable_types",
)
Answer = tuple[dict[str, Any], list[pl.DataFrame]]


def serve() -> None:
    """Answer what is asked on the standard input until nobody asks any more."""
    asked, told = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # what a library prints must not get between the answers
    _limit_memory()
    logging.disable()
    for line in asked:
        if _tell(told, *_answered(json.loads(line))) > _LARGE:
            return


def _answered(asked: Mapping[str, Any]) -> Answer:
    _limit_time(Path(asked["path"]))
    try:
        return _TASKS[asked["task"]](**{name: v for name, v in asked.items() if name != "task"})
    except MemoryError:
        return {"failed": "memory"}, []
    except (Exception, PanicException):  # noqa: BLE001 - any of them may carry data in its message
        return {"failed": "file"}, []


def _tell(told: IO[bytes], answer: dict[str, Any], frames: list[pl.DataFrame]) -> int:
    try:
        parts = [_packed(frame) for frame in frames]
    except (Exception, PanicException):  # noqa: BLE001 - cells that no table holds
        answer, parts = {"failed": "file"}, []
    head = json.dumps({"answer": answer, "sizes": [len(part) for part in parts]}).encode()
    told.write(LENGTH.pack(len(head)) + head)
    for part in parts:
        told.write(part)
    told.flush()
    return sum(map(len, parts))


def _packed(frame: pl.DataFrame) -> memoryview:
    buffer = BytesIO()
    frame.write_ipc_stream(buffer)
    return buffer.getbuffer()


# -- what can be asked --------------------------------------------------------------------------------------------------


def _size(path: str, reader: str, encoding: str | None) -> Answer:
    """How many records and columns a file of a statistics package says it has."""
    read = getattr(import_module("pyreadstat"), reader)
    _, said = read(path, metadataonly=True, encoding=encoding, output_format="polars")
    return {"rows": said.number_rows or 0, "columns": said.number_columns}, []


def _statistics(path: str, reader: str, encoding: str | None) -> Answer:
    """The cells of a file of a statistics package, and what it tells of its columns."""
    read = getattr(import_module("pyreadstat"), reader)
    frame, meta = read(path, encoding=encoding, output_format="polars")
    told: dict[str, Any] = {part: dict(getattr(meta, part)) for part in _META}
    labels = {name: list(pairs.items()) for name, pairs in meta.variable_value_labels.items()}
    return {**told, "variable_value_labels": labels}, [frame]


def _sheets(path: str) -> Answer:
    """The sheets of an Excel file, in their order."""
    return {"sheets": list(import_module("fastexcel").read_excel(path).sheet_names)}, []


def _sheet(path: str, number: int) -> Answer:
    """The first row of a sheet, its cells with their types, and its cells as text."""
    book = import_module("fastexcel").read_excel(path)
    header = book.load_sheet(number, header_row=None, n_rows=1, dtypes="string").to_polars()
    typed = book.load_sheet(number, schema_sample_rows=None).to_polars()
    texts = book.load_sheet(number, dtypes="string").to_polars()
    return {}, [header, typed, texts]


_TASKS: dict[str, Callable[..., Answer]] = {
    "size": _size,
    "statistics": _statistics,
    "sheets": _sheets,
    "sheet": _sheet,
}


# -- limits -------------------------------------------------------------------------------------------------------------


def _limit_memory() -> None:
    """No more than the machine has; no picture of the memory on the disk; and where it runs short, we go first."""
    page, pages = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        now = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, ((now + pages) * page, hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("800", "ascii")


def _limit_time(path: Path) -> None:
    """A file in which the library goes round in circles ends the process."""
    with suppress(OSError, ValueError):
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = used.ru_utime + used.ru_stime + _SECONDS + _PER_MIB * path.stat().st_size / 2**20
        resource.setrlimit(resource.RLIMIT_CPU, (int(most), resource.getrlimit(resource.RLIMIT_CPU)[1]))
