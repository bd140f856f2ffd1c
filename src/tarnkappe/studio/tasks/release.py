"""Try a plan, release it, verify what was released, and read what a folder holds of earlier runs."""

from __future__ import annotations

import json
import math
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarnkappe.errors import Refused
from tarnkappe.errors.release import Cancelled, GateClosed, NotOurRelease
from tarnkappe.io.paths import inside
from tarnkappe.io.staging import MARK, refuse_existing, write_over
from tarnkappe.language import NOTHING, Lang, Text
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse
from tarnkappe.plan.ledger import Accepted, Colour, MeasureEntry, Run, Standing
from tarnkappe.plan.model import Plan
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.run import run as run_plan
from tarnkappe.report.gate_help import help_for
from tarnkappe.report.headline import verdict
from tarnkappe.report.history import history
from tarnkappe.report.numbers import shown
from tarnkappe.report.pages import about_page, report_page
from tarnkappe.report.refusals import keep, kept
from tarnkappe.report.release import refuse, write_release
from tarnkappe.report.verify import LEDGER, Check, verify
from tarnkappe.studio.desk import Desk

RELEASES = "releases"
"""Folder of the releases, in that of the plan."""
ABOUT, REPORT = "about.html", "internal/report.html"
_PREVIEW = Text("writing the documents", "Dokumente werden geschrieben")


