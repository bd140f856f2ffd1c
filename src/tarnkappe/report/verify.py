"""Audit a release again from its files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import FileMissing
from tarnkappe.errors.release import NotOurRelease, UnknownDeclared, VerifyFailed
from tarnkappe.io.paths import inside
from tarnkappe.io.released_data import ReleasedColumn, released_data
from tarnkappe.io.staging import MARK
from tarnkappe.language import NOTHING, Text, number
from tarnkappe.plan.files import hash_of
from tarnkappe.report.release import as_json, sealed
from tarnkappe.report.verify_tables import attacked
from tarnkappe.spec import Goal, Json, Measure, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Role, Suppressed

LEDGER = "internal/ledger.json"
ABOUT = "about.json"
_EXACT = ("data.parquet", "data.arrow", "data.csv")
"""Files that keep every difference between two cells; others may lose blanks or parts of a second."""


class _Gate(BaseModel):
    says: dict[str, str]
    measure: str = ""
    parameters: dict[str, Any] = {}
    at_least: float | None = None
    at_most: float | None = None
    value: float = 0.0
    recount: bool = False


class _Audit(BaseModel):
    computable: int = 0


class _Table(BaseModel):
    audit: _Audit = _Audit()


class _Certificate(BaseModel):
    tarnkappe: int
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


def verify(folder: Path) -> list[Check]:
    """Check a release; raise when anything does not hold."""
    certificate = _certificate(folder)
    digests = {**certificate.files, **_outputs(folder)}
    checks = [
        *_seals(folder, digests),
        *_files(folder, digests),
        *_nothing_else(folder, {MARK, LEDGER, *digests}),
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


def _certificate(folder: Path) -> _Certificate:
    if not (folder / MARK).is_file():
        raise FileMissing(file=str(folder / MARK), hint=NOTHING)
    try:
        return _Certificate.model_validate(_json(folder / MARK))
    except ValidationError:
        raise NotOurRelease(folder=str(folder), why=MARK) from None


def _json(file: Path) -> Json:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


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
            held = isinstance(content, dict) and file.read_bytes() == as_json(sealed(content)).encode()
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
    return Text(f"{name} is as it was released", f"{name} ist unverändert")


def _nothing_else(folder: Path, known: set[str]) -> Iterator[Check]:
    """A file that neither certificate nor ledger names was not released by us."""
    here = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_symlink() or not p.is_dir()}
    unknown = ", ".join(sorted(here - known))
    says = Text("no other files were added", "keine anderen Dateien wurden hinzugefügt")
    yield Check(says, not unknown, Text(unknown, unknown))


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
    made = build(cls, parameters)
    if not isinstance(made, Measure):
        raise UnknownDeclared(id=gate.measure, hint=NOTHING)
    return made, exactly
