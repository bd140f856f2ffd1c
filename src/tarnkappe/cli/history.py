"""history: the releases below a folder, from their ledgers."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from tarnkappe.cli.screen import language, out, say, table
from tarnkappe.language import Lang, Text, number
from tarnkappe.report.history import FIGURES, Past, history


def show(folder: Path, lang: str | None, *, as_json: bool) -> None:
    """List what was run and released: when, by which plan, what held, the figures that matter most."""
    spoken = language(lang)
    found = history(folder)
    if as_json:
        typer.echo(json.dumps([one.as_json() for one in found.runs], ensure_ascii=False, indent=2))
        return
    first = Text("when|folder|plan|records|gates", "wann|Ordner|Plan|Datensätze|Bedingungen")
    heads = [*first.in_(spoken).split("|"), *(name.in_(spoken) for name in FIGURES.values())]
    shown = table("", *heads, Text("title", "Titel").in_(spoken), numbers=tuple(range(3, len(heads))))
    for one in found.runs:
        shown.add_row(*_row(one, spoken))
    if found.runs:
        out.print(shown)
    says = Text(
        "Releases below {folder}: {n}. The plan stands as the beginning of its SHA-256.",
        "Freigaben unter {folder}: {n}. Vom Plan steht der Anfang seines SHA-256 da.",
    )
    say(says, spoken, n=len(found.runs), folder=folder)
    for one in found.runs:
        if not one.sealed:
            says = Text(
                "{name}: the ledger was edited since it was written.",
                "{name}: Das Protokoll wurde nachträglich geändert.",
            )
            say(says, spoken, name=one.folder)
    for name in found.unreadable:
        says = Text("{name}: the ledger cannot be read.", "{name}: Das Protokoll ist nicht lesbar.")
        say(says, spoken, name=name)


def _row(one: Past, lang: Lang) -> tuple[str, ...]:
    figures = (number(one.figures[id], lang) if id in one.figures else "–" for id in FIGURES)
    return (
        one.started[:16].replace("T", " "), one.folder, one.plan[:8], number(one.records, lang),
        f"{one.held}/{one.gates}", *figures, one.title,
    )  # fmt: skip
