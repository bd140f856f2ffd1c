"""studio: open the web application."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Optional

import typer

from tarnkappe.cli.screen import language, say
from tarnkappe.errors.files import FileMissing
from tarnkappe.errors.studio import StudioMissing, StudioToken
from tarnkappe.language import NOTHING, Lang, Text

LEAST_TOKEN = 16
_OPEN = Text("The studio is open: {address}", "Das Studio ist offen: {address}")
_STOP = Text(
    "Ctrl-C closes it and wipes what was uploaded.", "Strg-C schließt es und löscht, was hochgeladen wurde."
)
_PLAIN = Text(
    "Warning: the connection is not encrypted. Put a server with TLS before it; who reads along sees data and token.",
    "Warnung: Die Verbindung ist nicht verschlüsselt. Schalten Sie einen Server mit TLS davor; wer mitliest, sieht Daten und Kennwort.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What studio takes."""

    folder: Annotated[
        Optional[Path],
        typer.Argument(
            metavar="[FOLDER]",
            help="A project folder: its files can be opened, plans and releases are kept in it.",
        ),
    ] = None
    host: Annotated[str, typer.Option(help="Address to listen on; any but this machine demands a token.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8765
    token: Annotated[
        Optional[str], typer.Option(help="What browsers must show; drawn at random where one is needed.")
    ] = None
    known_as: Annotated[
        Optional[list[str]],
        typer.Option(metavar="NAME", help="Accept only this host name; give it once per name."),
    ] = None
    largest: Annotated[int, typer.Option(min=1, metavar="MIB", help="Largest file that is accepted.")] = 2048
    show: Annotated[bool, typer.Option("--show/--no-show", help="Open a browser.")] = True
    lang: Annotated[
        Optional[str], typer.Option("--lang", help="Language; by default that of the locale.")
    ] = None


def studio(asked: Asked) -> None:
    """Start the studio and stay until it is stopped."""
    spoken = language(asked.lang)
    if asked.token is not None and len(asked.token) < LEAST_TOKEN:
        raise StudioToken(length=len(asked.token), least=LEAST_TOKEN)
    if asked.folder is not None and not asked.folder.is_dir():
        raise FileMissing(file=str(asked.folder), hint=NOTHING)
    try:
        from tarnkappe.studio.serve import serve
        from tarnkappe.studio.settings import Settings, token_for
    except ModuleNotFoundError as problem:
        if (problem.name or "").startswith("tarnkappe"):
            raise
        raise StudioMissing from None
    project = asked.folder.resolve() if asked.folder else None
    settings = Settings(
        asked.host, asked.port, token_for(asked.host, project, asked.token), project, asked.largest * 2**20, spoken,
        tuple(asked.known_as or ()),
    )  # fmt: skip
    serve(settings, lambda chosen: _told(chosen.address, spoken, local=chosen.local), show=asked.show)


def _told(address: str, lang: Lang, *, local: bool) -> None:
    say(_OPEN, lang, address=address)
    if not local:
        say(_PLAIN, lang)
    say(_STOP, lang)
