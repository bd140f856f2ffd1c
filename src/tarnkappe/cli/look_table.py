"""inspect on a table: must it be protected, why, and how."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.cli.screen import language, out, table
from tarnkappe.cli.table_source import Cells, pattern_of_file, rows_of_file
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.need import NotJudged
from tarnkappe.errors.table_files import NoTables
from tarnkappe.errors.tables import OptionWrong
from tarnkappe.io.argus import ENDING
from tarnkappe.language import Lang, Text
from tarnkappe.plan.check import check_file
from tarnkappe.plan.document import parse
from tarnkappe.plan.need import Assessment, Rules, read_rules
from tarnkappe.plan.need_facts import Facts
from tarnkappe.plan.need_tables import as_json, assess_plan, assess_table
from tarnkappe.plan.need_unknown import is_count
from tarnkappe.plan.ratings import Advice, advised
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.vocab import Kind

PLANS = (".yaml", ".yml")
_FACT = Text(
    "write NAME=VALUE, for example attribute=personal", "schreiben Sie NAME=WERT, etwa attribute=personal"
)
_VERDICTS = {
    "publish": Text("publish", "veröffentlichen"),
    "mask": Text("protect", "schützen"),
    "expert": Text("ask an expert", "Fachperson fragen"),
    "unknown": Text("cannot be judged", "nicht zu beurteilen"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """What the office tells, and how it decides."""

    facts: tuple[str, ...] = ()
    tree: Path | None = None
    """Decision rules of its own."""
    prefer: tuple[str, ...] = ()
    """Criteria that count most when methods are ordered."""


def inspect(cells: Cells, told_by: Told, lang: str | None, *, plain: bool) -> None:
    """Say of every table whether it needs protection, and what is recommended."""
    spoken, facts = language(lang), told_by.facts
    rules = read_rules(told_by.tree) if told_by.tree else None
    order = advised(told_by.prefer)
    found = list(_assessed(cells, facts_of(facts), rules))
    if plain:
        ways = [
            {
                "method": list(a.method.use),
                "points": a.points,
                "because": {"en": a.because.en, "de": a.because.de},
            }
            for a in order
        ]
        told = [
            as_json(name, each) | ({"methods": ways} if each.verdict != "publish" else {})
            for name, each in found
        ]
        out.print(json.dumps(told, ensure_ascii=False, indent=2), markup=False, soft_wrap=True)
    else:
        for name, each in found:
            _tell(name, each, spoken)
        if any(each.verdict != "publish" for _, each in found):
            _order(order, told_by.prefer, spoken)
    unknown = [name for name, each in found if each.verdict == "unknown"]
    if unknown:
        raise NotJudged(tables=", ".join(unknown))


def _assessed(cells: Cells, told: Facts, rules: Rules | None) -> Iterator[tuple[str, Assessment]]:
    if cells.ending not in PLANS:
        yield cells.file.stem, assess_table(pattern_of_file(_counted(cells)).table, told, rules)
        return
    plan = check_file(cells.file)
    if not plan.tables:
        raise NoTables(file=cells.file.name)
    yield from assess_plan(plan, told, rules)


def _counted(cells: Cells) -> Cells:
    """With the column of contributors, where none is named and one beside the values bears the name of counts."""
    if cells.ending in (ENDING, ".jj") or cells.columns.count is not None or not cells.by:
        return cells
    rows = rows_of_file(cells)
    taken = {*cells.by, *cells.columns.named}
    found = [name for name in rows.names if name not in taken and is_count(name) and _whole(rows, name)]
    if len(found) != 1:
        return cells
    return replace(cells, columns=replace(cells.columns, count=found[0]))


def _whole(rows: Microdata, name: str) -> bool:
    if rows.column(name).kind not in (Kind.INTEGER, Kind.NUMBER):
        return False
    numbers = rows.numbers([name], "")[:, 0]
    return bool(np.all((numbers >= 0) & (numbers == np.rint(numbers))))


def facts_of(given: tuple[str, ...]) -> Facts:
    """What the office tells: NAME=VALUE, the value as in YAML."""
    told: dict[str, Any] = {}
    for option in given:
        name, equals, said = (part.strip() for part in option.partition("="))
        if not (name and equals and said):
            raise OptionWrong(option="--fact", given=option, why=_FACT)
        try:
            told[name] = parse(said).content
        except TarnkappeError:
            raise OptionWrong(option="--fact", given=option, why=_FACT) from None
    return fit_or_raise(Facts, told, "--fact")


def _tell(name: str, found: Assessment, lang: Lang) -> None:
    heads = Text("points|because", "Punkte|weil").in_(lang).split("|")
    shown = table(f"{name}: {_VERDICTS[found.verdict].in_(lang)}", *heads, numbers=(0,))
    for point in found.points:
        shown.add_row(f"{point.points:+d}", point.because.in_(lang))
    shown.add_row(f"{found.score:+d}", Text("in all", "zusammen").in_(lang))
    out.print(shown)
    for trigger in found.triggers:
        out.print(f"! {trigger.in_(lang)}", markup=False, soft_wrap=True)
    for remark in found.remarks:
        out.print(f"· {remark.in_(lang)}", markup=False, soft_wrap=True)
    out.print(found.because.in_(lang), markup=False, soft_wrap=True)
    for lacking in found.missing:
        out.print(f"? {lacking.in_(lang)}", markup=False, soft_wrap=True)
    if found.advice != found.because:
        out.print(found.advice.in_(lang), markup=False, soft_wrap=True)
    for option, thing in (("--rule", found.rule), ("--method", found.method)):
        if thing is not None:
            out.print(f"  {option} '{_spelt(thing)}'", markup=False, soft_wrap=True)


def _order(order: tuple[Advice, ...], prefer: tuple[str, ...], lang: Lang) -> None:
    """The methods by their ratings, the best first."""
    head = Text(
        "Methods by their ratings, the best first", "Verfahren nach ihrer Bewertung, das beste zuerst"
    )
    weighed = f" ({', '.join(prefer)})" if prefer else ""
    out.print(f"{head.in_(lang)}{weighed}:", markup=False, soft_wrap=True)
    for advice in order:
        said = f"  {', '.join(advice.method.use)}: {advice.because.in_(lang)}"
        out.print(said, markup=False, soft_wrap=True)


def _spelt(thing: Mapping[str, Any]) -> str:
    """A rule or method as --rule and --method take it."""
    given = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in thing.items() if name != "use"
    ]
    return f"{thing['use']}: {{{', '.join(given)}}}" if given else str(thing["use"])
