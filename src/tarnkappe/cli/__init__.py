"""The command line: reads files, writes files, sets exit codes. No statistics here."""

from __future__ import annotations

import errno
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from tarnkappe.cli.streams import be_patient, lost, speak_alone
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import NameTooLong
from tarnkappe.errors.release import Cancelled, FailedAfterwards, OutputLost, Unexpected
from tarnkappe.language import Lang, from_locale


class _Stopped(BaseException):
    """Told to stop, by a key or by another program."""


def main() -> NoReturn:
    """Run the command; every error ends in words, an exit code and no traceback."""
    be_patient()
    speak_alone()
    before = _written()
    code = _performed(before)
    if code == 0 and (why := lost()) and _written() == before:
        code = _failed(
            OutputLost(why=why)
        )  # the output was all that was asked for; files that were written stand
    sys.stderr.flush()
    raise SystemExit(code)


def _performed(before: tuple[int, int]) -> int:
    """Do what is asked and return the exit code."""
    try:
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        from tarnkappe.cli.app import app

        app()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except TarnkappeError as problem:
        return _failed(problem)
    except _Stopped:
        return 0 if _written()[0] > before[0] else _failed(Cancelled())
    except Exception as problem:
        if os.environ.get("TARNKAPPE_DEBUG"):
            raise
        if isinstance(problem, OSError) and problem.errno == errno.ENAMETOOLONG:
            return _failed(NameTooLong())
        what = FailedAfterwards if _written()[0] > before[0] else Unexpected
        return _failed(what(kind=type(problem).__name__, place=_place(problem)))
    return 0


def _written() -> tuple[int, int]:
    """How many releases and how many single files this process has put in their places."""
    staging = sys.modules.get("tarnkappe.io.staging")  # what was not loaded has written nothing
    return (staging.done.releases, staging.done.files) if staging else (0, 0)


def _stop(signum: int, frame: FrameType | None) -> NoReturn:
    del signum, frame
    raise _Stopped


def _failed(problem: TarnkappeError) -> int:
    sys.stderr.write(problem.text(_language()) + "\n")
    return problem.exit_code


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
