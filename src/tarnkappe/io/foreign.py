"""Calling foreign libraries: they may be absent, and what they say when they fail may quote the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from polars.exceptions import PanicException

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import ExtraNeeded, FileUnreadable
from tarnkappe.language import Text


def needed(package: str, form: str, extra: str) -> Any:
    """Import an optional package, or say how to install it."""
    try:
        return import_module(package)
    except ImportError:
        raise ExtraNeeded(format=form, package=package, extra=extra) from None


@contextmanager
def unreadable(path: Path, why: Text) -> Iterator[None]:
    """Whatever goes wrong inside is told in our words."""
    with in_our_words(FileUnreadable(file=str(path), why=why)):
        yield


@contextmanager
def in_our_words(error: TarnkappeError) -> Iterator[None]:
    """Raise `error` instead of any error of a foreign library."""
    try:
        yield
    except (TarnkappeError, MemoryError):
        raise
    except (Exception, PanicException):  # noqa: BLE001 - any of them may carry data in its message
        raise error from None
