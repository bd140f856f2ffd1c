"""Output that may be cut off: a full disk or a reader who has gone must not make finished work fail."""

from __future__ import annotations

import errno
import logging
import os
import sys
import warnings
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO


class Patient(TextIOWrapper):
    """A stream of the terminal. What cannot be written is dropped and remembered, and a sign that the terminal lacks is replaced."""

    lost: str = ""
    """Why something could not be shown; a reader who has read enough is no reason."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as problem:
            self._drop(problem)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as problem:
            self._drop(problem)

    def _drop(self, problem: OSError) -> None:
        """From here on everything goes nowhere, what waits to be written too."""
        if problem.errno != errno.EPIPE:
            self.lost = os.strerror(problem.errno or 0)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        super().flush()


def be_patient() -> None:
    """Let the streams of this process take it when they are full or closed."""
    sys.stdout, sys.stderr = _patient(sys.stdout), _patient(sys.stderr)


def speak_alone() -> None:
    """Let nobody but us write on the screen: what libraries warn of is for those who write programs, and may quote the data.

    Python's warnings and logs are dropped, and so is what compiled code writes to the stream of errors by itself, such as the
    trace of a reader that met a damaged file. `TARNKAPPE_DEBUG` shows everything.
    """
    if os.environ.get("TARNKAPPE_DEBUG") or not isinstance(sys.stderr, Patient):
        return
    warnings.simplefilter("ignore")
    logging.lastResort = None
    theirs, ours = sys.stderr.fileno(), os.dup(sys.stderr.fileno())
    encoding, by_lines = sys.stderr.encoding, sys.stderr.line_buffering
    sys.stderr = Patient(os.fdopen(ours, "wb"), encoding, "replace", line_buffering=by_lines)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, theirs)
    os.close(nowhere)


def _patient(stream: TextIO | None) -> TextIO:
    if stream is None:  # closed by whoever started us
        return Path(os.devnull).open("w", encoding="utf-8")
    if type(stream) is not TextIOWrapper:
        return stream
    encoding, by_lines = stream.encoding, stream.line_buffering
    return Patient(stream.detach(), encoding, "replace", line_buffering=by_lines)


def lost() -> str:
    """Why output was lost; nothing where all of it went through, or went to a reader who had read enough."""
    sys.stdout.flush()
    return sys.stdout.lost if isinstance(sys.stdout, Patient) else ""
