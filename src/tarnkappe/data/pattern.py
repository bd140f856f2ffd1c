"""A table on its way to publication: what is open, what is suppressed and why, and what protection each cell needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.sums import Judge
from tarnkappe.data.table import Table
from tarnkappe.language import NOTHING, Text

Codes = NDArray[np.uint8]
Positions = NDArray[np.int32]


class Status(IntEnum):
    """What becomes of a cell."""

    OPEN = 0
    PRIMARY = 1
    """Suppressed because a rule marks it."""
    SECONDARY = 2
    """Suppressed to protect others."""
    ROUNDED = 3
    PERTURBED = 4
    RANGE = 5
    """Shown as an interval."""


class Mark(IntEnum):
    """What the office has decided about a cell beforehand."""

    NONE = 0
    KEEP = 1
    """Must stay open."""
    SUPPRESS = 2
    """Must be suppressed."""
    PUBLISHED = 3
    """Was published already: must stay open."""
    ZERO = 4
    """Structural zero: everybody knows that nothing can be there."""
    SAFE = 5
    """No rule marks it, whatever the rule says; it may be suppressed to protect others."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What a rule says of a table."""

    cells: Bools
    """The cells that need protection."""
    lower: Floats
    upper: Floats
    """How far below and above the value an attacker's interval must reach, at least; 0 elsewhere."""
    because: Text
    """The rule in words."""
    span: Floats | None = None
    """How wide the interval must be at least, wherever it lies; None: nothing is asked of its width."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A table with a status for every cell. Frozen; every step returns a new one."""

    table: Table
    status: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    reason: Positions = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """Position in `reasons`."""
    reasons: tuple[Text, ...] = (NOTHING,)
    lower: Floats = field(default_factory=lambda: np.zeros(0))
    upper: Floats = field(default_factory=lambda: np.zeros(0))
    """How far below and above its value the attacker's interval of a cell must reach (LPL and UPL),"""
    span: Floats = field(default_factory=lambda: np.zeros(0))
    """and how wide it must be, wherever it lies (SPL, the sliding protection)."""
    mark: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    low: Floats = field(default_factory=lambda: np.zeros(0))
    high: Floats = field(default_factory=lambda: np.zeros(0))
    """What the attacker knows beforehand of every cell: by default 0 (or -∞ where the table has negative values) to ∞."""
    cost: Floats | None = None
    """What suppressing a cell costs; None: the protector's own measure of loss."""
    shown: Floats | None = None
    """What is published where it differs from the value: rounded, perturbed; None: the values."""
    shown_low: Floats | None = None
    shown_high: Floats | None = None
    """Published intervals of the cells with the status RANGE."""
    again: Floats | None = None
    """What hiding a cell costs as a share of the usual, below 1 where it was hidden in the last period; None: as usual."""
    judges: tuple[Judge, ...] = ()
    """The rules that have marked cells: sums of suppressed cells must pass them too."""

    def __post_init__(self) -> None:
        size = len(self.table)
        start: Mapping[str, Floats | Codes | Positions] = {
            "status": np.zeros(size, np.uint8), "reason": np.zeros(size, np.int32), "lower": np.zeros(size),
            "upper": np.zeros(size), "span": np.zeros(size), "mark": np.zeros(size, np.uint8), "low": self._lowest(),
            "high": np.full(size, np.inf),
        }  # fmt: skip
        for name, default in start.items():
            given = getattr(self, name)
            object.__setattr__(self, name, given if len(given) == size else default)
            getattr(self, name).flags.writeable = False

    def _lowest(self) -> Floats:
        """Nothing below 0 is known unless a cell or a contribution is negative."""
        table = self.table
        sizes = (kept.size for kept in (table.contributions, table.owners) if kept is not None)
        signed = bool((table.value < 0).any()) or any(size is not None for size in sizes)
        return np.full(len(self.table), -np.inf if signed else 0.0)

    @property
    def suppressed(self) -> Bools:
        """Cells that show nothing."""
        return np.asarray(self.primary | (self.status == Status.SECONDARY))

    @property
    def hidden(self) -> Bools:
        """Cells whose exact value is not published: suppressed, shown as a range, rounded or perturbed."""
        return np.asarray(self.status != Status.OPEN)

    @property
    def needs(self) -> Bools:
        """Hidden cells with a required protection."""
        return self.primary | (self.hidden & self.asked)

    @property
    def asked(self) -> Bools:
        """Cells of whose interval something is required."""
        return np.asarray((self.lower > 0) | (self.upper > 0) | (self.span > 0))

    @property
    def primary(self) -> Bools:
        return np.asarray(self.status == Status.PRIMARY)

    @property
    def forced_open(self) -> Bools:
        """Cells that no protector may suppress."""
        return np.isin(self.mark, (Mark.KEEP, Mark.PUBLISHED, Mark.ZERO))

    def because(self, cell: int) -> Text:
        return self.reasons[int(self.reason[cell])]

    def marked(self, found: Sensitivity) -> Pattern:
        """With the cells of a rule as primary; of several rules all are named, and protections are the larger of each."""
        cells = found.cells & ~np.isin(self.mark, (Mark.ZERO, Mark.SAFE))
        reason, reasons = self._named(cells, found.because)
        span = np.zeros(len(self.table)) if found.span is None else found.span
        required = ((self.lower, found.lower), (self.upper, found.upper), (self.span, span))
        lower, upper, span = (np.where(cells, np.maximum(old, new), old) for old, new in required)
        status = np.where(cells, np.uint8(Status.PRIMARY), self.status)
        return replace(
            self, status=status, reason=reason, reasons=reasons, lower=lower, upper=upper, span=span
        )

    def _named(self, cells: Bools, because: Text) -> tuple[Positions, tuple[Text, ...]]:
        """The reasons of all cells with one more for some of them."""
        reasons = [*self.reasons, because]
        reason = np.where(cells, np.int32(len(self.reasons)), self.reason)
        for old in np.unique(self.reason[cells & self.primary]).tolist():
            if self.reasons[old] not in (NOTHING, because):
                reason[cells & self.primary & (self.reason == old)] = len(reasons)
                both = self.reasons[old], because
                reasons.append(Text("; ".join(t.en for t in both), "; ".join(t.de for t in both)))
        return reason, tuple(reasons)

    def known_within(self, percent: float | None) -> Pattern:
        """With an attacker who knows every cell up to so many percent of it beforehand."""
        if percent is None:
            return self
        value, reach = self.table.value, np.abs(self.table.value) * percent / 100
        return replace(
            self, low=np.maximum(self.low, value - reach), high=np.minimum(self.high, value + reach)
        )

    def with_secondary(self, cells: Bools, because: Text) -> Pattern:
        """With further cells suppressed to protect others; what must stay open does."""
        new = cells & (self.status == Status.OPEN) & ~self.forced_open
        lower, upper, span = (np.where(new, 0.0, need) for need in (self.lower, self.upper, self.span))
        return replace(
            self,
            status=np.where(new, np.uint8(Status.SECONDARY), self.status),
            reason=np.where(new, np.int32(len(self.reasons)), self.reason),
            reasons=(*self.reasons, because),
            lower=lower,
            upper=upper,
            span=span,
        )
