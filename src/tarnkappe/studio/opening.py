"""Opening a file: it comes into a folder of its own, is read, and only then takes the place of what was open."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import background_tasks
from nicegui.elements.upload_files import FileUpload

from tarnkappe.errors.release import Cancelled
from tarnkappe.errors.studio import NotInProject
from tarnkappe.io.argus import ENDING
from tarnkappe.io.paths import inside
from tarnkappe.io.read import ENDINGS
from tarnkappe.language import NOTHING, Text
from tarnkappe.studio.keeping import PLANS
from tarnkappe.studio.proposing import proposal_job
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.sessions import Session
from tarnkappe.studio.tasks.arrive import Arrived, arrive, cells, example, main_file
from tarnkappe.studio.tasks.look import look
from tarnkappe.studio.uploads import keep
from tarnkappe.studio.worker import Task, TaskFailed, Trouble

OPENING = "opening"
"""Where a session remembers the file that is on its way in."""
_LISTED, _DEEP = 300, 3


@dataclass(slots=True, eq=False)
class Opening:
    """A file on its way in."""

    folder: Path
    data: dict[str, Any]
    """Its name and how it is to be read."""
    in_project: bool = False
    again: bool = True
    """Whether it may be tried again with other settings."""
    doing: Text = NOTHING
    done: int = 0
    parts: int = 0
    over: bool = False
    trouble: Trouble | None = None

    @property
    def file(self) -> str:
        return str(self.data["file"])

    @property
    def share(self) -> float | None:
        """How much is done; None while the file is being read, which cannot be told."""
        return (self.done / self.parts) if self.parts and self.done else None


def pending(session: Session) -> Opening | None:
    """The file that is on its way in, or that could not be read."""
    found: Opening | None = session.asides.get(OPENING)
    return found


async def receive(session: Session, files: Sequence[FileUpload]) -> Opening:
    """Keep files that were uploaded together; raises where a name or size cannot be."""
    lobby = session.lobby()
    try:
        paths = [session.path_for(file.name, lobby) for file in files]
        for path, file in zip(paths, files, strict=True):
            await keep(path, file.iterate(), session.settings.largest)
        main = main_file(tuple(path.name for path in paths))
    except BaseException:
        shutil.rmtree(lobby, ignore_errors=True)
        raise
    if Path(main).suffix.lower() in PLANS and len(files) == 1:
        _bring_along(session, lobby)
    return Opening(lobby, {"file": main})


def _bring_along(session: Session, lobby: Path) -> None:
    """A plan that comes alone may mean the files that are open."""
    for file in session.room.iterdir() if session.room != session.home else ():
        if file.is_file() and not (lobby / file.name).exists():
            os.link(file, lobby / file.name)


def start(session: Session, opening: Opening) -> None:
    """Read the file of an opening; what is open stays until that has succeeded."""
    task_args = (opening.folder, dict(opening.data), session.home, session.lang)
    _start(session, opening, arrive, *task_args)


def start_cells(session: Session, described: dict[str, Any]) -> Opening:
    """Open the file that is open as a table of cells."""
    opening = Opening(session.folder, {"file": described["file"]}, session.in_project, again=False)
    _start(session, opening, cells, session.folder, described, session.lang)
    return opening


def start_example(session: Session, name: str, whole: str) -> Opening:
    """Make an example and open it."""
    opening = Opening(session.lobby(), {"file": f"{name}.csv"}, again=False)
    _start(session, opening, example, opening.folder, name, session.home, whole, session.lang)
    return opening


def from_project(session: Session, name: str) -> Opening:
    """Open a file of the project folder, if it is one of those that were offered."""
    project = session.settings.project
    if project is None or name not in project_files(project):
        raise NotInProject
    inside(project, name)
    return Opening(project, {"file": name}, in_project=True)


def project_files(project: Path) -> tuple[str, ...]:
    """The files of a folder, and of those below it, that can be opened; plans of the folder itself."""
    found: list[str] = []
    for root, folders, names in os.walk(project):
        here = Path(root).relative_to(project)
        released = "certificate.json" in names
        folders[:] = [] if released or len(here.parts) >= _DEEP else sorted(f for f in folders if f[0] != ".")
        allowed = (*ENDINGS, ENDING, *(() if here.parts else PLANS))
        kept = [] if released else sorted(n for n in names if n[0] != "." and n.lower().endswith(allowed))
        found += [(here / name).as_posix() for name in kept]
        if len(found) >= _LISTED:
            break
    return tuple(found[:_LISTED])


def forget(session: Session) -> None:
    """Give up a file that could not be read."""
    left: Opening | None = session.asides.pop(OPENING, None)
    if left and not left.in_project and left.folder not in (session.room, session.home):
        shutil.rmtree(left.folder, ignore_errors=True)


async def cancel(session: Session, opening: Opening) -> None:
    """Stop reading."""
    if not opening.over:
        await session.quick.cancel()


def _start(session: Session, opening: Opening, task: Task[Arrived], *args: Any) -> None:
    before = pending(session)
    if before is not None and before.folder != opening.folder:
        forget(session)
    opening.trouble, opening.over = None, False
    session.asides[OPENING] = opening
    background_tasks.create(_go(session, opening, task, args), name="opening")


async def _go(session: Session, opening: Opening, task: Task[Arrived], args: tuple[Any, ...]) -> None:
    def listen(doing: Text, done: int, parts: int) -> None:
        opening.doing, opening.done, opening.parts = doing, done, parts

    try:
        arrived = await session.quick.do(task, listen, *args)
    except TaskFailed as problem:
        opening.over = True
        if problem.trouble.code == Cancelled.code:
            forget(session)
        else:
            opening.trouble = problem.trouble
        return
    if pending(session) is opening:
        await _settle(session, opening, arrived)
    opening.over = True


async def _settle(session: Session, opening: Opening, arrived: Arrived) -> None:
    """The file takes the place of what was open."""
    stale = session.jobs.latest("propose")
    if stale and not stale.state.over:
        await session.jobs.cancel(stale)
    session.in_project = opening.in_project
    if not opening.in_project and opening.folder != session.room:
        session.move_into(opening.folder)
    session.begin(arrived.content)
    if opening.in_project:
        session.keeping.opened(opening.file)
    if arrived.look is not None:
        session.know(
            look, session.folder, reading_of(arrived.content["data"]), session.home, found=arrived.look
        )
        proposal_job(session)
