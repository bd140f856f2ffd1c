"""Who exchanges: single records, or units whose records over the periods move together, and what can be claimed of those."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.data.units import Units
from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.kernels.coding import dense_codes
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import (
    ALL_BUT_ONE_MOVED,
    FEWEST,
    Blocks,
    Exchanges,
    all_but_one,
    alone,
    blocks_of,
    owners_of,
)
from tarnkappe.methods.microdata.exchange_units import units_of
from tarnkappe.spec import Claim
from tarnkappe.spec.conditions import given, not_given, unless

_LEFT = Text(
    "{name}: {count} found no partner and keep what they have, one in every stratum with an odd number.",
    "{name}: {count} fanden keinen Partner und behalten, was sie haben, je einer in jeder Schicht mit ungerader Anzahl.",
)


class ExchangesUnits(Exchanges, Protocol):
    """A method that may move units."""

    def unit_columns(self) -> tuple[str, ...]:
        """The columns that name a unit; none where every record moves by itself."""


@dataclass(frozen=True)
class Movers:
    """Records, or units that are there in the same strata, with the same gaps, and exchange with each other."""

    blocks: Blocks
    size: int
    units: Units | None

    def level(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """What a mover is sorted by: its value, or the mean of those of a unit that are shown; infinite ones count as the largest."""
        if self.units is None:
            return values
        x = np.where(column.observed, values, 0).astype(np.float64)
        scale = float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) or 1.0
        sums = np.bincount(self.units.of, weights=np.clip(x, -scale, scale) / scale, minlength=self.size)
        shown = np.bincount(self.units.of, weights=column.observed, minlength=self.size)
        out: Floats = sums / np.maximum(shown, 1) * scale
        return out

    def one_each(self, data: Microdata) -> Microdata:
        """One record per mover: of a unit that of its first stratum, with the unit's mean in numeric columns."""
        if self.units is None:
            return data
        first = self.units.order[self.units.starts[:-1]]
        told = data.take(first)
        means = {}
        for name, column in data.columns.items():
            if column.kind.is_number:
                shown = np.bincount(self.units.of, weights=column.observed, minlength=self.size) > 0
                means[name] = Column.numbers_of(np.where(shown, self.level(column.values, column), np.nan))
        return told.with_columns(means)

    def records(self, partner: Ints) -> Ints:
        """From movers to records: whose values each record takes."""
        return partner if self.units is None else self.units.record_of(partner)

    @property
    def places(self) -> Ints:
        """How many records a mover of every block has."""
        first = self.blocks.order[self.blocks.starts[:-1]]
        return np.ones(len(first), dtype=np.int64) if self.units is None else self.units.size[first]

    def rows(self, movers: Ints) -> Ints:
        """The records of some movers, one mover after the other; those of like units stand in the same order."""
        return movers if self.units is None else self.units.rows(movers)

    def members(self, movers: Ints) -> Ints:
        """The records of some movers."""
        if self.units is None:
            return movers
        chosen = np.zeros(self.size, dtype=np.bool_)
        chosen[movers] = True
        out: Ints = np.flatnonzero(chosen[self.units.of])
        return out

    def having(self, records: Bools) -> Bools:
        """Which movers have one of these records."""
        if self.units is None:
            return records
        out = np.zeros(self.size, dtype=np.bool_)
        out[self.units.of[records]] = True
        return out

    def who(self, data: Microdata) -> Ints | None:
        """The contributor of every mover, that of a unit being the owner of its first record; None where each stands for itself."""
        codes = owners_of(data)
        return codes if codes is None or self.units is None else codes[self.units.first]

    def left(self, data: Microdata, name: str) -> Ints:
        """Records that show a column and whose mover has nobody to exchange with."""
        records = self.members(alone(self.blocks, self.who(data)))
        out: Ints = records[data.column(name).observed[records]]
        return out


def movers_of(data: Microdata, unit: Sequence[str], within: Sequence[str], columns: Sequence[str]) -> Movers:
    """Records of one stratum; with `unit`, units that have as many records in each stratum, with the same gaps."""
    if not unit:
        return Movers(blocks_of(data, within, columns), len(data), None)
    strata = strata_of(data, within, columns)
    units = units_of(data, unit, sorted_by=strata.of)
    alike = units.profile(Classes(strata.of, strata.sizes))
    starts = np.concatenate([[0], np.cumsum(np.bincount(alike))]).astype(np.int64)
    return Movers(Blocks(np.argsort(alike, kind="stable"), starts), len(units.first), units)


