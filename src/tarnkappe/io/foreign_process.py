"""Asking the process that opens files of foreign formats: started when first needed, and again when a file has ended it."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import polars as pl

from tarnkappe.errors.files import ExtraNeeded, FileUnreadable, ReaderEnded
from tarnkappe.io.foreign_work import LENGTH
from tarnkappe.language import Text

_PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from tarnkappe.io.foreign_work import serve; serve()"
_NO_MEMORY = Text(
    "it needs more memory than this machine has.", "sie braucht mehr Speicher, als dieser Rechner hat."
)


class _Process:
    """One process, for whoever asks in this one."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._child = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def ask(self, asked: dict[str, Any]) -> tuple[dict[str, Any], list[pl.DataFrame]]:
        """Send a question and wait for the answer; EOFError where the process has ended."""
        ours, theirs = self._child.stdin, self._child.stdout
        assert ours is not None, "a pipe was asked for"
        assert theirs is not None, "a pipe was asked for"
        try:
            ours.write(json.dumps(asked).encode() + b"\n")
            ours.flush()
        except OSError:
            raise EOFError from None
        head = json.loads(_exactly(theirs, LENGTH.unpack(_exactly(theirs, LENGTH.size))[0]))
        frames = [pl.read_ipc_stream(BytesIO(_exactly(theirs, size))) for size in head["sizes"]]
        return head["answer"], frames

    def end(self) -> None:
        """End it, whatever it does."""
        if os.getpid() == self.owner:
            self._child.kill()
            self._child.wait()
        for end in (self._child.stdin, self._child.stdout):
            if end is not None:
                with suppress(OSError):
                    end.close()


_turn = threading.Lock()
_kept: list[_Process] = []
"""The process, if there is one."""


def ask(path: Path, why: Text, **asked: Any) -> tuple[dict[str, Any], list[pl.DataFrame]]:
    """What the process finds in a file; `why` says what is wrong with the file where the library cannot read it."""
    with _turn:
        answer, frames = _asked(path, {"path": str(path.absolute()), **asked})
    failed = answer.get("failed")
    if failed:
        raise FileUnreadable(file=str(path), why=_NO_MEMORY if failed == "memory" else why) from None
    return answer, frames


def _asked(path: Path, asked: dict[str, Any]) -> tuple[dict[str, Any], list[pl.DataFrame]]:
    if _kept:  # it may have ended after a large file: then a new one is asked
        with suppress(EOFError):
            return _ask_process(asked)
    try:
        return _ask_process(asked)
    except EOFError:
        raise ReaderEnded(file=str(path)) from None


def _ask_process(asked: dict[str, Any]) -> tuple[dict[str, Any], list[pl.DataFrame]]:
    try:
        return _process().ask(asked)
    except BaseException:  # what is still to come would be taken for the answer to the next question
        _forget()
        raise


def _process() -> _Process:
    if _kept and _kept[0].owner != os.getpid():  # this process is a copy of the one that started it
        _forget()
    if not _kept:
        _kept.append(_Process())
    return _kept[0]


def _forget() -> None:
    while _kept:
        _kept.pop().end()


atexit.register(_forget)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    held = stream.read(size)
    if len(held) < size:
        raise EOFError
    return held


def installed(package: str, form: str, extra: str) -> None:
    """Say how to install an optional package that is not there; it is loaded by the process alone."""
    try:
        found = find_spec(package)
    except ValueError:
        found = None
    if found is None:
        raise ExtraNeeded(format=form, package=package, extra=extra)
