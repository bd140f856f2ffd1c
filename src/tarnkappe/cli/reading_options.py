"""How a file is to be read: the same options in every command that reads one."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Optional

import typer

Several = Optional[list[str]]
Word = Optional[str]
LAST = {"last": True}
"""Such options stand last in the help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a user may say of a file where the file itself leaves it open; the rest is found out."""

    encoding: Annotated[
        Word,
        typer.Option(help="Encoding of a text file; else by its mark, as UTF-8, or as cp1252."),
    ] = field(default=None, metadata=LAST)
    separator: Annotated[Word, typer.Option(help="Separator of a text file; else found out.")] = field(
        default=None, metadata=LAST
    )
    decimal: Annotated[Word, typer.Option(help="Decimal sign of a text file; else found out.")] = field(
        default=None, metadata=LAST
    )
    missing: Annotated[
        Several, typer.Option(help="A mark of missing values in a text file; give it once per mark.")
    ] = field(default=None, metadata=LAST)
    sheet: Annotated[Word, typer.Option(help="Sheet of an Excel file; else the first.")] = field(
        default=None, metadata=LAST
    )
    header: Annotated[
        Optional[bool],
        typer.Option(
            "--header/--no-header",
            help="Whether the first line of a text file holds names; else it must look like names.",
        ),
    ] = field(default=None, metadata=LAST)


def reading(asked: Reading) -> Any:
    """How a file is to be read, as far as the command line says."""
    from tarnkappe.io.options import options_of

    return options_of(said(asked))


def said(asked: Reading) -> dict[str, Any]:
    """What the command line says of a file, by the names of a plan."""
    given = {one.name: getattr(asked, one.name) for one in fields(Reading)}
    return {name: value for name, value in given.items() if value is not None}
