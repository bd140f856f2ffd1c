"""Check the process section of a plan: its frame, its prompts, and that no step is coarser than users can bear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tarnkappe.errors import TarnkappeError, did_you_mean
from tarnkappe.io.paths import inside
from tarnkappe.language import Text
from tarnkappe.plan.document import Place
from tarnkappe.plan.frame import Frame, frame_of
from tarnkappe.plan.hierarchies import HierarchyDescription
from tarnkappe.plan.model import PlanDescription
from tarnkappe.plan.problems import Problem
from tarnkappe.plan.process import Granularity, Level, ProcessDescription
from tarnkappe.spec import Method

_PLACE = ("process", "use", "granularity")


def process_problems(plan: PlanDescription, folder: Path, steps: Mapping[Place, Method]) -> Iterator[Problem]:
    """What is wrong with the process section, and with steps that it does not allow."""
    if plan.process is None:
        return
    yield from _frame(plan.process, folder)
    hierarchies = plan.data.hierarchies if plan.data else {}
    for name, wanted in plan.process.use.granularity.items():
        yield from _upside_down(name, wanted, hierarchies.get(name))
        for place, step in steps.items():
            for says in _too_coarse(name, wanted, step, hierarchies.get(name)):
                yield Problem(place, says)


def level_of(level: Level | None, hierarchy: HierarchyDescription | None) -> int | None:
    """The number of a level as far as the plan tells it; None where only the data does."""
    if level is None or isinstance(level, int):
        return level
    if level.isascii() and level.isdigit():
        return int(level)
    names = ("total", *(hierarchy.levels or hierarchy.dates or ())) if hierarchy else ()
    return names.index(level) if level in names else None


def _frame(process: ProcessDescription, folder: Path) -> Iterator[Problem]:
    try:
        if process.frame and not inside(folder, process.frame).is_file():
            return  # told among the files
        frame: Frame = frame_of(process.frame, folder)
    except TarnkappeError as problem:
        yield Problem(("process", "frame"), problem.what)
        return
    known = [prompt.id for prompt in frame.prompts]
    for name in process.need.assessment.answers:
        if name not in known:
            says = Text("is no prompt of the frame. {hint}", "ist keine Leitfrage des Rahmens. {hint}")
            place = ("process", "need", "assessment", "answers", name)
            yield Problem(place, says.filled(hint=did_you_mean(name, known)))


def _upside_down(name: str, wanted: Granularity, hierarchy: HierarchyDescription | None) -> Iterator[Problem]:
    wish, least = level_of(wanted.wanted, hierarchy), level_of(wanted.least, hierarchy)
    if wish is not None and least is not None and wish < least:
        says = Text("wanted is coarser than least", "wanted ist gröber als least")
        yield Problem((*_PLACE, name), says)
    if hierarchy is None and (wanted.wanted is not None or wanted.least not in (None, 0)):
        says = Text(
            "names a level, but the column has no hierarchy",
            "nennt eine Ebene, doch die Spalte hat keine Hierarchie",
        )
        yield Problem((*_PLACE, name), says)


_LEVEL = Text(
    "{name!r} becomes coarser than its users can bear: level {found}, at least {least} is needed (process: use: granularity)",
    "{name!r} wird gröber, als die Nutzung verträgt: Ebene {found}, nötig ist mindestens {least} (process: use: granularity)",
)
_WIDTH = Text(
    "{name!r} becomes coarser than its users can bear: width {found}, at most {width} (process: use: granularity)",
    "{name!r} wird gröber, als die Nutzung verträgt: Breite {found}, höchstens {width} (process: use: granularity)",
)
_GONE = Text(
    "{name!r} is dropped, but its users need it (process: use: granularity)",
    "{name!r} entfällt, doch die Nutzung braucht die Spalte (process: use: granularity)",
)


def _too_coarse(
    name: str, wanted: Granularity, step: Method, hierarchy: HierarchyDescription | None
) -> Iterator[Text]:
    """What a step does to a column beyond what is allowed, as far as it shows before data is read."""
    if name not in step.named_columns():
        return
    told: dict[str, Any] = step.model_dump()
    if step.id == "microdata.drop" and wanted.needed:
        yield _GONE.filled(name=name)
    if step.id == "microdata.generalise":
        given = told["columns"].get(name)
        found, least = level_of(given, hierarchy), level_of(wanted.least, hierarchy)
        if found is not None and least is not None and found < least:
            yield _LEVEL.filled(name=name, found=given, least=wanted.least)
    width = told["base"] if step.id == "microdata.round" else None
    if step.id == "microdata.band":
        width = told["into"].get("width")
    if width is not None and wanted.width is not None and width > wanted.width:
        yield _WIDTH.filled(name=name, found=f"{width:g}", width=f"{wanted.width:g}")
