"""The command line: reads files, writes files, sets exit codes. No statistics here."""

from __future__ import annotations

import os
import signal
import sys
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import Cancelled, Unexpected
from tarnkappe.language import Lang, from_locale


class _Stopped(BaseException):
    """Told to stop, by a key or by another program."""


def main() -> NoReturn:
    """Run the command; every error ends in words, an exit code and no traceback."""
    try:
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        _speak_anywhere()
        from tarnkappe.cli.app import app

        app()
    except TarnkappeError as problem:
        _fail(problem)
    except _Stopped:
        _fail(Cancelled())
    except Exception as problem:
        if os.environ.get("TARNKAPPE_DEBUG"):
            raise
        _fail(Unexpected(kind=type(problem).__name__, place=_place(problem)))
    raise SystemExit(0)


def _stop(signum: int, frame: FrameType | None) -> NoReturn:
    del signum, frame
    raise _Stopped


def _speak_anywhere() -> None:
    """A terminal that lacks a sign shows another one: a release must not fail over a tick."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _fail(problem: TarnkappeError) -> NoReturn:
    sys.stderr.write(problem.text(_language()) + "\n")
    raise SystemExit(problem.exit_code)


def _language() -> Lang:
    """The language asked for, also when the command failed before it read its options."""
    for flag, value in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
        word = (
            flag.removeprefix("--lang=") if flag.startswith("--lang=") else value if flag == "--lang" else ""
        )
        if word in ("en", "de"):
            return "de" if word == "de" else "en"
    return from_locale()


def _place(problem: BaseException) -> str:
    """Module and line where it happened: no values."""
    trace = problem.__traceback__
    place = "?"
    while trace:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("tarnkappe"):
            place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
