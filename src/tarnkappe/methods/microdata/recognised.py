"""Who is recognised after noise by the nearest original values, records and units, and how they exchange until nobody is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.kernels.added_noise import filled_covariance, near_in_any
from tarnkappe.kernels.nearest_original import Originals
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.standard import SMALLEST_SPREAD, power_scale
from tarnkappe.methods.microdata.exchange import Blocks
from tarnkappe.methods.microdata.exchange_movers import Movers

FEW, MANY = 16, 4096
"""Partners for a single mover are looked at in parts: nearly always one is among the first."""
AGAIN = 5
"""So often units of a block that lead to each other are put in a new order before one of them counts as without a partner."""


@dataclass(frozen=True)
class Known:
    """What an attacker compares with the masked values of some records or units: their true ones, over the standard deviations."""

    old: Floats
    masked: Callable[[Ints], Floats]
    """Masked values by place among them, over the same standard deviations."""
    columns: Ints
    """The columns that are shown."""


@dataclass(frozen=True)
class Attacked:
    """The records or units of one block, who of them is found, and by what."""

    members: Ints
    found: Bools
    known: Known

    @cached_property
    def originals(self) -> Originals:
        return Originals(self.known.old)

    def lead(self, givers: Ints, receivers: Ints) -> Bools:
        """Whether the masked values of the givers lead to the receivers, both by place in the block."""
        return self.originals.linked(self.known.masked(givers), receivers)


def attacked(members: Ints, close: Bools, known: Known) -> Attacked:
    """Look for everybody, of those that would give a value away, whose own original is the nearest."""
    found, own = close.copy(), np.flatnonzero(close)
    if len(own):
        found[own] = Originals(known.old).linked(known.masked(own), own)
    return Attacked(members, found, known)


class Attack:
    """An attack on all blocks."""

    def __init__(self, parts: Sequence[Attacked], size: int) -> None:
        self.parts = parts
        self.found: Bools = np.zeros(size, dtype=np.bool_)
        for part in parts:
            self.found[part.members] = part.found

    @cached_property
    def _at(self) -> tuple[Ints, Ints]:
        """The block and the place there of everybody; -1 for who stands in none."""
        block = np.full(len(self.found), -1, dtype=np.int64)
        place = block.copy()
        for number, part in enumerate(self.parts):
            block[part.members], place[part.members] = number, np.arange(len(part.members))
        return block, place

    def lead(self, givers: Ints, receivers: Ints) -> Bools:
        """Whether the masked values of the givers lead to the receivers, pair by pair; both stand in one block."""
        block, place = self._at
        of = block[receivers]
        order = np.argsort(of, kind="stable")
        order = order[of[order] >= 0]
        out = np.zeros(len(givers), dtype=np.bool_)
        for at in np.split(order, np.flatnonzero(np.diff(of[order])) + 1) if len(order) else ():
            out[at] = self.parts[of[at[0]]].lead(place[givers[at]], place[receivers[at]])
        return out


@dataclass(frozen=True)
class Recognised:
    """Records that are found, or units: by one of their records, or by their series over all strata."""

    movers: Movers
    records: Attack
    series: Attack | None

    @property
    def seen(self) -> Bools:
        """Which movers are recognised."""
        by_record = self.movers.having(self.records.found)
        return by_record if self.series is None else by_record | self.series.found

    def lead(self, givers: Ints, receivers: Ints) -> Bools:
        """Whether the masked values of the givers, in a record or all together, lead to the receivers."""
        if self.movers.units is None or self.series is None:
            return self.records.lead(givers, receivers)
        out = self.series.lead(givers, receivers)
        pair = np.repeat(np.arange(len(givers)), self.movers.units.size[receivers])
        out[pair[self.records.lead(self.movers.rows(givers), self.movers.rows(receivers))]] = True
        return out

    def exchanged(self, generator: np.random.Generator) -> tuple[Ints, Ints]:
        """Whose values each mover gets, and who has nobody to exchange with.

        Those who are recognised exchange with each other in random order, a single one of a block with any that leads elsewhere.
        """
        seen, blocks = self.seen, self.movers.blocks
        partner, lone = np.arange(self.movers.size), []
        for first, last in pairwise(blocks.starts):
            members = blocks.order[first:last]
            known = generator.permutation(np.flatnonzero(seen[members]))
            if len(known) == 1:
                others = generator.permutation(np.delete(np.arange(len(members)), known))
                known = np.append(known, others[self._elsewhere(members[others], members[known])])
            if len(known) == 1:
                lone.append(int(members[known[0]]))
            partner[members[known]] = members[np.roll(known, 1)]
        if self.movers.units is not None:
            lone += self._put_right(partner, generator)
        return partner, np.array(lone, dtype=np.int64)

    def _elsewhere(self, others: Ints, one: Ints) -> Ints:
        """The place of the first of the others with whom one can exchange so that neither leads to the other: one, or none."""
        for asked in np.array_split(np.arange(len(others)), range(FEW, len(others), MANY)):
            free = asked[~self.lead(others[asked], np.repeat(one, len(asked)))]
            if self.movers.units is not None:
                free = free[~self.lead(np.repeat(one, len(free)), others[free])]
            if len(free):
                return free[:1]
        return np.zeros(0, dtype=np.int64)

    def _put_right(self, partner: Ints, generator: np.random.Generator) -> list[int]:
        """Exchange again where a unit got values that lead to it, though its giver is recognised by others; returned are those left over.

        A record that is recognised leads to itself and nowhere else. A unit need be recognised in one of its records only.
        """
        everyone = np.arange(len(partner))
        got = np.flatnonzero(partner != everyone)
        wrong = np.zeros(len(partner), dtype=np.bool_)
        wrong[got] = self.lead(partner[got], got)
        lone: list[int] = []
        blocks = self.movers.blocks
        hit = np.flatnonzero(np.add.reduceat(wrong[blocks.order], blocks.starts[:-1])) if wrong.any() else ()
        for b in hit:
            members = blocks.order[blocks.starts[b] : blocks.starts[b + 1]]
            moving = members[partner[members] != members]
            left = self._other_givers(members, moving[wrong[moving]], partner, generator)
            for _ in range(AGAIN):
                if not left:
                    break
                partner[members] = members
                moving = generator.permutation(moving)
                partner[moving] = np.roll(moving, 1)
                left = self._other_givers(
                    members, moving[self.lead(partner[moving], moving)], partner, generator
                )
            lone += left
        return lone

    def _other_givers(
        self, members: Ints, wrong: Ints, partner: Ints, generator: np.random.Generator
    ) -> list[int]:
        """Let each who got what leads to it exchange givers with somebody else of its block, with those who exchange anyway first."""
        left = []
        for i in wrong.tolist():
            if not self.lead(partner[[i]], np.array([i])).any():
                continue  # an exchange with another of them has put it right
            others = generator.permutation(members)
            others = others[np.argsort(partner[others] == others, kind="stable")]
            others = others[(others != i) & (partner[others] != i) & (others != partner[i])]
            for asked in np.array_split(others, range(FEW, len(others), MANY)):
                mine, theirs = np.full(len(asked), i), np.full(len(asked), partner[i])
                free = asked[~(self.lead(partner[asked], mine) | self.lead(theirs, asked))]
                if len(free):
                    partner[i], partner[free[0]] = partner[free[0]], partner[i]
                    break
            else:
                left.append(i)
        return left


def recognised(x: Floats, y: Floats, blocks: Blocks, movers: Movers, part: float) -> Recognised:
    """Try to recognise the records of every block, and the units, to an attacker's use: a value is off by less than a part of it.

    `x` may be overwritten, since new memory takes its time.
    """
    scale = power_scale(x)
    close = near_in_any(x, y, scale, part)

    def tried(ends: tuple[int, int]) -> Attacked:
        records = blocks.order[slice(*ends)]
        return attacked(records, close[records], _known(x, y, scale, records))

    parts = list(pairwise(blocks.starts))
    records = Attack(on_cores(tried, parts, len(blocks.order) // max(len(parts), 1)), len(y))
    series = None if movers.units is None else _series(records, close, y, movers)
    return Recognised(movers, records, series)


def _known(x: Floats, y: Floats, scale: Floats, records: Ints) -> Known:
    """With the columns that the records have, and the standard deviations among them; where they are all records, x is overwritten."""
    old = x[records] if len(records) < len(x) else x
    there = np.flatnonzero(~np.isnan(old[0]))
    old, scale = (old if len(there) == len(scale) else old[:, there]), scale[there]
    spread = np.sqrt(np.diag(filled_covariance(old, scale)))
    unit = scale * np.where(spread > SMALLEST_SPREAD, spread, 1.0)
    old /= unit

    def masked(places: Ints) -> Floats:
        out = y[records[places][:, None], there]
        out /= unit
        return out

    return Known(old, masked, there)


def _series(records: Attack, close: Bools, y: Floats, movers: Movers) -> Attack:
    """Try to recognise units by all their records together, each over the standard deviations of its block."""
    old, new = np.full(y.shape, np.nan), np.full(y.shape, np.nan)
    for part in records.parts:
        cells = part.members[:, None], part.known.columns
        old[cells], new[cells] = part.known.old, part.known.masked(np.arange(len(part.members)))
    near = movers.having(close)

    def tried(ends: tuple[int, int]) -> Attacked:
        units = movers.blocks.order[slice(*ends)]
        rows = movers.rows(units).reshape(len(units), -1)

        def side_by_side(values: Floats, places: Ints) -> Floats:
            return values[rows[places]].reshape(len(places), -1)

        true = side_by_side(old, np.arange(len(units)))
        there = np.flatnonzero(~np.isnan(true[0]))
        known = Known(true[:, there], lambda places: side_by_side(new, places)[:, there], there)
        return attacked(units, near[units], known)

    parts = list(pairwise(movers.blocks.starts))
    return Attack(on_cores(tried, parts, len(y) // max(len(parts), 1)), movers.size)
