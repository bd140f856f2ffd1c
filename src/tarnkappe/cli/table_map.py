"""map for plans of tables: what every method or option costs on the same table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import typer

from tarnkappe.cli.screen import err, out, say, table
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.io.staging import write_new
from tarnkappe.io.write import write
from tarnkappe.language import Lang, Text, number
from tarnkappe.plan.table_map import TableMap, TableTrial
from tarnkappe.report.numbers import percent, shown

FORMS = (".json", ".csv")
_HEADS = Text(
    "no.|plan|table|cells|primary|secondary|altered|gone|value hidden|share|respondents|CPU s|result",
    "Nr.|Plan|Tabelle|Zellen|primär|sekundär|verändert|entfallen|Wert verborgen|Anteil|Befragte|CPU s|Ergebnis",
)
_HELD, _OPEN = Text("holds", "hält"), Text("does not hold", "hält nicht")
_BEST = {
    "cells": Text("{table}: fewest cells: {names}", "{table}: wenigste Zellen: {names}"),
    "value": Text("{table}: least value: {names}", "{table}: geringster Wert: {names}"),
    "cpu": Text("{table}: least time: {names}", "{table}: kürzeste Zeit: {names}"),
}


def tell(found: TableMap, title: str, asked: Any, lang: Lang) -> None:
    """Show the comparison, and write it where asked."""
    if asked.as_json:
        typer.echo(as_json(found, title))
    elif not asked.quiet:
        _show(found, title, lang)
    if asked.out:
        write_new(asked.out, _document(found, title, asked.out.suffix))
        err.print(str(asked.out), markup=False)


def _show(found: TableMap, title: str, lang: Lang) -> None:
    sheet = table(title, *_HEADS.in_(lang).split("|"), numbers=(0, 3, 4, 5, 6, 7, 8, 9, 10, 11))
    for n, trial in enumerate(found.trials, 1):
        sheet.add_row(str(n), trial.name, *_figures(trial, lang), _result(trial, lang))
    out.print(sheet)
    for name, best in found.best.items():
        for criterion, names in best.items():
            say(_BEST[criterion], lang, table=name, names="; ".join(names))


def _figures(trial: TableTrial, lang: Lang) -> Iterator[str]:
    yield trial.table
    if not trial.table:
        yield from [""] * 9
        return
    yield from (
        number(n, lang) for n in (trial.cells, trial.primary, trial.secondary, trial.altered, trial.lost)
    )
    yield shown(trial.value, 6).in_(lang)
    yield percent(trial.value_share).in_(lang)
    yield "" if trial.respondents is None else number(trial.respondents, lang)
    yield shown(trial.cpu, 3).in_(lang)


def _result(trial: TableTrial, lang: Lang) -> str:
    state = _HELD if trial.held else _OPEN if trial.table else Text("cannot be run", "nicht ausführbar")
    return state.in_(lang) if trial.held else f"{state.in_(lang)}: {trial.because.in_(lang)}"


def as_json(found: TableMap, title: str) -> str:
    """The comparison as data."""
    trials = [_plain(trial) for trial in found.trials]
    return json.dumps({"title": title, "tables": trials, "best": found.best}, ensure_ascii=False, indent=2)


def _plain(trial: TableTrial) -> dict[str, Any]:
    return {
        "plan": trial.name, "table": trial.table, "method": trial.method, "changed": dict(trial.changed), "cells": trial.cells,
        "primary": trial.primary, "secondary": trial.secondary, "altered": trial.altered, "lost": trial.lost, "hidden": trial.hidden,
        "value": trial.value, "value_share": trial.value_share, "respondents": trial.respondents, "distance": trial.distance,
        "cpu": round(trial.cpu, 4), "held": trial.held, "because": {"en": trial.because.en, "de": trial.because.de},
    }  # fmt: skip


def _document(found: TableMap, title: str, form: str) -> bytes:
    if form == ".json":
        return (as_json(found, title) + "\n").encode()
    rows = [{k: v for k, v in _plain(t).items() if k not in ("changed", "because")} for t in found.trials]
    columns = {
        name: Column.texts_of(["" if row[name] is None else str(row[name]) for row in rows])
        for name in rows[0]
    }
    file = BytesIO()
    write(Microdata(columns), file, "csv")
    return file.getvalue()
