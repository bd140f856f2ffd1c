"""A tab belongs to the session that opened it: no other may upload to it, listen to it or speak for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from nicegui import Client, core
from starlette.types import ASGIApp, Receive, Scope, Send

from tarnkappe.studio.guard import SESSION, refuse

_UPLOADS = "/_nicegui/client/"
_SPOKEN = ("handshake", "event", "javascript_response", "ack", "log")


class Tabs:
    """Stands behind the guard and before the pages."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and not all(
            _belongs(tab, scope) for tab in _tabs_of(scope)
        ):
            await refuse(scope, send, 404, "there is no such tab")
        else:
            await self._app(scope, receive, send)


def keep_apart() -> None:
    """Let what comes through an open connection reach only tabs of the session that opened the connection."""
    for name in _SPOKEN:
        core.sio.on(name, _checked(core.sio.handlers["/"][name]))


def _checked(handler: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    async def heard(connection: str, said: Mapping[str, Any]) -> Any:
        if not _belongs(str(said.get("client_id", "")), core.sio.get_environ(connection)["asgi.scope"]):
            return False
        answer = handler(connection, said)
        return await answer if inspect.isawaitable(answer) else answer

    return heard


def _tabs_of(scope: Scope) -> list[str]:
    """The tabs that an address names."""
    path: str = scope.get("path", "")
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("client_id", [])
    return [*asked, path.removeprefix(_UPLOADS).split("/", 1)[0]] if path.startswith(_UPLOADS) else asked


def _belongs(tab: str, scope: Mapping[str, Any]) -> bool:
    """Whether a tab is of the session that asks; of one that is not there, nothing can be learnt."""
    client = Client.instances.get(tab)
    return client is None or client.request.scope.get(SESSION) == scope.get(SESSION)
