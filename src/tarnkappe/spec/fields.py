"""Types of parameters that several declared things share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from tarnkappe.data.spelling import canonical_value
from tarnkappe.language import Text


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError(Text("names a column twice", "nennt eine Spalte zweimal"))
    return names


Names = Annotated[tuple[str, ...], AfterValidator(_each_once)]
"""Names of columns, each once."""

Columns = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_each_once)]
"""Names of columns, at least one, each once."""

Records = tuple[Annotated[int, Field(ge=1)], ...]
"""Numbers of records in the original file, counted from 1."""

Spelt = Annotated[str, BeforeValidator(canonical_value)]
"""A value of the data, spelt as text whatever the document made of it."""

Values = Mapping[str, Annotated[tuple[Spelt, ...], Field(min_length=1)]]
"""Column -> some of its values."""


def _places_once(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(values)) < len(values):
        raise ValueError(Text("names a value twice", "nennt einen Wert zweimal"))
    return values


Order = Annotated[tuple[Spelt, ...], AfterValidator(_places_once)]
"""The values of a column in ascending order, each once."""


def _one_or_many(given: object) -> object:
    return ((given,) if given else ()) if isinstance(given, str) else given


Unit = Annotated[tuple[str, ...], BeforeValidator(_one_or_many)]
"""Columns that together name a unit; a single one may be given as it is."""
