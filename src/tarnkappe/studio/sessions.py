"""Sessions: one per browser, each with a private folder, a draft of a plan and its own workers. None sees another's."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import time
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from tarnkappe.errors.studio import FileNameWrong, StudioFull
from tarnkappe.language import NOTHING, Lang, Text
from tarnkappe.studio.draft import Draft
from tarnkappe.studio.jobs import Jobs
from tarnkappe.studio.keeping import Keeping
from tarnkappe.studio.settings import Settings
from tarnkappe.studio.shelter import PRIVATE, Shelter
from tarnkappe.studio.stamps import Stamps, stamps_of, written_since
from tarnkappe.studio.words import OPENED
from tarnkappe.studio.worker import Task, Worker

R = TypeVar("R")
MOST = 50
"""Sessions at a time."""
IDLE = 12 * 3600.0
"""Seconds after which a session that nobody looks at is ended and wiped."""
_REMEMBERED = 48
_NAME = re.compile(r"[^\W_][\w.\- ]{0,150}", re.UNICODE)


def _key(task: Task[Any], args: tuple[Any, ...]) -> str:
    return repr((task.__module__, task.__qualname__, args))


def _heard_out(asked: asyncio.Task[Any]) -> None:
    """An answer that nobody waits for any more is no fault."""
    if not asked.cancelled():
        asked.exception()


class Session:
    """What one browser works on."""

    def __init__(self, id: str, room: Path, settings: Settings) -> None:
        self.id = id
        self.home = room
        self.room = room
        """Where uploads lie: a folder of its own, in `home`, for each file that was opened."""
        self.settings = settings
        self.lang: Lang = settings.lang
        self.dark: bool | None = None
        self.in_project = False
        """Whether the files are those of the project folder instead of uploads."""
        self.keeping = Keeping(settings.project)
        """Where the plan is kept in the project folder."""
        self.draft = Draft()
        self.quick = Worker()
        self._long = Worker()
        self.jobs = Jobs(self._long)
        self.seen = time.monotonic()
        self.asides: dict[str, Any] = {}
        """What pages want to find again on their next visit: chosen tabs, filters, variants."""
        self._learnt: OrderedDict[str, Any] = OrderedDict()
        self._asked: dict[str, asyncio.Task[Any]] = {}
        self._stamps: Stamps = {}
        self.heard: tuple[Text, int, int] = (NOTHING, 0, 0)
        """What the quick worker is doing, parts done, parts in all."""

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
        self.renew()
        key = _key(task, args)
        if key in self._learnt:
            self._learnt.move_to_end(key)
            known: R = self._learnt[key]
            return known
        if key not in self._asked:
            self._asked[key] = asyncio.get_running_loop().create_task(self._ask(key, task, args))
            self._asked[key].add_done_callback(_heard_out)
        found: R = await asyncio.shield(self._asked[key])
        return found

    async def _ask(self, key: str, task: Task[Any], args: tuple[Any, ...]) -> Any:
        """Ask the quick worker once, however many wait for the answer."""

        def listen(doing: Text, done: int, parts: int) -> None:
            self.heard = (doing, done, parts)

        before = self._stamps
        try:
            found = await self.quick.do(task, listen, *args)
        finally:
            self.heard = (NOTHING, 0, 0)
            self._asked.pop(key, None)
        if not written_since(before, stamps_of(self.folder, self.draft.content)):
            self._know(key, found)
        return found

    def renew(self) -> bool:
        """Forget what was found out if a file of the plan was written again since; tells whether that is so."""
        before, self._stamps = self._stamps, stamps_of(self.folder, self.draft.content)
        changed = written_since(before, self._stamps)
        if changed:
            self._learnt.clear()
            self.jobs.forget()
        return changed

    def know(self, task: Task[R], *args: Any, found: R) -> None:
        """Remember what a task would find, where it is known already."""
        self._know(_key(task, args), found)

    def _know(self, key: str, found: Any) -> None:
        self._learnt[key] = found
        while len(self._learnt) > _REMEMBERED:
            self._learnt.popitem(last=False)

    def begin(self, content: Mapping[str, Any] | None = None) -> None:
        """Start a new plan; what was known of the old one is forgotten."""
        self.draft = Draft()
        self.asides.clear()
        self._learnt.clear()
        self._stamps = {}
        if content:
            self.draft.replace(OPENED, content)

    def path_for(self, name: str, folder: Path | None = None) -> Path:
        """Where an uploaded file of that name is put: in the private folder, whatever the name says."""
        bare = name.replace("\\", "/").rsplit("/", 1)[-1].strip()
        if not _NAME.fullmatch(bare):
            raise FileNameWrong
        return (folder or self.room) / bare

    def lobby(self) -> Path:
        """A new private folder for files that come in together; what is open stays as it is."""
        made = self.home / secrets.token_hex(8)
        made.mkdir(mode=PRIVATE)
        return made

    def move_into(self, room: Path) -> None:
        """Work on in another folder of ours; the one before is wiped unless a job still reads it."""
        left, self.room = self.room, room
        busy = any(not job.state.over for job in self.jobs)
        if left not in (self.home, room) and not busy:
            shutil.rmtree(left, ignore_errors=True)

    @property
    def empty(self) -> bool:
        """Whether nothing was opened, planned or begun in it."""
        begun = (self.draft.content, *self.asides.values(), *self.jobs)
        return not any(begun) and not any(self.home.iterdir())

    def close(self) -> None:
        """End the workers and wipe the folder."""
        self.quick.close()
        self._long.close()
        shutil.rmtree(self.home, ignore_errors=True)


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
                self._end_one_that_is_empty()
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

    def _end_one_that_is_empty(self) -> None:
        """Who only looked in must not keep others out: of the sessions in which nothing was done, the oldest goes."""
        empty = (session for session in self._all.values() if session.empty)
        oldest = min(empty, key=lambda session: session.seen, default=None)
        if oldest is None:
            raise StudioFull(sessions=MOST)
        self.end(oldest)

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