@dataclass(frozen=True, slots=True)
class Light:
    """One condition after it was judged."""

    says: Text
    held: bool
    because: Text
    help: Text
    number: int | None
    """Its place in `release_if`; None for conditions that the policy adds or that no plan can leave out."""
    of_policy: bool = False
    finding: bool = False
    """Something that stands out and is not signed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure on both sides; None where there is no number."""

    id: str
    title: Text
    before: float | None
    after: float | None
    trusted: bool
    reads: Text


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a plan reached."""

    title: Text
    says: Text
    lights: tuple[Light, ...]
    seconds: float
    name: str = ""
    """Of the release that was written, below the folder of the plan; empty where nothing was written."""
    previewed: tuple[str, ...] = ()
    """Documents that can be looked at."""
    measures: tuple[Measured, ...] = ()
    colour: Colour = Colour.REFUSED
    standing: tuple[Standing, ...] = ()
    less: tuple[Accepted, ...] = ()

    @property
    def held(self) -> bool:
        return all(light.held for light in self.lights)


def attempt(
    desk: Desk, progress: Progress, folder: Path, text: str, previews: Path | None, lang: Lang
) -> Attempt:
    """Run a plan without releasing anything; with `previews` its documents are written there."""
    del desk
    began, plan = time.perf_counter(), _plan(folder, text)
    progress.expect_also(1 if previews else 0)
    done = run_plan(plan, progress)
    previewed = _preview(done, previews, lang, progress) if previews else ()
    return _attempt(done, time.perf_counter() - began, previewed=previewed)


def publish(
    desk: Desk, progress: Progress, folder: Path, text: str, name: str, lang: Lang, *, replace: bool
) -> Attempt:
    """Run a plan and write its release, as `tarnkappe run` does; a refusal is written down."""
    del desk
    began, plan = time.perf_counter(), _plan(folder, text)
    where = f"{RELEASES}/{name}"
    out = inside(folder, where)
    refuse_existing(out, replace=replace)
    progress.expect_also((len(plan.release.formats) if plan.releases_data else 0) + 1)
    try:
        done = run_plan(plan, progress)
        refuse(done)
    except GateClosed as problem:
        keep(plan, problem.what, done)
        return _attempt(done, time.perf_counter() - began)
    except Cancelled:
        raise
    except Refused as problem:
        keep(plan, problem.what)
        raise
    write_release(done, out, replace=replace, lang=lang, progress=progress)
    return _attempt(done, time.perf_counter() - began, name=where, previewed=(ABOUT, REPORT))


def _plan(folder: Path, text: str) -> Plan:
    """The plan as it is downloaded: what is run here is what is run there."""
    return check(parse(text, "plan.yaml"), folder)


def _preview(done: Run, previews: Path, lang: Lang, progress: Progress) -> tuple[str, ...]:
    """The document of the office, and that of the recipients if there would be any."""
    progress.next(_PREVIEW)
    pages = {REPORT: report_page, **({ABOUT: about_page} if done.released else {})}
    for name in (ABOUT, REPORT):
        (previews / name).unlink(missing_ok=True)
    for name, page in pages.items():
        (previews / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_over(previews / name, page(done, lang).encode())
    return tuple(name for name in (ABOUT, REPORT) if name in pages)


def _attempt(done: Run, seconds: float, *, name: str = "", previewed: tuple[str, ...] = ()) -> Attempt:
    title, says = verdict(done)
    gates = list(done.plan.gates)
    lights = tuple(
        Light(
            says=entry.says,
            held=entry.held,
            because=entry.because,
            help=help_for(entry, done),
            number=gates.index(entry.gate) if entry.gate in gates and not entry.of_policy else None,
            of_policy=entry.of_policy,
            finding=entry.of_policy and not entry.public,
        )
        for entry in done.gates
    )
    return Attempt(
        title, says, lights, seconds, name, previewed, tuple(map(_measured, done.measures)), done.colour, done.standing,
        done.less,
    )  # fmt: skip


def _measured(entry: MeasureEntry) -> Measured:
    found, before = entry.after.value, entry.before.value if entry.before else math.nan
    return Measured(
        entry.measure.id, entry.measure.title, before if math.isfinite(before) else None,
        found if math.isfinite(found) else None, entry.after.trusted, (entry.after.reads or entry.measure.reads).filled(value=shown(found)),
    )  # fmt: skip


# -- what was released --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Earlier:
    """One run of the past: a release, or a refusal."""

    id: str
    """The folder of the release, below that of the plan; for a refusal the name of its record."""
    started: str
    title: str
    records: int | None
    gates: str
    refused: Text
    """Why; nothing for a release."""
    sealed: bool = True
    """The ledger is as it was written."""


def past(
    desk: Desk, progress: Progress, folder: Path, moment: str
) -> tuple[tuple[Earlier, ...], tuple[str, ...]]:
    """The runs of a folder, the newest first, and folders whose ledger cannot be read; asked anew at every moment."""
    del desk, progress, moment
    found = history(folder)
    runs = [
        Earlier(
            one.folder, one.started, one.title, one.records, f"{one.held} / {one.gates}", NOTHING, one.sealed
        )
        for one in found.runs
    ]
    runs += [
        Earlier(one.record, one.started, one.title, one.records, f"{one.held} / {one.gates}", one.says)
        for one in found.refused
        if one.folder == "."
    ]
    return tuple(sorted(runs, key=lambda one: one.started, reverse=True)), found.unreadable


def plan_of(desk: Desk, progress: Progress, folder: Path, id: str, *, refused: bool) -> dict[str, Any]:
    """The plan of an earlier run."""
    del desk, progress
    if refused:
        return next(content["plan"] for record, content in kept(folder) if record == id)
    content = json.loads((released(folder, id) / LEDGER).read_bytes())
    plan: dict[str, Any] = content["plan"]
    return plan


def audit(desk: Desk, progress: Progress, folder: Path, name: str) -> tuple[Check, ...]:
    """Verify a release from its files alone."""
    del desk
    progress.expect_also(1)
    progress.next(Text("verifying the release", "Freigabe wird geprüft"))
    return tuple(verify(released(folder, name)))


def pack(desk: Desk, progress: Progress, folder: Path, name: str, target: Path, *, internal: bool) -> None:
    """Put a release without its internal part, or the internal part alone, into one file."""
    del desk, progress
    home = released(folder, name)
    with zipfile.ZipFile(
        target, "w", zipfile.ZIP_DEFLATED, compresslevel=6, strict_timestamps=False
    ) as packed:
        for file in sorted(home.rglob("*")):
            part = file.relative_to(home)
            if file.is_file() and not file.is_symlink() and (part.parts[0] == "internal") == internal:
                packed.write(file, f"{home.name}/{part.as_posix()}")


def released(folder: Path, name: str) -> Path:
    """The folder of a release below that of the plan; anything else is refused."""
    home = inside(folder, name)
    if not (home / MARK).is_file():
        raise NotOurRelease(folder=name, why=f"{MARK} –")
    return home
