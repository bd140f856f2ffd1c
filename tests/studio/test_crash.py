"""The studio is killed in the middle of a run: no process goes on, nothing half-made is left, the next start wipes the uploads."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import httpx

from studio.conftest import started

ROWS = "sex;age;income\n" + "".join(
    f"{'mf'[i % 2]};{20 + i % 60};{1000 + i * 7 % 9000},5\n" for i in range(60_000)
)
SLOW = """
tarnkappe: 1
title: Slow
data: {file: people.csv, roles: {key: [sex, age], numeric: [income]}}
steps:
- {use: microdata.mdav, columns: [income, age], k: 3}
"""


def children(pid):
    """All processes below one, by what /proc says."""
    below = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            stat = entry.read_text()
        except OSError:
            continue
        parent = int(stat.rsplit(")", 1)[1].split()[1])
        if parent == pid:
            child = int(entry.parent.name)
            below += [child, *children(child)]
    return below


def alive(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def test_a_killed_studio_leaves_no_process_and_the_next_start_leaves_no_file(tmp_path):
    live = started(tmp_path)
    try:
        with httpx.Client(base_url=live.address, timeout=120) as client:
            client.put("/api/files/people.csv", content=ROWS.encode()).raise_for_status()
            run = client.post("/api/runs", json={"plan": SLOW}).raise_for_status().json()
            while (now := client.get(f"/api/runs/{run['id']}").json())["state"] == "waiting" or now[
                "done"
            ] < 1:
                assert now["wrong"] is None, now
                time.sleep(0.02)
            workers = children(live.process.pid)
            assert workers, "the work is done by other processes"
    finally:
        live.process.send_signal(signal.SIGKILL)
        live.process.wait(20)
    for _ in range(500):
        if not any(map(alive, workers)):
            break
        time.sleep(0.02)
    assert not any(map(alive, workers))
    home = next((tmp_path / "run").iterdir())
    assert len(list(home.rglob("people.csv"))) == 1, "a crash wipes nothing"
    assert list(home.rglob("releases/*")) == []
    again = started(tmp_path)
    try:
        assert list(home.rglob("people.csv")) == []
    finally:
        again.stop()
    assert list(home.iterdir()) == [], "closing wipes everything"
    assert "people" not in live.log.read_text() + again.log.read_text()
