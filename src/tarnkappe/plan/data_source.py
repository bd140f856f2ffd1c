"""Where the data of a first plan lies and how it was read, as the plan says it: read again, the file gives the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from tarnkappe.io.options import HowRead, ReadOptions
from tarnkappe.io.paths import seen_from

_PLAIN = ReadOptions()


def data_source(file: Path, folder: Path, options: ReadOptions, found: HowRead | None) -> dict[str, Any]:
    """The beginning of the part `data` of a plan in a folder: the file as seen from there, and what was said or found of it."""
    name, outside = seen_from(folder, file)
    settled = options.as_found(found)
    said = {one.name: getattr(settled, one.name) for one in fields(ReadOptions)}
    told = {part: _plain(value) for part, value in said.items() if value != getattr(_PLAIN, part)}
    return {"file": name, **({"outside": True} if outside else {}), **told}


def with_source(plan: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, Any]:
    """A plan whose data comes from there."""
    return {**plan, "data": {**source, **{n: p for n, p in plan["data"].items() if n != "file"}}}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: str(word) for name, word in value.items()}
    return list(value) if isinstance(value, tuple) else value
