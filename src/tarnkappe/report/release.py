"""From a run to a release: the files of design 5, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import Refused
from tarnkappe.errors.release import Cancelled, GateClosed
from tarnkappe.io.cells import for_the_office, published
from tarnkappe.io.signature import SIGNATURE, Signer
from tarnkappe.io.staging import MARK, Staging, refuse_existing
from tarnkappe.io.write import write
from tarnkappe.language import Lang, Text
from tarnkappe.plan.ledger import Run, TableEntry, ledger
from tarnkappe.plan.model import Plan
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.release_register import written_with
from tarnkappe.plan.run import run as run_plan
from tarnkappe.plan.told_gate import refuse_told
from tarnkappe.report.about import about
from tarnkappe.report.certificate import certificate
from tarnkappe.report.gate_help import help_for
from tarnkappe.report.pages import about_page, report_page
from tarnkappe.report.refusals import keep

NOTICE = Text(
    "Internal: this folder must not leave the house.", "Intern: Dieser Ordner darf das Haus nicht verlassen."
)

_RISKIEST = Text(
    "The records of the original file that are found most surely.",
    "Die Datensätze der Originaldatei, die am sichersten gefunden werden.",
)
_STEP = Text(
    "Kept for the office by step {number} ({title}): {name}.",
    "Für das Haus festgehalten von Schritt {number} ({title}): {name}.",
)
SEAL = "seal"


def release(
    plan: Plan, out: Path, *, replace: bool = False, lang: Lang = "en", progress: Progress | None = None,
    sign: Signer | None = None,
) -> Run:  # fmt: skip
    """Run a plan and write its release; raise without writing any of it when a gate is closed. A refusal is noted beside the plan."""
    refuse_existing(out.absolute(), replace=replace)
    progress = progress or Progress()
    progress.expect_also((len(plan.release.formats) if plan.releases_data else 0) + 1)
    done = run_or_note(plan, progress)
    write_release(done, out, replace=replace, lang=lang, progress=progress, sign=sign)
    return done


def run_or_note(plan: Plan, progress: Progress) -> Run:
    """Run a plan; where it is refused, note why beside the plan and raise."""
    done = None
    try:
        done = run_plan(plan, progress)
        refuse(done)
    except Cancelled:
        raise
    except Refused as problem:
        if (plan.folder / plan.file).is_file():
            keep(plan, problem.what, done)
        raise
    return done


def refuse(run: Run) -> None:
    """Raise when a gate is closed, with every reason."""
    closed = [gate for gate in run.gates if not gate.held]
    if closed:
        told = [(gate, help_for(gate, run)) for gate in closed]
        reasons = [
            Text(
                f"  ✗ {g.says.en}" + (f": {g.because.en}" if g.because else "") + f"\n    Next: {helps.en}",
                f"  ✗ {g.says.de}"
                + (f": {g.because.de}" if g.because else "")
                + f"\n    Als Nächstes: {helps.de}",
            )
            for g, helps in told
        ]
        raise GateClosed(reasons=Text("\n".join(r.en for r in reasons), "\n".join(r.de for r in reasons)))


def write_release(
    run: Run, out: Path, *, replace: bool = False, lang: Lang = "en", progress: Progress | None = None,
    sign: Signer | None = None,
) -> None:  # fmt: skip
    """Write all files beside the destination and move them into place in one step; `sign` signs the certificate."""
    progress = progress or Progress()
    data = run.after.sealed()
    with Staging(out, replace=replace) as staging:
        for form in run.plan.release.formats if run.plan.releases_data else ():
            name = f"data.{form}"
            progress.next(Text(f"writing {name}", f"{name} wird geschrieben"))
            with staging.file(name) as file:
                write(data, file, form)
        progress.next(Text("writing the documents", "Dokumente werden geschrieben"))
        for entry in run.tables:
            with staging.file(f"tables/{entry.name}.csv") as file:
                write(_with(published(entry.pattern), entry, public=True), file, "csv")
            with staging.file(f"internal/tables/{entry.name}.csv") as file:
                cells = entry.audit.per_cell
                office = for_the_office(entry.pattern, cells["low"], cells["high"], cells.get("exact"))
                write(_with(office, entry, public=False), file, "csv")
        documents: dict[str, Callable[[], str]] = {
            "about.json": lambda: _told("about.json", about(run), run),
            "about.html": lambda: about_page(run, lang),
            "internal/report.html": lambda: report_page(run, lang),
            **{
                f"internal/{name}": _table(_first_line(run, name, lang), *table)
                for name, table in run.kept_files.items()
            },
            MARK: lambda: _told(MARK, sealed(certificate(run, _digests(staging, external=True))), run),
            "internal/ledger.json": lambda: as_json(sealed(_ledger(run, staging))),
        }
        for name, document in documents.items():
            text = document()
            with staging.file(name) as file:
                file.write(text.encode())
            if name == MARK and sign:
                with staging.file(SIGNATURE) as file:
                    file.write(sign(text.encode()))
        with written_with(run.entry):
            staging.commit()


def _told(file: str, document: Mapping[str, Any], run: Run) -> str:
    """A document that leaves the house, once its figures have passed the gate."""
    refuse_told(file, document, run)
    return as_json(document)


def _digests(staging: Staging, *, external: bool) -> dict[str, str]:
    return {n: staging.digest(n) for n in staging.names() if not (external and n.startswith("internal/"))}


def _ledger(run: Run, staging: Staging) -> dict[str, Any]:
    notice = {"notice": {"en": NOTICE.en, "de": NOTICE.de}}
    return notice | ledger(run) | {"outputs": _digests(staging, external=False)}


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with a seal: the SHA-256 of everything else in it, so that an edit shows."""
    rest = {name: part for name, part in content.items() if name != SEAL}
    return rest | {SEAL: hashlib.sha256(as_json(rest).encode()).hexdigest()}


def as_json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _first_line(run: Run, name: str, lang: Lang) -> str:
    """What an internal table is, and that it is internal."""
    number = name.partition("-")[0]
    steps = {f"{step.number:02d}": step.method for step in run.steps}
    what = (
        _STEP.filled(name=Path(name).stem.partition("-")[2], number=number, title=steps[number].title)
        if number in steps
        else _RISKIEST
    )
    return f"# {NOTICE.in_(lang)} {what.in_(lang)}"


def _table(first: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Callable[[], str]:
    """An internal table as CSV below a line that says what it is."""

    def text() -> str:
        columns = {name: Column.texts_of([row[j] for row in rows]) for j, name in enumerate(header)}
        out = BytesIO()
        write(Microdata(columns), out, "csv")
        return f"{first}\n" + out.getvalue().decode()

    return text


def _with(rows: Microdata, entry: TableEntry, *, public: bool) -> Microdata:
    """The cells of a table with the columns that its method adds."""
    method = entry.plan.protect
    if method is None:
        return rows
    added = method.published_columns(entry.pattern) if public else method.internal_columns(entry.pattern)
    return rows.with_columns({_free(name, rows): column for name, column in added.items()})


def _free(name: str, rows: Microdata) -> str:
    """A name that no dimension has."""
    while name in rows.columns:
        name += "_"
    return name
