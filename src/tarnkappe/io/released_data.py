"""The records of a release, as its documents describe them: types, roles and the states of empty cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.io.defusing import harmless
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.read import read_with
from tarnkappe.vocab import Kind, Role


class ReleasedColumn(BaseModel):
    """What certificate and documentation tell of a column."""

    kind: Kind
    roles: tuple[Role, ...]
    empty: str


def released_data(file: Path, columns: Mapping[str, ReleasedColumn]) -> Microdata | None:
    """The released data with its roles and the states of its empty cells; nothing where its columns are others."""
    try:
        read = read_with(file, _options(file, columns))
    except TarnkappeError:
        return None
    if len(read.names) != len(columns) or not all(map(_same_name, read.names, columns)):
        return None
    data = Microdata(dict(zip(columns, read.columns.values(), strict=True)))
    told = {name: _with_states(data, name, facts.empty) for name, facts in columns.items()}
    roles: dict[Role, tuple[str, ...]] = {}
    for role in set(Role) - {Role.OTHER}:
        roles[role] = tuple(name for name, facts in columns.items() if role in facts.roles)
    return data.with_columns(told).with_roles(roles)


def _options(file: Path, columns: Mapping[str, ReleasedColumn]) -> ReadOptions:
    """A CSV file tells no types; the name of a column may have been defused in it."""
    if file.suffix != ".csv":
        return ReadOptions(missing=())
    plain = {name: facts.kind for name, facts in columns.items() if name[:1].isalnum()}
    return ReadOptions(plain, missing=(), separator=",", decimal=".")


def _same_name(read: str, certified: str) -> bool:
    return read in (certified.strip(), harmless([certified])[0].strip())


def _with_states(data: Microdata, name: str, empty: str) -> Column:
    """Empty cells are missing, suppressed, or as a further column tells."""
    column = data.column(name)
    if column.state is None or empty == "missing":
        return column
    if empty == "suppressed":
        hidden = column.state == MISSING
    else:
        hidden = (column.state == MISSING) & (data.column(empty).texts() == "suppressed")
    return replace(column, state=np.where(hidden, SUPPRESSED, column.state).astype(np.uint8))
