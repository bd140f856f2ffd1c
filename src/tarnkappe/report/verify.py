"""Audit a release again from its files alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import FileMissing
from tarnkappe.errors.release import NotOurRelease, UnknownDeclared, VerifyFailed
from tarnkappe.io.documents import DocumentUnreadable, bounded_bytes, read_json
from tarnkappe.io.paths import inside
from tarnkappe.io.released_data import ReleasedColumn, released_data
from tarnkappe.io.signature import SIGNATURE, is_signed
from tarnkappe.io.staging import MARK
from tarnkappe.language import NOTHING, Text, listed, number, same
from tarnkappe.plan.files import hash_of
from tarnkappe.plan.ledger import Accepted
from tarnkappe.report.release import as_json, sealed
from tarnkappe.report.verify_tables import attacked
from tarnkappe.spec import Goal, Json, Measure, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Role, Suppressed

LEDGER = "internal/ledger.json"
ABOUT = "about.json"
_EXACT = ("data.parquet", "data.arrow", "data.csv")
"""Files that keep every difference between two cells; others may lose blanks or parts of a second."""

_LARGEST_SIGNATURE = 4096
_LONGEST = 200
"""Signs of a name that are shown."""


class _Gate(BaseModel):
    says: dict[str, str]
    measure: str = ""
    parameters: dict[str, Any] = {}
    at_least: float | None = None
    at_most: float | None = None
    value: float = 0.0
    units: str = ""
    """Said where units were counted that the file alone does not tell: counted again there are at least as many."""
    recount: bool = False


class _Audit(BaseModel):
    computable: int = 0


class _Table(BaseModel):
    audit: _Audit = _Audit()


class _Accepted(BaseModel):
    what: str
    says: dict[str, str]
    reason: str


class _Certificate(BaseModel):
    tarnkappe: int
    accepted: tuple[_Accepted, ...] = ()
    records: int
    columns: dict[str, ReleasedColumn]
    gates: tuple[_Gate, ...]
    files: dict[str, str]
    tables: dict[str, _Table] = {}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    says: Text
    held: bool
    because: Text = NOTHING


def verify(folder: Path, key: Path | None = None) -> list[Check]:
    """Check a release; raise when anything does not hold. With the public key of the office, its signature must hold too."""
    certificate = _certificate(folder)
    digests = {**certificate.files, **_outputs(folder)}
    checks = [
        *(_signature(folder, key) if key else ()),
        *_seals(folder, digests),
        *_complete(certificate),
        *_files(folder, digests),
        *_nothing_else(folder, {MARK, SIGNATURE, LEDGER, *digests}),
    ]
    if all(check.held for check in checks):
        for name in certificate.files:
            checks += _content(folder, name, certificate) if name.startswith("data.") else ()
        computable = {name: table.audit.computable for name, table in certificate.tables.items()}
        checks += [Check(*found) for found in attacked(folder, _json(folder / ABOUT), computable)]
    failed = [check for check in checks if not check.held]
    if failed:
        reasons = Text(
            "\n".join(f"  ✗ {c.says.en} {c.because.en}".rstrip() for c in failed),
            "\n".join(f"  ✗ {c.says.de} {c.because.de}".rstrip() for c in failed),
        )
        raise VerifyFailed(folder=str(folder), reasons=reasons)
    return checks


def signed_in(folder: Path) -> tuple[Accepted, ...]:
    """What stood out when a release was made, or was less than the default policy, with the reasons that sign it."""
    return tuple(
        Accepted(one.what, Text(one.says.get("en", ""), one.says.get("de", "")), one.reason)
        for one in _certificate(folder).accepted
    )


def _certificate(folder: Path) -> _Certificate:
    file = folder / MARK
    if not os.path.lexists(file):
        raise FileMissing(file=str(file), hint=NOTHING)
    try:
        return _Certificate.model_validate(read_json(file))
    except DocumentUnreadable as problem:
        why = Text("{file}: {why}", "{file}: {why}").filled(file=MARK, why=problem.why)
        raise NotOurRelease(folder=str(folder), why=why) from None
    except (OSError, ValueError):
        raise NotOurRelease(folder=str(folder), why=MARK) from None


def _json(file: Path) -> Json:
    try:
        found: Json = read_json(file)
    except DocumentUnreadable:
        return None
    return found


def _signature(folder: Path, key: Path) -> Iterator[Check]:
    """The certificate is signed, as it stands, by the owner of the key; it holds the hashes of all other files."""
    says = Text(
        f"{MARK} is signed by the owner of {key.name}",
        f"{MARK} ist mit dem Schlüssel zu {key.name} unterschrieben",
    )
    try:
        signature = bounded_bytes(folder / SIGNATURE, _LARGEST_SIGNATURE)
        certificate = bounded_bytes(folder / MARK)
    except DocumentUnreadable:
        is_signed(b"", b"", key)  # a key that cannot be read is told first
        yield Check(says, held=False, because=Text("It is not signed.", "Es ist nicht unterschrieben."))
        return
    yield Check(says, is_signed(certificate, signature, key))


def _complete(certificate: _Certificate) -> Iterator[Check]:
    """A certificate vouches for every file that a release of its kind has: what it leaves out, nobody checks."""
    needed = {ABOUT, "about.html", *(f"tables/{name}.csv" for name in certificate.tables)}
    named = set(certificate.files)
    data = not certificate.columns or any(name.startswith("data.") for name in named)
    says = Text(
        "the certificate names all files of the release", "das Zertifikat nennt alle Dateien der Freigabe"
    )
    yield Check(says, data and needed <= named, same(_shown(needed - named)))


def _outputs(folder: Path) -> dict[str, str]:
    """What the ledger says was written; nothing where the release came without internal/."""
    found = _json(folder / LEDGER)
    outputs = found.get("outputs") if isinstance(found, dict) else None
    return {n: str(d) for n, d in outputs.items()} if isinstance(outputs, dict) else {}


def _seals(folder: Path, digests: Mapping[str, str]) -> Iterator[Check]:
    """A document that no other one vouches for no longer fits the seal in it once it was edited."""
    for name in (MARK, LEDGER):
        file = folder / name
        if file.is_file() and name not in digests:
            content = _json(file)
            held = isinstance(content, dict) and bounded_bytes(file) == as_json(sealed(content)).encode()
            yield Check(_unchanged(name), held)


def _files(folder: Path, digests: Mapping[str, str]) -> Iterator[Check]:
    for name, digest in digests.items():
        try:
            path = inside(folder, name)
            held = path.is_file() and hash_of(path) == digest
        except (OSError, TarnkappeError):
            held = False
        yield Check(_unchanged(name), held)


def _unchanged(name: str) -> Text:
    name = _shown([name])
    return Text(f"{name} is as it was released", f"{name} ist unverändert")


def _nothing_else(folder: Path, known: set[str]) -> Iterator[Check]:
    """A file that neither certificate nor ledger names was not released by us."""
    here = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_symlink() or not p.is_dir()}
    unknown = _shown(here - known)
    says = Text("no other files were added", "keine anderen Dateien wurden hinzugefügt")
    yield Check(says, not unknown, Text(unknown, unknown))


def _shown(names: Iterable[str]) -> str:
    """Names from a folder that may be hostile: not too many, not too long, and nothing in them that moves a cursor."""
    told = ("".join(sign if sign.isprintable() else "\ufffd" for sign in n[:_LONGEST]) for n in sorted(names))
    return listed(list(told), most=10)


def _content(folder: Path, name: str, certificate: _Certificate) -> Iterator[Check]:
    data = released_data(folder / name, certificate.columns)
    says = Text(f"{name} has the certified columns", f"{name} hat die bescheinigten Spalten")
    yield Check(says, data is not None)
    if data is None:
        return
    says = Text(
        f"{name} has the certified number of records", f"{name} hat die bescheinigte Zahl von Datensätzen"
    )
    yield Check(says, len(data) == certificate.records)
    says = Text(f"{name} holds no direct identifier", f"{name} enthält keinen direkten Identifikator")
    yield Check(says, not data.role(Role.IDENTIFIER))
    yield from (_recount(gate, data, exact=name in _EXACT) for gate in certificate.gates if gate.recount)


def _recount(gate: _Gate, data: Microdata, *, exact: bool) -> Check:
    """Measure again.

    What stood in the suppressed cells is not in the file. Where it would count, all that can be told is a value on the
    better side of the true one; then the certified value must not be better still.
    """
    says = Text(gate.says.get("en", ""), gate.says.get("de", ""))
    try:
        measure, exactly = _measure(gate, data)
        value = measure.measure(data).value
    except TarnkappeError as problem:
        return Check(says, held=False, because=problem.what)
    agrees = bool(np.isclose(value, gate.value, rtol=1e-9, atol=0))
    if not (exact and exactly):
        agrees |= (value > gate.value) if measure.goal is Goal.HIGH else (value < gate.value)
    kept = (gate.at_least is None or gate.value >= gate.at_least) and (
        gate.at_most is None or gate.value <= gate.at_most
    )
    counted = Text("{says}: counted again, {found}", "{says}: nachgezählt, {found}")
    found = Text(number(value, "en"), number(value, "de"))
    return Check(counted.filled(says=says, found=found), agrees and kept)


def _measure(gate: _Gate, data: Microdata) -> tuple[Measure, bool]:
    """The measure of a gate as the file alone allows it, and whether it then gives the same value."""
    cls = catalogue[gate.measure]
    parameters = dict(gate.parameters)
    hidden = any(column.suppressed.any() for column in data.columns.values())
    exactly = not hidden or parameters.get("suppressed") != Suppressed.ATTACKER.value
    if not exactly:
        parameters["suppressed"] = Suppressed.WILDCARD.value
    exactly = exactly and not gate.units
    made = build(cls, parameters)
    if not isinstance(made, Measure):
        raise UnknownDeclared(id=gate.measure, hint=NOTHING)
    return made, exactly
