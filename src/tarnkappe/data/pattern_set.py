"""Tables that share cells on their way to publication: what is decided of a cell in one of them holds in all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Codes, Mark, Pattern, Status
from tarnkappe.data.relations import Relations, joined
from tarnkappe.data.table import Table
from tarnkappe.data.table_set import TableSet
from tarnkappe.data.ties import Ties
from tarnkappe.errors.linked import PublishedAlready, SharedCellsDiffer, SharedMarksContradict
from tarnkappe.language import Text, listed

FORCED = (Mark.KEEP, Mark.PUBLISHED, Mark.ZERO)
ELSEWHERE = Text("needs protection in a linked table", "in einer verknüpften Tabelle schutzbedürftig")
HIDDEN_ELSEWHERE = Text("suppressed in a linked table", "in einer verknüpften Tabelle gesperrt")
_FIRST = (Mark.NONE, Mark.SAFE, Mark.SUPPRESS, Mark.KEEP, Mark.PUBLISHED, Mark.ZERO)
"""Of several marks of a cell the last in this order stays."""


@dataclass(frozen=True, slots=True, eq=False)
class PatternSet:
    """Patterns of tables that share cells. Frozen; every step returns a new one."""

    patterns: tuple[Pattern, ...]
    tables: TableSet = field(init=False)
    given: TableSet | None = None
    """The tables, where they were numbered before."""
    ties: Ties | None = None
    """What ties cells beyond the sums of the tables."""
    unseen: int = 0
    """So many tables at the end are published by nobody: what others tell of them must stay hidden."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", self.given or TableSet(tuple(p.table for p in self.patterns)))

    def __len__(self) -> int:
        return len(self.tables)

    # -- with the cells that only ties have -------------------------------------------------------------------

    @property
    def own(self) -> int:
        """How many cells only the ties have; they are numbered after the others."""
        return 0 if self.ties is None else self.ties.own

    @property
    def published(self) -> tuple[Table, ...]:
        """The tables that somebody publishes."""
        return self.tables.tables[: len(self.patterns) - self.unseen]

    @property
    def named(self) -> str:
        return listed([table.name for table in self.published])

    def relations(self) -> Relations:
        """All sums of all tables, and what ties them."""
        sums = self.tables.relations()
        if self.ties is None:
            return sums
        wide = replace(sums, cells=len(self) + self.own)
        return joined([wide, self.ties.relations], len(self) + self.own)

    def widened(self, over: NDArray[Any], beyond: Any) -> NDArray[Any]:
        """What holds of physical cells, and for the cells that only ties have something else."""
        if self.own == 0:
            return over
        return np.concatenate([over, np.broadcast_to(beyond, self.own).astype(over.dtype)])

    def spelt(self, cell: int) -> str:
        """A cell by a table that has it and its codes there; cells of ties have no name."""
        return self.tables.spelt(cell) if cell < len(self) else "…"

    # -- by physical cell -----------------------------------------------------------------------------------

    def largest(self, parts: Sequence[Floats]) -> Floats:
        """The largest of what several tables say of a cell; each says it of its own cells."""
        out = np.full(len(self), -np.inf)
        for part, cells in zip(parts, self.tables.numbers, strict=True):
            np.maximum.at(out, cells, part)
        return out

    def anywhere(self, parts: Sequence[Bools]) -> Bools:
        """Cells of which one table at least says it."""
        out = np.zeros(len(self), dtype=np.bool_)
        for part, cells in zip(parts, self.tables.numbers, strict=True):
            out[cells[part]] = True
        return out

    @property
    def hidden(self) -> Bools:
        """Cells that no table shows exactly."""
        return ~self.anywhere([~p.hidden for p in self.patterns]) & ~self.tables.stock.empty

    @property
    def suppressed(self) -> Bools:
        return self.anywhere([p.suppressed for p in self.patterns])

    @property
    def primary(self) -> Bools:
        return self.anywhere([p.primary for p in self.patterns])

    @property
    def needs(self) -> Bools:
        """Cells with a required protection."""
        return self.anywhere([p.needs for p in self.patterns])

    @property
    def lower(self) -> Floats:
        return self.largest([np.where(p.needs, p.lower, 0.0) for p in self.patterns])

    @property
    def upper(self) -> Floats:
        return self.largest([np.where(p.needs, p.upper, 0.0) for p in self.patterns])

    @property
    def span(self) -> Floats:
        return self.largest([np.where(p.needs, p.span, 0.0) for p in self.patterns])

    @property
    def forced_open(self) -> Bools:
        """Cells that no protector may suppress; a cell that some table shows as empty is one of them."""
        return self.anywhere([p.forced_open for p in self.patterns]) | self.tables.stock.empty

    @property
    def counts(self) -> Bools:
        """Cells that count units."""
        return self.anywhere([np.full(len(p.table), p.table.counts) for p in self.patterns])

    def cost(self) -> Floats:
        """What suppressing a cell costs: as said, or its size."""
        said = [np.abs(p.table.value) if p.cost is None else p.cost for p in self.patterns]
        return self.largest(said)

    # -- from one table to the others -----------------------------------------------------------------------

    def aligned(self) -> PatternSet:
        """With one status, one protection, one mark and one prior interval for every cell."""
        self._refuse_torn()
        mark = self._mark()
        needs, lower, upper, span = self.needs, self.lower, self.upper, self.span
        low = self.largest([p.low for p in self.patterns])
        high = -self.largest([-p.high for p in self.patterns])
        primary, suppressed = self.primary, self.suppressed
        out = []
        for pattern, cells in zip(self.patterns, self.tables.numbers, strict=True):
            mine = replace(
                pattern, mark=mark[cells], low=low[cells], high=high[cells],
                lower=np.where(needs[cells], lower[cells], pattern.lower),
                upper=np.where(needs[cells], upper[cells], pattern.upper),
                span=np.where(needs[cells], span[cells], pattern.span),
            )  # fmt: skip
            out.append(_hidden_too(_primary_too(mine, primary[cells]), suppressed[cells], HIDDEN_ELSEWHERE))
        return replace(self, patterns=tuple(out), given=self.tables)

    def with_hidden(self, cells: Bools, because: Text) -> PatternSet:
        """With further physical cells suppressed in every table that has them."""
        out = (
            _hidden_too(p, cells[n], because) for p, n in zip(self.patterns, self.tables.numbers, strict=True)
        )
        return replace(self, patterns=tuple(out), given=self.tables)

    def _mark(self) -> Codes:
        rank = np.argsort(np.array(_FIRST))
        order = self.largest([rank[p.mark].astype(np.float64) for p in self.patterns]).astype(np.int64)
        mark = np.array(_FIRST, dtype=np.uint8)[order]
        return np.where(self.tables.stock.empty & (mark == Mark.NONE), np.uint8(Mark.ZERO), mark)

    def _refuse_torn(self) -> None:
        asked = self.anywhere([p.suppressed | (p.mark == Mark.SUPPRESS) for p in self.patterns])
        out_already = np.flatnonzero(asked & self.anywhere([p.mark == Mark.PUBLISHED for p in self.patterns]))
        if len(out_already):
            cells = self.listed(out_already)
            raise PublishedAlready(names=self.tables.named, count=len(out_already), cells=cells)
        torn = np.flatnonzero(asked & self.forced_open)
        if len(torn):
            raise SharedMarksContradict(names=self.tables.named, count=len(torn), cells=self.listed(torn))

    def refuse_differences(self) -> None:
        """Every cell looks the same in all tables: same status as readers see it, same number, same range."""
        looks = [_looks(p) for p in self.patterns]
        wrong = np.zeros(len(self), dtype=np.bool_)
        for column in range(4):
            most = self.largest([x[:, column] for x in looks])
            least = -self.largest([-x[:, column] for x in looks])
            slack = 1e-9 * np.maximum(np.abs(most), np.abs(least))
            with np.errstate(invalid="ignore"):
                wrong |= (most != least) & ~(most - least <= slack)
        cells = np.flatnonzero(wrong)
        if len(cells):
            raise SharedCellsDiffer(names=self.tables.named, count=len(cells), cells=self.listed(cells))

    def listed(self, cells: Ints) -> str:
        return listed([self.tables.spelt(int(c)) for c in cells[:20]])


