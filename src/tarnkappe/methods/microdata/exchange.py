"""What all methods share that give records the values of others: blocks, moving cells, and what can be claimed of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import OBSERVED, Bools, Column, Ints
from tarnkappe.data.comparison import same_states
from tarnkappe.data.contributors import contributor_codes, several_records
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.exchange import NoPartner, OrderIncomplete
from tarnkappe.kernels.ranks import shared_within, sorted_within
from tarnkappe.language import Text
from tarnkappe.spec import Claim
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.vocab import Kind

Alone = Literal["refuse", "suppress", "leave"]
FEWEST = 3
"""Contributors among whom it is not known who exchanged with whom, and of whom none has the values of the stratum to himself."""


class Exchanges(Protocol):
    """What the claims need to know of a method."""

    id: ClassVar[str]

    @property
    def within(self) -> tuple[str, ...]: ...
    @property
    def too_small(self) -> Alone: ...
    def named(self) -> tuple[str, ...]:
        """The columns whose cells move."""


@dataclass(frozen=True)
class Blocks:
    """The records among which a column, or several together, can be exchanged: one stratum, nothing but shown cells."""

    order: Ints
    starts: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)


def blocks_of(data: Microdata, within: Sequence[str], columns: Sequence[str]) -> Blocks:
    """The strata of the records in which at least one of the columns is shown, apart for every pattern of gaps."""
    strata: Strata = strata_of(data, within, columns)
    shown = np.zeros(len(data), dtype=np.bool_)
    for name in columns:
        shown |= data.column(name).observed
    first = strata.order[strata.starts[:-1]]
    kept = shown[first] if len(first) else np.zeros(0, dtype=np.bool_)
    order = strata.order if kept.all() else strata.order[np.repeat(kept, strata.sizes)]
    return Blocks(order, np.concatenate([[0], np.cumsum(strata.sizes[kept])]).astype(np.int64))


def sources_in(size: int, blocks: Blocks, give: Callable[[Ints, Ints], Ints]) -> Ints:
    """Number the records of the blocks 0, 1, … for a kernel, and translate its answer back."""
    if len(blocks.order) == size:
        return give(blocks.order, blocks.starts)
    inner = give(np.arange(len(blocks.order)), blocks.starts)
    source = np.arange(size)
    source[blocks.order] = blocks.order[inner]
    return source


def moved(data: Microdata, sources: Mapping[str, Ints]) -> Microdata:
    """Every record takes the values of its source; a cell that is not shown keeps what it has."""
    return data.with_columns({name: _moved(data.column(name), source) for name, source in sources.items()})


def _moved(column: Column, source: Ints) -> Column:
    values = column.values[source]
    if column.state is not None:
        values = np.where(column.state == OBSERVED, values, column.values)
    return replace(column, values=values)


def treat_alone(data: Microdata, method: Exchanges, lone: Mapping[str, Ints]) -> Microdata:
    """Refuse, suppress or leave the cells of records that have nobody to exchange with."""
    for name, records in lone.items():
        if len(records) and method.too_small == "refuse":
            raise NoPartner(who=method.id, count=len(records), name=name)
    if method.too_small != "suppress":
        return data
    return data.with_columns(
        {n: data.column(n).suppress(_marks(len(data), records)) for n, records in lone.items()}
    )


def owners_of(data: Microdata) -> Ints | None:
    """The contributor of every record; None where no column tells owners, and each stands for itself."""
    return contributor_codes(data) if several_records(data) else None


def alone(blocks: Blocks, who: Ints | None) -> Ints:
    """Records in blocks of one or two contributors: one has no partner, and of two everybody knows who exchanged with whom.

    `who` is the contributor of every record, or unit: an owner who exchanges with himself shows what he has, as all values stay in the block.
    """
    people = blocks.sizes
    if who is not None:
        radix = int(who.max(initial=0)) + 1
        block = np.repeat(np.arange(len(blocks.sizes)), blocks.sizes)
        pairs = np.unique(block * radix + who[blocks.order])
        people = np.bincount(pairs // radix, minlength=len(blocks.sizes))
    out: Ints = blocks.order[np.repeat(people < FEWEST, blocks.sizes)]
    return out


def _marks(size: int, records: Ints) -> Bools:
    out = np.zeros(size, dtype=np.bool_)
    out[records] = True
    return out


# -- an order for what is no number --------------------------------------------------------------------------------


def sortable(name: str, column: Column, ordered: Mapping[str, Sequence[str]], who: str) -> NDArray[Any]:
    """Values that sort as the column does: numbers, dates and yes/no by themselves, categories in a given order."""
    if name in ordered:
        return _by_given_order(name, column, ordered[name])
    if column.kind is Kind.CATEGORY:
        needed = Text(
            "numbers, dates or a given order of the values (order)",
            "Zahlen, Daten oder eine angegebene Reihenfolge der Werte (order)",
        )
        raise WrongKind(name=name, found=column.kind.text, who=who, needed=needed)
    return column.values


def _by_given_order(name: str, column: Column, order: Sequence[str]) -> Ints:
    place = {value: number for number, value in enumerate(order)}
    codes, _ = column.true_codes()
    ranks = np.array([place.get(text, -1) for text in canonical(column)], dtype=np.int64)
    known = np.where(codes >= 0, ranks[codes] if len(ranks) else -1, 0)
    unknown = np.flatnonzero((known < 0) & column.observed)
    if len(unknown):
        raise OrderIncomplete(name=name, count=len(np.unique(codes[unknown])))
    return known


# -- claims --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """The cells of a column that are shown afterwards, before and after, and the strata of their records."""

    name: str
    old: Column
    new: Column
    strata: Strata


def shown_cells(
    m: Exchanges, before: Microdata, after: Microdata, gaps: Sequence[str] = ()
) -> Iterator[Shown]:
    """Every treated column; with `gaps`, records with the same of these columns missing are a stratum of their own."""
    was = before.aligned_to(after)
    all_of_them: Strata | None = None
    for name in m.named():
        now = after.column(name)
        if now.state is None:
            all_of_them = all_of_them or strata_of(was, m.within, gaps)
            yield Shown(name, was.column(name), now, all_of_them)
        else:
            part = was.take(shown := np.flatnonzero(now.observed))
            yield Shown(name, part.column(name), now.take(shown), strata_of(part, m.within, gaps))


def values_kept(m: Exchanges, before: Microdata, after: Microdata) -> bool:
    """In every stratum a column has the same values as before, each as often, over the records that show it."""
    for cells in shown_cells(m, before, after):
        order, starts = cells.strata.order, cells.strata.starts
        old, new = (sorted_within(column.values, order, starts) for column in (cells.old, cells.new))
        if not np.array_equal(old, new, equal_nan=old.dtype.kind == "f"):
            return False
        if cells.old.categories is not cells.new.categories:
            return False
    return True


def states_kept(m: Exchanges, before: Microdata, after: Microdata) -> bool:
    """What was missing or suppressed still is; unless `too_small` suppresses, nothing else is."""
    was = before.aligned_to(after)
    for name in m.named():
        old, new = was.column(name), after.column(name)
        if m.too_small != "suppress" and not same_states(old, new):
            return False
        if (old.missing != new.missing).any() or (old.suppressed & ~new.suppressed).any():
            return False
    return True


def moved_but(
    m: Exchanges, before: Microdata, after: Microdata, due: Callable[[Ints], Ints], gaps: Sequence[str] = ()
) -> bool:
    """Of `sizes` shown cells that can be exchanged, `due(sizes)` hold another record's value: as far as values differ."""
    for cells in shown_cells(m, before, after, gaps):
        strata, changes = cells.strata, cells.old.values != cells.new.values
        lacking = due(strata.sizes) - np.bincount(strata.of[changes], minlength=len(strata))
        if (lacking > 0).any() and (
            lacking > shared_within(cells.old.values, strata.order, strata.starts)
        ).any():
            return False
    return True


