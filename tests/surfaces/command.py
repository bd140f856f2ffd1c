"""The command line as a user meets it, in this process: words in, words and an exit code out."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest
import typer.main

from tarnkappe.cli import main

built = lru_cache(maxsize=8)(typer.main.get_command)
"""The tree of all commands is the same every time; a process of its own builds it once, too."""


@dataclass(frozen=True)
class Said:
    """What a command left on the screen."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        return self.out + self.err


def command(capsys, *words: str | Path) -> Said:
    """Run ``tarnkappe words …``."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["tarnkappe", *map(str, words)])
        patch.setattr(typer.main, "get_command", built)
        try:
            main()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    shown = capsys.readouterr()
    code = ended.value.code
    return Said(0 if code is None else int(code), shown.out, shown.err)
