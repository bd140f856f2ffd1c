"""Long work of a session: told while it goes on, cancelled when asked, kept when the tab is closed."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tarnkappe.language import NOTHING, Text
from tarnkappe.studio.worker import Task, TaskFailed, Trouble, Worker

KEPT = 50
"""Jobs that are remembered."""


class State(StrEnum):
    """How far a job has come."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        return self in (State.DONE, State.FAILED, State.CANCELLED)


@dataclass(slots=True, eq=False)
class Job:
    """One piece of long work."""

    title: Text
    kind: str
    """What it is for: ``run``, ``map``, ``table`` …; pages find their jobs by it."""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = State.WAITING
    doing: Text = NOTHING
    done: int = 0
    parts: int = 0
    began: float = field(default_factory=time.time)
    ended: float | None = None
    result: Any = None
    trouble: Trouble | None = None
    note: Any = None
    """What the page that started it wants to remember, such as the plan."""

    @property
    def share(self) -> float:
        """Share of the parts that are done; 1 when it is over."""
        return 1.0 if self.state is State.DONE else self.done / self.parts if self.parts else 0.0

    @property
    def seconds(self) -> float:
        return (self.ended or time.time()) - self.began


class Jobs:
    """The jobs of one session; its worker does them one after another."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._all: dict[str, Job] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, title: Text, kind: str, task: Task[Any], *args: Any, **named: Any) -> Job:
        """Begin; the job lives on the server, whatever happens to the page."""
        job = Job(title, kind)
        self._all[job.id] = job
        for old in [one for one in self._all.values() if one.state.over][:-KEPT]:
            del self._all[old.id]
        self._tasks[job.id] = asyncio.get_running_loop().create_task(self._do(job, task, args, named))
        return job

    async def _do(self, job: Job, task: Task[Any], args: tuple[Any, ...], named: dict[str, Any]) -> None:
        def listen(doing: Text, done: int, parts: int) -> None:
            job.state, job.doing, job.done, job.parts = State.RUNNING, doing, done, parts

        try:
            job.result = await self._worker.do(task, listen, *args, **named)
            job.state = State.DONE
        except TaskFailed as problem:
            job.trouble = problem.trouble
            job.state = State.CANCELLED if problem.trouble.code == "run.cancelled" else State.FAILED
        except asyncio.CancelledError:
            job.state = State.CANCELLED
        finally:
            job.ended = time.time()
            self._tasks.pop(job.id, None)

    async def cancel(self, job: Job) -> None:
        """Stop a job that goes on, or take one that waits out of the queue."""
        if job is next(
            (one for one in self if not one.state.over), None
        ):  # the worker has it, heard of or not
            await self._worker.cancel()
        elif job.id in self._tasks:
            self._tasks[job.id].cancel()

    def forget(self) -> None:
        """Forget what has ended: it was about files that are no longer the same."""
        self._all = {id: job for id, job in self._all.items() if not job.state.over}

    def get(self, id: str) -> Job | None:
        return self._all.get(id)

    def latest(self, kind: str) -> Job | None:
        """The last job of a kind that was started."""
        return next((job for job in reversed(self._all.values()) if job.kind == kind), None)

    def __iter__(self) -> Iterator[Job]:
        return iter(tuple(self._all.values()))
