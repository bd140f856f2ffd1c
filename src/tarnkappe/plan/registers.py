"""Registers that attackers have, and hold-outs: read once, coded as the data is, with the rows of the original where it is told who is who."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from tarnkappe.data.identity import identified
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.risk import RegisterColumn
from tarnkappe.io.paths import inside
from tarnkappe.io.read import read_with
from tarnkappe.plan.check_measures import takes_holdout
from tarnkappe.plan.model import Asked, RegisterDescription
from tarnkappe.spec import Finding

Registers = Mapping[RegisterDescription, Microdata]


def read_registers(
    described: Iterable[RegisterDescription], folder: Path, original: Microdata
) -> dict[RegisterDescription, Microdata]:
    """The registers of a plan."""
    return {said: read_register(said, inside(folder, said.file), original) for said in described}


def read_register(said: RegisterDescription, file: Path, original: Microdata) -> Microdata:
    """A register; columns that the original has too are read as the same type.

    Without a column that tells who is who, nobody of the register is known to be a person of the original.
    """
    from tarnkappe.io.retyping import as_kind  # noqa: PLC0415 - loads polars

    read = read_with(file, said.options)
    alike = {
        name: as_kind(read.column(name), name, original.column(name).kind)
        for name in read.names
        if name in original.columns
    }
    data = read.with_columns(alike)
    if not said.identity:
        return replace(data, rows=-1 - np.arange(len(data), dtype=np.int64))
    _refuse_missing(said, data, said.identity)
    return identified(data, original, said.identity)


def refuse_unfit(asked: Iterable[Asked], registers: Registers) -> None:
    """Say before the work begins which key that a measure names its register lacks."""
    for one in asked:
        if one.against is not None:
            _refuse_missing(one.against, registers[one.against], getattr(one.measure, "keys", ()))


def held(asked: Asked, data: Microdata, original: Microdata, registers: Registers) -> Finding:
    """Hold data against the register of a measure, or against its hold-out."""
    assert asked.against is not None
    register = registers[asked.against]
    if takes_holdout(asked.measure):
        compared: Finding = asked.measure.against(data, original, register)  # type: ignore[attr-defined]
        return compared
    keys = (*data.keys(getattr(asked.measure, "keys", ())), *getattr(asked.measure, "within", ()))
    _refuse_missing(asked.against, register, keys)
    found: Finding = asked.measure.against(data, register)  # type: ignore[attr-defined]
    return found


def _refuse_missing(said: RegisterDescription, register: Microdata, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in register.columns:
            raise RegisterColumn(file=said.file, name=name, hint=did_you_mean(name, register.names))
