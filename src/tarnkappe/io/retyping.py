"""Giving a column the type the user asked for, instead of the one its file suggests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from tarnkappe.data.column import OBSERVED, Bools, Column, Ints, Strings
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.data import ColumnMissing, TypeNotPossible
from tarnkappe.io.coding import column_of
from tarnkappe.io.parsing import parse, unfit
from tarnkappe.vocab import Kind


def retyped(columns: Mapping[str, Column], types: Mapping[str, Kind]) -> dict[str, Column]:
    """All columns, those named in `types` with the kind asked for."""
    out = dict(columns)
    for name, kind in types.items():
        if name not in columns:
            raise ColumnMissing(name=name, hint=did_you_mean(name, columns))
        out[name] = as_kind(columns[name], name, kind)
    return out


def as_kind(column: Column, name: str, kind: Kind, decimal: str = ".") -> Column:
    """The column with the spelling of its values read as `kind`; each distinct value is read once."""
    if column.kind is kind:
        return column
    codes, spelt = _spellings(column)
    texts = pl.Series(spelt.tolist(), dtype=pl.String)
    parsed = parse(texts, kind, decimal)
    if kind is not Kind.CATEGORY:
        _refuse(unfit(texts, parsed).to_numpy(), codes, name, kind)
    places = pl.Series(codes).set(pl.Series(codes < 0), None)
    new = column_of(parsed.gather(places), name)
    return replace(new, label=column.label, value_labels=column.value_labels)


def _spellings(column: Column) -> tuple[Ints, Strings]:
    """A code for every record (-1 where nothing is observed) and the spelling behind each code."""
    if column.categories is not None:
        codes, spelt = column.values.astype(np.int64), column.categories
    else:
        distinct, codes = np.unique(column.values, return_inverse=True)
        spelt = np.array([column.spelt(value) for value in distinct], dtype=object)
    return (codes if column.state is None else np.where(column.state == OBSERVED, codes, -1)), spelt


def _refuse(bad: Bools, codes: Ints, name: str, kind: Kind) -> None:
    records = np.flatnonzero((codes >= 0) & bad[codes]) if len(bad) else np.zeros(0, dtype=np.int64)
    if len(records):
        raise TypeNotPossible(name=name, kind=kind.text, count=len(records), first=int(records[0]) + 1)
