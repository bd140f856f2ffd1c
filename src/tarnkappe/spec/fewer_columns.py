"""The same step without some of its columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tarnkappe.spec.contract import Method
from tarnkappe.spec.parameters import build

_NAMED = ("columns", "vary", "carry")
"""Parameters that list the columns a step changes."""


def without_columns(method: Method, names: Collection[str]) -> Method | None:
    """A step that leaves some columns alone, in steps inside it too; None where no column is left."""
    given = method.model_dump(mode="json", exclude_unset=True)
    if given.get("column") in names:
        return None
    left = {key: _without(key, value, names) for key, value in given.items()}
    if "columns" in given and not left["columns"]:
        return None
    made = build(type(method), left)
    assert isinstance(made, Method)
    return made


def _without(key: str, value: Any, names: Collection[str]) -> Any:
    """A parameter without the columns: in lists of columns, and where it is told by column."""
    if isinstance(value, Mapping):
        return {k: _without(k, v, names) for k, v in value.items() if k not in names}
    if isinstance(value, list | tuple) and key in _NAMED:
        return [v for v in value if v not in names]
    return value
