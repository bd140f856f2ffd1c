"""Logs that tell what went wrong and where, never what the data said."""

from __future__ import annotations

import logging

from tarnkappe.studio.worker import place_of

_LOGGERS = ("nicegui", "uvicorn", "uvicorn.error", "asyncio", "socketio", "engineio", "")


class Discreet(logging.Formatter):
    """Who speaks and from where; of an exception its kind and place. Words, and lines of a traceback, could hold values."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        text = f"{record.levelname.lower()} {record.name} {record.module}:{record.lineno}"
        problem = record.exc_info[1] if record.exc_info else None
        return text if problem is None else f"{text}: {type(problem).__name__} at {place_of(problem)}"


def keep_discreet() -> None:
    """Let every logger of the studio speak through this form alone."""
    handler = logging.StreamHandler()
    handler.setFormatter(Discreet())
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [] if name else [handler]
        logger.propagate = True
        logger.setLevel(logging.WARNING)
