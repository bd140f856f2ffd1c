"""From a pattern to what the Quader search reads: the structure of the table, prices, owners, and what every pivot needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.attack.cuboids import lattice_of
from tarnkappe.attack.shares import named, shares_of, soles
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import Contributions, Table
from tarnkappe.errors.tables import AlreadyProtected, CostsMissing, MarksContradict
from tarnkappe.errors.unsafe_tables import PriorTooNarrow
from tarnkappe.kernels.cuboids import Cells, Lattice
from tarnkappe.kernels.witnesses import Goals
from tarnkappe.language import listed

LEAST = 1e-6
"""A cell counts as open to doubt when its interval is at least this share of it wide."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The parameters of the method as the search reads them."""

    who: str
    cost: str
    margins: str
    zeros: str
    insiders: str
    extend: str
    max_sweeps: int = 100
    share: float = 0.0
    """Of the largest corner of a cuboid that the interval must be wide; 0: any."""
    two_sided: bool = True
    """Else a width that is asked for may also be that of both sides together."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Everything before the first search."""

    lattice: Lattice
    cells: Cells
    goals: Goals
    given: Bools
    """By pivot: it was hidden beforehand, without a requirement of its own."""


def start_of(pattern: Pattern, choices: Choices, only: Bools | None = None) -> Start:
    """Check the pattern and lay it out for the search; `only` says which hidden cells are looked at, if not all."""
    _refuse(pattern, choices.who)
    table, suppressed = pattern.table, pattern.suppressed | (pattern.mark == Mark.SUPPRESS)
    owner = _sole(table, choices.insiders)
    cells = Cells(
        suppressed.copy(), barred(pattern, choices.zeros), np.maximum(table.value - pattern.low, 0.0),
        np.maximum(pattern.high - table.value, 0.0), *price_of(pattern, choices), owner,
        np.zeros(int(owner.max(initial=-1)) + 1, dtype=np.bool_), ~suppressed, np.abs(table.value),
    )  # fmt: skip
    goals, given = _goals(pattern, cells, choices, np.flatnonzero(cells.hidden if only is None else only))
    return Start(lattice_of(table), cells, goals, given)


def _refuse(pattern: Pattern, who: str) -> None:
    name, spelt = pattern.table.name, pattern.table.spelt
    changed = pattern.status > Status.SECONDARY
    if changed.any():
        raise AlreadyProtected(who=who, name=name, count=int(changed.sum()))
    torn = np.flatnonzero(pattern.suppressed & pattern.forced_open)
    if len(torn):
        raise MarksContradict(name=name, count=len(torn), cells=listed([spelt(int(c)) for c in torn[:20]]))


def in_order(pattern: Pattern, choices: Choices) -> Ints:
    """The place of every cell among all by what hiding it costs; of equal ones the first."""
    rank, cost = price_of(pattern, choices)
    place = np.empty(len(cost), dtype=np.int64)
    place[np.lexsort((cost, rank))] = np.arange(len(cost))
    return place


def barred(pattern: Pattern, zeros: str) -> Bools:
    """Open cells that stay open: forced, known beforehand, and (by policy) zeros; cells beside an empty sum are known."""
    table = pattern.table
    out = pattern.forced_open | (pattern.high <= pattern.low)
    if zeros == "not-usable":
        out |= table.value == 0
    for j, dimension in enumerate(table.dimensions):
        parts = np.bincount(table.up[table.up[:, j] >= 0, j], minlength=len(table))
        out |= ~dimension.is_leaf[table.cells[:, j]] & (parts == 0)
        out |= (table.cells[:, j] != 0) & (table.up[:, j] < 0)
    return out


def _sole(table: Table, insiders: str) -> Ints:
    """For every cell who alone contributes to it; -1 where several do."""
    kept = contributions_of(table, insiders)
    if kept is None:
        return np.full(len(table), -1, dtype=np.int64)
    return soles(table, kept)


def contributions_of(table: Table, insiders: str) -> Contributions | None:
    """Whose knowledge is reckoned with."""
    kept = (table.owners or table.contributions) if insiders == "owners" else table.contributions
    return None if insiders == "none" or kept is None else named(table, kept)


