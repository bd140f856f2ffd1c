"""Hidden values of a column, and how many of them other released columns give back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.further_formulas import further_formula
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.kernels.classes import classes, index_type
from tarnkappe.kernels.recover import MOST as FORMULA_HOLDS
from tarnkappe.kernels.recover import SAMPLE, recovered
from tarnkappe.vocab import Role

Codes = NDArray[Any]
GLANCE = 20_000
"""Most pairs of columns have nothing to do with each other, and so many records show it."""
SEEN = 100
"""… if so many of them hide a value."""
HOPELESS = 0.01
"""… and fewer than this share of those comes back."""
SHUFFLED = 20261116
"""Seed of the shuffling that shows what chance does: the same in every run."""
_MOST_GAPS = 12
"""Columns of which it is looked at together which cells are shown."""
_MOST_PAIRS = 100_000
"""Pairs of a hidden and a released column that are looked at."""
_MOST_WORK = 5e10
"""Hidden columns × records looked at × squared number of numeric columns, up to which formulas are looked for."""
_NUMBERS_OF_UNITS = (Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER)


@dataclass(frozen=True, slots=True, eq=False)
class Recovered:
    """What comes back of one column, by the way that gives back most."""

    cells: int
    """Hidden values."""
    by: tuple[str, ...]
    """The columns that give it back; none where nothing comes back."""
    exactly: float
    nearly: float
    by_chance: float
    back: Ints
    """The records that get their value back."""

    @property
    def value(self) -> float:
        """The share that comes back beyond chance."""
        return max(0.0, (self.nearly - self.by_chance) / (1 - self.by_chance)) if self.by_chance < 1 else 0.0


@dataclass(frozen=True)
class Released:
    """The released columns as codes, each coded once."""

    data: Microdata
    _samples: dict[str, Ints] = field(default_factory=dict)

    def sample(self, name: str) -> Ints:
        """About `GLANCE` records, those with one value of the column together; of values with very many, a part."""
        if name not in self._samples:
            self._samples[name] = _sample(*self.coded[name])
        return self._samples[name]

    @cached_property
    def coded(self) -> dict[str, tuple[Codes, int]]:
        """Columns that can tell something in general; random numbers of units cannot."""
        numbers = unit_numbers(self.data)
        return {n: _small(*c.codes()) for n, c in self.data.columns.items() if n not in numbers}

    @cached_property
    def gaps(self) -> dict[str, tuple[Codes, int]]:
        """Of columns with gaps, whether a cell is shown, missing or suppressed; of numbers nothing else tells in general."""
        found = {n: np.minimum(codes, 0) + 2 for n, (codes, _) in self.coded.items()}
        return {n: (state.astype(np.int32), 3) for n, state in found.items() if state.min(initial=2) < 2}

    def gap_patterns(self, name: str) -> Iterator[tuple[tuple[str, ...], tuple[Codes, int]]]:
        """Which cells of other columns are shown: of each by itself, and of several together."""
        others = {n: coded for n, coded in self.gaps.items() if n != name}
        yield from (((n,), coded) for n, coded in others.items())
        few = tuple(others)[:_MOST_GAPS]
        if len(few) > 1:
            both = classes([others[n] for n in few])
            yield few, _small(both.ids.astype(np.int64), len(both.sizes))

    @cached_property
    def known_first(self) -> tuple[str, ...]:
        """The columns that can tell something, those that attackers know before the others."""
        keys = set(self.data.role(Role.KEY))
        return tuple(sorted(self.coded, key=lambda name: name not in keys))

    @cached_property
    def numbers(self) -> dict[str, Floats]:
        found = {n: c.numbers() for n, c in self.data.columns.items() if c.kind.is_number}
        return {n: np.where(np.isfinite(x), x, np.nan) for n, x in found.items()}

    def shown(self, name: str) -> tuple[Codes, int]:
        """What is released of a column; the same for all where it was dropped."""
        return self.coded.get(name, (np.zeros(len(self.data), dtype=np.int32), 1))


def unit_numbers(data: Microdata) -> set[str]:
    """Identifiers, households and owners."""
    return {n for role in _NUMBERS_OF_UNITS for n in data.role(role)}


def hidden_columns(old: Microdata, new: Microdata, names: Sequence[str]) -> dict[str, Bools]:
    """For every column that hides values, the records whose value it hides."""
    numbers = unit_numbers(old)
    chosen = tuple(names) or tuple(n for n in old.names if n not in numbers)
    found = ((n, _hidden(old.column(n), new.columns.get(n))) for n in chosen)
    return {n: cells for n, cells in found if cells.any()}


def replaced_cells(old: Microdata, new: Microdata, hidden: dict[str, Bools]) -> dict[str, Bools]:
    """Of hidden cells those that are suppressed, or show another category that the original has too; not coarser ones, and no dropped columns."""
    there = {
        n: cells & _replaced(old.column(n), new.column(n)) for n, cells in hidden.items() if n in new.columns
    }
    return {n: cells for n, cells in there.items() if cells.any()}


def _replaced(old: Column, new: Column) -> Bools:
    if new.kind.is_number or old.kind.is_number:
        return new.suppressed
    known = set(canonical(old))
    of_old = np.array([*(text in known for text in canonical(new)), True, False], dtype=np.bool_)
    out: Bools = of_old[new.codes()[0]]  # -2 is suppressed, -1 missing
    return out


class Reach(NamedTuple):
    """How far the search goes in files with very many columns."""

    others: int
    """Released columns that are looked at beside every hidden one, those that attackers know first."""
    formulas: bool


def reach_of(released: Released, hidden: int) -> Reach:
    """As far as a search of some minutes goes: pairs of columns grow with the square of their number, formulas with the cube."""
    looked_at = min(len(released.data), SAMPLE)
    work = hidden * looked_at * len(released.numbers) ** 2
    return Reach(max(_MOST_PAIRS // max(hidden, 1), 1), work <= _MOST_WORK)


def recovered_best(
    old: Microdata, released: Released, name: str, cells: Bools, share: float, reach: Reach | None = None
) -> Recovered:
    """The way that gives back most of a column: the released column itself, another one beside it, or a formula."""
    best = _nothing(cells)
    for found in _ways(
        old, released, name, _Truth(*_small(*old.column(name).true_codes()), cells, share), reach
    ):
        best = max(best, found, key=lambda way: way.value)
    return best


def _ways(
    old: Microdata, released: Released, name: str, truth: _Truth, reach: Reach | None
) -> Iterator[Recovered]:
    formula = _by_formula(old, released, name, truth.cells) if reach is None or reach.formulas else None
    if formula is not None:
        yield formula
    shown = released.shown(name)
    if name in released.coded:
        yield truth.told_by([shown], (name,), 0.0)
    near = set(released.known_first[: None if reach is None else reach.others])
    for other, coded in released.coded.items():
        if other == name or other not in near:
            continue
        beside = [[coded], [shown, coded]] if name in released.coded else [[coded]]
        for columns in beside:
            if truth.worth_a_look(columns, released.sample(other)):
                yield truth.beyond_chance(columns, (other,))
    for others, coded in released.gap_patterns(name):
        columns = [shown, coded] if name in released.coded else [coded]
        if near.issuperset(others) and truth.worth_a_look(columns, _sample(*coded)):
            yield truth.beyond_chance([coded], others)
            yield truth.beyond_chance(columns, others)


@dataclass(frozen=True, slots=True, eq=False)
class _Truth:
    """The true values of a column, and which of them are hidden."""

    codes: Codes
    values: int
    cells: Bools
    share: float

    def told_by(self, columns: Sequence[tuple[Codes, int]], by: tuple[str, ...], chance: float) -> Recovered:
        from tarnkappe.kernels.giving_back import given_back  # noqa: PLC0415 - numba is loaded when first used

        found = classes(columns)
        given = given_back(found.ids, self.codes, found.sizes, self.values, self.share)
        near, hidden = given.nearly & self.cells, int(self.cells.sum())
        exactly = float(np.sum(given.exactly & self.cells)) / hidden
        return Recovered(hidden, by, exactly, float(near.sum()) / hidden, chance, np.flatnonzero(near))

    def beyond_chance(self, columns: Sequence[tuple[Codes, int]], by: tuple[str, ...]) -> Recovered:
        """What the last column gives back, beside the others, and what it would give back shuffled."""
        found = self.told_by(columns, by, 0.0)
        if found.nearly == 0:
            return found
        codes, count = columns[-1]
        shuffled = np.random.default_rng(SHUFFLED).permutation(codes)
        return replace(found, by_chance=self.told_by([*columns[:-1], (shuffled, count)], (), 0.0).nearly)

    def worth_a_look(self, columns: Sequence[tuple[Codes, int]], rows: Ints) -> bool:
        """Does something come back in a sample of whole classes?"""
        part = _Truth(self.codes[rows], self.values, self.cells[rows], self.share)
        if len(rows) == len(self.codes) or part.cells.sum() < SEEN:
            return True
        return part.told_by([(codes[rows], count) for codes, count in columns], (), 0.0).nearly >= HOPELESS


def _by_formula(old: Microdata, released: Released, name: str, cells: Bools) -> Recovered | None:
    if not old.column(name).kind.is_number or not released.numbers:
        return None
    names, rows = tuple(released.numbers), np.flatnonzero(cells)
    target = old.column(name).numbers()[rows]
    others = np.column_stack([released.numbers[n][rows] for n in names])
    known = np.where(np.isfinite(target), target, np.nan)
    formula = recovered(known, others) or further_formula(known, others)
    if formula is None:
        return None
    by = tuple(names[j] for j in formula.columns)
    back = rows[~np.isnan(others[:, list(formula.columns)]).any(axis=1) & np.isfinite(target)]
    share = FORMULA_HOLDS * len(back) / len(rows)
    return Recovered(len(rows), by, share, share, 0.0, back)


def _hidden(old: Column, new: Column | None) -> Bools:
    """Observed values that the release does not show; none where all were only spelt otherwise, each in its own way."""
    there = old.observed
    if new is None:
        return there
    if new is old:
        return np.zeros(len(old), dtype=np.bool_)
    a, count = old.true_codes()
    b, shown = new.codes()
    place = {text: code for code, text in enumerate(canonical(old))}
    meant = np.array([*(place.get(text, -1) for text in canonical(new)), -1, -1], dtype=np.int64)
    hidden: Bools = there & (meant[b] != a)
    if not hidden.any() or not np.array_equal(there, there & (b >= 0)):
        return hidden
    return np.zeros(len(old), dtype=np.bool_) if _renamed(a[there], count, b[there], shown) else hidden


def _renamed(a: Ints, count: int, b: Ints, shown: int) -> bool:
    """Does each value have another name, and none the name of another? Where every record has its own, nobody can say."""
    pairs = len(classes([(a, count), (b, shown)]).sizes)
    kinds = (np.count_nonzero(np.bincount(codes)) for codes in (a, b))
    return pairs < len(a) and all(pairs == number for number in kinds)


def _sample(codes: Codes, count: int) -> Ints:
    """Values in random order until there are enough records."""
    times = np.bincount(codes + 2, minlength=count + 2)
    order = np.random.default_rng(SHUFFLED).permutation(len(times))
    chosen = np.zeros(len(times), dtype=np.bool_)
    chosen[order[: 1 + np.searchsorted(np.cumsum(times[order]), GLANCE)]] = True
    rows = np.flatnonzero(chosen[codes + 2])
    return rows[:: max(1, len(rows) // GLANCE)]


def _nothing(cells: Bools) -> Recovered:
    return Recovered(int(cells.sum()), (), 0.0, 0.0, 0.0, np.zeros(0, dtype=np.int64))


def _small(codes: Ints, count: int) -> tuple[Codes, int]:
    return codes.astype(index_type(count)), count
