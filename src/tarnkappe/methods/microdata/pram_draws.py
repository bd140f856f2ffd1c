"""What PRAM draws from: existing combinations with a matrix made from their frequencies, or a matrix that is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from tarnkappe.data.column import BOOLEANS, OBSERVED, Bools, Column, Floats, Ints
from tarnkappe.data.contributors import contributors_by
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import ValueUnknown, WrongKind
from tarnkappe.errors.exchange import BlocksIncomplete, MatrixIncomplete, NotMarkov
from tarnkappe.kernels.classes import classes, first_records
from tarnkappe.kernels.coding import compact
from tarnkappe.kernels.pram import DRAWN, DRAWS, Values, matrix_of, staying
from tarnkappe.kernels.transition import correction, drawn, is_markov, two_stage
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import moved
from tarnkappe.spec import Json
from tarnkappe.vocab import Kind

ENOUGH = 3
"""Where fewer contributors have a value, the counts in a matrix are not told as they are."""
LARGEST_TOLD = 40_000
"""Matrices with more entries altogether are not told; the way they are made is."""


class Draws(Protocol):
    """A way to draw new values for some columns."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def numbers(self) -> int:
        """Random numbers that a record needs."""

    def stay(self) -> Floats:
        """The probability of every record to keep its values."""

    def result(self, u: Floats) -> Mapping[str, Column]:
        """New columns, from random numbers per record."""

    def told(self, after: Microdata) -> Json:
        """The matrices and what corrects with them."""


