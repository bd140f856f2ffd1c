"""A tab hears and obeys its own session alone; the same in two browsers stands at the end of `test_whole_way`."""

from __future__ import annotations

import pytest

from tarnkappe.studio import tabs
from tarnkappe.studio.guard import SESSION


class Tab:
    """A tab of a session, as the pages know it."""

    def __init__(self, session):
        self.request = type("Asked", (), {"scope": {SESSION: session}})


@pytest.mark.anyio
async def test_an_open_connection_speaks_for_tabs_of_its_own_session_alone(monkeypatch):
    heard = []
    monkeypatch.setattr(tabs.Client, "instances", {"hers": Tab("one"), "his": Tab("two")})
    monkeypatch.setattr(tabs.core.sio, "get_environ", lambda sid: {"asgi.scope": {SESSION: sid}})
    handler = tabs._checked(lambda sid, said: heard.append((sid, said["client_id"])))
    await handler("one", {"client_id": "hers"})
    assert await handler("two", {"client_id": "hers"}) is False
    await handler("two", {"client_id": "his"})
    assert heard == [("one", "hers"), ("two", "his")]