def all_but_one(sizes: Ints) -> Ints:
    return np.maximum(sizes - 1, 0)


VALUES_KEPT = Claim(
    Text(
        "the values of every chosen column in every stratum, each as often as before: so its mean, variance and distribution",
        "die Werte jeder gewählten Spalte in jeder Schicht, jeden so oft wie zuvor: also Mittelwert, Varianz und Verteilung",
    ),
    values_kept,
)
STATES_KEPT = Claim(
    Text("which cells are missing or suppressed", "welche Zellen fehlen oder unterdrückt sind"), states_kept
)
ALL_BUT_ONE_MOVED = Claim(
    Text(
        "every value that no other record of its stratum has now stands at another record, but for one at most per "
        "stratum and column",
        "jeder Wert, den kein anderer Datensatz seiner Schicht hat, steht nun bei einem anderen Datensatz, bis auf höchstens "
        "einen je Schicht und Spalte",
    ),
    lambda m, before, after: moved_but(m, before, after, all_but_one),
)
OTHER_COLUMNS_LOST = ForAnalysis(
    "keep relations to columns that stay in place: they weaken",
    "Zusammenhänge mit Spalten erhalten, die stehen bleiben: sie werden schwächer",
)
LARGEST_STAYS = Text(
    "hide that the largest value is in the file: it stands at another record, but it is there",
    "verbergen, dass der größte Wert in der Datei ist: er steht bei einem anderen Datensatz, aber er ist da",
)
