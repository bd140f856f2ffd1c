"""Put the studio together and let it listen."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files

import uvicorn
from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui
from starlette.exceptions import HTTPException

from tarnkappe.errors.studio import StudioAddress
from tarnkappe.spec import catalogue
from tarnkappe.studio.api import make_api, no_such_call
from tarnkappe.studio.discreet import keep_discreet
from tarnkappe.studio.documents import documents
from tarnkappe.studio.frame import mount
from tarnkappe.studio.guard import Guard
from tarnkappe.studio.sessions import Sessions
from tarnkappe.studio.settings import Settings
from tarnkappe.studio.shelter import Shelter
from tarnkappe.studio.tabs import Tabs, keep_apart
from tarnkappe.studio.worker import warm_up

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#00639b"/>'
    '<path d="M7 22c1-9 5-13 9-13s8 4 9 13c-3-2-6-3-9-3s-6 1-9 3z" fill="#fff"/></svg>'
)

_PATIENCE = 120.0
"""Seconds that a page waits for a busy machine before it is drawn anew; a connection is thought lost after less than half of them."""


def make_app(sessions: Sessions) -> FastAPI:
    """The pages and the interface for programs, behind one guard."""

    @asynccontextmanager
    async def open_hours(app: FastAPI) -> AsyncIterator[None]:
        del app
        watching = asyncio.get_running_loop().create_task(sessions.keep_watch())
        yield
        watching.cancel()
        sessions.close()

    made = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=open_hours)
    made.add_exception_handler(HTTPException, no_such_call)
    made.mount("/api", make_api(sessions))
    made.include_router(documents(sessions))
    for part in sorted(files("tarnkappe.studio").joinpath("style").iterdir(), key=lambda part: part.name):
        ui.add_css(part.read_text("utf-8"), shared=True)
    mount(sessions)
    ui.run_with(
        made,
        title="Tarnkappe",
        favicon=_ICON,
        dark=None,
        show_welcome_message=False,
        reconnect_timeout=_PATIENCE,
    )
    keep_apart()
    made.add_middleware(Tabs)
    made.add_middleware(Guard, settings=sessions.settings)
    return made


def serve(settings: Settings, told: Callable[[Settings], None], *, show: bool) -> None:
    """Listen until stopped; `told` is called when the studio can be opened."""
    keep_discreet()
    taken = _bound(settings)
    warm_up()
    catalogue.load()
    shelter = Shelter.opened()
    tempfile.tempdir = str(
        shelter.root
    )  # what passes through temporary files on its way in stays private too
    try:
        app = make_app(Sessions(settings, shelter))

        def opened() -> None:
            told(settings)
            if show:
                webbrowser.open(settings.address)

        pages_app.on_startup(opened)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False, ws_max_size=2**24
        )
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[taken])
    finally:
        shelter.close()


def _bound(settings: Settings) -> socket.socket:
    """Take the port before anything else is done."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((settings.host, settings.port))
    except OSError:
        taken.close()
        raise StudioAddress(host=settings.host, port=settings.port) from None
    return taken
