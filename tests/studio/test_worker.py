"""Work in a process of its own: answers, progress, errors in words, and an end at any moment."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from tarnkappe.errors.data import EmptyData
from tarnkappe.language import Text
from tarnkappe.studio.jobs import Jobs, State
from tarnkappe.studio.worker import TaskFailed, Worker

pytestmark = pytest.mark.anyio


def add(desk, progress, a, b):
    progress.expect_also(1)
    progress.next(Text("adding", "addieren"))
    return a + b, os.getpid()


def fail(desk, progress, kind):
    if kind == "ours":
        raise EmptyData
    raise ValueError("the salary of Anna is 4711")


def patient(desk, progress):
    """Looks up from its work, as runs of plans do."""
    progress.expect_also(1000)
    for _ in range(1000):
        progress.next(Text("working", "arbeiten"))
        time.sleep(0.02)


def slow(desk, progress):
    time.sleep(0.6)
    return "undisturbed"


def deaf(desk, progress):
    """Does not look up, as a compiled loop does not."""
    progress.next(Text("lost in thought", "versunken"))
    time.sleep(60)


def vanish(desk, progress):
    os._exit(9)


@pytest.fixture
async def worker():
    made = Worker()
    yield made
    made.close()


async def test_a_worker_answers_tells_how_far_it_is_and_survives_errors(worker):
    heard = []
    ((found, process),) = [await worker.do(add, lambda *said: heard.append(said), 1, 2)]
    assert found == 3
    assert process != os.getpid()
    assert heard == [(Text("adding", "addieren"), 0, 1)]
    with pytest.raises(TaskFailed) as problem:
        await worker.do(fail, None, "ours")
    assert problem.value.trouble.code == EmptyData.code
    with pytest.raises(TaskFailed) as problem:
        await worker.do(fail, None, "other")
    assert "4711" not in str(problem.value.trouble)
    assert "ValueError" in problem.value.trouble.what.en
    assert (await worker.do(add, None, 2, 2)) == (4, process)
    with pytest.raises(TaskFailed) as problem:
        await worker.do(vanish)
    assert problem.value.trouble.code == "studio.work-ended"
    assert (await worker.do(add, None, 2, 2))[0] == 4


async def test_who_stops_waiting_does_not_mix_up_the_answers(worker):
    waiting = asyncio.create_task(worker.do(add, None, 1, 1))
    await asyncio.sleep(0)
    waiting.cancel()
    assert (await worker.do(add, None, 20, 22))[0] == 42


async def test_what_is_cancelled_is_the_work_that_was_meant(worker, monkeypatch):
    """The next in the queue is not taken for the one before, however long it then takes."""
    monkeypatch.setattr("tarnkappe.studio.worker.GRACE", 0.2)
    heard = asyncio.Event()
    first = asyncio.create_task(worker.do(patient, lambda *_: heard.set()))
    then = asyncio.create_task(worker.do(slow, None))
    await heard.wait()
    await worker.cancel(slow)
    assert not first.done(), "it is not the turn of what was to be cancelled"
    await worker.cancel(patient)
    with pytest.raises(TaskFailed) as problem:
        await first
    assert problem.value.trouble.code == "run.cancelled"
    assert await then == "undisturbed"


async def until(job, state):
    for _ in range(2000):
        if job.state is state:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(job)


async def test_jobs_wait_for_their_turn_and_are_cancelled_politely_or_by_force(worker):
    jobs = Jobs(worker)
    first = jobs.start(Text("a", "a"), "run", patient)
    second = jobs.start(Text("b", "b"), "run", patient)
    await until(first, State.RUNNING)
    assert second.state is State.WAITING
    await jobs.cancel(second)
    await until(second, State.CANCELLED)
    await jobs.cancel(first)
    await until(first, State.CANCELLED)
    assert first.done < 999, "it stopped on the way"
    third = jobs.start(Text("c", "c"), "run", deaf)
    await until(third, State.RUNNING)
    began = time.monotonic()
    await jobs.cancel(third)
    await until(third, State.CANCELLED)
    assert time.monotonic() - began < 30, "did not wait for its end"
    fourth = jobs.start(Text("d", "d"), "other", add, 1, 1)
    await until(fourth, State.DONE)
    assert fourth.result[0] == 2
    assert jobs.latest("run") is third
    assert jobs.latest("other") is fourth
