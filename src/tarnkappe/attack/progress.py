"""What long attacks and repairs say while they work, to whoever listens; quick ones say nothing.

Whoever listens may stop the work by raising an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic

from tarnkappe.language import Text

EVERY = 2.0
"""So many seconds pass between two lines."""


@dataclass(slots=True)
class _Listener:
    hears: Callable[[Text], None]
    last: float


_LISTENER: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(hears: Callable[[Text], None]) -> Iterator[None]:
    """Within this, what is said goes to a listener."""
    token = _LISTENER.set(_Listener(hears, monotonic()))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def say(text: Text, **facts: int) -> None:
    """Say what is being done, if somebody listens and some seconds have passed since the last time."""
    listener = _LISTENER.get()
    if listener is None or monotonic() - listener.last < EVERY:
        return
    listener.hears(text.filled(**facts))
    listener.last = monotonic()
