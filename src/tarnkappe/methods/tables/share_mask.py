"""Shares in hierarchies, shown as ranges where they say too much about everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.attack.tree import attacked
from tarnkappe.data.column import Bools, Column, Floats
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.errors.tables import NotYesNo
from tarnkappe.language import Text
from tarnkappe.methods.tables.dimensions import along, without
from tarnkappe.methods.tables.mask_draws import at_random, mask_draws
from tarnkappe.methods.tables.masked_persons import few_persons, masked_together
from tarnkappe.methods.tables.masking import Masking
from tarnkappe.methods.tables.ranges import CLOSE, Ranged, narrowed, refuse_cells, refuse_unfit
from tarnkappe.methods.tables.yes_no import YesNo, rows_of
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Source, TableMethod, table_method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.fields import Spelt


def _persons_unchanged(m: ShareMask, before: Pattern, after: Pattern) -> bool:
    split, told = m.split(before), m.split(after)
    return np.array_equal(split.persons, told.persons) and np.array_equal(split.yes, told.yes)


def _has_three_codes(m: ShareMask, after: Pattern) -> bool:
    """Persons, those who count and the others: what the result has for every area."""
    at = along(after.table, m.dimension)
    return len(after.table.dimensions[at]) == 3 and len({len(rows) for rows in rows_of(after.table, at)}) == 1


def _extremes_are_ranges(m: ShareMask, before: Pattern, after: Pattern) -> bool:
    if not _has_three_codes(m, after):
        return False
    areas = m.told(after)
    return bool((areas.status[m.extreme(before)] == Status.RANGE).all())


def _both_sides_agree(m: ShareMask, before: Pattern, after: Pattern) -> bool:
    """The range of the complement is the mirror image: it tells nothing new."""
    del before
    if not _has_three_codes(m, after):
        return False
    shares = m.shares(after)
    low, high = after.shown_low, after.shown_high
    if low is None or high is None:
        return True
    no = rows_of(after.table, m.split(after).at)[2]
    return bool(np.all((low[no] == shares.persons - shares.high) & (high[no] == shares.persons - shares.low)))


def _few_are_ranges(m: ShareMask, before: Pattern, after: Pattern) -> bool:
    """Up to k persons of an area are shown as 1 to k, unless they must stay open."""
    if not _has_three_codes(m, after) or after.shown_low is None or after.shown_high is None:
        return not few_persons(m.split(before), m.k).any()
    persons = rows_of(after.table, m.split(after).at)[0]
    few = persons[few_persons(m.split(before), m.k)]
    few = few[~after.forced_open[few]]
    as_asked = (after.shown_low[few] == 1) & (after.shown_high[few] == m.k)
    return bool(np.all(as_asked & (after.status[few] == Status.RANGE)))


def _attacker_learns_nothing(m: ShareMask, before: Pattern, after: Pattern) -> bool:
    if not _has_three_codes(m, after):
        return False
    if m.persons == "masked":
        needed = (after.status == Status.RANGE) & ((after.lower > 0) | (after.upper > 0))
        return not narrowed(after, np.asarray(needed)).any()
    areas, cells = m.told(after), m.extreme(before)
    low, high = attacked(areas, cells)
    if areas.shown_low is None or areas.shown_high is None:
        return not cells.any()
    return bool(np.all(((low <= areas.shown_low + CLOSE) & (high >= areas.shown_high - CLOSE))[cells]))


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Per area: persons, and how many of them count at least and at most."""

    persons: Floats
    low: Floats
    high: Floats

    def percent(self, digits: int = 1) -> tuple[Floats, Floats]:
        """Smallest and largest share in per cent; rounded outward where it is a range, to the nearest where it is exact."""
        scale, exact = 10.0**digits, self.low == self.high
        ends = [100 * scale * end / np.maximum(self.persons, 1) for end in (self.low, self.high)]
        low, high = np.floor(ends[0] + 1e-9), np.ceil(ends[1] - 1e-9)
        return np.where(exact, np.round(ends[0]), low) / scale, np.where(
            exact, np.round(ends[1]), high
        ) / scale


