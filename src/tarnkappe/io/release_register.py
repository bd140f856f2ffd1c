"""The register of releases: a local file with the signatures of what was released, for the house alone.

Entries are made under a lock, on a copy that is moved into place, so that the file is always whole. An entry is written as pending
before the release is moved into place and confirmed afterwards: whatever dies in between, no release is out without an entry.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tarnkappe.data.release_signature import ReleaseSignature, ShownColumn
from tarnkappe.data.table_signature import TableSignature
from tarnkappe.errors.register import RegisterChanged, RegisterDamaged
from tarnkappe.io.staging import plainly
from tarnkappe.language import Text

FORMAT = 1
NOTICE = Text(
    "Internal: this register must not leave the house. It holds keyed signatures of classes, no records and no values.",
    "Intern: Dieses Register darf das Haus nicht verlassen. Es enthält Signaturen von Klassen mit Schlüssel, keine Datensätze und keine Werte.",
)
_SEAL = "seal"
_UNREADABLE = Text("it cannot be read.", "es ist nicht lesbar.")
_NOT_OURS = Text("it is not a register, or it is damaged.", "es ist kein Register oder es ist beschädigt.")
_EDITED = Text("it was changed by something else.", "es wurde von etwas anderem verändert.")
_NEWER = Text(
    "it was written by a later version of Tarnkappe.",
    "es wurde von einer späteren Version von Tarnkappe geschrieben.",
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class _Column(_Strict):
    name: str
    source: str | None
    level: str
    values: dict[str, str] | None


class _Table(_Strict):
    name: str
    measure: str
    value: str | None
    weighted: bool
    original: bool
    trees: dict[str, dict[str, str]]
    suppressed: list[tuple[str, ...]]
    primary: list[bool]
    changed: bool
    required: list[tuple[float, float, float]] = []


class _Release(_Strict):
    title: str
    date: str
    records: int
    k: int
    columns: list[_Column]
    classes: dict[str, int]
    gaps: bool
    pending: bool
    plain: list[str] = []
    source: str = ""
    noise: dict[str, str] = {}
    tables: list[_Table] = []


class _File(_Strict):
    tarnkappe_register: int
    notice: dict[str, str]
    secret: str
    releases: list[_Release]
    seal: str


@dataclass(frozen=True, slots=True)
class ReleaseRegister:
    """What a register holds."""

    secret: str = ""
    """Keyed fingerprint of the secret it was written with."""
    releases: tuple[ReleaseSignature, ...] = ()
    seal: str = ""
    """Changes with every entry; empty where there is no file yet."""


def read_register(path: Path) -> ReleaseRegister:
    """The register in a file; an empty one where there is no file."""
    try:
        held = path.read_bytes()
    except FileNotFoundError:
        return ReleaseRegister()
    except OSError:
        raise RegisterDamaged(file=path.name, why=_UNREADABLE) from None
    try:
        content = json.loads(held)
        newer = isinstance(content, dict) and content.get("tarnkappe_register", 0) not in (0, FORMAT)
        found = None if newer else _File.model_validate(content)
    except (ValueError, ValidationError, RecursionError):
        raise RegisterDamaged(file=path.name, why=_NOT_OURS) from None
    if found is None:
        raise RegisterDamaged(file=path.name, why=_NEWER)
    if content != _sealed({name: part for name, part in content.items() if name != _SEAL}):
        raise RegisterDamaged(file=path.name, why=_EDITED)
    return ReleaseRegister(found.secret, tuple(map(_release, found.releases)), found.seal)


@contextmanager
def entered(path: Path, checked: ReleaseRegister, secret: str, new: ReleaseSignature) -> Iterator[None]:
    """Enter a release around the moment in which it is written; take the entry back when that fails.

    `checked` is the register that the release was checked against: if another entry was made since, it is refused. A release that
    is already in, with the same classes of the same values, is not entered again.
    """
    with plainly(path), _locked(path.parent):
        now = read_register(path)
        if now.seal != checked.seal:
            raise RegisterChanged(file=path.name)
        if any(new.same_as(old) and not old.pending for old in now.releases):
            yield
            return
        known = tuple(old for old in now.releases if not new.same_as(old))
        _write(path, secret, (*known, replace(new, pending=True)))
        try:
            yield
        except BaseException:
            if now.seal:
                _write(path, secret, now.releases)
            else:
                path.unlink()
            raise
        _write(path, secret, (*known, new))


def _release(read: _Release) -> ReleaseSignature:
    columns = tuple(ShownColumn(c.name, c.source, c.level, c.values) for c in read.columns)
    counts = read.records, read.k
    tables = tuple(
        TableSignature(
            t.name,
            t.measure,
            t.value,
            t.weighted,
            t.original,
            t.trees,
            tuple(t.suppressed),
            tuple(t.primary),
            t.changed,
            tuple(t.required),
        )
        for t in read.tables
    )
    return ReleaseSignature(
        read.title, read.date, *counts, columns, read.classes, read.gaps, read.pending, tuple(read.plain), read.source,
        read.noise, tables,
    )  # fmt: skip


def _sealed(content: dict[str, object]) -> dict[str, object]:
    """With the SHA-256 of everything else, so that damage shows."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return content | {_SEAL: hashlib.sha256(text.encode()).hexdigest()}


def _write(path: Path, secret: str, releases: tuple[ReleaseSignature, ...]) -> None:
    """Write a copy beside the file and move it into place."""
    content = _sealed(
        {
            "tarnkappe_register": FORMAT,
            "notice": {"en": NOTICE.en, "de": NOTICE.de},
            "secret": secret,
            "releases": [_plain(release) for release in releases],
        }
    )
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()


def _plain(release: ReleaseSignature) -> dict[str, object]:
    out = asdict(release)
    return out | {"columns": [dict(column) for column in out["columns"]]}


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One run at a time; the lock is on the folder, so that no file is left behind."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
