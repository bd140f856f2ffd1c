"""Documents and files of the releases of a session, for its own browser alone."""

from __future__ import annotations

import secrets
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, HTMLResponse

from tarnkappe.errors import TarnkappeError
from tarnkappe.io.paths import inside
from tarnkappe.studio.guard import SESSION
from tarnkappe.studio.sessions import Session, Sessions
from tarnkappe.studio.tasks.release import ABOUT, REPORT, pack, released
from tarnkappe.studio.worker import TaskFailed

PREVIEWS = ".previews"
"""In the private folder of the session."""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)
"""The documents bring everything with them: they load nothing, send nothing and know nothing of the studio."""
_THEMES = ("light", "dark")
_FORMS = {"release": False, "internal": True}


def documents(sessions: Sessions) -> APIRouter:
    """Addresses of documents and downloads; whoever asks gets what belongs to the own session, or nothing."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/previews/{path:path}")
    def preview(request: Request, path: str, theme: str = "") -> Response:
        return _document(_session(sessions, request).home / PREVIEWS, path, theme)

    @routes.get("/releases/{path:path}")
    def document(request: Request, path: str, theme: str = "") -> Response:
        name, _, file = path.partition("/-/")
        try:
            return _document(released(_session(sessions, request).folder, name), file, theme)
        except TarnkappeError:
            return Response(status_code=404)

    @routes.get("/downloads/{form}/{path:path}")
    async def download(request: Request, form: str, path: str) -> Response:
        if form not in _FORMS:
            return Response(status_code=404)
        return await _packed(_session(sessions, request), path, internal=_FORMS[form])

    return routes


def _session(sessions: Sessions, request: Request) -> Session:
    return sessions.of(request.scope[SESSION])


def _document(home: Path, name: str, theme: str) -> Response:
    """One of the two documents; every other file is kept back. A theme is marked where the documents mark it themselves."""
    if name not in (ABOUT, REPORT):
        return Response(status_code=404)
    try:
        file = inside(home, name)
    except TarnkappeError:
        return Response(status_code=404)
    if not file.is_file():
        return Response(status_code=404)
    headers = {"content-security-policy": POLICY}
    if theme in _THEMES:
        shown = file.read_text("utf-8").replace("<html", f'<html data-theme="{theme}"', 1)
        return HTMLResponse(shown, headers=headers)
    return FileResponse(file, media_type="text/html", headers=headers)


async def _packed(session: Session, name: str, *, internal: bool) -> Response:
    """A release as one file, packed by a worker and taken away when it was sent."""
    target = session.home / f".{secrets.token_hex(8)}.zip"
    try:
        await session.quick.do(pack, None, session.folder, name, target, internal=internal)
    except TaskFailed:
        target.unlink(missing_ok=True)
        return Response(status_code=404)
    shown = f"{Path(name).name}{'-internal' if internal else ''}.zip"
    gone = BackgroundTask(target.unlink, missing_ok=True)
    return FileResponse(target, media_type="application/zip", filename=shown, background=gone)
