"""The part of a plan that says how its file is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

READING = ("file", "types", "missing", "encoding", "separator", "decimal", "sheet")


def reading_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """What of the part `data` decides how the file is read; roles and hierarchies do not."""
    return {name: data[name] for name in READING if data.get(name) not in (None, {}, [])}