def without_partner(m: ExchangesUnits, data: Microdata) -> tuple[Text, ...]:
    """Pairs exchange, so that of an odd number one is left (Gottschalk 2002, G-M13: count and report them)."""
    said = []
    for name in m.named():
        movers = movers_of(data, m.unit_columns(), m.within, (name,))
        odd = movers.blocks.sizes % 2 == 1
        if m.too_small == "suppress":
            hidden = np.isin(
                movers.blocks.order[movers.blocks.starts[:-1]], alone(movers.blocks, movers.who(data))
            )
            odd &= ~hidden
        if odd.any():
            said.append(_LEFT.filled(count=int(np.count_nonzero(odd)), name=name))
    return tuple(said)


# -- claims --------------------------------------------------------------------------------------------------------


def _series(m: ExchangesUnits, before: Microdata, after: Microdata) -> Iterator[tuple[str, Ints, Ints]]:
    """Of every column a number for the series of every unit, before and after: equal for the same values in the same strata."""
    units = units_of(before, m.unit_columns())
    count = len(units.first)
    strata = np.tile(strata_of(before, m.within).of.astype(np.int64), 2)
    twice = Units(
        np.concatenate([units.of, units.of + count]),
        np.tile(units.first, 2),
        np.tile(units.size, 2),
        units.order,
    )
    for name in m.named():
        old, new = before.column(name), after.column(name)
        shown = np.concatenate([old.observed, new.observed])
        codes, kinds = dense_codes(np.where(shown, np.concatenate([old.values, new.values]), 0))
        kind = classes(
            [(strata, int(strata.max(initial=-1)) + 1), (np.where(shown, codes + 1, 0), kinds + 1)]
        )
        found = twice.profile(kind)
        yield name, found[:count], found[count:]


def _series_kept(m: ExchangesUnits, before: Microdata, after: Microdata) -> bool:
    found = _series(m, before.aligned_to(after), after)
    return all(np.array_equal(np.sort(old), np.sort(new)) for _, old, new in found)


def units_moved(
    m: ExchangesUnits,
    before: Microdata,
    after: Microdata,
    due: Callable[[Ints], Ints] = all_but_one,
    gaps: Sequence[str] = (),
) -> bool:
    """Of `sizes` units that can exchange, `due(sizes)` have the series of another one: as far as series differ."""
    was = before.aligned_to(after)
    for name, old, new in _series(m, was, after):
        blocks = movers_of(was, m.unit_columns(), m.within, gaps or (name,)).blocks
        block = np.repeat(np.arange(len(blocks.sizes)), blocks.sizes)
        alike = classes(
            [(block, max(len(blocks.sizes), 1)), (old[blocks.order], int(old.max(initial=-1)) + 1)]
        )
        free = (alike.sizes[alike.ids] > 1) | (old != new)[blocks.order]
        stay = blocks.sizes - np.bincount(block[free], minlength=len(blocks.sizes))
        if (stay > blocks.sizes - due(blocks.sizes)).any():
            return False
    return True


def among_many(m: ExchangesUnits, before: Microdata, after: Microdata, gaps: Sequence[str] = ()) -> bool:
    """What is shown stands in blocks of three contributors or more, who are counted one by one; with `gaps`, columns that move together."""
    was = before.aligned_to(after)
    for name in m.named():
        movers = movers_of(was, m.unit_columns(), m.within, gaps or (name,))
        who, order = movers.who(was), movers.blocks.order
        each = None if who is None else who[order].tolist()
        small = [
            order[first:last]
            for first, last in pairwise(movers.blocks.starts.tolist())
            if last - first < FEWEST or (each is not None and len(set(each[first:last])) < FEWEST)
        ]
        hidden = movers.members(np.concatenate([np.zeros(0, dtype=np.int64), *small]))
        if after.column(name).observed[hidden].any():
            return False
    return True


AMONG_MANY = Claim(
    Text(
        "what is shown of a stratum was exchanged among three contributors or more",
        "was von einer Schicht gezeigt wird, wurde unter drei oder mehr Beitragenden getauscht",
    ),
    among_many,
    when=unless("too_small", "leave"),
)
MOVED_ALONE = replace(ALL_BUT_ONE_MOVED, when=not_given("unit"))
SERIES_KEPT = Claim(
    Text(
        "the series of every unit over its strata, each as often as before: changes from period to period are those of real units",
        "die Reihe jeder Einheit über ihre Schichten, jede so oft wie zuvor: Veränderungen von Periode zu Periode sind die echter Einheiten",
    ),
    _series_kept,
    when=given("unit") & unless("too_small", "suppress"),
)
UNITS_MOVED = Claim(
    Text(
        "every unit carries the series of another one, but for one at most among those that are there in the same strata",
        "jede Einheit trägt die Reihe einer anderen, bis auf höchstens eine unter denen, die in denselben Schichten vorkommen",
    ),
    units_moved,
    when=given("unit"),
)
