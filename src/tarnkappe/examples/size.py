"""How many records an example may have."""

from __future__ import annotations

from tarnkappe.errors.data import ExampleSize


def checked(size: int) -> int:
    if size < 1:
        raise ExampleSize(size=size)
    return size
