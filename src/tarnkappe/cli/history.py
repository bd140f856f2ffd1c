"""history: the runs of a project folder, released and refused."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from tarnkappe.cli.screen import language, out, say, table
from tarnkappe.language import Lang, Text, number
from tarnkappe.report.history import FIGURES, Attempt, Past, history

_REFUSED = Text("refused", "verweigert")


def show(folder: Path, lang: str | None, *, as_json: bool) -> None:
    """List what was run: when, by which plan, what held, the figures that matter most, and why nothing was released."""
    spoken = language(lang)
    found = history(folder)
    runs: list[Past | Attempt] = sorted((*found.runs, *found.refused), key=lambda one: one.started)
    if as_json:
        typer.echo(json.dumps([one.as_json() for one in runs], ensure_ascii=False, indent=2))
        return
    first = Text("when|release|plan|records|gates", "wann|Freigabe|Plan|Datensätze|Bedingungen")
    heads = [*first.in_(spoken).split("|"), *(name.in_(spoken) for name in FIGURES.values())]
    shown = table("", *heads, Text("title", "Titel").in_(spoken), numbers=tuple(range(3, len(heads))))
    for one in runs:
        shown.add_row(*_row(one, spoken))
    if runs:
        out.print(shown)
    says = Text(
        "Releases below {folder}: {n}, refused runs: {refused}. The plan stands as the beginning of its SHA-256.",
        "Freigaben unter {folder}: {n}, verweigerte Läufe: {refused}. Vom Plan steht der Anfang seines SHA-256 da.",
    )
    say(says, spoken, n=len(found.runs), refused=len(found.refused), folder=folder)
    for attempt in found.refused:
        out.print(f"{_when(attempt)} {_REFUSED.in_(spoken)}: {attempt.says.in_(spoken)}", markup=False)
    for release in found.runs:
        if not release.sealed:
            says = Text(
                "{name}: the ledger was edited since it was written.",
                "{name}: Das Protokoll wurde nachträglich geändert.",
            )
            say(says, spoken, name=release.folder)
    for name in found.unreadable:
        says = Text("{name}: the ledger cannot be read.", "{name}: Das Protokoll ist nicht lesbar.")
        say(says, spoken, name=name)


def _row(one: Past | Attempt, lang: Lang) -> tuple[str, ...]:
    figures = (number(one.figures[id], lang) if id in one.figures else "–" for id in FIGURES)
    gates = f"{one.held}/{one.gates}" if one.gates else "–"
    records = "–" if one.records is None else number(one.records, lang)
    place = one.folder if isinstance(one, Past) else f"({_REFUSED.in_(lang)})"
    return (_when(one), place, one.plan[:8], records, gates, *figures, one.title)


def _when(one: Past | Attempt) -> str:
    return one.started[:16].replace("T", " ")
