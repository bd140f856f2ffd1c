"""What the methods that show changed values share: which cells, the new pattern, and refusal when it does not protect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.attack.closeness import unit_of
from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.attack.rounded import CLOSE, Originals, unsafe
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table import Table
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import AlreadyProtected, TooLarge
from tarnkappe.kernels.rounding import LARGEST
from tarnkappe.kernels.unknowns import Incidence, peel
from tarnkappe.language import Text, listed, number


def lowest(table: Table) -> Bools:
    """Cells of the lowest level, and sums that have no other part than one of them: they are the same number."""
    found = table.inner
    while True:
        before = found.copy()
        for j in range(len(table.dimensions)):
            part = np.flatnonzero(table.up[:, j] >= 0)
            parts = np.bincount(table.up[part, j], minlength=len(table))
            alone = part[parts[table.up[part, j]] == 1]
            found[table.up[alone, j]] |= found[alone]
        if np.array_equal(found, before):
            return found


def given(pattern: Pattern) -> Bools:
    """Cells that must stay open, and those that follow from them by subtraction: to change them would hide nothing."""
    known = pattern.forced_open
    if known.any():
        by_relation = relations_of(pattern.table).matrix()
        by_cell = by_relation.tocsc()
        parts = (a.astype(np.int64) for m in (by_relation, by_cell) for a in (m.indptr, m.indices))
        unknown = ~known
        peel(Incidence(*parts), unknown)
        known = ~unknown
    return known


def changeable(pattern: Pattern, who: str, *, inner: bool) -> Bools:
    """The cells to change: all, or those of the lowest level; not those that must stay open or follow from such."""
    table = pattern.table
    touched = ~np.isin(pattern.status, (Status.OPEN, Status.PRIMARY))
    if touched.any():
        raise AlreadyProtected(who=who, name=table.name, count=int(touched.sum()))
    if (np.abs(table.value) >= LARGEST).any():
        raise TooLarge(name=table.name)
    return np.asarray(~given(pattern) & (lowest(table) if inner else True))


def added_up(table: Table, shown: Floats) -> Floats:
    """Every sum as the sum of what is shown on the lowest level."""
    out = np.where(table.inner, shown, 0.0)
    for j, dimension in enumerate(table.dimensions):
        level = dimension.level[table.cells[:, j]]
        for depth in range(dimension.depth, 0, -1):
            rows = np.flatnonzero((level == depth) & (table.up[:, j] >= 0))
            np.add.at(out, table.up[rows, j], out[rows])
    return out


def changed(pattern: Pattern, cells: Bools, shown: Floats, status: Status, because: Text) -> Pattern:
    """The pattern with these cells shown otherwise and all others as they are; a rule stays the reason of its cells."""
    out = np.where(cells, shown, pattern.table.value)
    out.flags.writeable = False
    return replace(
        pattern,
        status=np.where(cells, np.uint8(status), np.uint8(Status.OPEN)),
        reason=np.where(cells & ~pattern.primary, np.int32(len(pattern.reasons)), pattern.reason),
        reasons=(*pattern.reasons, because),
        shown=out,
    )


def in_need(before: Pattern, after: Pattern) -> Bools:
    """The cells that rules mark; where no rule was applied, every cell that is changed."""
    ruled = len(before.reasons) > 1
    return before.primary if ruled else np.isin(after.status, (Status.ROUNDED, Status.PERTURBED))


def found_out(before: Pattern, after: Pattern, originals: Originals) -> Bools:
    """Cells in need of which an attacker learns too much; those left open, or that only suppression satisfies, count too."""
    as_they_are = (before.mark == Mark.SUPPRESS) | (before.primary & (after.status == Status.OPEN))
    if as_they_are.any():
        return np.asarray(as_they_are)
    return np.asarray(too_near(before, after.hidden) | unsafe(after, originals, in_need(before, after)))


def too_near(before: Pattern, altered: Bools) -> Bools:
    """Marked cells that come out too closely for somebody who takes all altered cells as unknown."""
    value, unit = before.table.value, unit_of(before.table.value)
    down, up = (np.where(before.primary, n, 0.0) / unit for n in (before.lower, before.upper))
    low, high = (before.low - value) / unit, (before.high - value) / unit
    found = intervals(relations_of(before.table), np.zeros(len(value)), altered, low, high, Asked(down, up))
    ends = found.low, found.high
    if before.table.counts:
        ends = np.ceil(found.low - CLOSE), np.floor(found.high + CLOSE)
    return np.asarray(before.primary & ((-ends[0] < down - CLOSE) | (ends[1] < up - CLOSE)))


def refuse_found_out(who: str, before: Pattern, after: Pattern, originals: Originals) -> Pattern:
    """The protected pattern, or a refusal that names the cells that can be computed too closely."""
    cells = found_out(before, after, originals)
    if cells.any():
        names = listed([before.table.spelt(int(i)) for i in np.flatnonzero(cells)[:13]])
        raise Unattainable(
            who=who, goal=_GOAL, best=_BEST.filled(count=int(cells.sum()), names=names), hint=_HINT
        )
    return known_within(after, originals)


def known_within(after: Pattern, originals: Originals) -> Pattern:
    """What is shown of a changed cell bounds its original; whoever audits the table must know it."""
    altered = np.isin(after.status, (Status.ROUNDED, Status.PERTURBED))
    low = np.where(altered, np.maximum(after.low, originals.low), after.low)
    high = np.where(altered, np.minimum(after.high, originals.high), after.high)
    return replace(after, low=low, high=high)


def unchanged_elsewhere(before: Pattern, after: Pattern, cells: Bools) -> bool:
    """True if all other cells are open and as they were."""
    shown = after.table.value if after.shown is None else after.shown
    same = (shown == before.table.value) & (after.status == Status.OPEN)
    return bool(np.all(same | cells)) and np.array_equal(before.table.value, after.table.value)


def adds_up(method: object, before: Pattern, after: Pattern) -> bool:
    """True if the shown values add up wherever no sum is involved that stays as it is."""
    del method
    shown = after.table.value if after.shown is None else after.shown
    matrix = relations_of(after.table).matrix()
    fixed = abs(matrix) @ (given(before) & ~after.table.inner).astype(np.float64) > 0
    off = np.abs(matrix @ shown) > 1e-9 * max(1.0, float(np.abs(shown).max(initial=0.0)))
    return not np.any(off & ~fixed)


def told(amount: float) -> Text:
    """A number in both spellings."""
    return Text(number(amount, "en", 6), number(amount, "de", 6))


_GOAL = Text(
    "every marked cell, or without a rule every changed one, keeps the room it needs against all published sums",
    "jede markierte oder, ohne Regel, jede veränderte Zelle behält gegen alle veröffentlichten Summen den nötigen Spielraum",
)
_BEST = Text(
    "{count} cells can be computed exactly or too closely: {names}",
    "{count} Zellen sind genau oder zu eng bestimmbar: {names}",
)
_HINT = Text(
    "Change the margins too, take a larger base or wider noise, or suppress instead.",
    "Verändern Sie auch die Randsummen, nehmen Sie eine größere Basis oder weiteres Rauschen, oder sperren Sie stattdessen.",
)
