"""The commands below ``tarnkappe table``. Their options are the fields of a class each; heavy parts are imported when one runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, get_type_hints

import typer

tables = typer.Typer(
    name="table",
    help="Protect, audit, round or convert a table file without writing a plan.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Several = Optional[list[str]]
Word = Optional[str]
MaybeFile = Optional[Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A file of cells and its dimensions."""

    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file of cells: CSV, Parquet, Excel; for audit also JJ.")
    ]
    by: Annotated[Several, typer.Option("--by", help="A dimension; give it once per dimension.")] = None
    hierarchy: Annotated[
        Several, typer.Option(help="DIMENSION='{digits: [1, 2]}' or DIMENSION=file.hrc; flat if not given.")
    ] = None
    value: Annotated[str, typer.Option(help="Column of the values.")] = "value"
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
    tolerance: Annotated[float, typer.Option(min=0, max=1, help="How far sums may be off, as a share.")] = (
        1e-9
    )
    encoding: Annotated[str, typer.Option(help="Encoding of a text file.")] = "utf-8"
    separator: Annotated[Word, typer.Option(help="Separator of a text file.")] = None
    decimal: Annotated[Word, typer.Option(help="Decimal sign of a text file.")] = None
    out: Annotated[MaybeFile, typer.Option("--out", "-o", help="Write the intervals: .csv or .json.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Released(Described):
    """What protect and round take."""

    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the release; must not exist yet.")]
    count: Annotated[Word, typer.Option(help="Column of the number of contributors.")] = None
    largest: Annotated[Several, typer.Option(help="Column of a largest contribution, largest first.")] = None
    rule: Annotated[Several, typer.Option(help="A rule: 'rule.p-percent: {p: 10}'.")] = None
    marks: Annotated[
        MaybeFile, typer.Option(help="A file of marks: cells to keep or suppress, bounds, costs.")
    ] = None
    replace: Annotated[bool, typer.Option("--replace", help="Replace an older release.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedBy(Released):
    """What protect takes."""

    method: Annotated[str, typer.Option(help="The method: 'table.quader: {span: 118}'.")] = "table.quader"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedTo(Released):
    """What round takes."""

    base: Annotated[int, typer.Option(min=2, help="Results are multiples of this number.")] = 5
    random: Annotated[
        bool, typer.Option("--random", help="Unbiased at random, not to the nearest multiple.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted(Described):
    """What convert takes."""

    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The new file: .csv, .parquet, .arrow, .xlsx or .jj.")
    ]


def _command(name: str, options: type[Any]) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """A command whose options are the fields of a class."""

    def declare(perform: Callable[[Any], None]) -> Callable[[Any], None]:
        def call(**given: Any) -> None:
            perform(options(**given))

        hints = get_type_hints(options, include_extras=True)
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(
                    f.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[f.name],
                    default=inspect.Parameter.empty if f.default is MISSING else f.default,
                )
                for f in fields(options)
            ]
        )  # fmt: skip
        call.__annotations__ = hints
        tables.command(name, help=perform.__doc__)(call)
        return perform

    return declare


@_command("audit", Audited)
def audit(asked: Audited) -> None:
    """Attack a published table: find what can be worked out about its suppressed cells."""
    from tarnkappe.cli.table_audit import Asked
    from tarnkappe.cli.table_audit import audit as perform
    from tarnkappe.io.options import ReadOptions

    options = ReadOptions(encoding=asked.encoding, separator=asked.separator, decimal=asked.decimal)
    perform(
        Asked(
            asked.file, tuple(asked.by or ()), tuple(asked.hierarchy or ()), asked.value, asked.status,
            tuple(asked.hidden or ()), asked.signed, asked.whole, asked.quick, asked.tolerance, options,
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
    from tarnkappe.cli.tables import Cells
    from tarnkappe.cli.tables import protect as perform

    cells = Cells(
        asked.file, tuple(asked.by or ()), tuple(asked.hierarchy or ()), asked.value, asked.count,
        tuple(asked.largest or ()), asked.marks,
    )  # fmt: skip
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
    """Convert a file of cells; JJ is written with the sums of the hierarchies, and read as numbered cells."""
    from tarnkappe.cli.tables import Cells
    from tarnkappe.cli.tables import convert as perform

    cells = Cells(asked.file, tuple(asked.by or ()), tuple(asked.hierarchy or ()), asked.value)
    perform(cells, asked.target, asked.lang)
