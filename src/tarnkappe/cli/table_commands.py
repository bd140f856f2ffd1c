"""The commands below ``tarnkappe table``. Their options are the fields of a class each; heavy parts are imported when one runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import typer

from tarnkappe.cli.declaring import command_of
from tarnkappe.cli.reading_options import Reading, Several, Word, reading

tables = typer.Typer(
    name="table",
    help="Protect, audit, round or convert a table file without writing a plan.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_command = partial(command_of, tables)

MaybeFile = Optional[Path]
Files = Optional[list[Path]]
Insiders = Annotated[
    Optional[Literal["none", "owners", "contributors"]],
    typer.Option(help="Who also attacks from inside: sole contributors, their owners, or nobody."),
]
Prior = Annotated[
    Optional[float],
    typer.Option(min=0, help="The attacker knows every suppressed cell up to so many percent."),
]
Tolerance = Annotated[float, typer.Option(min=0, max=1, help="How far sums may be off, as a share.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Described(Reading):
    """A file of cells and its dimensions."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A file of cells (CSV, Parquet, Excel) or of τ-ARGUS (.tab with .rda)."
        ),
    ]
    by: Annotated[Several, typer.Option("--by", help="A dimension; give it once per dimension.")] = None
    hierarchy: Annotated[
        Several, typer.Option(help="DIMENSION='{digits: [1, 2]}' or DIMENSION=file.hrc; flat if not given.")
    ] = None
    levels: Annotated[
        Several,
        typer.Option(
            help="[DIMENSION=]quarter*district: a column of codes per level, the finest first; 0 is a total."
        ),
    ] = None
    value: Annotated[str, typer.Option(help="Column of the values.")] = "value"
    meta: Annotated[
        MaybeFile, typer.Option(help="Metadata of a τ-ARGUS table; the .rda file of its name if not given.")
    ] = None
    lang: Annotated[
        Optional[Literal["en", "de"]],
        typer.Option("--lang", help="Language; by default that of the locale."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited(Described):
    """What audit takes."""

    status: Annotated[Word, typer.Option(help="Column of the status; 'status' if there is one.")] = None
    hidden: Annotated[Several, typer.Option(help="A word of the status that means suppressed.")] = None
    signed: Annotated[bool, typer.Option("--signed", help="Cells can be negative.")] = False
    whole: Annotated[bool, typer.Option("--whole", help="Values are whole numbers.")] = False
    quick: Annotated[
        bool, typer.Option("--quick", help="Only look for cells that are disclosed exactly.")
    ] = False
    tolerance: Tolerance = 1e-9
    prior: Prior = None
    count: Annotated[
        Word, typer.Option(help="Column of the number of contributors, for attacks from inside.")
    ] = None
    insiders: Insiders = None
    also: Annotated[
        Files, typer.Option(help="A further file that shares cells; all are attacked as one.")
    ] = None
    out: Annotated[MaybeFile, typer.Option("--out", "-o", help="Write the intervals: .csv or .json.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithContributions(Described):
    """What a file of cells tells of them beside their values."""

    count: Annotated[Word, typer.Option(help="Column of the number of contributors.")] = None
    largest: Annotated[Several, typer.Option(help="Column of a largest contribution, largest first.")] = None
    who: Annotated[
        Several, typer.Option(help="Column of the contributor of a largest contribution, in the same order.")
    ] = None
    size: Annotated[
        Word,
        typer.Option(help="Column of the sum of contributions without their signs, where some are negative."),
    ] = None
    owner_count: Annotated[Word, typer.Option(help="Column of the number of owners.")] = None
    owner_largest: Annotated[
        Several, typer.Option(help="Column of a largest contribution by owner, largest first.")
    ] = None
    owner_who: Annotated[
        Several, typer.Option(help="Column of the owner of a largest contribution, in the same order.")
    ] = None
    status: Annotated[Word, typer.Option(help="Column of the status; 'status' if there is one.")] = None
    marks: Annotated[
        MaybeFile,
        typer.Option(help="A file of marks (.csv, .hst …): cells to keep or suppress, bounds, costs."),
    ] = None
    tolerance: Tolerance = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Released(WithContributions):
    """What protect and round take."""

    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the release; must not exist yet.")]
    rule: Annotated[Several, typer.Option(help="A rule: 'rule.p-percent: {p: 10}'.")] = None
    insiders: Insiders = None
    exact: Annotated[
        Optional[bool],
        typer.Option(
            "--exact/--no-exact",
            help="Tell every interval to its end; by default where at most 500 cells are hidden.",
        ),
    ] = None
    replace: Annotated[bool, typer.Option("--replace", help="Replace an older release.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedBy(Released):
    """What protect takes."""

    method: Annotated[str, typer.Option(help="The method: 'table.quader: {levels: percent, span: 118}'.")] = (
        "table.quader"
    )
    prior: Annotated[
        Optional[float],
        typer.Option(
            help="An attacker knows every cell up to so many percent; cells are protected against him."
        ),
    ] = None
    also: Annotated[
        Files,
        typer.Option(
            help="A further file that shares cells; all are protected together. Its dimensions are those of --by it has."
        ),
    ] = None
    published: Annotated[
        Files, typer.Option(help="A file of cells or the folder of a release that is out already.")
    ] = None
    last: Annotated[
        MaybeFile,
        typer.Option(
            help="The last period: the folder of its release, its file of cells or a .hst file. What it hid is hidden again where that costs little."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedTo(Released):
    """What round takes."""

    base: Annotated[int, typer.Option(min=2, help="Results are multiples of this number.")] = 5
    random: Annotated[
        bool, typer.Option("--random", help="Unbiased at random, not to the nearest multiple.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted(WithContributions):
    """What convert takes."""

    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The new file: .csv, .parquet, .arrow, .xlsx, .jj, .tab or .hst."),
    ]


def named(asked: Described) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The dimensions and their hierarchies."""
    from tarnkappe.cli.short import with_levels

    return with_levels(tuple(asked.by or ()), tuple(asked.hierarchy or ()), tuple(asked.levels or ()))


@_command("audit", Audited)
def audit(asked: Audited) -> None:
    """Attack a published table: find what can be worked out about its suppressed cells."""
    from tarnkappe.cli.table_audit import Asked
    from tarnkappe.cli.table_audit import audit as perform

    perform(
        Asked(
            asked.file, *named(asked), asked.value, asked.status,
            tuple(asked.hidden or ()), asked.signed, asked.whole, asked.quick, asked.tolerance, reading(asked), asked.meta,
            tuple(asked.also or ()), asked.prior, asked.count, asked.insiders not in (None, "none"),
        ),
        asked.out, asked.lang,
    )  # fmt: skip


@_command("protect", ProtectedBy)
def protect(asked: ProtectedBy) -> None:
    """Mark cells by rules, protect them, audit the result and release."""
    _release(asked, asked.method)


@_command("round", RoundedTo)
def round_(asked: RoundedTo) -> None:
    """Round a table and release it."""
    _release(
        asked, f"{{use: table.round-{'random' if asked.random else 'conventional'}, base: {asked.base}}}"
    )


def _release(asked: Released, method: str) -> None:
    from tarnkappe.cli.tables import protect as perform

    cells = _cells(
        asked,
        also=tuple(getattr(asked, "also", None) or ()),
        published=tuple(getattr(asked, "published", None) or ()),
        last=getattr(asked, "last", None),
        prior=getattr(asked, "prior", None),
        insiders=asked.insiders,
        exact=asked.exact,
    )
    perform(
        cells,
        tuple(asked.rule or ()),
        method,
        asked.out,
        asked.lang,
        replace=asked.replace,
        quiet=asked.quiet,
    )


@_command("convert", Converted)
def convert(asked: Converted) -> None:
    """Convert a table with its suppressions, marks, required protection, bounds and costs.

    A JJ file numbers its cells: with --by and a --hierarchy for every dimension they get their codes back.
    """
    from tarnkappe.cli.table_convert import convert as perform

    perform(_cells(asked), asked.target, asked.lang)


def _cells(asked: WithContributions, **more: Any) -> Any:
    """The file and what its columns hold."""
    from tarnkappe.cli.table_source import Cells
    from tarnkappe.io.cells import CellColumns

    columns = CellColumns(
        asked.value, asked.count, tuple(asked.largest or ()), tuple(asked.who or ()), asked.size, asked.owner_count,
        tuple(asked.owner_largest or ()), tuple(asked.owner_who or ()), asked.status,
    )  # fmt: skip
    return Cells(
        asked.file, *named(asked), columns, asked.marks, asked.meta, asked.tolerance,
        reading(asked), **more,
    )  # fmt: skip
