"""inspect and compare: look at files without changing anything."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tarnkappe.cli.measured import show_measured
from tarnkappe.cli.screen import err, language, out, say, table
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.swapped import looks_swapped
from tarnkappe.errors.files import FormatUnknown
from tarnkappe.errors.release import FileExists
from tarnkappe.io.options import HowRead, ReadOptions
from tarnkappe.io.read import read_telling
from tarnkappe.io.second_file import options_for_second
from tarnkappe.io.staging import write_new
from tarnkappe.language import Lang, Text, number
from tarnkappe.plan.compare import compared as compare_data
from tarnkappe.plan.data_source import data_source, with_source
from tarnkappe.plan.document import to_yaml
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.plan.propose import Proposal, Wishes, propose
from tarnkappe.plan.public_variables import public_list
from tarnkappe.plan.which_method import which_method
from tarnkappe.report.gallery import Gallery, compared, write_pictures
from tarnkappe.report.pages import measures_page

_WHICH = Text("\nMethods that suit such columns:", "\nVerfahren, die zu solchen Spalten passen:")


def inspect(asked: Any, options: ReadOptions) -> None:
    """Say what the columns are, what is at risk, and propose a plan."""
    spoken, data, plan = language(asked.lang), asked.file, asked.plan
    if plan and plan.exists():
        raise FileExists(file=str(plan))
    records, how = read_telling(data, options)
    tell_reading(data, how, spoken)
    found = propose(records, data.name, Wishes(public=public_list(asked.public)))
    show_columns(found, spoken)
    for remark in found.remarks:
        out.print(f"• {remark.in_(spoken)}", markup=False)
    show_which_method(found, spoken)
    source = data_source(data, plan.parent if plan else Path(), options, how)
    text = to_yaml(with_source(found.plan, source))
    if plan:
        write_new(plan, text.encode())
        again = Text(
            "\nPlan written. Next: tarnkappe run {plan} --out DIR",
            "\nPlan geschrieben. Weiter: tarnkappe run {plan} --out DIR",
        )
        say(again, spoken, plan=plan)
    else:
        say(
            Text(
                "\nA first plan (--plan FILE writes it):\n",
                "\nEin erster Plan (--plan DATEI schreibt ihn):\n",
            ),
            spoken,
        )
        out.print(text, markup=False, soft_wrap=True)


def show_which_method(found: Proposal, lang: Lang) -> None:
    """Which methods suit columns like these, beyond what the first plan does."""
    advised = [*which_method(found.profiles, {c.name: c.roles for c in found.columns})]
    if advised:
        say(_WHICH, lang)
    for advice in advised:
        out.print(f"• {advice.in_(lang)}", markup=False)


def tell_reading(file: Path, how: HowRead | None, lang: Lang, *, line: bool = True) -> None:
    """Say that the encoding of a file had to be assumed; with a line of it for whoever looks at the file anyway."""
    if how and how.assumed:
        err.print(how.notice(file.name, line=line).in_(lang), markup=False, soft_wrap=True)


def read_pair(asked: Any, options: ReadOptions, lang: Lang) -> tuple[Microdata, Microdata]:
    """The original and the protected file; the latter is read with the same options where it is written in the same way."""
    before, how = read_telling(asked.before, options)
    tell_reading(asked.before, how, lang, line=False)
    after, how = read_telling(asked.after, options_for_second(asked.after, options))
    tell_reading(asked.after, how, lang, line=False)
    return before, after


def show_columns(found: Proposal, lang: Lang) -> None:
    """What every column probably is, as a table."""
    heads = (
        Text("column|type|distinct|missing|role|why", "Spalte|Typ|verschieden|fehlend|Rolle|weil")
        .in_(lang)
        .split("|")
    )
    shown = table(found.file, *heads, numbers=(2, 3))
    for profile, column in zip(found.profiles, found.columns, strict=True):
        shown.add_row(
            column.name, profile.kind.text.in_(lang), number(profile.distinct, lang), f"{profile.missing_share:.0%}",
            ", ".join(role.text.in_(lang) for role in column.roles), column.why.in_(lang),
        )  # fmt: skip
    out.print(shown)


def compare(asked: Any, options: ReadOptions) -> None:
    """Measure two files and show the result; write it where asked."""
    spoken, report = language(asked.lang), asked.out
    if report and report.suffix not in (".html", ".json"):
        raise FormatUnknown(format=report.suffix, file=str(report), known=".html, .json")
    if report and report.exists():
        raise FileExists(file=str(report))
    before, after = read_pair(asked, options, spoken)
    if notice := looks_swapped(before, after):
        err.print(notice.in_(spoken), markup=False, soft_wrap=True)
    found = compare_data(before, after, asked.key or (), asked.number or ())
    title = f"{asked.before.name} → {asked.after.name}"
    show_measured(title, found, Text("--out FILE.html", "--out DATEI.html"), spoken)
    pictures = compared(before, after) if asked.pictures or (report and report.suffix == ".html") else None
    if report:
        write_new(report, _document(title, found, pictures, report.suffix, spoken).encode())
        err.print(str(report), markup=False)
    if asked.pictures and pictures is not None:
        written = write_pictures(pictures, asked.pictures, spoken)
        says = Text("{n} pictures in {folder}", "{n} Bilder in {folder}")
        err.print(says.filled(n=len(written), folder=asked.pictures).in_(spoken), markup=False)


def _document(
    title: str, found: tuple[MeasureEntry, ...], pictures: Gallery | None, form: str, lang: Lang
) -> str:
    if form == ".html":
        return measures_page(title, found, version("tarnkappe"), lang, pictures)
    plain = {
        e.measure.id: {"before": e.before.as_json() if e.before else None, "after": e.after.as_json()}
        for e in found
    }
    return json.dumps({"title": title, "measures": plain}, ensure_ascii=False, indent=2)
