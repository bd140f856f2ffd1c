"""Putting recoded columns back into the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Role


def recoded(data: Microdata, columns: Mapping[str, Column]) -> Microdata:
    """Replace columns. One that no longer holds numbers is no longer a numeric variable; other roles stay."""
    changed = {name for name, column in columns.items() if not column.kind.is_number}
    roles = {**data.roles, Role.NUMERIC: tuple(n for n in data.role(Role.NUMERIC) if n not in changed)}
    return replace(data, columns={**data.columns, **columns}, roles=roles)
