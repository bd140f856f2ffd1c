"""attack RELEASE: everything a stranger can try on the public files of a finished release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import typer
from rich.text import Text as Words

from tarnkappe.cli.attack import point
from tarnkappe.cli.screen import err, language, out, progress, say, table
from tarnkappe.errors.files import FormatUnknown
from tarnkappe.errors.release import FileExists
from tarnkappe.errors.risk import NothingToCompare, StrangerFound
from tarnkappe.io.options import options_of
from tarnkappe.io.staging import write_new
from tarnkappe.language import Lang, Text, number
from tarnkappe.plan.ledger import AttackEntry, Colour
from tarnkappe.plan.stranger_files import Original, StrangerAttack
from tarnkappe.plan.stranger_files import attack_release as perform
from tarnkappe.plan.strangers import found_by
from tarnkappe.report.attacks import said_of, verdict
from tarnkappe.report.pages import stranger_page
from tarnkappe.spec import plain

_SIGNS = {Colour.REFUSED: "✗", Colour.SIGNED: "!", Colour.CLEAR: "✓"}


def attack_release(asked: Any, reading: Mapping[str, Any]) -> None:
    """Attack a release, show what was tried and reached; originals that come back end with exit code 3."""
    spoken, report = language(asked.lang), asked.out
    _refuse_misuse(asked)
    original = (
        Original(asked.original, tuple(asked.id or ()), options_of(reading)) if asked.original else None
    )
    with progress(spoken, quiet=asked.quiet) as doing:
        found = perform(asked.before, original, asked.earlier or (), asked.only or (), doing)
    if asked.as_json:
        typer.echo(as_json(asked.before.name, found))
    elif not asked.quiet:
        show(asked.before.name, found, spoken)
    if report:
        page = report.suffix == ".html"
        text = stranger_page(asked.before.name, found, spoken) if page else as_json(asked.before.name, found)
        write_new(report, text.encode())
        err.print(str(report), markup=False)
    if found.colour is Colour.REFUSED:
        refused = [entry for entry in found.entries if entry.colour is Colour.REFUSED]
        raise StrangerFound(reasons=_reasons(refused))


def _refuse_misuse(asked: Any) -> None:
    if asked.out and asked.out.suffix not in (".html", ".json"):
        raise FormatUnknown(format=asked.out.suffix, file=str(asked.out), known=".html, .json")
    if asked.out and asked.out.exists():
        raise FileExists(file=str(asked.out))
    if asked.before.is_file():
        raise NothingToCompare(file=asked.before.name)


def _reasons(entries: list[AttackEntry]) -> Text:
    lines = [(entry.attack.title, found_by(entry), entry.attack.helps) for entry in entries]
    return Text(
        *(
            "\n".join(f"  ✗ {t.in_(lang)}: {f.in_(lang)}\n    {h.in_(lang)}" for t, f, h in lines)
            for lang in ("en", "de")
        )
    )


def show(name: str, found: StrangerAttack, lang: Lang) -> None:
    """What the stranger has, every attack with what it reached, what he could not try, and the verdict."""
    heads = (
        Text(
            "attack|tried|guesses|sure|right|by chance", "Angriff|versucht|Vermutungen|sicher|richtig|Zufall"
        )
        .in_(lang)
        .split("|")
    )
    shown = table(name, "", *heads, numbers=(2, 3, 4, 5, 6))
    for says in found.basis:
        point(says, lang)
    for entry in found.entries:
        score = entry.score
        counts = (entry.tried, score.answers, score.sure)
        scored = (score.right, round(score.by_chance)) if found.scored else ()
        cells = [number(count, lang) for count in (*counts, *scored)] + ["–"] * (
            5 - len(counts) - len(scored)
        )
        shown.add_row(_SIGNS[entry.colour], Words(entry.attack.title.in_(lang)), *cells)
    out.print(shown)
    for entry in found.entries:
        if entry.colour is not Colour.CLEAR:
            point(said_of(entry, scored=found.scored), lang)
    could_not = [entry for entry in found.entries if entry.could_not]
    if could_not:
        say(Text("\nNot tried:", "\nNicht versucht:"), lang)
    for entry in could_not:
        point(
            Text(*(f"{entry.attack.title.in_(one)}: {entry.could_not.in_(one)}" for one in ("en", "de"))),
            lang,
        )
    out.print(f"{_SIGNS[found.colour]} {verdict(found).in_(lang)}", markup=False, style="bold")


def as_json(name: str, found: StrangerAttack) -> str:
    """What was tried and reached, for programs."""
    content = {
        "release": name,
        "verdict": {Colour.SIGNED: "stands-out"}.get(found.colour, found.colour.value),
        "basis": found.basis,
        "scored": found.scored,
        "attacks": [_plain(entry, scored=found.scored) for entry in found.entries],
    }
    return json.dumps(plain(content), ensure_ascii=False, indent=2, allow_nan=False)


def _plain(entry: AttackEntry, *, scored: bool) -> dict[str, Any]:
    score = entry.score
    return {
        "id": entry.attack.id,
        "title": entry.attack.title,
        "verdict": {Colour.SIGNED: "stands-out"}.get(entry.colour, entry.colour.value),
        "tried": entry.tried,
        "guesses": score.answers,
        "sure": score.sure,
        "right": score.right if scored else None,
        "by_chance": score.by_chance if scored else None,
        "sure_right": score.sure_right if scored else None,
        "how": list(entry.how),
        "could_not": entry.could_not or None,
        "helps": entry.attack.helps,
    }
