"""A studio to try things on: one inside the test, whose workers work in a thread, and one that listens, for a real browser."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from nicegui import ui
from nicegui.functions.download import download
from nicegui.functions.navigate import Navigate
from nicegui.functions.notify import notify
from nicegui.testing.user import User

from in_a_browser import CHROMIUM, FLAGS, PATIENCE
from tarnkappe.plan.progress import Progress
from tarnkappe.studio import sessions as sessions_module
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.serve import make_app
from tarnkappe.studio.sessions import Session, Sessions
from tarnkappe.studio.settings import Settings
from tarnkappe.studio.shelter import Shelter
from tarnkappe.studio.worker import TaskFailed, Trouble


class ThreadWorker:
    """Does tasks as a worker does, in a thread of the test: nothing has to be started."""

    def __init__(self):
        self._desk, self._turn, self._stop, self._task = Desk(), asyncio.Lock(), False, None

    async def do(self, task, listener=None, *args, **named):
        async with self._turn:
            self._stop, self._task = False, task
            progress = Progress(listener, lambda: self._stop)
            try:
                return await asyncio.to_thread(task, self._desk, progress, *args, **named)
            except Exception as problem:
                raise TaskFailed(Trouble.of(problem)) from problem

    @property
    def busy(self):
        return self._turn.locked()

    async def cancel(self, task=None):
        self._stop = self._stop or task in (None, self._task)

    def close(self):
        pass


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    """The application, once per process: NiceGUI keeps its pages for good.

    At every start NiceGUI looks through all objects of the process for a server, which is long in one full of tests; here is none.
    """
    patch = pytest.MonkeyPatch()
    patch.setattr(sessions_module, "Worker", ThreadWorker)
    patch.setenv("NICEGUI_USER_SIMULATION", "true")
    patch.setattr("nicegui.ui_run_with.gc", SimpleNamespace(get_objects=list))
    shelter = Shelter.opened(tmp_path_factory.mktemp("shelter"))
    sessions = Sessions(Settings(), shelter)
    yield sessions, make_app(sessions)
    sessions.close()
    shelter.close()
    patch.undo()


@dataclass
class Visitor:
    """A person in a browser of her own: `user` acts, `session` is what the studio holds for her."""

    user: User
    session: Session

    async def open(self, path):
        await self.user.open(path)
        await asyncio.sleep(0.05)


@pytest.fixture
async def visit(studio):
    """Call it for another visitor: ``async with visit() as visitor``."""
    sessions, app = studio

    @asynccontextmanager
    async def enter():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
            await client.get("/open")
            secret = client.cookies["tarnkappe-session-8765"]
            yield Visitor(User(client), sessions.of(secret))

    try:
        async with app.router.lifespan_context(app):
            yield enter
    finally:
        ui.navigate, ui.notify, ui.download = Navigate(), notify, download


@pytest.fixture
async def visitor(visit):
    async with visit() as one:
        yield one


# -- a studio that listens, for a real browser --------------------------------------------------------------------


@dataclass
class Live:
    """A studio in a process of its own."""

    address: str
    process: subprocess.Popen
    log: Path

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def started(folder: Path, *words: str, home: Path | None = None) -> Live:
    """Start a studio on a free port; its private folders lie below `folder`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shelter = home or folder / "run"
    shelter.mkdir(exist_ok=True)
    log = folder / f"studio-{port}.log"
    command = [sys.executable, "-m", "tarnkappe", "studio", "--no-show", "--port", str(port), *words]
    with log.open("w") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=out,
            env={**os.environ, "XDG_RUNTIME_DIR": str(shelter), "LANG": "C.UTF-8"},
        )
    live = Live(f"http://127.0.0.1:{port}", process, log)
    for _ in range(1800):
        try:
            urllib.request.urlopen(live.address + "/open", timeout=5).read()
        except urllib.error.HTTPError:
            return live
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        else:
            return live
    raise AssertionError(log.read_text())


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    running = started(tmp_path_factory.mktemp("live"))
    yield running
    running.stop()


@pytest.fixture
def browser():
    """Each test has its own: while Playwright is there, no other event loop runs in the thread."""
    if CHROMIUM is None:
        pytest.skip("no browser here: the tests of the studio in a browser were left out")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Beside a failure in the browser stands what the studio logged and what the page showed."""
    report = yield
    here = getattr(item, "funcargs", {})
    if report.failed and "live" in here:
        report.sections.append(("log of the studio", here["live"].log.read_text()))
    if report.failed and report.when == "call" and "tab" in here:
        report.sections.append(("the page", here["tab"].locator("body").inner_text()))
    return report


@pytest.fixture
def tab(browser, live):
    """A fresh browser profile at the studio's address: a session of its own."""
    context = browser.new_context(
        base_url=live.address, viewport={"width": 1280, "height": 900}, locale="en-GB"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.problems = []
    page.on("pageerror", lambda problem: page.problems.append(str(problem)))
    page.on("console", lambda said: page.problems.append(said.text) if said.type == "error" else None)
    yield page
    assert page.problems == []
    context.close()