def in_words(low: float, high: float, decimals: int) -> str:
    """A share as readers see it (specification of Schenker 2019, 11.3): ``>= 95 %``, ``<= 5 %``, ``12-18 %``, ``30 %``."""
    least, most = (f"{end:.{decimals}f}" for end in (low, high))
    if least == most:
        return f"{least} %"
    if low <= 0 or high >= 100:
        return (
            f"{least}-{most} %"
            if low <= 0 and high >= 100
            else f">= {least} %"
            if high >= 100
            else f"<= {most} %"
        )
    return f"{least}-{most} %"


@table_method(
    "table.share-mask",
    title=Text("Ranges for shares", "Wertebereiche für Anteile"),
    does=Text(
        "Shares near 0 or 100 per cent in areas, and further shares from which they could be computed, are shown as ranges.",
        "Anteile nahe 0 oder 100 Prozent in Gebieten und weitere, aus denen sie sich errechnen ließen, sind als Bereiche angegeben.",
    ),
    sources=(
        Source("schenker2019", "open points: shares in hierarchies; solved here with the ranges for counts"),
    ),
    preserves=(
        Claim(
            Text(
                "the number of persons of every area is published unchanged",
                "die Personenzahl jedes Gebiets bleibt unverändert",
            ),
            _persons_unchanged,
            when=where("persons", "public"),
        ),
        Claim(
            Text(
                "a share and its complement are shown as mirror images",
                "Anteil und Gegenanteil sind spiegelbildlich angegeben",
            ),
            _both_sides_agree,
            when=where("persons", "public"),
        ),
    ),
    protects=(
        Claim(
            Text(
                "every share within k persons of 0 or 100 per cent on the chosen sides is shown as a range",
                "jeder Anteil, der auf den gewählten Seiten höchstens k Personen von 0 oder 100 Prozent entfernt ist, ist ein Bereich",
            ),
            _extremes_are_ranges,
        ),
        Claim(
            Text(
                "up to k persons of an area are shown as the range 1 to k",
                "bis zu k Personen eines Gebiets erscheinen als Bereich von 1 bis k",
            ),
            _few_are_ranges,
            when=where("persons", "masked"),
        ),
        Claim(
            Text(
                "all published sums together tell an attacker no more of such a share than its range",
                "alle veröffentlichten Summen zusammen verraten über einen solchen Anteil nicht mehr als seinen Bereich",
            ),
            _attacker_learns_nothing,
        ),
    ),
    does_not=(
        Text(
            "reckon with contributors who know what they contribute themselves",
            "mit Beteiligten rechnen, die ihren eigenen Beitrag kennen",
        ),
        Text(
            "hide the number of persons of an area, unless persons is masked and there are at most k",
            "die Personenzahl eines Gebiets verbergen, außer bei persons: masked und höchstens k Personen",
        ),
        Text("mask a share of exactly 0 per cent", "einen Anteil von genau 0 Prozent maskieren"),
        Text(
            "leave much detail where areas are tiny: merge areas first",
            "viel Genauigkeit lassen, wo Gebiete winzig sind: fassen Sie zuerst Gebiete zusammen",
        ),
        Text(
            "rule out that somebody who runs the program on every possible table excludes some values: what is free is drawn from the "
            "secret, but small areas leave little that is free",
            "verhindern, dass jemand, der das Programm auf alle möglichen Tabellen anwendet, Werte ausschließt: was frei ist, wird aus "
            "dem Geheimnis gezogen, aber kleine Gebiete lassen wenig frei",
        ),
    ),
    example={
        "dimension": "occupation",
        "yes": ("health", "office"),
        "k": 2,
        "side": "high",
        "at_least": 20,
        "persons": "masked",
        "decimals": 0,
    },
    random=True,
    revision=2,
)
class ShareMask(TableMethod):
    """Show a share as a range where it comes so near to 0 or 100 per cent that it says something about everybody.

    At 100 per cent every person of an area is known to have the property, so such a share must not be exact. The table counts
    persons by area and by a dimension of which some codes count (`yes`); the result has for every area the persons, those who count
    and the others. With y of N persons: up to k who count are shown as 1 to k, up to k who do not, none included, as
    N-k to N, both as 0 to N. Because persons are public and y adds up over areas, y is then protected like the counts of
    table.range-mask, with 0 and N as limits. Where numbers of persons are confidential too (`persons: masked`), up to k persons of an area are
    shown as 1 to k, and those who count, the others and all persons are protected together. The released file also has the shares in per cent (`share`, `share_low`, `share_high`): ranges
    rounded outward, as in `>= 95 %`, exact ones to the nearest.
    """

    dimension: str
    """The dimension whose shares are shown. | Die Dimension, deren Anteile gezeigt werden."""
    yes: Annotated[tuple[Spelt, ...], Field(min_length=1)]
    """Codes that count. | Codes, die zählen."""
    k: Annotated[int, Field(ge=2)] = 3
    """So many persons away from 0 or 100 per cent is too near. | So viele Personen von 0 oder 100 Prozent entfernt ist zu nah."""
    side: Literal["both", "high", "low"] = "both"
    """Which end is confidential: 100 per cent (high), 0 (low) or both. | Welches Ende vertraulich ist: 100 Prozent (high), 0 (low) oder beide."""
    at_least: Annotated[int, Field(ge=0)] = 0
    """Areas with fewer persons show no share at all. | Gebiete mit weniger Personen zeigen gar keinen Anteil."""

    persons: Literal["public", "masked"] = "public"
    """Whether the numbers of persons are public, or up to k of them are shown as 1 to k as well. | Ob die Personenzahlen öffentlich sind
    oder bis zu k Personen auch als 1 bis k erscheinen."""
    decimals: Annotated[int, Field(ge=0, le=6)] = 1
    """Decimals of the shares in per cent. | Nachkommastellen der Anteile in Prozent."""

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        refuse_unfit(pattern, self.id)
        refuse_cells(self.id, pattern.table, pattern.primary | (pattern.mark == Mark.SUPPRESS))
        split = self.split(pattern)
        if self.persons == "masked":
            return masked_together(
                self.id, pattern, split, self.extreme(pattern), self._ranges(split), (self.k, stream)
            )
        areas = self._areas(pattern, split)
        done = self._masking(areas, split, stream).done()
        refuse_cells(self.id, areas.table, self.extreme(pattern) & (done.status != Status.RANGE))
        return _written(pattern, split, done)

    def split(self, pattern: Pattern) -> YesNo:
        """The persons of every area, and how many count."""
        table = pattern.table
        at = along(table, self.dimension)
        joined = ("+".join(self.yes),)  # how the result calls them
        names = joined if (table.dimensions[at].positions(joined) > 0).all() else self.yes
        nodes = table.dimensions[at].positions(names)
        if (nodes <= 0).any() or len(set(nodes.tolist())) < len(nodes):
            raise NotYesNo(dimension=self.dimension, yes=joined[0])
        return YesNo.of(table, at, nodes, names)

    def extreme(self, pattern: Pattern) -> Bools:
        """Areas whose share comes too near to an end, unless they must stay open."""
        split = self.split(pattern)
        return np.asarray(
            (self._near_zero(split) | self._near_all(split) | self._tiny(split)) & ~split.fixed(pattern)
        )

    def shares(self, after: Pattern) -> Shares:
        """What the result tells of every area."""
        split = self.split(after)
        yes = rows_of(after.table, split.at)[1]
        low, high = after.shown_low, after.shown_high
        return Shares(
            split.persons, split.yes if low is None else low[yes], split.yes if high is None else high[yes]
        )

    def published_columns(self, after: Pattern) -> dict[str, Column]:
        """The share of every number in the persons of its area, in per cent: as words, and from where to where."""
        split = self.split(after)
        persons, yes, no = rows_of(after.table, split.at)
        low, high = (np.full(len(after.table), np.nan) for _ in range(2))
        value = after.table.value
        shown = (
            (value if after.shown_low is None else after.shown_low),
            (value if after.shown_high is None else after.shown_high),
        )
        for rows in (yes, no):
            low[rows], high[rows] = Shares(value[persons], shown[0][rows], shown[1][rows]).percent(
                self.decimals
            )
        words = [
            None if np.isnan(a) else in_words(a, b, self.decimals) for a, b in zip(low, high, strict=True)
        ]
        return {
            "share": Column.texts_of(words),
            "share_low": Column.numbers_of(low),
            "share_high": Column.numbers_of(high),
        }

    def told(self, after: Pattern) -> Pattern:
        """What the result tells of those who count: a table over areas, with 0 and all persons as limits."""
        split = self.split(after)
        yes, shares = rows_of(after.table, split.at)[1], self.shares(after)
        return Pattern(
            without(after.table, split.at, split.areas, split.yes), status=after.status[yes], low=np.zeros(len(yes)),
            high=split.persons, shown_low=shares.low, shown_high=shares.high,
        )  # fmt: skip

    def _near_zero(self, split: YesNo) -> Bools:
        return np.asarray((self.side != "high") & (split.yes >= 1) & (split.yes <= self.k))

    def _near_all(self, split: YesNo) -> Bools:
        return np.asarray((self.side != "low") & (split.persons - split.yes <= self.k))

    def _tiny(self, split: YesNo) -> Bools:
        return np.asarray(split.persons < self.at_least)

    def _ranges(self, split: YesNo) -> tuple[Floats, Floats]:
        zero, full, k, persons = self._near_zero(split), self._near_all(split), self.k, split.persons
        open_ended = (zero & full) | self._tiny(split) | (persons <= k)
        low = np.where(open_ended, 0, np.where(full, persons - k, 1))
        return low.astype(np.float64), np.where(open_ended | full, persons, k).astype(np.float64)

    def _areas(self, pattern: Pattern, split: YesNo) -> Pattern:
        mark = np.where(split.fixed(pattern), np.uint8(Mark.KEEP), np.uint8(Mark.NONE))
        table = without(pattern.table, split.at, split.areas, split.yes)
        return Pattern(table, mark=mark, low=np.zeros(len(table)), high=split.persons.copy())

    def _masking(self, areas: Pattern, split: YesNo, stream: Stream) -> Masking:
        extreme = (self._near_zero(split) | self._near_all(split) | self._tiny(split)) & ~areas.forced_open
        low, high = self._ranges(split)
        lowest = areas.table.inner
        marked = Pattern(
            areas.table, status=np.where(extreme & ~lowest, np.uint8(Status.PRIMARY), np.uint8(Status.OPEN)), mark=areas.mark,
            low=areas.low, high=areas.high,
        )  # fmt: skip
        rank = at_random(
            areas.table, stream, np.maximum(np.minimum(split.yes, split.persons - split.yes), 1.0)
        )
        zeros = np.zeros(len(low))
        return Masking(
            self.id, marked, extreme & lowest, low, high, zeros, split.persons.copy(), zeros == 0, rank,
            mask_draws(areas.table, stream), self._not_extreme(split),
        )  # fmt: skip

    def _not_extreme(self, split: YesNo) -> tuple[Floats, Floats]:
        """From where to where a share does not come too near to an end."""
        k, persons = float(self.k), split.persons
        low = np.full(len(persons), 0.0 if self.side == "high" else k + 1.0)
        return low, persons.copy() if self.side == "low" else persons - k - 1.0


def _written(before: Pattern, split: YesNo, areas: Pattern) -> Pattern:
    """The table of persons, those who count and the others, with the ranges of the areas."""
    table = split.recoded(before.table)
    persons, yes, no = rows_of(table, split.at)
    assert areas.shown_low is not None
    assert areas.shown_high is not None
    low, high = table.value.copy(), table.value.copy()
    low[yes], high[yes] = areas.shown_low, areas.shown_high
    low[no], high[no] = table.value[persons] - areas.shown_high, table.value[persons] - areas.shown_low
    cells, numbers = np.zeros(len(table), dtype=np.bool_), np.zeros(len(table), dtype=np.int32)
    small: Bools = np.zeros(len(table), dtype=np.bool_)
    for side in (yes, no):
        cells[side] = areas.status == Status.RANGE
        numbers[side] = areas.reason
        small[side] = (areas.lower > 0) | (areas.upper > 0)
    marked = Pattern(table, mark=split.marks(before, table))
    return Ranged(cells, low, high, numbers, list(areas.reasons[1:])).shown(marked, small)
