"""A release as its receiver has it: the records, and what about.json tells of every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.correct import NoAbout, NoRecords
from tarnkappe.io.documents import read_json
from tarnkappe.io.released import ABOUT
from tarnkappe.io.released_data import ReleasedColumn, released_data
from tarnkappe.language import Text
from tarnkappe.vocab import Kind, Role

BEST_FIRST = (".parquet", ".arrow", ".csv", ".sav", ".dta", ".xlsx")
"""Formats that keep more stand before those that keep less."""


class _Both(BaseModel):
    en: str
    de: str


class _Role(BaseModel):
    role: Role


class _Done(BaseModel):
    step: int
    method: str


class _Column(BaseModel):
    name: str
    kind: Kind
    roles: tuple[_Role, ...] = ()
    empty: str = "missing"
    treatment: tuple[_Done, ...] = ()


class _Method(BaseModel):
    step: int
    id: str
    title: _Both


class _Told(BaseModel):
    step: int
    facts: dict[str, Any] = {}


class _About(BaseModel):
    columns: tuple[_Column, ...] = ()
    methods: tuple[_Method, ...] = ()
    corrections: tuple[_Told, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the plan, as far as receivers are told."""

    number: int
    method: str
    title: Text
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Release:
    """Records and the steps that made them what they are."""

    name: str
    data: Microdata
    steps: tuple[Step, ...]
    treated: Mapping[str, tuple[int, ...]]
    """Column -> numbers of the steps that changed it."""

    def steps_of(self, column: str) -> tuple[Step, ...]:
        numbers = self.treated.get(column, ())
        return tuple(step for step in self.steps if step.number in numbers)


def open_release(folder: str | Path | Release) -> Release:
    """Read about.json and the data file that keeps most."""
    if isinstance(folder, Release):
        return folder
    home = Path(folder)
    about = _about(home)
    told = {t.step: t.facts for t in about.corrections}
    steps = tuple(
        Step(m.step, m.id, Text(m.title.en, m.title.de), told.get(m.step, {})) for m in about.methods
    )
    treated = {c.name: tuple(t.step for t in c.treatment) for c in about.columns}
    return Release(home.name, _records(home, about), steps, treated)


def _about(home: Path) -> _About:
    try:
        return _About.model_validate(read_json(home / ABOUT))
    except (OSError, ValueError, RecursionError, ValidationError):
        raise NoAbout(folder=home.name) from None


def _records(home: Path, about: _About) -> Microdata:
    columns = {
        c.name: ReleasedColumn(kind=c.kind, roles=tuple(r.role for r in c.roles), empty=c.empty)
        for c in about.columns
    }
    for ending in BEST_FIRST:
        file = home / f"data{ending}"
        data = released_data(file, columns) if columns and file.is_file() else None
        if data is not None:
            return data
    raise NoRecords(folder=home.name)