def price_of(pattern: Pattern, choices: Choices) -> tuple[Floats, Floats]:
    """(rank, cost) of hiding a cell: the rank decides, the cost breaks ties (Wettig 2002, L549-557, L1102-1105, L1440)."""
    table = pattern.table
    cost = _loss(pattern, choices)
    margin = np.asarray(~table.inner, dtype=np.float64)
    rank = np.ones(len(table)) if choices.cost == "lexicographic" else np.zeros(len(table))
    if choices.margins == "avoid":
        rank = rank + margin / 1024
    elif choices.margins == "weight":
        cost = cost * (1.0 + table.aggregation())
    if pattern.again is not None:
        rank, cost = rank * pattern.again, cost * pattern.again
    return rank, cost


def _loss(pattern: Pattern, choices: Choices) -> Floats:
    table = pattern.table
    size = np.abs(table.value)
    if choices.cost == "weight":
        if pattern.cost is None:
            raise CostsMissing(who=choices.who, name=table.name)
        return np.asarray(pattern.cost, dtype=np.float64)
    if choices.cost == "count" and table.contributions is not None:
        return table.contributions.count.astype(np.float64)
    losses = {"log": np.log1p(size), "constant": np.ones(len(table)), "digits": _digits(size)}
    return losses.get(choices.cost, size)


def _digits(size: Floats) -> Floats:
    """How many digits stand before the decimal sign: the digit costs of CONFID (Wettig 2002, L1458-1465)."""
    return 1.0 + np.floor(np.log10(np.maximum(size, 1.0)))


def _goals(pattern: Pattern, cells: Cells, choices: Choices, pivot: Ints) -> tuple[Goals, Bools]:
    """Primary cells need what is required of them; given ones must stay in doubt."""
    table, value = pattern.table, pattern.table.value
    needs = (pattern.primary | pattern.asked)[pivot]
    least = least_doubt(table)[pivot]
    up, down, span = pattern.upper[pivot], pattern.lower[pivot], np.maximum(pattern.span[pivot], least)
    if table.counts:
        up, down, span = np.ceil(up), np.ceil(down), np.ceil(span)
    kept = contributions_of(table, choices.insiders)
    guard = np.where(needs & (kept is not None), least, -1.0)
    main, rest = _mains(table, kept, pivot)
    all_his = (rest <= 0) & (value[pivot] > 0)  # who gives all of a cell need not be kept from it
    # A sum and its only part have one owner, whatever numbers their largest contributions bear.
    own = np.where(all_his & (cells.owner[pivot] < 0), main, cells.owner[pivot])
    share = np.where(_by_share(pattern, choices)[pivot], choices.share, 0.0)
    goals = Goals(pivot, up, down, span, own, main, np.minimum(down, rest), share, guard)
    _refuse_narrow(table, cells, goals)
    return goals, ~needs


def _by_share(pattern: Pattern, choices: Choices) -> Bools:
    """Confidential cells whose width is a share of the largest corner: not those of which only both sides together are asked."""
    wide = pattern.primary & (pattern.span > 0)
    if choices.two_sided:
        return wide
    return wide & (pattern.span >= choices.share * np.abs(pattern.table.value))


def _mains(table: Table, kept: Contributions | None, pivot: Ints) -> tuple[Ints, Floats]:
    """The largest contributor to every pivot, and what is left of it without him, where his share tells him anything."""
    nobody, everything = np.full(len(pivot), -1, dtype=np.int64), np.full(len(pivot), np.inf)
    if kept is None or kept.who.shape[1] == 0:
        return nobody, everything
    main, shares = kept.who[pivot, 0].astype(np.int64), shares_of(table, kept)
    if shares is None:
        return main, everything
    return main, np.where(main >= 0, np.maximum(table.value[pivot] - shares.largest[pivot, 0], 0.0), np.inf)


def least_doubt(table: Table) -> Floats:
    """The width of an interval that leaves a cell in doubt at all; a count must be able to differ by 1."""
    if table.counts:
        return np.ones(len(table))
    size = np.abs(table.value)
    smallest = np.min(size, where=size > 0, initial=np.inf)
    return LEAST * np.where(size > 0, size, smallest if np.isfinite(smallest) else 1.0)


def _refuse_narrow(table: Table, cells: Cells, goals: Goals) -> None:
    """Nothing helps where prior knowledge is closer than the protection (Wettig 2002, L1563)."""
    up, down = cells.up[goals.pivot], cells.down[goals.pivot]
    narrow = np.flatnonzero((up < goals.up) | (down < goals.down) | (up + down < goals.span))
    if len(narrow):
        spelt = [table.spelt(int(goals.pivot[i])) for i in narrow[:20]]
        raise PriorTooNarrow(name=table.name, count=len(narrow), cells=listed(spelt))
