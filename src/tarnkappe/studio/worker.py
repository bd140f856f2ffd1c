"""Work that takes time is done by a process of its own: pages answer meanwhile, and work can be stopped at any moment."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, TypeVar

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import Cancelled, Unexpected
from tarnkappe.errors.studio import WorkEnded
from tarnkappe.language import Text
from tarnkappe.plan.progress import Progress
from tarnkappe.studio.desk import Desk

GRACE = 3.0
"""Seconds that work has to stop by itself when it is cancelled; then its process is ended."""

R = TypeVar("R")
Task = Callable[..., R]
"""A function of `studio.tasks`: gets the desk with the data, a progress and arguments, returns plain results."""
Listener = Callable[[Text, int, int], None]


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error as it travels between processes and onto the screen."""

    code: str
    what: Text
    remedy: Text
    exit_code: int

    @classmethod
    def of(cls, problem: Exception) -> Trouble:
        """Errors of the house keep their words; of others only kind and place are told, for words could hold data."""
        if not isinstance(problem, TarnkappeError):
            problem = Unexpected(kind=type(problem).__name__, place=place_of(problem))
        return cls(problem.code, problem.what, problem.remedy, problem.exit_code)


class TaskFailed(Exception):
    """A task ended in an error that people can read."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.code)
        self.trouble = trouble


def place_of(problem: BaseException) -> str:
    """Module and line of ours where it happened: no values."""
    trace, place = problem.__traceback__, "?"
    while trace:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("tarnkappe"):
            place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


class Worker:
    """One process that does tasks one after another and keeps the data on its desk; started when first needed."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._threads = ThreadPoolExecutor(1, "studio-worker")
        self._process: Any = None
        self._talk: Connection | None = None
        self._lifeline: Connection | None = None
        self._cancelled = False
        self._doing: tuple[Task[Any], int] | None = None
        """The task whose turn it is, and how many turns there were before."""
        self._turns = 0

    async def do(self, task: Task[R], listener: Listener | None = None, *args: Any, **named: Any) -> R:
        """Wait for our turn, do the task in the process, and return what it found or raise TaskFailed.

        Who stops waiting does not stop the work: it goes on to its end, and only then comes the next turn.
        """
        await self._turn.acquire()
        self._doing, self._turns = (task, self._turns), self._turns + 1
        doing = self._do(task, listener, args, named)
        return await asyncio.shield(asyncio.get_running_loop().create_task(doing))

    async def _do(
        self, task: Task[R], listener: Listener | None, args: tuple[Any, ...], named: dict[str, Any]
    ) -> R:
        loop = asyncio.get_running_loop()
        self._cancelled = False
        try:
            try:
                await loop.run_in_executor(self._threads, self._send, task, args, named)
            except Exception as problem:
                raise TaskFailed(Trouble.of(problem)) from problem
            while True:
                kind, *said = await loop.run_in_executor(self._threads, self._hear)
                if kind == "done":
                    found: R = said[0]
                    return found
                if kind == "failed":
                    raise TaskFailed(said[0])
                if listener:
                    listener(*said)
        finally:
            self._doing = None
            self._turn.release()

    async def cancel(self, task: Task[Any] | None = None) -> None:
        """Ask the work to stop, if it is this task or none was named; end its process if it does not.

        What comes after it goes on undisturbed.
        """
        process, doing = self._process, self._doing
        if process is None or doing is None or task not in (None, doing[0]):
            return
        self._cancelled = True
        if self._lifeline:
            with suppress(OSError):
                self._lifeline.send_bytes(b"stop")
        for _ in range(int(GRACE / 0.05)):
            if self._doing is not doing or not process.is_alive():
                return
            await asyncio.sleep(0.05)
        process.kill()

    def close(self) -> None:
        """End the process and forget the data."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
        self._forget()
        self._threads.shutdown(wait=False)

    def _send(self, task: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> None:
        if self._process is None or not self._process.is_alive():
            self._forget()
            self._start()
        assert self._talk is not None, "the process was started"
        self._talk.send((task, args, named))

    def _start(self) -> None:
        context = _context()
        self._talk, theirs = context.Pipe()
        lifeline, self._lifeline = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(theirs, lifeline), daemon=True)
        self._process.start()
        theirs.close()
        lifeline.close()

    def _hear(self) -> tuple[Any, ...]:
        assert self._talk is not None, "the process was started"
        try:
            heard: tuple[Any, ...] = self._talk.recv()
        except (EOFError, OSError):
            self._forget()
            return "failed", Trouble.of(Cancelled() if self._cancelled else WorkEnded())
        return heard

    def _forget(self) -> None:
        for end in (self._talk, self._lifeline):
            if end is not None:
                end.close()
        self._process = self._talk = self._lifeline = None


def warm_up() -> None:
    """Load everything now, so that the first worker need not wait for it."""
    _context()
    forkserver.ensure_running()


@cache
def _context() -> ForkServerContext:
    """Processes are copies of one that has loaded everything and holds no data: they start at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tarnkappe.studio.preload"])
    return context


# -- in the process -----------------------------------------------------------------------------------------------


def _work(talk: Connection, lifeline: Connection) -> None:
    """Do what is asked until nobody asks any more."""
    _die_with_the_studio()
    _go_first()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    desk, stop = Desk(), threading.Event()
    threading.Thread(target=_watch, args=(lifeline, stop), daemon=True).start()
    while True:
        progress = Progress(lambda *said: talk.send(("doing", *said)), stop.is_set)
        try:
            task, args, named = talk.recv()
            stop.clear()
            answer = ("done", task(desk, progress, *args, **named))
        except EOFError:
            return
        except Exception as problem:  # noqa: BLE001 - whatever happens is told, and the worker lives on
            answer = ("failed", Trouble.of(problem))
        talk.send(answer)


def _watch(lifeline: Connection, stop: threading.Event) -> None:
    """Told to stop: stop. The studio is gone: so are we."""
    try:
        while True:
            lifeline.recv_bytes()
            stop.set()
    except (EOFError, OSError):
        os._exit(1)


def _die_with_the_studio() -> None:
    """Also in the middle of a compiled loop, which the watching thread would have to wait for."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _go_first() -> None:
    """Where memory runs out, the work ends, which can be told, and not the studio or another program."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("800", "ascii")