def as_published(pattern: Pattern) -> Pattern:
    """A table that is out already: what it shows stays open, what it hides stays hidden."""
    shown = pattern.status == Status.OPEN
    return replace(pattern, mark=np.where(shown, np.uint8(Mark.PUBLISHED), pattern.mark))


def _primary_too(pattern: Pattern, cells: Bools) -> Pattern:
    new = cells & ~pattern.primary
    if not new.any():
        return pattern
    return replace(
        pattern,
        status=np.where(new, np.uint8(Status.PRIMARY), pattern.status),
        reason=np.where(new, np.int32(len(pattern.reasons)), pattern.reason),
        reasons=(*pattern.reasons, ELSEWHERE),
    )


def _hidden_too(pattern: Pattern, cells: Bools, because: Text) -> Pattern:
    new = cells & (pattern.status == Status.OPEN)
    return pattern.with_secondary(new, because) if new.any() else pattern


def _looks(pattern: Pattern) -> NDArray[np.float64]:
    """What readers see of every cell: kind, number, lower and upper end."""
    hide = pattern.suppressed | (pattern.status == Status.RANGE)
    number = np.where(hide, 0.0, pattern.table.value if pattern.shown is None else pattern.shown)
    kind = np.where(pattern.suppressed, 1.0, np.where(pattern.status == Status.RANGE, 2.0, 0.0))
    ends = [
        np.where(pattern.status == Status.RANGE, 0.0 if end is None else end, 0.0)
        for end in (pattern.shown_low, pattern.shown_high)
    ]
    return np.stack([kind, number, *ends], axis=1)
