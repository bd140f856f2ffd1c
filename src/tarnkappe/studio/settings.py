"""How the studio is started: where it listens, who may come in, how large files may be."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from tarnkappe.language import Lang

LARGEST_UPLOAD = 2 * 2**30
"""Bytes of a file that is accepted unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Chosen once, on the command line; nothing in the browser changes them."""

    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = None
    """What a browser must show before it sees anything; None where nobody else can reach the studio."""
    project: Path | None = None
    """A folder of the person who started the studio: its files can be opened, releases and plans are kept in it."""
    largest: int = LARGEST_UPLOAD
    lang: Lang = "en"
    hosts: tuple[str, ...] = field(default=())
    """Further names under which browsers reach the studio."""

    @property
    def local(self) -> bool:
        """Only programs of this machine reach it."""
        return is_local(self.host)

    @property
    def address(self) -> str:
        """What a person opens, the token included."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{shown}:{self.port}/" + (f"?token={self.token}" if self.token else "")


def is_local(host: str) -> bool:
    """Whether a host is this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_for(host: str, project: Path | None, given: str | None) -> str | None:
    """The token asked for; a random one where others could come in or a project folder lies open."""
    if given:
        return given
    return secrets.token_urlsafe(32) if project is not None or not is_local(host) else None
