"""Record swapping between regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import Units
from tarnkappe.errors.exchange import RateMissed
from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.kernels.exchange import how_many
from tarnkappe.kernels.region_partners import region_partners
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import STATES_KEPT, VALUES_KEPT, Alone, moved, treat_alone
from tarnkappe.methods.microdata.exchange_units import units_of
from tarnkappe.methods.microdata.limits import refuse_few
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Method, Reach, Source, method
from tarnkappe.spec.conditions import above, unless
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import Needs
from tarnkappe.vocab import Role


@dataclass
class Search:
    """Partners for units, level by level; every unit exchanges once."""

    regions: list[Ints]
    """Per level the region of every unit, counted apart for different regions above."""
    profiles: list[Ints]
    """Per demand of similarity the units that are alike."""
    free: Bools
    partner: Ints
    stream: Stream

    @property
    def moved(self) -> int:
        return int(np.count_nonzero(self.partner != np.arange(len(self.partner))))

    def match(self, level: int, seeks: Bools, pool: Bools, most: int) -> None:
        """Give those who seek a partner from the pool in another region of this level, the most similar first."""
        above = self.regions[level - 1] if level else np.zeros(len(self.free), dtype=np.int64)
        for profile in self.profiles:
            members = np.flatnonzero(pool & self.free)
            if (seeks & self.free).any() and len(members) > 1 and most > 0:
                groups = classes([(c[members], int(c.max()) + 1) for c in (above, profile)])
                order = np.lexsort((self.regions[level][members], groups.ids))
                starts = np.concatenate([[0], np.cumsum(groups.sizes)]).astype(np.int64)
                most -= self._draw(members[order], starts, self.regions[level], seeks, most)

    def _draw(self, order: Ints, starts: Ints, region: Ints, seeks: Bools, most: int) -> int:
        allowed = np.zeros(len(self.free), dtype=np.bool_)
        allowed[order] = True
        found = region_partners(order, starts, region, seeks, allowed, most, self.stream.generator)
        has = np.flatnonzero(found >= 0)
        self.partner[has], self.free[has] = found[has], False
        return len(has)


def _whole(m: RecordSwap, before: Microdata, after: Microdata) -> bool:
    """Records that shared unit and region still share the region."""
    was = before.aligned_to(after)
    units = m.units(was).of
    still = classes([(units, len(units) + 1), *(after.column(n).codes() for n in m.columns)])
    return len(still.sizes) == int(units.max(initial=-1)) + 1


def _risky_moved(m: RecordSwap, before: Microdata, after: Microdata) -> bool:
    """Whoever was rare in a region now shows another one of that level, or none."""
    was = before.aligned_to(after)
    units = m.units(was)
    for level in range(len(m.columns)):
        path = m.columns[: level + 1]
        shown = np.all([after.column(n).observed for n in path], axis=0)[units.first]
        risky = m.risky(was, units, level) & m.moves(was, units) & shown
        stays = np.all([was.column(n).values == after.column(n).values for n in path], axis=0)[units.first]
        if (risky & stays).any():
            return False
    return True


def _share_moved(m: RecordSwap, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    units = m.units(was)
    changed = np.any([was.column(n).values != after.column(n).values for n in m.columns], axis=0)
    moves = m.moves(was, units)
    hidden = np.any([~after.column(n).observed for n in m.columns], axis=0) & moves[units.of]
    return int(np.count_nonzero((changed | hidden)[units.first])) >= m.due(moves)


@method(
    "microdata.record-swap",
    family=Family.SWAP,
    title=Text("Record swapping between regions", "Tausch von Datensätzen zwischen Regionen"),
    does=Text(
        "Units, above all those that are rare in their region, exchanged their regions with similar ones.",
        "Einheiten, vor allem in ihrer Region seltene, tauschten ihre Regionen mit ähnlichen.",
    ),
    sources=(
        Source("templ2015", "recordSwap, targeted record swapping"),
        Source("dav2025", "3.3.3, swapping with high-risk records first (D-M10a)"),
        Source("hundepool2012", "record swapping for census data"),
    ),
    preserves=(
        VALUES_KEPT,
        Claim(
            Text(
                "units: their records move together, and all regional columns with them",
                "Einheiten: ihre Datensätze ziehen gemeinsam um, mit allen regionalen Spalten",
            ),
            _whole,
        ),
        STATES_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "every unit with a record that fewer than k records of its region share shows another region of that level, or none",
                "jede Einheit mit einem Datensatz, den weniger als k Datensätze ihrer Region teilen, zeigt eine andere Region dieser "
                "Ebene oder keine",
            ),
            _risky_moved,
            when=unless("too_small", "leave"),
        ),
        Claim(
            Text(
                "at least the share `share` of the units shows another region",
                "mindestens der Anteil `share` der Einheiten zeigt eine andere Region",
            ),
            _share_moved,
            when=unless("too_small", "leave") & above("share", 0),
        ),
    ),
    does_not=(
        Text(
            "make rare records frequent: that they are in the file still shows, but not where they live",
            "seltene Datensätze häufig machen: dass sie in der Datei sind, ist zu sehen, aber nicht, wo sie wohnen",
        ),
        ForAnalysis(
            "keep relations between region and columns that partners need not share",
            "Zusammenhänge der Region mit Spalten erhalten, die Partner nicht teilen müssen",
        ),
    ),
    example={
        "columns": ["region", "postcode"],
        "keys": ["sex", "occupation"],
        "k": 2,
        "unit": "household",
        "similar": [["sex", "year"], ["sex"], []],
        "carry": ["w"],
        "share": 0.2,
        "too_small": "suppress",
    },
    random=True,
    revision=2,
)
class RecordSwap(Method):
    """Exchange the regions of similar units, those first that are rare in their region.

    The regional columns are named from coarse to fine. At each level, coarse first, a unit is at risk if one of its records shares its
    values of `keys` with fewer than k records of the region. It exchanges all its regional columns with a unit of another region at
    that level, but of the same region above: so a unit moves no farther than its risk demands. Partners have the same number of records and
    agree on one of the lists of columns in `similar`, tried in their order; of several records, on all of them in any order. Units at risk exchange
    with each other where they can; safe units are touched only where a partner is lacking, or where `share` asks for more units to move
    at the finest level. Who has moved cannot be seen in the result.

    As partners are equally large, regions keep their numbers of units and of records. Units without a shown region take no part. Records
    of a unit that live in different regions move as units of their own. Of the columns to `carry`, a cell that is missing or suppressed on one side stays. Missing and suppressed values are values like others among the keys and
    in `similar`. A unit at risk without a partner: `too_small` says what happens to it; suppressing hides its regions from that level on.
    Zero, negative, constant and tied values are values like others.
    """

    columns: Columns
    """Regional columns from coarse to fine. | Regionale Spalten von grob nach fein."""
    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne sie die mit der
    Rolle key."""
    k: Annotated[int, Field(ge=1)] = 3
    """Records whose class in their region is smaller are at risk; 1 means none. | Datensätze, deren Klasse in ihrer Region kleiner ist, sind
    gefährdet; 1 heißt keine."""
    unit: str | None = None
    """Column that tells which records move together. | Spalte, die sagt, welche Datensätze gemeinsam umziehen."""
    similar: Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)] = ((),)
    """Lists of columns that partners must agree on, the strictest first. | Listen von Spalten, in denen Partner gleich sein müssen, die
    strengste zuerst."""
    carry: tuple[str, ...] = ()
    """Further columns that move with the region. | Weitere Spalten, die mit der Region umziehen."""
    share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the units that exchange at least. | Anteil der Einheiten, die mindestens tauschen."""
    too_small: Alone = "refuse"
    """What happens to a unit at risk without a partner. | Was mit einer gefährdeten Einheit ohne Partner geschieht."""

    @model_validator(mode="after")
    def _somebody_moves(self) -> Self:
        if self.k == 1 and not self.share:
            raise ValueError(
                Text("with k: 1 and share: 0 nobody would move", "mit k: 1 und share: 0 zöge niemand um")
            )
        return self

    @property
    def within(self) -> tuple[str, ...]:
        return ()

    def masks(self) -> tuple[str, ...]:
        return self.named()

    def as_one(self) -> tuple[tuple[str, ...], ...]:
        return (self.named(),)

    def named(self) -> tuple[str, ...]:
        return (*self.columns, *self.carry)

    def named_columns(self) -> tuple[str, ...]:
        partners = tuple(n for names in self.similar for n in names)
        units = (self.unit,) if self.unit else ()
        return tuple(dict.fromkeys((*self.columns, *self.carry, *self.keys, *units, *partners)))

    def reach(self, data: Microdata) -> Reach:
        del data
        return Reach(changed=(*self.columns, *self.carry))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        if len(data):
            refuse_few(data, self.k, self.id)
        units = self.units(data)
        paths = [self.columns[: level + 1] for level in range(len(self.columns))]
        regions = [
            classes([data.column(n).codes() for n in path]).ids[units.first].astype(np.int64)
            for path in paths
        ]
        profiles = [units.profile(_kinds(data, names)) for names in self.similar]
        search = Search(regions, profiles, self.moves(data, units), np.arange(len(units.first)), stream)
        lone = self._search(data, units, search)
        source = units.record_of(search.partner)
        carried = {n: _between_shown(data.column(n).observed, source) for n in self.carry}
        after = moved(data, dict.fromkeys(self.columns, source) | carried)
        left = {
            n: np.flatnonzero((lone <= level)[units.of] & data.column(n).observed)
            for level, n in enumerate(self.columns)
        }
        return treat_alone(after, self, left)

    def needed_roles(self) -> Needs:
        return {"keys": (Role.KEY,)} if self.k > 1 and not self.keys else {}

    def units(self, data: Microdata) -> Units:
        """The units, or the records where none is named, apart for every combination of regions."""
        return units_of(data, self.unit_columns(), self.columns)

    def moves(self, data: Microdata, units: Units) -> Bools:
        """Units whose regions are all shown."""
        shown = np.ones(len(units.first), dtype=np.bool_)
        for name in self.columns:
            shown &= data.column(name).observed[units.first]
        return shown

    def risky(self, data: Microdata, units: Units, level: int) -> Bools:
        """Units with a record that fewer than k records of the region share."""
        names = [n for n in data.keys(self.keys) if n not in self.columns] if self.k > 1 else []
        out = np.zeros(len(units.first), dtype=np.bool_)
        if self.k > 1:
            found = classes([data.column(n).codes() for n in (*self.columns[: level + 1], *names)])
            out[units.of[found.sizes[found.ids] < self.k]] = True
        return out

    def due(self, moves: Bools) -> int:
        """How many units must move."""
        if self.share == 0:
            return 0
        return int(how_many(np.array([np.count_nonzero(moves)]), self.share)[0])

    def _search(self, data: Microdata, units: Units, search: Search) -> Ints:
        """Find partners; returns for every unit the level at which it is at risk and has none, beyond the last where all is well."""
        due, levels = self.due(search.free), len(self.columns)
        lone = np.full(len(search.free), levels)
        for level in range(levels):
            seeks = self.risky(data, units, level) & search.free
            for pool in (seeks, search.free):  # first among themselves, then with safe units
                search.match(level, seeks, pool, len(seeks))
            lone[seeks & search.free] = level
            search.free &= lone == levels
        alone = int(np.count_nonzero(lone < levels))
        search.match(levels - 1, search.free.copy(), search.free, due - search.moved - alone)
        reached = search.moved + alone
        if reached < due and self.too_small != "leave":
            raise RateMissed(who=self.id, reached=reached, wanted=due)
        return lone


def _between_shown(shown: Bools, source: Ints) -> Ints:
    """Exchange only where both cells are shown; the others stay."""
    return np.where(shown & shown[source], source, np.arange(len(source)))


def _kinds(data: Microdata, names: Sequence[str]) -> Classes | None:
    return classes([data.column(n).codes() for n in names]) if names else None
