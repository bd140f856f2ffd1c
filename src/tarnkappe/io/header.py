"""The first line of a text file: names of columns, or a record that would be published as names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from tarnkappe.errors.files import HeaderMissing

LOOKED_AT = 10_000
"""Records that are compared with the first line."""
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,' ]*")
_LETTERS = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"[0-9]")


def refuse_record_as_names(names: Sequence[str], columns: Sequence[pl.Series], file: str) -> None:
    """Raise where half of the names or more look like values of their columns.

    A name looks like a value if it stands in its column again, or if it is a number or has digits in it and all values of the column
    have the same form. Years and other numbers that follow each other are names.
    """
    judged = [
        (name, column.slice(0, LOOKED_AT).drop_nulls()) for name, column in zip(names, columns, strict=True)
    ]
    in_turn = _in_turn([name for name, _ in judged if name.isdecimal()])
    alike = sum(
        name not in in_turn and len(values) > 0 and _is_value(name, values) for name, values in judged
    )
    if 2 * alike >= len(names):
        raise HeaderMissing(file=file, count=alike, columns=len(names))


def _is_value(name: str, values: pl.Series) -> bool:
    if bool((values == name).any()):
        return True
    if _NUMBER.fullmatch(name):
        return all(_NUMBER.fullmatch(text.strip()) for text in values.unique().to_list())
    return bool(_DIGITS.search(name)) and {_form(text) for text in values.unique().to_list()} == {_form(name)}


def _form(text: str) -> str:
    """Letters and digits by their kind, other signs as they are."""
    return _DIGITS.sub("9", _LETTERS.sub("a", text.strip()))


def _in_turn(numbers: Sequence[str]) -> frozenset[str]:
    """Whole numbers that follow each other in equal steps, as years do."""
    values = [int(number) for number in numbers]
    steps = {b - a for a, b in pairwise(values)}
    return frozenset(numbers) if len(values) > 1 and len(steps) == 1 and steps != {0} else frozenset()
