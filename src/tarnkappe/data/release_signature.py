"""The signature of a release: which original values were shown as what, and how large the classes are, by keyed hashes only.

Nothing in it is a record or a value. Without the key a signature cannot be turned back nor tested against a list of guesses;
with the key and a list of guesses it can, so the key is a secret that never leaves the house.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from tarnkappe.data.column import MISSING_CODE, SUPPRESSED_CODE, Column, Ints, Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.data.table_signature import TableSignature
from tarnkappe.kernels.classes import classes, first_records

BYTES = 8
_VALUE, _SHOWN, _CLASS = "value", "shown", "class"
_MISSING, _SUPPRESSED = "missing", "suppressed"


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs with a key of 32 bytes. It never shows it."""

    _key: bytes = field(repr=False)

    def sign(self, *parts: str) -> str:
        """Sixteen hexadecimal digits that depend on the key and on every part."""
        message = "".join(f"{len(part)}:{part}" for part in parts).encode()
        return blake2b(message, key=self._key, digest_size=BYTES, person=b"tarnkappe").hexdigest()


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """How a released key follows from a column of the original."""

    name: str
    source: str | None
    """The column of the original; None where it follows from none."""
    level: str = ""
    """The level of the hierarchy that is shown, where there is one."""
    values: Mapping[str, str] | None = None
    """Signature of every original value -> signature of what is shown for it; None where one value is shown as several."""

    def shown(self, data: Microdata, signer: Signer) -> tuple[Ints, Strings]:
        """What this release showed, or would show, of every record of the original, as codes into signatures.

        Values it does not know, and columns that do not follow value by value, count as if they had been shown as they are.
        """
        assert self.source is not None
        column = data.column(self.source)
        signed = _signed(column, signer, _VALUE, self.source)
        known = self.values or {}
        kinds, place = np.unique(
            np.array([known.get(sign, sign) for sign in signed], dtype=object), return_inverse=True
        )
        return place[column.true_codes()[0]], kinds


@dataclass(frozen=True, slots=True)
class ReleaseSignature:
    """One release in a register."""

    title: str
    date: str
    records: int
    k: int
    """Size of the smallest class as it is printed."""
    columns: tuple[ShownColumn, ...]
    classes: Mapping[str, int]
    """Signature of every class -> records in it."""
    gaps: bool = False
    """Some keys were suppressed."""
    pending: bool = False
    """It was about to be written, and nothing tells whether it was."""
    plain: tuple[str, ...] = ()
    """Columns of the original that were shown and are no keys."""
    source: str = ""
    """Signature of the data it was made of."""
    noise: Mapping[str, str] = field(default_factory=dict)
    """Column -> signature of how noise was put on it."""
    tables: tuple[TableSignature, ...] = ()
    """The tables that were published."""

    def parts(self, data: Microdata, signer: Signer) -> tuple[Ints, int]:
        """The class of every record of the original in this release, as far as its columns can be followed.

        Records whose class was not released are all in one: nobody finds a partner for them there.
        """
        followed = [c for c in sorted(self.columns, key=lambda c: c.name) if c.source in data.columns]
        shown = [column.shown(data, signer) for column in followed]
        if not shown:
            return np.zeros(len(data), dtype=np.int64), 1
        found = classes((codes, len(signs)) for codes, signs in shown)
        first, count = first_records(found), len(found.sizes)
        certain = len(followed) == len(self.columns) and all(c.values is not None for c in followed)
        if self.gaps or not certain:
            return found.ids.astype(np.int64), count
        rows = zip(*(signs[codes[first]] for codes, signs in shown), strict=True)
        there = np.array([signer.sign(_CLASS, *row) in self.classes for row in rows])
        return np.where(there, np.arange(count), count)[found.ids], count + 1

    def same_as(self, other: ReleaseSignature) -> bool:
        """Do both show the same of the same records, as far as a register can tell?"""
        return (
            self.columns == other.columns
            and self.classes == other.classes
            and self.tables == other.tables
            and self.noise == other.noise
        )

    def changed_classes(self, other: ReleaseSignature, below: int) -> int:
        """Classes that both could have and whose sizes differ by fewer than `below` records: a difference tells who came or went."""
        if {c.name for c in self.columns} != {c.name for c in other.columns}:
            return 0
        if not self.classes.keys() & other.classes.keys():
            return 0
        names = self.classes.keys() | other.classes.keys()
        differences = (abs(self.classes.get(n, 0) - other.classes.get(n, 0)) for n in names)
        return sum(0 < difference < below for difference in differences)


@dataclass(frozen=True, slots=True, eq=False)
class Earlier:
    """Releases of a register, and the key to compare values with their signatures."""

    releases: tuple[ReleaseSignature, ...]
    signer: Signer


def signature(before: Microdata, after: Microdata, signer: Signer, title: str, date: str) -> ReleaseSignature:
    """Sign the keys of a release."""
    keys = after.keys()
    found = classes(after.column(name).codes() for name in keys)
    signs = dict(
        zip(_class_signs(after, keys, first_records(found), signer), found.sizes.tolist(), strict=True)
    )
    old, new = before.paired(after)
    columns = tuple(_shown(old, new.column(name), name, signer) for name in keys)
    gaps = any(bool(after.column(name).suppressed.any()) for name in keys)
    return ReleaseSignature(title, date, len(after), int(found.sizes.min()), columns, signs, gaps)


def _class_signs(data: Microdata, keys: tuple[str, ...], first: Ints, signer: Signer) -> Iterator[str]:
    """One signature for every class; the order of the keys does not matter."""
    columns = []
    for name in sorted(keys):
        column = data.column(name)
        signed = np.array(
            [*_signed(column, signer, _SHOWN, name), signer.sign(_SUPPRESSED, name)], dtype=object
        )
        shown = column.codes()[0][first]
        shown[shown == MISSING_CODE] = len(signed) - 2
        shown[shown == SUPPRESSED_CODE] = len(signed) - 1
        columns.append(signed[shown])
    return (signer.sign(_CLASS, *row) for row in zip(*columns, strict=True))


def _signed(column: Column, signer: Signer, what: str, name: str) -> list[str]:
    """Signatures of the values behind `true_codes`, and as the last one that of a missing value."""
    spelt: Strings = canonical(column)
    return [*(signer.sign(what, name, text) for text in spelt), signer.sign(_MISSING, what, name)]


def _shown(old: Microdata, column: Column, name: str, signer: Signer) -> ShownColumn:
    """Find the column of the original that the released one follows from: that of its name, or another."""
    sources = (name,) if name in old.columns else old.names
    shown, count = column.true_codes()
    shown = np.where(shown < 0, count, shown)
    for source in sources:
        original, kinds = old.column(source).true_codes()
        original = np.where(original < 0, kinds, original)
        table = np.full(kinds + 1, -1, dtype=np.int64)
        table[original] = shown
        if np.array_equal(table[original], shown):
            used = np.flatnonzero(table >= 0)
            was, now = (
                _signed(old.column(source), signer, _VALUE, source),
                _signed(column, signer, _SHOWN, name),
            )
            values = {was[code]: now[table[code]] for code in used}
            return ShownColumn(name, source, _level(old.column(source), column), values)
    return ShownColumn(name, name if name in old.columns else None)


def _level(source: Column, shown: Column) -> str:
    """The finest level of the hierarchy of the original that is shown."""
    tree = source.hierarchy
    if tree is None:
        return ""
    places = tree.positions(shown.distinct())
    found = places[places >= 0]
    return tree.level_names[int(tree.level[found].max())] if len(found) else ""