def told_counts(counts: Ints, people: Ints) -> Floats:
    """Counts of values as they may be told: those of too few contributors in multiples of three, the most frequent one with the rest.

    So they add up to what everybody knows, the number of records, and none of one or two follows from them; where that cannot be, all
    values count alike. Values that nobody has stay so.
    """
    there = counts > 0
    rare, most = there & (people < ENOUGH), int(np.argmax(counts))
    out = np.where(rare, np.maximum(3 * ((counts + 1) // 3), 3), counts).astype(np.float64)
    out[most] += counts.sum() - out.sum()
    if rare.any() and (rare[most] or out[most] < ENOUGH):
        return np.where(there, counts.sum() / np.count_nonzero(there), 0.0)
    return out


@dataclass(frozen=True)
class Law:
    """Which probabilities combinations change with."""

    mode: str
    alpha: float
    blocks: Mapping[str, Sequence[Sequence[str]]]
    """Column -> lists of values that change only among themselves."""


def numbered_blocks(data: Microdata, name: str, blocks: Sequence[Sequence[str]]) -> tuple[Ints, int]:
    """The block of every record's value, from 1, and 0 where it shows none; every value must have one."""
    column = data.column(name)
    place = {value: number for number, values in enumerate(blocks, 1) for value in values}
    numbers = np.array([place.get(text, -1) for text in canonical(column)] + [0], dtype=np.int64)
    out: Ints = numbers[np.where(column.observed, column.true_codes()[0], len(numbers) - 1)]
    lacking = np.flatnonzero(out < 0)
    if len(lacking):
        kinds = len(np.unique(column.true_codes()[0][lacking]))
        raise BlocksIncomplete(name=name, count=kinds, first=data.record(lacking[0]))
    return out, len(blocks) + 1


def refuse_kinds(data: Microdata, columns: Sequence[str], who: str) -> None:
    """PRAM is for categories: DAV (2025), table 1."""
    for name in columns:
        if not data.is_category(name):
            needed = Text("categories", "Kategorien")
            raise WrongKind(name=name, found=data.column(name).kind.text, who=who, needed=needed)


# -- existing combinations -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Existing:
    """Combinations that occur in a stratum become others that occur in it."""

    columns: tuple[str, ...]
    data: Microdata
    values: Values
    first: Ints
    """A record with each combination."""
    within: tuple[str, ...]
    stratum: Ints
    """The stratum that every block belongs to: several where the plan names blocks of values."""
    mode: str
    alpha: float

    @staticmethod
    def of(data: Microdata, within: Sequence[str], columns: tuple[str, ...], law: Law) -> Existing:
        strata = strata_of(data, within, columns)
        apart = [numbered_blocks(data, n, law.blocks[n]) for n in columns if n in law.blocks]
        blocks = classes([(strata.of.astype(np.int64), max(len(strata), 1)), *apart])
        ids = blocks.ids.astype(np.int64)
        found = classes([(ids, max(len(blocks.sizes), 1)), *(data.column(n).codes() for n in columns)])
        first = first_records(found)
        values = Values(found.ids.astype(np.int64), found.sizes, ids[first])
        stratum = strata.of[first_records(blocks)].astype(np.int64)
        return Existing(columns, data, values, first, tuple(within), stratum, law.mode, law.alpha)

    @property
    def numbers(self) -> int:
        return DRAWS[self.mode]

    def stay(self) -> Floats:
        return staying(self.values, self.mode, self.alpha)[self.values.of] if len(self.data) else np.zeros(0)

    def result(self, u: Floats) -> Mapping[str, Column]:
        if not len(self.data):
            return {}
        source = self.first[DRAWN[self.mode](self.values, self.alpha, u)]
        return moved(self.data, dict.fromkeys(self.columns, source)).columns

    def told(self, after: Microdata) -> Json:
        """Values are numbered in ascending order of their text; those the release no longer shows are named by number."""
        kinds = np.bincount(self.stratum, weights=self.values.kinds)
        if not len(self.data) or int((kinds**2).sum()) > LARGEST_TOLD:
            return None
        seen = self._still_there(after)
        by_stratum = np.split(
            np.argsort(self.stratum, kind="stable"), np.cumsum(np.bincount(self.stratum))[:-1]
        )
        one = self.first[np.array([self.values.members(int(blocks[0]))[0] for blocks in by_stratum])]
        in_order = strata_in_order(self.data, self.within, self.columns, one)
        return [self._told_stratum(by_stratum[s], seen) for s in in_order]

    def _told_stratum(self, blocks: Ints, seen: Bools) -> Json:
        """The matrix of a stratum: those of its blocks along the diagonal, all values in the order of their text (Höhne 2010, 2.2.2)."""
        parts = [self._told_block(int(block), seen) for block in blocks]
        some = self.first[self.values.members(int(blocks[0]))[0]]
        members = np.concatenate([values for values, _ in parts])
        p, start = np.zeros((len(members), len(members))), 0
        for values, part in parts:
            p[start : start + len(values), start : start + len(values)] = part
            start += len(values)
        order = np.lexsort(self._texts(members))
        members, p = members[order], p[np.ix_(order, order)]
        absent = [i + 1 for i, value in enumerate(members) if not seen[value]]
        gaps = [n for n in self.columns if not self.data.column(n).observed[some]]
        return {"values": len(members), "absent": absent, "gaps": gaps, **matrix_and_correction(p)}

    def _told_block(self, block: int, seen: Bools) -> tuple[Ints, Floats]:
        """The values of a block that are told, and their matrix."""
        members = self.values.members(block)
        gone = ~seen[members] & (self._people[members] < ENOUGH)
        counts = np.where(gone, 0, self.values.counts[members])
        counts[np.argmax(counts)] += self.values.total[block] - counts.sum()
        members, told = members[~gone], told_counts(counts, self._people[members])[~gone]
        return members, matrix_of(told, self.mode, self.alpha) if len(members) else np.zeros((0, 0))

    @cached_property
    def _people(self) -> Ints:
        """Contributors with each combination."""
        return contributors_by(self.data, np.ones(len(self.data), dtype=np.bool_), self.values.of)

    def _texts(self, members: Ints) -> list[Ints]:
        """Keys that sort combinations by the text of their columns, the first column first."""
        return [_text_ranks(self.data.column(name), self.first[members]) for name in self.columns][::-1]

    def _still_there(self, after: Microdata) -> Bools:
        """Which combinations the released file shows, in their stratum."""
        rows = np.concatenate([self.data.rows, after.rows])
        rows = rows - rows.min()  # those of records that a method made are below 0
        block = np.full(int(rows.max()) + 1, -1, dtype=np.int64)
        block[rows[: len(self.data)]] = self.values.block[self.values.of]
        both = [block[rows]]
        both += [_codes_alike(self.data.column(n), after.column(n)) for n in self.columns]
        found = classes([(codes, int(codes.max(initial=0)) + 1) for codes in both])
        seen = np.zeros(len(found.sizes), dtype=np.bool_)
        seen[found.ids[len(self.data) :]] = True
        out: Bools = seen[found.ids[self.first]]
        return out


def _codes_alike(before: Column, after: Column) -> Ints:
    """The codes of both, one after the other, equal where the categories are."""
    was, count = before.codes()
    now, _ = after.codes()
    if (
        before.categories is not None
        and after.categories is not None
        and before.categories is not after.categories
    ):
        place = {text: i for i, text in enumerate(before.categories)}
        same = np.array(
            [place.get(text, count) for text in after.categories] + [count, count], dtype=np.int64
        )
        now = np.where(now < 0, now, same[now])
    return np.concatenate([was, now])


def strata_in_order(data: Microdata, within: Sequence[str], columns: Sequence[str], records: Ints) -> Ints:
    """Strata, given by a record of each, in ascending order of the columns within, gaps first; those with gaps in `columns` last.

    Among the columns within suppressed comes before missing, among the gaps missing before suppressed: a release tells them apart.
    """
    keys = [_text_ranks(data.column(name), records) for name in within]
    keys += [_gaps(data.column(name), records) for name in columns]
    return np.lexsort(keys[::-1]) if keys else np.arange(len(records))


def _gaps(column: Column, records: Ints) -> Ints:
    """0 for a cell that is shown, 1 for a missing and 2 for a suppressed one."""
    states = np.zeros(len(records)) if column.state is None else column.state[records]
    return states.astype(np.int64)


def _text_ranks(column: Column, records: Ints) -> Ints:
    """Numbers that sort as the texts of categories do, and as numbers and dates themselves; suppressed, then missing cells first."""
    codes, count = column.codes()
    rank = np.arange(count)
    if column.categories is not None:
        rank = np.argsort(np.argsort(column.categories)) if count else rank
    out: Ints = np.concatenate([rank, [-2, -1]])[codes[records]]  # -2 and -1 are the codes of gaps, too
    return out


# -- a matrix that is given ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """One column; its matrix as it is, or followed by the backward matrix of every stratum."""

    columns: tuple[str, ...]
    column: Column
    names: tuple[str, ...]
    """The values of the matrix."""
    codes: Ints
    """The number of every record's value among them; 0 where no value is shown."""
    strata: Ints
    p: tuple[Floats, ...]
    """The matrix of every stratum; the same for all where there is no second stage."""
    in_order: Ints
    """The strata in the order in which their matrices are told."""
    to_tell: tuple[Floats, ...]
    """As `p`, from counts as they may be told."""

    @staticmethod
    def of(data: Microdata, name: str, p: Floats, names: tuple[str, ...]) -> Given:
        codes = _numbered(data, name, names)
        whole, first = np.zeros(len(data), dtype=np.int64), np.zeros(1, dtype=np.int64)
        return Given((name,), data.column(name), names, codes, whole, (p,), first, (p,))

    def invariant(self, data: Microdata, within: Sequence[str]) -> Given:
        """The same matrix followed by the backward matrix of every stratum."""
        strata, size, shown = strata_of(data, within), len(self.names), self.column.observed
        pairs = strata.of[shown].astype(np.int64) * size + self.codes[shown]
        counts = np.bincount(pairs, minlength=len(strata) * size).reshape(len(strata), size)
        people = self._people(data, pairs, counts.size).reshape(counts.shape)
        both = tuple(two_stage(self.p[0], row) for row in counts) or self.p
        to_tell = tuple(two_stage(self.p[0], told_counts(*rows)) for rows in zip(counts, people, strict=True))
        in_order = strata_in_order(data, within, (), strata.order[strata.starts[:-1]])
        of = strata.of.astype(np.int64)
        return replace(self, strata=of, p=both, in_order=in_order, to_tell=to_tell or self.p)

    def _people(self, data: Microdata, pairs: Ints, size: int) -> Ints:
        """Contributors with each value in each stratum; `pairs` numbers both of the shown records."""
        shown, cell, out = self.column.observed, np.zeros(len(data), dtype=np.int64), np.zeros(size, np.int64)
        cell[shown] = pairs
        out[np.unique(pairs)] = contributors_by(data, shown, cell)
        return out

    @property
    def numbers(self) -> int:
        return 1

    def stay(self) -> Floats:
        diagonals = np.array([np.diag(p) for p in self.p])
        out: Floats = np.where(self.column.observed, diagonals[self.strata, self.codes], 1.0)
        return out

    def result(self, u: Floats) -> Mapping[str, Column]:
        new = drawn(self.strata * len(self.names) + self.codes, np.vstack(self.p), u[0])
        return {self.columns[0]: _coded(self.column, new, self.names)}

    def told(self, after: Microdata) -> Json:
        """Only values that the plan names are named."""
        del after
        if len(self.p) * len(self.names) ** 2 > LARGEST_TOLD:
            return None
        return [{"values": list(self.names), **matrix_and_correction(self.to_tell[b])} for b in self.in_order]


def checked_matrix(matrix: Mapping[str, Mapping[str, float]], alpha: float) -> tuple[Floats, tuple[str, ...]]:
    """(1 - α)E + αP over all values that occur in the matrix; a value without a row of its own may only be a target."""
    names = tuple(dict.fromkeys([*matrix, *(to for row in matrix.values() for to in row)]))
    place = {name: i for i, name in enumerate(names)}
    p = np.eye(len(names))
    for name, row in matrix.items():
        p[place[name]] = 0.0
        for to, probability in row.items():
            p[place[name], place[to]] = probability
    wrong = np.flatnonzero(~is_markov(p))
    if len(wrong):
        raise NotMarkov(count=len(wrong), first=int(wrong[0]) + 1)
    return (1 - alpha) * np.eye(len(names)) + alpha * p, names


def _numbered(data: Microdata, name: str, names: Sequence[str]) -> Ints:
    column = data.column(name)
    foreign = [i for i, text in enumerate(names, 1) if text not in BOOLEANS]
    if column.kind is Kind.BOOLEAN and foreign:
        raise ValueUnknown(name=name, count=len(foreign), first=foreign[0])
    place = {text: i for i, text in enumerate(names)}
    numbers = np.array([place.get(text, -1) for text in canonical(column)] + [0], dtype=np.int64)
    codes = np.where(column.observed, column.true_codes()[0], len(numbers) - 1)
    out: Ints = numbers[codes]
    lacking = np.flatnonzero(out < 0)
    if len(lacking):
        first = data.record(lacking[0])
        raise MatrixIncomplete(name=name, count=len(np.unique(codes[lacking])), first=first)
    return out


def _coded(column: Column, new: Ints, names: Sequence[str]) -> Column:
    """The drawn values in the shown cells, with categories the column has and those that are new to it."""
    own = {text: i for i, text in reversed(list(enumerate(canonical(column))))}
    added = [] if column.kind is Kind.BOOLEAN else [name for name in names if name not in own]
    categories = np.array(
        [*(column.categories if column.categories is not None else ()), *added], dtype=object
    )
    own |= {name: len(categories) - len(added) + i for i, name in enumerate(added)}
    to = np.array([own.get(name, 0) for name in names], dtype=np.int64)
    keeps = column.state is not None and column.state != OBSERVED
    values = np.where(keeps, column.values, to[new])
    return replace(column, values=compact(values), categories=categories)


def matrix_and_correction(p: Floats) -> dict[str, Json]:
    """The matrix by rows, and the one that gives estimated counts from released ones; null where there is none."""
    back = correction(p)
    return {"matrix": np.round(p, 10), "correction": None if back is None else np.round(back, 10)}
