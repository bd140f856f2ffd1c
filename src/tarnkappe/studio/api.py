"""The interface for programs: catalogue, check of plans, files, runs and findings, behind the same rules as the pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from fastapi import APIRouter, FastAPI, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from tarnkappe.errors import InputWrong, Refused, TarnkappeError
from tarnkappe.errors.files import FileMissing
from tarnkappe.errors.release import UnknownDeclared
from tarnkappe.errors.studio import (
    CallUnknown,
    CallWrong,
    RunMissing,
    RunNotReleased,
    StudioFull,
    UploadTooLarge,
)
from tarnkappe.language import NOTHING
from tarnkappe.plan.check import check as check_plan
from tarnkappe.plan.document import parse
from tarnkappe.plan.policy_gates import refuse_less
from tarnkappe.spec import Declared, catalogue
from tarnkappe.spec.card import facts
from tarnkappe.studio.api_models import Card, Checked, Held, PlanAsked, Wrong
from tarnkappe.studio.api_page import described
from tarnkappe.studio.api_runs import runs
from tarnkappe.studio.api_shared import WRONG, Ours
from tarnkappe.studio.sessions import Sessions
from tarnkappe.studio.uploads import keep
from tarnkappe.studio.worker import Trouble

_SAYS = (
    "What the studio does, for programs. A session is kept by a cookie; files and runs belong to it and nobody else sees them. "
    "Where the studio asks for a token, send it as `Authorization: Bearer TOKEN`. Errors have a code, words in English and "
    "German, and the way out."
)
_STATUS: tuple[tuple[type[TarnkappeError], int], ...] = (
    (UnknownDeclared, 404), (FileMissing, 404), (RunMissing, 404), (RunNotReleased, 409), (UploadTooLarge, 413), (StudioFull, 503), (InputWrong, 400), (Refused, 409),
)  # fmt: skip
router = APIRouter()


FileName = Annotated[str, Path(min_length=1, max_length=200, description="Name of a file.")]


@router.get("/catalogue", tags=["catalogue"])
def shelf() -> list[Card]:
    """Every method, measure and rule, with its parameters."""
    return [_card(cls) for cls in catalogue]


@router.get("/catalogue/{id}", responses=WRONG, tags=["catalogue"])
def card(id: Annotated[str, Path(max_length=100, description="Id, such as microdata.mdav.")]) -> Card:
    """One of them."""
    return _card(catalogue[id])


@cache
def _card(cls: type[Declared]) -> Card:
    return Card.model_validate(facts(cls))


@router.post("/check", tags=["plan"], responses={503: WRONG[503]})
def check(asked: PlanAsked, session: Ours) -> Checked:
    """Say whether a plan is sound: all its problems at once. The files that it names must have been put here before."""
    try:
        plan = check_plan(parse(asked.plan), session.room)
        refuse_less(plan)
    except TarnkappeError as problem:
        return Checked(sound=False, wrong=Wrong.of(Trouble.of(problem)))
    return Checked(sound=True, steps=len(plan.steps), tables=len(plan.tables), gates=len(plan.gates))


@router.get("/files", tags=["files"], responses={503: WRONG[503]})
def files(session: Ours) -> list[Held]:
    """The files of the session."""
    found = sorted(file for file in session.room.iterdir() if file.is_file())
    return [Held(name=file.name, bytes=file.stat().st_size) for file in found]


@router.put(
    "/files/{name}",
    status_code=201,
    tags=["files"],
    responses={**WRONG, 413: {"model": Wrong, "description": "The file is too large."}},
    openapi_extra={
        "requestBody": {
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        }
    },
)
async def put_file(name: FileName, request: Request, session: Ours) -> Held:
    """Put a file into the session; the body is the file."""
    path = session.path_for(name)
    return Held(name=path.name, bytes=await keep(path, request.stream(), session.settings.largest))


@router.delete("/files/{name}", status_code=204, tags=["files"], responses=WRONG)
def delete_file(name: FileName, session: Ours) -> None:
    """Wipe a file of the session."""
    path = session.path_for(name)
    if not path.is_file():
        raise FileMissing(file=name, hint=NOTHING)
    path.unlink()


async def no_such_call(request: Request, problem: Exception) -> Response:
    """An address that leads nowhere, in the words of the house."""
    del request
    assert isinstance(problem, HTTPException)
    return _told(CallUnknown(), problem.status_code, problem.headers)


def make_api(sessions: Sessions) -> FastAPI:
    """The interface for the sessions of a studio."""
    api = FastAPI(
        title="Tarnkappe studio",
        description=_SAYS,
        version="1",
        docs_url=None,
        redoc_url=None,
        responses={422: {"model": Wrong, "description": "The call does not fit."}},
    )
    api.state.sessions = sessions
    api.include_router(router)
    api.include_router(runs)

    @api.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(described(api.openapi()))

    @api.exception_handler(TarnkappeError)
    async def refuse(request: Request, problem: TarnkappeError) -> Response:
        del request
        return _told(problem, next((status for kind, status in _STATUS if isinstance(problem, kind)), 500))

    api.add_exception_handler(HTTPException, no_such_call)

    @api.exception_handler(RequestValidationError)
    async def unfit(request: Request, problem: RequestValidationError) -> Response:
        """Where it does not fit; not what was sent, which may be data."""
        del request
        places = {".".join(str(part) for part in one["loc"] if part != "body") for one in problem.errors()}
        return _told(CallWrong(places=", ".join(sorted(places)) or "body"), 422)

    return api


def _told(problem: TarnkappeError, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse(Wrong.of(Trouble.of(problem)).model_dump(), status, headers)
