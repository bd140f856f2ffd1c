"""What a run says while it works, and how it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tarnkappe.errors.release import Cancelled
from tarnkappe.language import Text


@dataclass(slots=True)
class Progress:
    """Tells a listener what is being done and what is left; raises Cancelled when asked to stop."""

    listener: Callable[[Text, int, int], None] | None = None
    """(what is being done, parts done, parts in all)"""
    cancelled: Callable[[], bool] = field(default=lambda: False)
    done: int = 0
    parts: int = 0

    def expect_also(self, parts: int) -> None:
        """So many parts more are to come."""
        self.parts += parts

    def next(self, doing: Text) -> None:
        """Announce the next part; this is also where a run may be cancelled."""
        self._tell(doing, self.done)
        self.done += 1

    def within(self, doing: Text) -> None:
        """Say what is being done within the part that was announced last; here too a run may be cancelled."""
        self._tell(doing, max(self.done - 1, 0))

    def _tell(self, doing: Text, done: int) -> None:
        if self.cancelled():
            raise Cancelled
        if self.listener:
            self.listener(doing, done, self.parts)
