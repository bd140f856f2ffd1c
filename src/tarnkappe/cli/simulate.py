"""simulate: what protections would do to a model, or to the moments of columns, for the office."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from tarnkappe.language import Lang, Text

if TYPE_CHECKING:
    from tarnkappe.correct.moment_simulation import MomentSimulation
    from tarnkappe.correct.replications import Simulation
    from tarnkappe.plan.model import Plan
    from tarnkappe.plan.progress import Progress
    from tarnkappe.spec import Method

_FORMS = (".json", ".svg", ".png")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What simulate takes."""

    plans: Annotated[
        list[Path], typer.Argument(metavar="PLAN…", help="Plans whose steps are compared, YAML files.")
    ]
    model: Annotated[
        Optional[str], typer.Option(help="A regression, such as 'turnover ~ employees + C(region)'.")
    ] = None
    moments: Annotated[
        Optional[list[str]],
        typer.Option(
            help="In place of a model: a column whose mean, spread, skewness and excess are told. May come several times."
        ),
    ] = None
    without_largest: Annotated[
        Optional[list[int]],
        typer.Option(
            help="With moments: so many units with the largest values left out, too. May come several times."
        ),
    ] = None
    replications: Annotated[int, typer.Option(help="How often the steps are applied.")] = 100
    each: Annotated[
        bool, typer.Option("--each", help="Every step that changes the model's columns alone, too.")
    ] = False
    family: Annotated[
        Optional[Literal["linear", "logit"]],
        typer.Option(help="Kind of model; by default what fits the outcome."),
    ] = None
    weight: Annotated[Optional[str], typer.Option(help="Column of weights.")] = None
    seed: Annotated[int, typer.Option(help="Where the random numbers begin.")] = 1
    out: Annotated[
        Optional[Path],
        typer.Option("--out", "-o", help="Write box plots (.svg, .png) or all figures (.json)."),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False
    lang: Annotated[
        Optional[Literal["en", "de"]],
        typer.Option("--lang", help="Language; by default that of the locale."),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no table.")] = False


Found = dict[str, "Simulation | MomentSimulation"]


def simulate(asked: Asked) -> None:
    """Apply the steps again and again, show the table, write box plots where asked."""
    from tarnkappe.cli.screen import err, language, progress
    from tarnkappe.errors.files import FormatUnknown
    from tarnkappe.errors.release import FileExists
    from tarnkappe.io.staging import write_new

    spoken = language(asked.lang)
    _refuse_both(asked)
    if asked.out and asked.out.suffix not in _FORMS:
        raise FormatUnknown(format=asked.out.suffix, file=str(asked.out), known=", ".join(_FORMS))
    if asked.out and asked.out.exists():
        raise FileExists(file=str(asked.out))
    with progress(spoken, quiet=asked.quiet) as doing:
        found: Found = dict(_found(asked, spoken, doing))
    if asked.as_json:
        typer.echo(_json(found))
    elif not asked.quiet:
        for name, one in found.items():
            _show(name, one, spoken)
    if asked.out:
        write_new(asked.out, _document(found, asked.out.suffix, spoken))
        err.print(str(asked.out), markup=False)


def _refuse_both(asked: Asked) -> None:
    """Either a model or columns; charts are drawn of models."""
    from tarnkappe.errors.correct import OptionWrong

    if bool(asked.model) == bool(asked.moments):
        given = (
            Text("given with --moments", "mit --moments angegeben")
            if asked.model
            else Text("not given", "nicht angegeben")
        )
        must = Text("one of --model and --moments", "eines von --model und --moments")
        raise OptionWrong(option="--model", given=given, must=must)
    if asked.without_largest and not asked.moments:
        must = Text("given with --moments", "zusammen mit --moments")
        raise OptionWrong(option="--without-largest", given=asked.without_largest, must=must)
    if asked.moments and asked.out and asked.out.suffix != ".json":
        raise OptionWrong(
            option="--out", given=asked.out.suffix, must=Text(".json with --moments", ".json bei --moments")
        )


def _found(asked: Asked, lang: Lang, doing: Progress) -> Iterator[tuple[str, Simulation | MomentSimulation]]:
    """Every plan and, if asked, its steps one by one."""
    from tarnkappe.correct import simulate, simulate_moments
    from tarnkappe.correct.settings import Options
    from tarnkappe.plan.check import check_file
    from tarnkappe.plan.prepare import prepare

    options = Options(family=asked.family, weight=asked.weight, seed=asked.seed)
    plans = [(path.stem, check_file(path)) for path in asked.plans]
    jobs = [(plan, name, steps) for stem, plan in plans for name, steps in _jobs(stem, plan, asked, lang)]
    doing.expect_also(len(jobs) * asked.replications)
    for plan, name, steps in jobs:
        says = Text("{name}: replication", "{name}: Wiederholung").filled(name=name)
        tick = partial(doing.next, says)
        data, times = prepare(plan), asked.replications
        if asked.model:
            yield name, simulate(data, steps, asked.model, times, tick, **options)
        else:
            cuts = asked.without_largest or []
            yield name, simulate_moments(data, steps, asked.moments or [], times, tick, cuts, seed=asked.seed)


def _jobs(stem: str, plan: Plan, asked: Asked, lang: Lang) -> Iterator[tuple[str, tuple[Method, ...]]]:
    yield stem, plan.steps
    if asked.each and len(plan.steps) > 1:
        from tarnkappe.data.formula import parse_formula

        used = set(parse_formula(asked.model).columns if asked.model else asked.moments or [])
        for number, step in enumerate(plan.steps, 1):
            if used & set(step.named_columns()):
                yield f"{stem} {number}: {step.title.in_(lang)}", (step,)


def _show(name: str, found: Simulation | MomentSimulation, lang: Lang) -> None:
    from rich.markup import escape

    from tarnkappe.cli.screen import out, table
    from tarnkappe.correct.replications import Simulation

    tables = [(found.formula, found.table(lang))] if isinstance(found, Simulation) else found.tables(lang)
    for title, (heads, *rows) in tables:
        shown = table(f"{name}: {title}", *heads, numbers=tuple(range(1, len(heads))))
        for row in rows:
            shown.add_row(*map(escape, row))
        out.print(shown)
    for line in found.lines(lang):
        out.print(line, markup=False, soft_wrap=True)


def _json(found: Found) -> str:
    told = {name: one.as_json() for name, one in found.items()}
    return json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False)


def _document(found: Found, form: str, lang: Lang) -> bytes:
    from tarnkappe.correct.replications import Simulation
    from tarnkappe.report.drawing import png_file, svg_file
    from tarnkappe.report.simulation_chart import box_plots

    if form == ".json":
        return _json(found).encode()
    chart = box_plots({name: one for name, one in found.items() if isinstance(one, Simulation)}, lang)
    return png_file(chart, lang) if form == ".png" else svg_file(chart, lang).encode()
