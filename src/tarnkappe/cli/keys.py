"""keys: pairs of keys with which an office signs its releases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

keys = typer.Typer(
    name="keys",
    help="Keys with which an office signs its releases.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@keys.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the pair is called, such as the office.")],
    folder: Annotated[Path, typer.Option("--out", "-o", help="Folder into which the two files go.")] = Path(),
    lang: Annotated[
        Optional[Literal["en", "de"]], typer.Option("--lang", help="Language; by default that of the locale.")
    ] = None,
) -> None:
    """Draw a pair of keys: NAME.key signs and stays in the house, NAME.pub checks and goes to everybody."""
    from tarnkappe.cli.screen import language, say
    from tarnkappe.io.signature import new_keys
    from tarnkappe.language import Text

    private, public = new_keys(name, folder)
    told = Text(
        "{private}  signs releases: tarnkappe run PLAN --out DIR --sign {private}\n"
        "  Only you can read it. It never leaves the house, and never goes into version control.\n"
        "{public}  checks them: tarnkappe verify DIR --key {public}\n"
        "  Give it to those who receive your releases, on another way than the releases.",
        "{private}  unterschreibt Freigaben: tarnkappe run PLAN --out DIR --sign {private}\n"
        "  Nur Sie können ihn lesen. Er verlässt das Haus nie und gehört in keine Versionsverwaltung.\n"
        "{public}  prüft sie: tarnkappe verify DIR --key {public}\n"
        "  Geben Sie ihn den Empfängern Ihrer Freigaben, auf einem anderen Weg als die Freigaben.",
    )
    say(told, language(lang), private=private, public=public)
