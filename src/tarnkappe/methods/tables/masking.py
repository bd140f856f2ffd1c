"""Masking cells of a table by ranges that hold against all published sums: along one hierarchy, or across several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.attack.tree import parents_in_tree
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern
from tarnkappe.kernels.drawn_ranges import Draws, drawn
from tarnkappe.kernels.range_mask import FAR, Masks, Nodes, safe, tree_of
from tarnkappe.methods.tables.ranges import Ranged, narrowed, refuse_cells
from tarnkappe.methods.tables.reasons import reasons_across, reasons_along
from tarnkappe.methods.tables.stretch import Ranges, costs, stretched


@dataclass(frozen=True, slots=True, eq=False)
class Masking:
    """What is to be masked, and how far other cells may be stretched for it."""

    who: str
    pattern: Pattern
    small: Bools
    """Cells on the lowest level that get the range `low` to `high`, and keep all of it for an attacker."""
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    """Added ranges stay within these."""
    free: Bools
    """May be masked to protect others."""
    rank: Floats
    """Of several candidates the one with the highest rank is taken."""
    draws: Draws | None = None
    """From the secret: where ranges lie and whether more is masked than must be; none: as the values alone have it."""
    inside: tuple[Floats, Floats] | None = None
    """Drawn ranges stay within these, so that nobody can tell by its range alone that a cell is an added one."""

    def done(self, *, linear: bool = False) -> Pattern:
        """Mask along the hierarchy; by linear programs where sums cross, where that fails, or where it is asked for."""
        parent = parents_in_tree(self.pattern.table)
        if parent is not None and not linear:
            for draws in (None,) if self.draws is None else (self.draws, None):
                masks = self._along(parent, draws)
                done = self.shown(parent, masks)
                if not (masks.failed | narrowed(done, self.small)).any():
                    return done
        return self._across(quick=not linear)

    def nodes(self, inside: tuple[Floats, Floats] | None = None) -> Nodes:
        """The cells as the kernels take them."""
        value, fixed = self.pattern.table.value.astype(np.int64), self.pattern.forced_open
        ends = (self.least, self.most) if inside is None else inside
        least, most = (np.clip(end, -FAR, FAR).astype(np.int64) for end in ends)
        return Nodes(value, least, most, self.free & ~fixed, fixed, self.rank)

    def shown(self, parent: Ints, masks: Masks) -> Pattern:
        why = reasons_along(self.pattern.table, tree_of(parent), masks)
        return Ranged(masks.phase != 0, masks.low, masks.high, *why).shown(self.pattern, self.small)

    def _along(self, parent: Ints, draws: Draws | None) -> Masks:
        low, high = self.low.astype(np.int64), self.high.astype(np.int64)
        asked, tree = self.small | self.pattern.primary, tree_of(parent)
        if draws is None:
            masks: Masks = safe(tree, self.nodes(), asked, low, high)
        else:
            masks = drawn(tree, self.nodes(self.inside), asked, low, high, draws)
        return masks

    def _across(self, *, quick: bool) -> Pattern:
        table, small = self.pattern.table, self.small
        fits = (self.least <= table.value) & (table.value <= self.most)
        movable = self.free & ~self.pattern.forced_open & ~small & fits
        low, high = np.where(small, self.low, table.value), np.where(small, self.high, table.value)
        ranges = Ranges(
            table.value, low, high, np.where(movable, self.least, low), np.where(movable, self.most, high),
            costs(self.rank, table.aggregation()),
        )  # fmt: skip
        found_low, found_high, protects = stretched(table, ranges, np.flatnonzero(small), quick=quick)
        refuse_cells(self.who, table, protects == -2)
        why = reasons_across(table, small, protects)
        added = (found_high > found_low) & ~small & ~self.pattern.primary
        found_low, found_high = self._widened(added, found_low, found_high)
        done = Ranged(found_high > found_low, found_low, found_high, *why).shown(self.pattern, small)
        refuse_cells(self.who, table, narrowed(done, small))
        return done

    def _widened(self, added: Bools, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Added ranges grow to both sides by what is drawn: their ends are no longer those that the hidden values led to."""
        if self.draws is None:
            return low, high
        widest = float(np.max((self.high - self.low)[self.small], initial=0.0))
        below, above = (np.floor(u * (widest + 1.0)) for u in (self.draws.below, self.draws.above))
        low = np.where(added, np.minimum(low, np.maximum(low - below, self.least)), low)
        return low, np.where(added, np.maximum(high, np.minimum(high + above, self.most)), high)
