"""correct: estimates for those who receive a release."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from tarnkappe.errors.correct import OptionWrong
from tarnkappe.language import Text

if TYPE_CHECKING:
    from tarnkappe.correct import Corrected

Several = Optional[list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What correct takes."""

    releases: Annotated[
        list[Path],
        typer.Argument(metavar="RELEASE…", help="The folder of a release; several with --combine."),
    ]
    model: Annotated[
        Optional[str], typer.Option(help="A regression, such as 'turnover ~ employees + C(region)'.")
    ] = None
    frequencies: Annotated[Several, typer.Option(help="A column of categories; give it once per column.")] = (
        None
    )
    moments: Annotated[
        Several, typer.Option(help="A numeric column: mean, variance, correlations; give it once per column.")
    ] = None
    population: Annotated[
        bool,
        typer.Option("--population", help="Frequencies as shares in the population, not counts in the file."),
    ] = False
    family: Annotated[
        Optional[Literal["linear", "logit"]],
        typer.Option(help="Kind of model; by default what fits the outcome."),
    ] = None
    weight: Annotated[Optional[str], typer.Option(help="Column of weights.")] = None
    as_is: Annotated[Several, typer.Option("--as-is", help="A column to be taken as it is.")] = None
    level: Annotated[float, typer.Option(help="Probability with which intervals cover.")] = 0.95
    bootstrap: Annotated[int, typer.Option(help="Draws for bootstrap intervals; 0 for none.")] = 0
    seed: Annotated[int, typer.Option(help="Where random numbers of bootstrap and SIMEX begin.")] = 1
    combine: Annotated[
        Optional[
            Literal[
                "imputed",
                "partially-synthetic",
                "fully-synthetic",
                "synthetic-simple",
                "synthetic-proper",
                "as-original",
            ]
        ],
        typer.Option(help="How several files of one original were made."),
    ] = None
    original_records: Annotated[
        Optional[int], typer.Option(help="Records of the original of synthetic files.")
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False
    lang: Annotated[
        Optional[Literal["en", "de"]],
        typer.Option("--lang", help="Language; by default that of the locale."),
    ] = None


def correct(asked: Asked) -> None:
    """Estimate from a release, corrected for its protection; show the result or write it as JSON."""
    from rich.markup import escape

    from tarnkappe.cli.screen import language, out, table
    from tarnkappe.correct.result import HEADS

    found = _found(asked)
    if asked.as_json:
        typer.echo(
            json.dumps([one.as_json() for one in found], ensure_ascii=False, indent=2, allow_nan=False)
        )
        return
    spoken = language(asked.lang)
    for number, one in enumerate(found):
        title, *lines = one.lines(spoken)
        shown = table(
            ("\n" if number else "") + title, *HEADS.in_(spoken).split("|"), numbers=(1, 2, 3, 4, 5)
        )
        for figure in one.figures:
            shown.add_row(*map(escape, figure.cells(spoken)))
        out.print(shown)
        out.print(one.facts(spoken), markup=False, soft_wrap=True)
        for line in lines:
            out.print(line, markup=False, soft_wrap=True)


def _found(asked: Asked) -> list[Corrected]:
    """All that was asked for; everything is computed before anything is shown."""
    from tarnkappe.correct import combined, frequencies, model, moments, open_release
    from tarnkappe.correct.settings import Options

    options = Options(
        family=asked.family, weight=asked.weight, level=asked.level, bootstrap=asked.bootstrap,
        as_is=tuple(asked.as_is or ()), seed=asked.seed,
    )  # fmt: skip
    if not (asked.model or asked.frequencies or asked.moments):
        must = Text("given, or --frequencies, or --moments", "anzugeben, oder --frequencies, oder --moments")
        raise OptionWrong(option="--model", given="–", must=must)
    if asked.combine is None and len(asked.releases) > 1:
        raise OptionWrong(option="--combine", given="–", must=Text("given", "anzugeben"))
    releases = [open_release(folder) for folder in asked.releases]
    found = []
    if asked.model and asked.combine:
        found.append(combined(releases, asked.model, asked.combine, asked.original_records, **options))
    elif asked.model:
        found.append(model(releases[0], asked.model, **options))
    target: Literal["file", "population"] = "population" if asked.population else "file"
    found += [frequencies(releases[0], name, target, **options) for name in asked.frequencies or ()]
    if asked.moments:
        found.append(moments(releases[0], asked.moments, **options))
    return found
