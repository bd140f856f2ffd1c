"""Audit a release again from its files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import FileMissing
from tarnkappe.errors.release import NotOurRelease, VerifyFailed
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.read import read_with
from tarnkappe.io.staging import MARK
from tarnkappe.language import NOTHING, Text, number
from tarnkappe.plan.prepare import hash_of
from tarnkappe.spec import Measure, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Kind, Role, Suppressed

LEDGER = "internal/ledger.json"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    says: Text
    held: bool
    because: Text = NOTHING


def verify(folder: Path) -> list[Check]:
    """Check a release; raise when anything does not hold."""
    certificate = _json(folder, MARK)
    checks = [*_files(folder, certificate["files"]), *_nothing_else(folder, certificate["files"])]
    if (folder / LEDGER).is_file():
        checks += _files(folder, _json(folder, LEDGER).get("outputs", {}))
    if all(check.held for check in checks):
        checks += _content(folder, certificate)
    failed = [check for check in checks if not check.held]
    if failed:
        reasons = Text(
            "\n".join(f"  ✗ {c.says.en} {c.because.en}" for c in failed),
            "\n".join(f"  ✗ {c.says.de} {c.because.de}" for c in failed),
        )
        raise VerifyFailed(folder=str(folder), reasons=reasons)
    return checks


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        content = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileMissing(file=str(folder / name), hint=NOTHING) from None
    except (OSError, ValueError):
        raise NotOurRelease(folder=str(folder), why=name) from None
    if not isinstance(content, dict) or not isinstance(content.get("files", {}), dict):
        raise NotOurRelease(folder=str(folder), why=name)
    return content


def _files(folder: Path, digests: Mapping[str, str]) -> Iterator[Check]:
    for name, digest in digests.items():
        says = Text(f"{name} is as it was released", f"{name} ist unverändert")
        try:
            path = inside(folder, name)
            held = path.is_file() and hash_of(path) == digest
        except TarnkappeError:
            held = False
        yield Check(says, held)


def _nothing_else(folder: Path, digests: Mapping[str, str]) -> Iterator[Check]:
    """A file that the certificate does not name was not released by us."""
    here = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    unknown = sorted(n for n in here - set(digests) - {MARK} if not n.startswith("internal/"))
    says = Text("no other files were added", "keine anderen Dateien wurden hinzugefügt")
    yield Check(says, not unknown, Text(", ".join(unknown), ", ".join(unknown)))


def _content(folder: Path, certificate: Mapping[str, Any]) -> Iterator[Check]:
    data = _data(folder, certificate)
    if data is None:
        return
    says = Text("the number of records is the certified one", "die Zahl der Datensätze stimmt")
    yield Check(says, len(data) == certificate["records"])
    says = Text(
        "no direct identifier is among the columns", "kein direkter Identifikator ist unter den Spalten"
    )
    yield Check(says, not data.role(Role.IDENTIFIER))
    for gate in certificate["gates"]:
        if gate.get("recount") and gate["measure"] in catalogue:
            yield _recount(gate, data)


def _data(folder: Path, certificate: Mapping[str, Any]) -> Microdata | None:
    """The released data with its roles, and with the states of its empty cells."""
    named = [n for n in certificate["files"] if n.startswith("data.")]
    name = min(named, key=lambda n: ("data.parquet", "data.arrow", "data.csv", n).index(n), default=None)
    if name is None:
        return None
    columns: Mapping[str, Any] = certificate["columns"]
    kinds = {n: Kind(c["kind"]) for n, c in columns.items()} if name == "data.csv" else {}
    data = read_with(folder / name, ReadOptions(types=kinds))
    roles: dict[Role, tuple[str, ...]] = {}
    for column, facts in columns.items():
        for role in facts["roles"]:
            roles[Role(role)] = (*roles.get(Role(role), ()), column)
    roles.pop(Role.OTHER, None)
    told = {n: _with_states(data, n, columns[n]["empty"]) for n in data.names if n in columns}
    return data.with_columns(told).with_roles(roles)


def _with_states(data: Microdata, name: str, empty: str) -> Column:
    """Empty cells are missing, suppressed, or as a further column tells."""
    column = data.column(name)
    if column.state is None or empty == "missing":
        return column
    if empty == "suppressed":
        return replace(
            column, state=np.where(column.state == MISSING, SUPPRESSED, column.state).astype(np.uint8)
        )
    told = data.column(empty).texts() == "suppressed"
    return replace(column, state=np.where(told, SUPPRESSED, column.state).astype(np.uint8))


def _recount(gate: Mapping[str, Any], data: Microdata) -> Check:
    """Measure again. What the suppressed cells held is not in the file: with them the count is an upper bound."""
    parameters = dict(gate["parameters"])
    bound = "suppressed" in parameters and any(c.suppressed.any() for c in data.columns.values())
    if "suppressed" in parameters:
        parameters["suppressed"] = Suppressed.WILDCARD.value
    measure = build(catalogue[gate["measure"]], parameters)
    assert isinstance(measure, Measure)
    value, certified = measure.measure(data).value, gate["value"]
    held = value >= certified if bound else bool(np.isclose(value, certified, rtol=1e-9))
    found = Text(number(value, "en"), number(value, "de"))
    says = Text("{says}: counted again, {found}", "{says}: nachgezählt, {found}")
    return Check(says.filled(says=Text(gate["says"]["en"], gate["says"]["de"]), found=found), held)
