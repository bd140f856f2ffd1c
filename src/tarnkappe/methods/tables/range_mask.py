"""Small counts in hierarchies, shown as ranges."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.attack.tree import attacked, parents_in_tree, published
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.errors.tables import CostsMissing, SumsCross
from tarnkappe.kernels.range_mask import FAR, Masks, Nodes, compat, safe, tree_of
from tarnkappe.language import Text
from tarnkappe.methods.tables.ranges import CLOSE, Ranged, narrowed, refuse_cells, refuse_unfit
from tarnkappe.methods.tables.reasons import reasons_across, reasons_along
from tarnkappe.methods.tables.stretch import Ranges, costs, stretched
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Maturity, Source, TableMethod, table_method


def _small_are_ranges(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    low, high = published(after)
    as_asked = (after.status == Status.RANGE) & (low == m.lower) & (high == m.upper)
    return bool(np.all(as_asked[m.small(before)]))


def _ranges_hold_values(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    del m
    low, high = published(after)
    return bool(np.all((low <= before.table.value) & (before.table.value <= high)))


def _others_unchanged(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    del m
    same_values = np.array_equal(before.table.value, after.table.value) and after.shown is None
    return same_values and bool(np.isin(after.status, (Status.OPEN, Status.RANGE)).all())


def _attacker_learns_nothing(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    return not narrowed(after, m.small(before)).any()


@table_method(
    "table.range-mask",
    title=Text("Ranges for small counts", "Wertebereiche für kleine Anzahlen"),
    does=Text(
        "Small counts, and further counts from which they could be computed, are shown as ranges.",
        "Kleine Anzahlen und weitere, aus denen sie sich errechnen ließen, sind als Wertebereiche angegeben.",
    ),
    sources=(Source("schenker2019", "algorithm in three phases, macro anon_aggregatdaten"),),
    preserves=(
        Claim(
            Text(
                "every value that is not shown as a range is published unchanged",
                "jeder nicht als Bereich gezeigte Wert bleibt unverändert",
            ),
            _others_unchanged,
        ),
        Claim(
            Text("every range holds the true value", "jeder Bereich enthält den wahren Wert"),
            _ranges_hold_values,
        ),
    ),
    protects=(
        Claim(
            Text(
                "every count from the lower to the upper limit on the lowest level is shown as this range",
                "jede Anzahl von der unteren bis zur oberen Grenze auf der untersten Ebene erscheint als dieser Bereich",
            ),
            _small_are_ranges,
        ),
        Claim(
            Text(
                "all published sums together tell an attacker no more of such a count than its range (not in the mode compat)",
                "alle veröffentlichten Summen zusammen verraten über eine solche Anzahl nicht mehr als ihren Bereich (nicht in der Betriebsart compat)",
            ),
            _attacker_learns_nothing,
            when=lambda m: m.mode != "compat",
        ),
    ),
    does_not=(
        Text(
            "protect in the mode compat, which repeats the published macro: added ranges are centred on the true value, and on "
            "random trees one small count in ten could be computed exactly and almost half could be narrowed",
            "schützt in der Betriebsart compat nicht, die das veröffentlichte Makro wiederholt: hinzugefügte Bereiche liegen um den "
            "wahren Wert, und in zufälligen Bäumen war eine von zehn kleinen Anzahlen genau und fast die Hälfte enger bestimmbar",
        ),
        Text(
            "rule out that somebody who runs the algorithm on every possible table excludes some values of a small group",
            "schließt nicht aus, dass jemand, der das Verfahren auf alle möglichen Tabellen anwendet, in kleinen Gruppen Werte ausschließt",
        ),
        Text(
            "hide zeros, unless the lower limit is 0, nor cells that the table does not have",
            "verbirgt keine Nullen, außer bei unterer Grenze 0, und keine Zellen, die die Tabelle nicht hat",
        ),
        Text(
            "count in whole numbers where sums cross in three or more dimensions: the audit is one of linear programs",
            "rechnet nicht ganzzahlig, wo sich Summen in drei oder mehr Dimensionen kreuzen: geprüft wird mit linearen Programmen",
        ),
        Text(
            "look at other releases of the same counts",
            "betrachtet keine anderen Veröffentlichungen derselben Anzahlen",
        ),
    ),
    example={"lower": 2, "upper": 6, "pick": "random", "mode": "linear"},
    maturity=Maturity.REPLICATED,
    random=True,
)
class RangeMask(TableMethod):
    """Show small counts as a range such as 1-3, and as few others as needed so that nobody can compute them.

    Use it for counts in a hierarchy (city, district, quarter) when readers should still see roughly how many there are. Counts on
    the lowest level from `lower` to `upper` become the range `lower`-`upper` (phase 1). Looking up, a sibling or, where
    none is large enough, the parent is masked wherever parent and siblings would tell more than the range (phase 2); looking down,
    a child of every masked sum (phase 3). Masks stay as far down as possible. The range of an added mask is the mirror image of
    what it protects, so its middle does not point to the true value.

    The result is audited: every small count has its whole range for an attacker who uses all published sums, or the
    table is refused. Where sums run along several dimensions, the further ranges come from linear programs. Cells that a
    rule marks must lie within the limits. Cells marked as open stay open. Phases and reasons are for the office; never publish them.
    """

    lower: Annotated[int, Field(ge=0)] = 1
    """Smallest count that is masked. | Kleinste Anzahl, die maskiert wird."""
    upper: Annotated[int, Field(ge=1)] = 3
    """Largest count that is masked. | Größte Anzahl, die maskiert wird."""
    pick: Literal["max", "min", "random", "priority"] = "max"
    """Which further cell is masked: the largest, the smallest, a random one, or the cheapest by the costs of the table. | Welche
    weitere Zelle maskiert wird: die größte, die kleinste, eine zufällige oder die nach den Kosten der Tabelle billigste."""
    mode: Literal["safe", "linear", "compat"] = "safe"
    """safe; linear: as safe, by linear programs even along one hierarchy; compat: exactly as the published macro, which is not
    safe. | safe; linear: sicher, auch entlang einer Hierarchie mit linearen Programmen; compat: genau wie das veröffentlichte
    Makro, das nicht sicher ist."""

    @model_validator(mode="after")
    def _a_range_is_wide(self) -> Self:
        if self.upper <= self.lower:
            raise ValueError(Text("upper must be greater than lower", "upper muss größer als lower sein"))
        return self

    def small(self, pattern: Pattern) -> Bools:
        """The cells of phase 1: small counts on the lowest level that need not stay open."""
        return np.asarray(self._within(pattern) & pattern.table.inner)

    def _within(self, pattern: Pattern) -> Bools:
        value = pattern.table.value
        return np.asarray((value >= self.lower) & (value <= self.upper) & ~pattern.forced_open)

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        refuse_unfit(pattern, self.id)
        small, rank = self.small(pattern), self._rank(pattern, stream)
        self._refuse(pattern, (pattern.primary & ~self._within(pattern)) | (pattern.mark == Mark.SUPPRESS))
        parent = parents_in_tree(pattern.table)
        if self.mode == "compat":
            done, failed = self._compat(pattern, parent, rank)
            self._refuse(pattern, failed)
            return done
        if parent is not None and self.mode == "safe":
            done, failed = self._along_tree(pattern, parent, rank)
            if not (failed | narrowed(done, small)).any():
                return self._as_required(pattern, done)
        return self._as_required(pattern, self._across(pattern, rank))

    # -- one hierarchy ----------------------------------------------------------------------------------------------

    def _compat(self, pattern: Pattern, parent: Ints | None, rank: Floats) -> tuple[Pattern, Bools]:
        if parent is None:
            count = int((pattern.table.up >= 0).any(axis=0).sum())
            raise SumsCross(who=self.id, name=pattern.table.name, count=count)
        masks = compat(
            tree_of(parent), self._nodes(pattern, rank), self.small(pattern), self.lower, self.upper
        )
        return self._with_masks(pattern, parent, masks), masks.failed

    def _along_tree(self, pattern: Pattern, parent: Ints, rank: Floats) -> tuple[Pattern, Bools]:
        size = len(pattern.table)
        low, high = np.full(size, self.lower), np.full(size, self.upper)
        primary = self.small(pattern) | pattern.primary
        masks = safe(tree_of(parent), self._nodes(pattern, rank), primary, low, high)
        return self._with_masks(pattern, parent, masks), masks.failed

    def _nodes(self, pattern: Pattern, rank: Floats) -> Nodes:
        least, most = self._limits(pattern)
        value = pattern.table.value.astype(np.int64)
        fixed = pattern.forced_open
        return Nodes(
            value,
            least.astype(np.int64),
            np.minimum(most, FAR).astype(np.int64),
            (value > 0) & ~fixed,
            fixed,
            rank,
        )

    def _limits(self, pattern: Pattern) -> tuple[Floats, Floats]:
        """How far an added range may reach. One that dipped into the small counts would be recognised as added."""
        least = np.where(pattern.table.inner, self.upper + 1.0, 1.0)
        return np.maximum(least, np.ceil(pattern.low)), np.floor(pattern.high)

    def _with_masks(self, pattern: Pattern, parent: Ints, masks: Masks) -> Pattern:
        why = reasons_along(pattern.table, tree_of(parent), masks)
        return Ranged(masks.phase != 0, masks.low, masks.high, *why).shown(pattern, self.small(pattern))

    # -- sums that cross --------------------------------------------------------------------------------------------

    def _across(self, pattern: Pattern, rank: Floats) -> Pattern:
        table, small = pattern.table, self.small(pattern)
        least, most = self._limits(pattern)
        movable = (table.value > 0) & ~pattern.forced_open & ~small & (least <= table.value)
        low, high = np.where(small, self.lower, table.value), np.where(small, self.upper, table.value)
        ranges = Ranges(
            table.value, low, high, np.where(movable, least, low), np.where(movable, most, high),
            costs(rank, table.aggregation()),
        )  # fmt: skip
        found_low, found_high, protects = stretched(relations_of(table), ranges, np.flatnonzero(small))
        self._refuse(pattern, protects == -2)
        why = reasons_across(table, small, protects)
        done = Ranged(found_high > found_low, found_low, found_high, *why).shown(pattern, small)
        self._refuse(pattern, narrowed(done, small))
        return done

    # -- both -------------------------------------------------------------------------------------------------------

    def _rank(self, pattern: Pattern, stream: Stream) -> Floats:
        if self.pick == "random":
            return stream.generator.random(len(pattern.table))
        if self.pick == "priority":
            if pattern.cost is None:
                raise CostsMissing(who=self.id, name=pattern.table.name)
            return -pattern.cost
        return pattern.table.value * (1.0 if self.pick == "max" else -1.0)

    def _as_required(self, before: Pattern, done: Pattern) -> Pattern:
        """Refuse when a cell that a rule marks is open, or has less room than the rule asks for."""
        low, high = attacked(done, before.primary)
        down, up = before.table.value - low, high - before.table.value
        short = (down < before.lower - CLOSE) | (up < before.upper - CLOSE) | (high - low < CLOSE)
        self._refuse(before, before.primary & short)
        return done

    def _refuse(self, pattern: Pattern, cells: Bools) -> None:
        refuse_cells(self.id, pattern.table, cells, _RANGES)


_RANGES = Text(
    "ranges that hold against all published sums", "Bereiche, die allen veröffentlichten Summen standhalten"
)
