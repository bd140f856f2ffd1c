"""Runs through the interface for programs: started, followed, stopped, fetched."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from tarnkappe.errors.studio import RunMissing, RunNotReleased
from tarnkappe.language import Text
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse
from tarnkappe.plan.policy_gates import refuse_less
from tarnkappe.studio.api_models import Findings, Judged, Measured, Run, RunAsked, Said, StandsOut, Wrong
from tarnkappe.studio.api_shared import WRONG, Ours
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.sessions import Session
from tarnkappe.studio.tasks.release import Attempt, pack, publish

KIND = "api"
_TITLE = Text("run", "Lauf")
_REFUSED: dict[int | str, dict[str, Any]] = {
    **WRONG,
    409: {"model": Wrong, "description": "The run is not over, or released nothing."},
}
RunId = Annotated[str, Path(max_length=64, description="Id of a run.")]
runs = APIRouter(tags=["runs"])


@runs.post("/runs", status_code=202, responses=WRONG)
async def start(asked: RunAsked, session: Ours) -> Run:
    """Run a plan; the answer comes at once, the run goes on."""
    refuse_less(check(parse(asked.plan), session.room))
    job = session.jobs.start(_TITLE, KIND, publish, session.room, asked.plan, asked.name, "en", replace=True)
    return told(job)


@runs.get("/runs", responses={503: WRONG[503]})
def listed(session: Ours) -> list[Run]:
    """The runs of the session, the first first."""
    return [told(job) for job in session.jobs if job.kind == KIND]


@runs.get("/runs/{id}", responses=WRONG)
def one(id: RunId, session: Ours) -> Run:
    """How far a run is."""
    return told(_job(session, id))


@runs.delete("/runs/{id}", responses=WRONG)
async def stop(id: RunId, session: Ours) -> Run:
    """Stop a run; nothing of it is released."""
    job = _job(session, id)
    await session.jobs.cancel(job)
    return told(job)


@runs.get("/runs/{id}/findings", responses=_REFUSED)
def findings(id: RunId, session: Ours) -> Findings:
    """What a run that is over found out, also where it released nothing."""
    found = _result(_job(session, id))
    return Findings(
        measures=[
            Measured(
                measure=m.id, title=Said.of(m.title), before=m.before, after=m.after, trusted=m.trusted,
                reads=Said.of(m.reads),
            )
            for m in found.measures
        ],
        gates=[
            Judged(says=Said.of(g.says), held=g.held, because=Said.of(g.because)) for g in found.lights
        ],
        verdict=found.colour,
        standing=[
            StandsOut(
                what=s.what, title=Said.of(s.title), found=Said.of(s.found), why=Said.of(s.why), helps=Said.of(s.helps),
                reason=s.reason or None,
            )
            for s in found.standing
        ],
    )  # fmt: skip


@runs.get(
    "/runs/{id}/release",
    responses=_REFUSED | {200: {"content": {"application/zip": {}}}},
    response_class=FileResponse,
)
async def fetch(
    id: RunId,
    session: Ours,
    part: Annotated[
        Literal["release", "internal"],
        Query(description="What others receive, or the folder that must not leave the house."),
    ] = "release",
) -> Response:
    """The release as a zip file."""
    found = _result(_job(session, id))
    if not found.name:
        raise RunNotReleased
    target = session.room / f".{secrets.token_hex(8)}.zip"
    await session.quick.do(pack, None, session.room, found.name, target, internal=part == "internal")
    gone = BackgroundTask(target.unlink, missing_ok=True)
    return FileResponse(target, media_type="application/zip", background=gone)


def told(job: Job) -> Run:
    """A job as it is told to programs."""
    wrong = Wrong.of(job.trouble) if job.trouble else None
    return Run(
        id=job.id, state=job.state, doing=Said.of(job.doing), done=job.done, parts=job.parts, seconds=job.seconds,
        released=job.state is State.DONE and bool(job.result.name), wrong=wrong,
    )  # fmt: skip


def _job(session: Session, id: str) -> Job:
    job = session.jobs.get(id)
    if job is None or job.kind != KIND:
        raise RunMissing
    return job


def _result(job: Job) -> Attempt:
    if job.state is not State.DONE:
        raise RunNotReleased
    found: Attempt = job.result
    return found
