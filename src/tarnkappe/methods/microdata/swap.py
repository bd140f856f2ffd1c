"""Data swapping within groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.exchange import at_random, how_many, round_robin
from tarnkappe.kernels.near_partners import Grounds, grounds_of, nearest_partners
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.ranks import in_order_of_all
from tarnkappe.kernels.standard import power_scale, standardised_within
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import (
    LARGEST_STAYS,
    OTHER_COLUMNS_LOST,
    STATES_KEPT,
    VALUES_KEPT,
    Alone,
    Blocks,
    moved,
    moved_but,
    sources_in,
    treat_alone,
)
from tarnkappe.methods.microdata.exchange_movers import AMONG_MANY, SERIES_KEPT, Movers, among_many, movers_of
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Source, method
from tarnkappe.spec.conditions import Condition, given, unless
from tarnkappe.spec.fields import Columns


def _share_moved(m: Swap, before: Microdata, after: Microdata) -> bool:
    gaps = m.columns if m.joint else ()
    return moved_but(m, before, after, lambda sizes: how_many(sizes, m.share), gaps)


def _rows_kept(m: Swap, before: Microdata, after: Microdata) -> bool:
    """The combinations of the chosen columns in a stratum, each as often as before, where all are shown."""
    was = before.aligned_to(after)
    shown = np.flatnonzero(np.all([after.column(n).observed for n in m.columns], axis=0))
    old, new = ([data.column(n).values[shown] for n in m.columns] for data in (was, after))
    strata = [was.column(n).codes()[0][shown] for n in m.within]
    by_old, by_new = (in_order_of_all([*values, *strata]) for values in (old, new))
    pairs = [*zip(old, new, strict=True), *((codes, codes) for codes in strata)]
    return all(np.array_equal(a[by_old], b[by_new]) for a, b in pairs)


def _same(m: Movers, other: Movers) -> bool:
    pairs = [(m.blocks.order, other.blocks.order), (m.blocks.starts, other.blocks.starts)]
    if m.units is not None and other.units is not None:
        pairs.append((m.units.of, other.units.of))
    return all(np.array_equal(a, b) for a, b in pairs)


_EXCHANGED_ENOUGH = Condition(
    Text(
        "without `unit`, or unless `too_small: leave`",
        "ohne `unit`, oder außer mit `too_small: leave`",
    ),
    lambda m: m.unit is None or m.too_small != "leave",
)


@method(
    "microdata.swap",
    family=Family.SWAP,
    title=Text("Data swapping within groups", "Datentausch in Gruppen"),
    does=Text(
        "Values were exchanged between records of the same group.",
        "Werte wurden zwischen Datensätzen derselben Gruppe getauscht.",
    ),
    sources=(
        Source("hoehne2010", "2.2.3, simple data swapping (S01), after Boyd and Vickers 1999"),
        Source("gottschalk2002", "4.3, swapping within groups (G-M13a)"),
        Source("dav2025", "3.3.3, data swapping (D-M10a)"),
        Source("daleniusreiss1982", "data-swapping"),
    ),
    preserves=(
        VALUES_KEPT,
        Claim(
            Text(
                "the combinations of the chosen columns in every stratum, each as often as before",
                "die Kombinationen der gewählten Spalten in jeder Schicht, jede so oft wie zuvor",
            ),
            _rows_kept,
            when=given("joint") & unless("too_small", "suppress"),
        ),
        SERIES_KEPT,
        STATES_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "at least the share `share` of the records of a stratum carries the value of another record, as far as the "
                "values differ",
                "mindestens der Anteil `share` der Datensätze einer Schicht trägt den Wert eines anderen, soweit sich die Werte "
                "unterscheiden",
            ),
            _share_moved,
            when=_EXCHANGED_ENOUGH,
        ),
        replace(
            AMONG_MANY,
            check=lambda m, before, after: among_many(m, before, after, m.columns if m.joint else ()),
        ),
    ),
    does_not=(
        OTHER_COLUMNS_LOST,
        LARGEST_STAYS,
        Text(
            "protect a group whose records all have the same value",
            "eine Gruppe schützen, deren Datensätze alle denselben Wert haben",
        ),
        Text(
            "hide with `near` from whom a value came as well as without: a partner is a similar record",
            "mit `near` so gut wie ohne verbergen, woher ein Wert kommt: der Partner ist ein ähnlicher Datensatz",
        ),
    ),
    example={
        "columns": ["income", "wealth"],
        "within": ["sex"],
        "share": 0.6,
        "joint": True,
        "unit": "household",
        "keys": ["region"],
        "near": ["employees"],
        "too_small": "suppress",
    },
    leaves=Leaves.EXCHANGED,
    random=True,
    revision=3,
)
class Swap(Method):
    """Exchange values between records of the same group.

    Group the records by what must keep its relation to the swapped columns (`within`), and each column is permuted at random
    inside the groups, so that no record that takes part keeps its own value. `share` is the share of the records that take
    part: a random one, or with `keys` the records whose combinations of these columns are rarest in the file first. With `joint` the
    columns of a record move together, so that relations between them stay.

    With `near` a record does not exchange with just anybody of its group, but with the record nearest to it on these numeric
    columns (standardised in the group; a gap counts as its mean). The records choose in a random order known to nobody without the secret;
    otherwise the columns that stay in place would show how to undo the exchange.

    With `unit` whole units exchange, for example the years of a firm in a panel: name the year under `within`, and a firm gets all values of one
    other firm that is there in the same years, each in its year. Entries and exits stay what they are. Of several records of a unit the rarest
    counts for `keys`, the mean for `near`.

    Missing and suppressed cells keep their state and take no part; with `joint`, records exchange with records that have the same
    of the columns missing. Zeros, negative and tied values are values like others; an exchange of equal values changes nothing. A
    group of one record, or a unit without its like, has no partner, and of two everybody knows that they have exchanged: `too_small` says what happens
    to them (`leave` lets two exchange). Records of one owner count once: an owner who exchanges with himself shows what he has. A constant column stays;
    infinite values are exchanged like others.
    """

    columns: Columns
    """Columns whose values are exchanged. | Spalten, deren Werte getauscht werden."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (groups). | Spalten, deren Kombinationen getrennt behandelt werden (Gruppen)."""
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the records of a group that exchange. | Anteil der Datensätze einer Gruppe, die tauschen."""
    joint: bool = False
    """Exchange the columns of a record together instead of each on its own. | Die Spalten eines Datensatzes gemeinsam tauschen statt
    jede für sich."""
    unit: str | None = None
    """Column that tells which records exchange with those of one other unit, for example over the years. | Spalte, die sagt, welche Datensätze
    mit denen einer anderen Einheit tauschen, zum Beispiel über die Jahre."""
    keys: tuple[str, ...] = ()
    """Columns whose rarest combinations exchange first; without them, random records. | Spalten, deren seltenste Kombinationen
    zuerst tauschen; ohne sie zufällige Datensätze."""
    near: tuple[str, ...] = ()
    """Numeric columns on which a partner must be near. | Numerische Spalten, auf denen ein Partner nahe sein muss."""
    too_small: Alone = "refuse"
    """What happens to a group of one or two contributors. | Was mit einer Gruppe aus einem oder zwei Beitragenden geschieht."""

    def as_one(self) -> tuple[tuple[str, ...], ...]:
        return (self.columns,) if self.joint else super().as_one()

    def named(self) -> tuple[str, ...]:
        return self.columns

    def named_columns(self) -> tuple[str, ...]:
        units = (self.unit,) if self.unit else ()
        return tuple(dict.fromkeys((*self.columns, *self.within, *units, *self.keys, *self.near)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        first, places = self._rarest(data), self._places(data)
        groups = (self.columns,) if self.joint else tuple((name,) for name in self.columns)
        movers = [movers_of(data, self.unit_columns(), self.within, group) for group in groups]
        drawn = [self._drawn(m, first, stream) for m in movers]
        parts = zip(movers, drawn, self._grounds(movers, places), strict=True)
        found = on_cores(lambda part: self._sources(*part), parts, len(data))
        sources = {n: source for group, source in zip(groups, found, strict=True) for n in group}
        lone = {n: m.left(data, n) for group, m in zip(groups, movers, strict=True) for n in group}
        return treat_alone(moved(data, sources), self, lone)

    def _rarest(self, data: Microdata) -> Ints | None:
        if not self.keys:
            return None
        found = classes([data.column(n).codes() for n in self.keys])
        sizes: Ints = found.sizes[found.ids]
        return sizes

    def _places(self, data: Microdata) -> Floats | None:
        if not self.near:
            return None
        x = data.numbers(self.near, self.id)
        gaps = np.isnan(x)
        x = np.where(gaps, 0.0, x)
        strata = strata_of(data, self.within)
        return standardised_within(x / power_scale(x), ~gaps, strata.of, len(strata))

    def _grounds(self, movers: list[Movers], places: Floats | None) -> list[Grounds | None]:
        """Where the movers of every column lie; columns with the same movers share it."""
        out: list[Grounds | None] = []
        for j, m in enumerate(movers):
            if j and _same(m, movers[j - 1]):
                out.append(out[-1])
            else:
                at = places if m.units is None else m.units.means(places)
                out.append(None if at is None else grounds_of(at, m.blocks.order, m.blocks.starts))
        return out

    def _drawn(self, movers: Movers, first: Ints | None, stream: Stream) -> Blocks:
        """The movers of every block in the order in which they choose."""
        rarest = first if movers.units is None else movers.units.smallest(first)
        blocks = movers.blocks
        return Blocks(at_random(blocks.order, blocks.starts, stream.generator, rarest), blocks.starts)

    def _sources(self, movers: Movers, drawn: Blocks, grounds: Grounds | None) -> Ints:
        counts = how_many(drawn.sizes, self.share)
        if grounds is not None:
            return movers.records(nearest_partners(grounds, drawn.order, drawn.starts, counts))
        return movers.records(
            sources_in(movers.size, drawn, lambda order, starts: round_robin(order, starts, counts))
        )
