"""map: several plans side by side, without releasing."""

from __future__ import annotations

from typing import Any

import typer

from tarnkappe.cli.screen import err, language, out, progress, say, table
from tarnkappe.cli.table_map import FORMS as TABLE_FORMS
from tarnkappe.cli.table_map import tell
from tarnkappe.errors.files import FormatUnknown
from tarnkappe.errors.release import FileExists
from tarnkappe.io.staging import write_new
from tarnkappe.language import Lang, Text
from tarnkappe.plan.risk_map import RiskMap, map_variants
from tarnkappe.plan.table_map import map_tables, only_tables
from tarnkappe.plan.variants import distinct, grid_from, variants
from tarnkappe.report.drawing import png_file, svg_file
from tarnkappe.report.map_chart import risk_map as chart
from tarnkappe.report.map_page import as_json, map_page, rows
from tarnkappe.report.past_plans import past_plans

_REFUSED = Text("refused", "verweigert")
_FORMS = (".html", ".json", ".svg", ".png")


def risk_map(asked: Any) -> None:
    """Try the plans, show the table, write the map where asked."""
    spoken, report = language(asked.lang), asked.out
    if report and report.exists():
        raise FileExists(file=str(report))
    plans = variants(asked.plans, grid_from(asked.vary or ()))
    if asked.history:
        plans = distinct([*plans, *past_plans(plans, _REFUSED.in_(spoken))])
    tables = only_tables(plans)
    forms = TABLE_FORMS if tables else _FORMS
    if report and report.suffix not in forms:
        raise FormatUnknown(format=report.suffix, file=str(report), known=", ".join(forms))
    title = ", ".join(path.stem for path in asked.plans)
    if tables:
        with progress(spoken, quiet=asked.quiet) as doing:
            compared = map_tables(plans, doing)
        tell(compared, title, asked, spoken)
        return
    with progress(spoken, quiet=asked.quiet) as doing:
        found = map_variants(plans, risk=asked.risk, utility=asked.utility, fresh=asked.fresh, progress=doing)
    if asked.as_json:
        typer.echo(as_json(found, title))
    elif not asked.quiet:
        show(found, title, spoken)
    if report:
        write_new(report, _document(found, title, report.suffix, spoken))
        err.print(str(report), markup=False)


def show(found: RiskMap, title: str, lang: Lang) -> None:
    """The plans in a table: what they leave of risk and utility, and why some are refused."""
    first = Text("no.|plan", "Nr.|Plan").in_(lang).split("|")
    axes = (found.risk.title.in_(lang), found.utility.title.in_(lang))
    shown = table(title, *first, *axes, Text("result", "Ergebnis").in_(lang), numbers=(0, 2, 3))
    for row in rows(found):
        said = "\n".join(text.in_(lang) for text in (row.state, *row.reasons))
        shown.add_row(str(row.number), row.name, row.risk.in_(lang), row.utility.in_(lang), said)
    out.print(shown)
    if found.front:
        names = "; ".join(trial.name for trial in found.front)
        says = Text(
            "No other plan is better in both than: {names}", "In beidem übertrifft kein anderer Plan: {names}"
        )
        say(says, lang, names=names)


def _document(found: RiskMap, title: str, form: str, lang: Lang) -> bytes:
    if form == ".png":
        return png_file(chart(found, lang, key=True), lang)
    if form == ".svg":
        return svg_file(chart(found, lang, key=True), lang).encode()
    return (map_page(found, title, lang) if form == ".html" else as_json(found, title)).encode()
