"""Sessions: one per browser, each with a private folder, a draft of a plan and its own workers. None sees another's."""

from __future__ import annotations

import asyncio
import re
import shutil
import time
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from tarnkappe.errors.studio import FileNameWrong, StudioFull
from tarnkappe.language import Lang, Text
from tarnkappe.studio.draft import Draft
from tarnkappe.studio.jobs import Jobs
from tarnkappe.studio.settings import Settings
from tarnkappe.studio.shelter import Shelter
from tarnkappe.studio.words import OPENED
from tarnkappe.studio.worker import Task, Worker

R = TypeVar("R")
MOST = 50
"""Sessions at a time."""
IDLE = 12 * 3600.0
"""Seconds after which a session that nobody looks at is ended and wiped."""
_REMEMBERED = 48
_NAME = re.compile(r"[^\W_][\w.\- ]{0,150}", re.UNICODE)


class Session:
    """What one browser works on."""

    def __init__(self, id: str, room: Path, settings: Settings) -> None:
        self.id = id
        self.room = room
        self.settings = settings
        self.lang: Lang = settings.lang
        self.dark: bool | None = None
        self.in_project = False
        """Whether the files are those of the project folder instead of uploads."""
        self.draft = Draft()
        self.quick = Worker()
        self._long = Worker()
        self.jobs = Jobs(self._long)
        self.seen = time.monotonic()
        self.asides: dict[str, Any] = {}
        """What pages want to find again on their next visit: chosen tabs, filters, variants."""
        self._learnt: OrderedDict[str, Any] = OrderedDict()

    @property
    def folder(self) -> Path:
        """The folder of the plan: its files are named relative to it."""
        project = self.settings.project
        return project if self.in_project and project is not None else self.room

    def say(self, text: Text, **facts: object) -> str:
        """A sentence in the language of this session."""
        return (text.filled(**facts) if facts else text).in_(self.lang)

    async def learn(self, task: Task[R], *args: Any) -> R:
        """What a task of `studio.tasks` finds; remembered, so asking the same again costs nothing.

        Raises TaskFailed, whose trouble the page shows.
        """
        key = repr((task.__module__, task.__qualname__, args))
        if key not in self._learnt:
            self._learnt[key] = await self.quick.do(task, None, *args)
            while len(self._learnt) > _REMEMBERED:
                self._learnt.popitem(last=False)
        self._learnt.move_to_end(key)
        found: R = self._learnt[key]
        return found

    def begin(self, content: Mapping[str, Any] | None = None) -> None:
        """Start a new plan; what was known of the old one is forgotten."""
        self.draft = Draft()
        self.asides.clear()
        self._learnt.clear()
        if content:
            self.draft.replace(OPENED, content)

    def path_for(self, name: str) -> Path:
        """Where an uploaded file of that name is put: in the private folder, whatever the name says."""
        bare = name.replace("\\", "/").rsplit("/", 1)[-1].strip()
        if not _NAME.fullmatch(bare):
            raise FileNameWrong
        return self.room / bare

    def close(self) -> None:
        """End the workers and wipe the folder."""
        self.quick.close()
        self._long.close()
        shutil.rmtree(self.room, ignore_errors=True)


class Sessions:
    """All sessions of a studio, by the secret that their browser shows."""

    def __init__(self, settings: Settings, shelter: Shelter) -> None:
        self.settings = settings
        self._shelter = shelter
        self._all: dict[str, Session] = {}

    def of(self, id: str) -> Session:
        """The session of that secret; made when it is new."""
        self._end_idle()
        if id not in self._all:
            if len(self._all) >= MOST:
                raise StudioFull(sessions=MOST)
            self._all[id] = Session(id, self._shelter.room(), self.settings)
        session = self._all[id]
        session.seen = time.monotonic()
        return session

    def _end_idle(self) -> None:
        now = time.monotonic()
        for session in tuple(self._all.values()):
            busy = any(not job.state.over for job in session.jobs)
            if now - session.seen > IDLE and not busy:
                self.end(session)

    def end(self, session: Session) -> None:
        """Forget a session and wipe what it held."""
        self._all.pop(session.id, None)
        session.close()

    def close(self) -> None:
        """End all."""
        for session in tuple(self._all.values()):
            self.end(session)

    async def keep_watch(self) -> None:
        """End idle sessions also when nobody comes."""
        while True:
            await asyncio.sleep(300)
            self._end_idle()
