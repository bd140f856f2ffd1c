"""attack: run the attacks alone, on two files or on a release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import typer
from rich.table import Table
from rich.text import Text as Words

from tarnkappe.cli.screen import err, language, out, progress, say, table
from tarnkappe.errors.files import FormatUnknown
from tarnkappe.errors.release import FileExists
from tarnkappe.errors.tables import OptionWrong
from tarnkappe.io.options import options_of
from tarnkappe.io.staging import write_new
from tarnkappe.language import Lang, Text
from tarnkappe.plan.attack import EVERYBODY, Attacked, Bounds, Sides
from tarnkappe.plan.attack import attack as attack_sides
from tarnkappe.plan.attack_files import Named, read_sides
from tarnkappe.plan.check import check_file
from tarnkappe.plan.ledger import MeasureEntry, parameters
from tarnkappe.report.exposure import Exposure, exposure
from tarnkappe.report.measures import value_of
from tarnkappe.report.pages import attack_page
from tarnkappe.spec import plain
from tarnkappe.vocab import Attacker, Role

_NUMBER = Text("write ID=NUMBER", "schreiben Sie KENNUNG=ZAHL")
_DOUBT = Text(
    "? is not to be trusted; --out FILE.html says why.",
    "? ist nicht verlässlich; --out DATEI.html sagt, warum.",
)


def attack(asked: Any, reading: Mapping[str, Any]) -> None:
    """Attack, show what was reached, write it where asked; a bound that does not hold ends with exit code 3."""
    spoken, report = language(asked.lang), asked.out
    if report and report.suffix not in (".html", ".json"):
        raise FormatUnknown(format=report.suffix, file=str(report), known=".html, .json")
    if report and report.exists():
        raise FileExists(file=str(report))
    bounds = Bounds(_numbers("--most", asked.most), _numbers("--least", asked.least))
    sides = read_sides(asked.before, asked.after, _named(asked, reading))
    with progress(spoken, quiet=asked.quiet) as doing:
        found = attack_sides(sides, _attackers(asked), tuple(asked.only or ()), bounds, doing)
    summary = exposure(found.entries, found.exposed, found.left, found.changed)
    title = f"{asked.before.name} → {asked.after.name}"
    if asked.as_json:
        typer.echo(_json(title, sides, found, summary))
    elif not asked.quiet:
        show(title, sides, found, summary, spoken)
    if report:
        page = report.suffix == ".html"
        text = _page(title, sides, found, summary, spoken) if page else _json(title, sides, found, summary)
        write_new(report, text.encode())
        err.print(str(report), markup=False)
    found.refuse()


def show(title: str, sides: Sides, found: Attacked, summary: Exposure, lang: Lang) -> None:
    """What was attacked, who finds whom in sentences, every attack in a table, and what was not run."""
    heads = Text("attack|before|after|95%|guess", "Angriff|vorher|nachher|95 %|geraten").in_(lang).split("|")
    shown = table(title, *heads, numbers=(1, 2, 3, 4))
    for says in sides.basis:
        point(says, lang)
    out.print()
    told(summary, lang)
    for entry in found.entries:
        shown.add_row(*(cell.in_(lang) for cell in _row(entry)))
    out.print(shown)
    if not all(entry.after.trusted for entry in found.entries):
        say(_DOUBT, lang)
    if found.left:
        say(Text("\nNot run:", "\nNicht ausgeführt:"), lang)
    for one in found.left:
        point(
            Text(f"{one.measure.title.en}: {one.because.en}", f"{one.measure.title.de}: {one.because.de}"),
            lang,
        )
    for gate in found.gates:
        if gate.held:
            out.print(f"  ✓ {gate.says.in_(lang)}", markup=False)


def told(summary: Exposure, lang: Lang) -> None:
    """Who could find whom, in sentences."""
    if summary:
        out.print(Text("Who could find whom", "Wer wen finden könnte").in_(lang), style="bold", markup=False)
        for says in summary.sentences():
            point(says, lang)
        out.print()


def point(says: Text, lang: Lang) -> None:
    """One sentence of a list, set in."""
    shown = Table.grid(padding=(0, 1, 0, 0))
    shown.add_row("•", Words(says.in_(lang)))
    out.print(shown)


def _row(entry: MeasureEntry) -> tuple[Text, ...]:
    measure, found = entry.measure, entry.after
    who = getattr(measure, "attacker", None)
    word = (
        f" ({who.value})"
        if isinstance(who, Attacker)
        else f" ({entry.against.file})"
        if entry.against
        else ""
    )
    doubt = Text("", "") if found.trusted else Text(" ?", " ?")
    name = Text(f"{measure.title.en}{word}{doubt.en}", f"{measure.title.de}{word}{doubt.de}")
    ends = [value_of(measure, end) for end in (found.low, found.high)]
    known = found.low is not None and found.high is not None
    spread = Text(f"{ends[0].en}–{ends[1].en}", f"{ends[0].de}–{ends[1].de}") if known else Text("", "")
    before = value_of(measure, entry.before.value) if entry.before else Text("–", "–")
    guess = (
        value_of(measure, found.baseline)
        if found.baseline is not None and entry.before is None
        else Text("", "")
    )
    return name, before, value_of(measure, found.value), spread, guess


def _named(asked: Any, reading: Mapping[str, Any]) -> Named:
    """What the command line says of the files; how the original is read goes before what a plan says of that."""
    roles = {
        Role.KEY: tuple(asked.key or ()),
        Role.SENSITIVE: tuple(asked.sensitive or ()),
        Role.NUMERIC: tuple(asked.number or ()),
        Role.WEIGHT: (asked.weight,) if asked.weight else (),
    }
    return Named(
        roles, tuple(asked.id or ()), check_file(asked.plan, reading) if asked.plan else None, asked.knowledge, asked.holdout,
        options_of(reading),
    )  # fmt: skip


def _attackers(asked: Any) -> tuple[Attacker, ...]:
    return tuple(Attacker(name) for name in asked.attacker or ()) or EVERYBODY


def _numbers(option: str, given: list[str] | None) -> dict[str, float]:
    """``risk.k-anonymity=3`` for every bound."""
    bounds = {}
    for said in given or ():
        name, _, value = said.partition("=")
        try:
            bounds[name.strip()] = float(value)
        except ValueError:
            raise OptionWrong(option=option, given=said, why=_NUMBER) from None
    return bounds


def _page(title: str, sides: Sides, found: Attacked, summary: Exposure, lang: Lang) -> str:
    return attack_page(title, summary, found.entries, lang, basis=sides.basis, gates=found.gates)


def _json(title: str, sides: Sides, found: Attacked, summary: Exposure) -> str:
    content = {
        "title": title,
        "basis": sides.basis,
        "says": summary.sentences(),
        "attacks": [_plain(entry) for entry in found.entries],
        "not_run": [{"id": one.measure.id, "because": one.because} for one in found.left],
        "bounds": [{"says": g.says, "held": g.held, "because": g.because} for g in found.gates],
    }
    return json.dumps(plain(content), ensure_ascii=False, indent=2, allow_nan=False)


def _plain(entry: MeasureEntry) -> dict[str, Any]:
    return {
        "id": entry.measure.id,
        "parameters": parameters(entry.measure),
        "against": entry.against.file if entry.against else None,
        "before": entry.before.as_json() if entry.before else None,
        "after": entry.after.as_json(),
    }
