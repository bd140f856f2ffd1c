"""run and verify."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from tarnkappe.cli.attack import told
from tarnkappe.cli.checking import warn
from tarnkappe.cli.measured import show_measured
from tarnkappe.cli.screen import language, out, progress, say, table
from tarnkappe.io.signature import SIGNATURE, signer
from tarnkappe.language import Lang, Text, number, same
from tarnkappe.plan.check import check_file
from tarnkappe.plan.ledger import Colour, Run
from tarnkappe.report.drawing import LEFT_OUT, can_draw
from tarnkappe.report.exposure import exposure_of
from tarnkappe.report.headline import verdict
from tarnkappe.report.release import release
from tarnkappe.report.table_notes import computed_sums
from tarnkappe.report.verify import signed_in
from tarnkappe.report.verify import verify as verify_release


def run(asked: Any, reading: Mapping[str, Any]) -> None:
    """Run a plan and release; `reading` says how the data is read where the plan says otherwise or nothing."""
    spoken = language(asked.lang)
    checked = check_file(asked.plan, reading)
    sign = signer(asked.sign) if asked.sign else None
    warn(checked, spoken)
    with progress(spoken, quiet=asked.quiet) as doing:
        done = release(checked, asked.out, replace=asked.replace, lang=spoken, progress=doing, sign=sign)
    if not asked.quiet:
        summary(done, asked.out, spoken)


def summary(done: Run, folder: Path, lang: Lang) -> None:
    """What was reached, and where to look."""
    if done.measures:
        show_measured(done.plan.title, done.measures, same("internal/report.html"), lang)
        _told(done, lang)
    if done.tables:
        out.print(_tables(done, lang))
        _notes(done, lang)
    for gate in done.gates:
        by = f" ({_BY_POLICY.in_(lang)})" if gate.of_policy else ""
        out.print(f"  ✓ {gate.says.in_(lang)}{by}", markup=False)
    _standing(done, lang)
    title, says = verdict(done)
    out.print(f"{_SIGNS[done.colour]} {title.in_(lang)}", markup=False, style="bold", soft_wrap=True)
    out.print(f"  {says.in_(lang)}", markup=False, soft_wrap=True)
    say(
        Text(
            "Released {what} into {folder}\n  about.html            for those who receive the data\n"
            "  internal/report.html  for the office; must not leave the house",
            "{what} freigegeben in {folder}\n  about.html            für die Empfänger\n"
            "  internal/report.html  für das Haus; darf es nicht verlassen",
        ),
        lang, what=_what(done, lang), folder=folder,
    )  # fmt: skip
    if done.measures and not can_draw():
        say(LEFT_OUT, lang)


_SIGNS = {Colour.REFUSED: "✗", Colour.SIGNED: "!", Colour.CLEAR: "✓"}
_BY_POLICY = Text("by the default policy", "nach der Standardrichtlinie")
_STANDS_OUT = Text("{title} stands out: {found}", "{title} fällt auf: {found}")
_HELPS = Text("What would help: {helps}", "Was helfen würde: {helps}")
_REASON = Text("Signed: {reason}", "Gezeichnet: {reason}")
_LESS = Text("Less than the default policy: {says}", "Weniger als die Standardrichtlinie: {says}")


def _standing(done: Run, lang: Lang) -> None:
    """What stands out, with why it matters, what would help, and the reason that signs it."""
    for one in done.standing:
        said = _STANDS_OUT.filled(title=one.title, found=one.found)
        lines = (said, one.why, _HELPS.filled(helps=one.helps), _REASON.filled(reason=one.reason))
        _noted(lines, lang)
    for less in done.less:
        _noted((_LESS.filled(says=less.says), _REASON.filled(reason=less.reason)), lang)


def _noted(lines: tuple[Text, ...], lang: Lang) -> None:
    for sign, line in zip(("!", *(" " * (len(lines) - 1))), lines, strict=True):
        out.print(f"  {sign} {line.in_(lang)}", markup=False, soft_wrap=True)


def _told(done: Run, lang: Lang) -> None:
    """Who could find whom, and what was not measured."""
    found = exposure_of(done)
    told(found, lang)
    left = sum(len(titles) for _, titles in found.unmeasured)
    if left:
        says = Text(
            "  Not measured: {n} further measures of risk; internal/report.html says why.",
            "  Nicht gemessen: {n} weitere Risikomaße; internal/report.html sagt, warum.",
        )
        say(says, lang, n=left)


def _notes(done: Run, lang: Lang) -> None:
    """Which sums were computed, and what the methods for tables tell the office of their results."""
    for entry in done.tables:
        told = entry.plan.protect.notes(entry.pattern) if entry.plan.protect else ()
        for note in (*computed_sums(entry.pattern.table), *told):
            out.print(f"  {entry.name}: {note.in_(lang)}", markup=False, soft_wrap=True)


def _tables(done: Run, lang: Lang) -> Table:
    heads = Text("table|cells|suppressed|changed", "Tabelle|Zellen|gesperrt|verändert").in_(lang).split("|")
    shown = table("" if done.measures else done.plan.title, *heads, numbers=(1, 2, 3))
    for entry in done.tables:
        hidden, suppressed = int(entry.pattern.hidden.sum()), int(entry.pattern.suppressed.sum())
        counts = (len(entry.pattern.table), suppressed, hidden - suppressed)
        shown.add_row(entry.name, *(number(count, lang) for count in counts))
    return shown


def _what(done: Run, lang: Lang) -> str:
    """How much is released: records, tables or both."""
    records = (
        [Text("{n} records", "{n} Datensätze").filled(n=number(len(done.after), lang))]
        if done.plan.releases_data
        else []
    )
    tables = [Text("{n} tables", "{n} Tabellen").filled(n=len(done.tables))] if done.tables else []
    return ", ".join(text.in_(lang) for text in (*records, *tables))


def verify(folder: Path, key: Path | None, lang: str | None) -> None:
    """Audit a release again, and its signature where a key is given."""
    spoken = language(lang)
    for done in verify_release(folder, key):
        out.print(f"  ✓ {done.says.in_(spoken)}", markup=False)
    if key is None and (folder / SIGNATURE).exists():
        say(
            Text(
                "  The release is signed; give the public key of the office to have that checked: --key",
                "  Die Freigabe ist unterschrieben; mit dem öffentlichen Schlüssel des Hauses wird das geprüft: --key",
            ),
            spoken,
        )
    signed = signed_in(folder)
    for one in signed:
        _noted((one.says, _REASON.filled(reason=one.reason)), spoken)
    if signed:
        says = Text(
            "The release holds. When it was made something stood out and was signed with a reason: {n}.",
            "Die Freigabe hält. Bei ihrer Entstehung fiel etwas auf und wurde mit einer Begründung gezeichnet: {n}.",
        )
        say(says, spoken, n=len(signed))
    else:
        say(Text("The release holds.", "Die Freigabe hält."), spoken)
