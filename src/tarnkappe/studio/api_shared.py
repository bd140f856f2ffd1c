"""What all calls of the interface for programs share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request

from tarnkappe.studio.api_models import Wrong
from tarnkappe.studio.guard import SESSION
from tarnkappe.studio.sessions import Session, Sessions

WRONG: dict[int | str, dict[str, Any]] = {
    400: {"model": Wrong, "description": "The input is wrong."},
    404: {"model": Wrong, "description": "There is no such thing."},
    503: {"model": Wrong, "description": "Too many sessions."},
}


def session_of(request: Request) -> Session:
    """The session of whoever asks."""
    sessions: Sessions = request.app.state.sessions
    return sessions.of(request.scope[SESSION])


Ours = Annotated[Session, Depends(session_of)]
