"""Two people at one studio: whatever address of the other one tries, there is nothing."""

from __future__ import annotations

import time

import pytest
from small_drafts import csv

from tarnkappe.plan.document import to_yaml
from tarnkappe.studio import tabs
from tarnkappe.studio.guard import SESSION

PLAN = to_yaml(
    {
        "tarnkappe": 1,
        "title": "Mine",
        "data": {"file": "mine.csv", "roles": {"key": ["sex"]}},
        "seed": {"secret": "mine"},
        "steps": [{"use": "microdata.drop", "columns": ["name", "region", "year", "illness", "cost"]}],
    }
)
LISTEN = """([port, id]) => new Promise(done => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id=${id}`);
  socket.onopen = () => done("open"); socket.onerror = () => done("refused");
})"""


def released(asks) -> str:
    """Run the plan through the interface for programs; the id of the run."""
    run = asks.post("/api/runs", data={"plan": PLAN, "name": "mine"}).json()["id"]
    for _ in range(600):
        state = asks.get(f"/api/runs/{run}").json()
        if state["state"] not in ("waiting", "running"):
            assert state["released"], state
            return run
        time.sleep(0.1)
    raise AssertionError(state)


def test_nobody_reads_the_other_ones_files_runs_documents_or_tabs(browser, live, tmp_path):
    (tmp_path / "mine.csv").write_text(csv(30))
    one, two = (browser.new_context(base_url=live.address) for _ in range(2))
    hers, his = one.new_page(), two.new_page()
    hers.goto("/open")
    hers.locator("input[type=file]").first.set_input_files(tmp_path / "mine.csv")
    hers.get_by_text("30 records").wait_for()
    his.goto("/open")
    his.get_by_text("Drop a file here").wait_for()
    mine = one.request
    run = released(mine)
    tab = hers.evaluate("window.clientId")
    ways = [
        f"/api/runs/{run}", f"/api/runs/{run}/findings", f"/api/runs/{run}/release",
        "/releases/releases/mine/-/about.html", "/releases/releases/mine/-/internal/report.html", "/downloads/release/releases/mine",
        "/downloads/internal/releases/mine", "/downloads/release/..%2Freleases%2Fmine", "/releases/..%2Freleases%2Fmine/-/about.html",
    ]  # fmt: skip
    assert [mine.get(way).status for way in ways] == [200] * 7 + [404] * 2
    assert [two.request.get(way).status for way in ways] == [404] * 9
    assert mine.get("/api/files").json()
    assert two.request.get("/api/files").json() == []
    assert two.request.get("/api/runs").json() == []
    assert two.request.delete("/api/files/mine.csv").status == 404
    assert two.request.delete(f"/api/runs/{run}").status == 404
    assert two.request.post("/api/runs", data={"plan": PLAN, "name": "mine"}).status == 400
    assert two.request.post(f"/_nicegui/client/{tab}/upload/5", multipart={"file": "x"}).status == 404
    port = live.address.rsplit(":", 1)[1]
    own = his.evaluate("window.clientId")
    for asked in (tab, f"{own}&client_id={tab}", f"{tab}&client_id={own}"):
        assert his.evaluate(LISTEN, [port, asked]) == "refused"
    assert hers.evaluate(LISTEN, [port, tab]) == "open"
    assert his.get_by_text("mine").count() == 0
    assert mine.get(f"/api/runs/{run}").json()["released"]


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
