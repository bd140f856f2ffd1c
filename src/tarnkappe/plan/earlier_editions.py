"""Tables of earlier editions of the data, and of what steps have made of it: protected together with new ones where their contributors stayed.

The register knows by fingerprints who contributed what to every lowest cell of an earlier table. Whoever is found again with the same amount gives the cells of then their
values back; of one who is gone nobody knows the amount, and a usual one stands in for it. The earlier table is a measure of its own: what it showed is open, what it hid is
not. Between it and a new one lies what came and went: a table that nobody sees, nothing in cells that stayed, and whose cells of few must not become known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tarnkappe.attack.attacker import Attacker
from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.insiders import LEAST
from tarnkappe.attack.together import attacked, joint_of
from tarnkappe.data.column import Bools, Column, Floats, Ints, Strings
from tarnkappe.data.contributor_signs import (
    Contributed,
    amounts_of,
    contributions_of,
    lowest_cells,
    mean_amount,
    units_between,
    unpacked,
)
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.meanings import meanings
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Sensitivity, Status
from tarnkappe.data.pattern_set import PatternSet, as_published
from tarnkappe.data.release_signature import Signer
from tarnkappe.data.table import Table
from tarnkappe.data.table_signature import TableSignature
from tarnkappe.data.tabulate import below_total, tabulate
from tarnkappe.errors import TarnkappeError
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.measure_relations import AFTER_STEPS, MeasureRelation
from tarnkappe.plan.unseen import LARGEST, Laid
from tarnkappe.vocab import Role

NOTHING_LEFT = 1e-7
"""What came and went adds up to less than this share of its size: it cancels out."""
_AMOUNT, _UNIT = "#amount", "#unit"
_REASON = Text("suppressed in an earlier edition", "in einer früheren Ausgabe gesperrt")
_FEW = Text(
    "few contributors came or went since an earlier edition",
    "seit einer früheren Ausgabe kamen oder gingen wenige Beitragende",
)


class House(NamedTuple):
    """The records at hand and the key of the register."""

    original: Microdata
    result: Microdata
    signer: Signer


@dataclass(frozen=True, slots=True, eq=False)
class EarlierTable:
    """A table of an earlier edition, made again of who is found again."""

    pattern: Pattern
    measure: str
    """What it added up."""
    codes: Mapping[str, Strings]
    """Dimension -> lowest code of every contribution."""
    amount: Floats
    contributed: Contributed

    def tree(self, name: str) -> Hierarchy:
        return next(tree for tree in self.pattern.table.dimensions if tree.name == name)


@dataclass(frozen=True, slots=True, eq=False)
class EarlierEditions:
    """The tables of earlier editions."""

    tables: tuple[EarlierTable, ...] = ()
    house: House | None = None
    least: int = 0
    """What came or went of fewer contributors must not become known; 0: a reason is signed."""

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        return tuple(table.pattern for table in self.tables)

    def changes(self, tables: Sequence[Laid]) -> Iterator[tuple[Laid | None, MeasureRelation]]:
        """For every new table and the same measure in an earlier edition what came and went between them; None where nothing did."""
        made = set()
        for laid in tables:
            for earlier in self.tables:
                by = tuple(name for name in laid.by if name in earlier.codes)
                then = earlier.pattern.table.measure
                alike = laid.measure.removesuffix(AFTER_STEPS) == earlier.measure.removesuffix(AFTER_STEPS)
                key = (laid.measure, then, by)
                if self.house is None or laid.data is None or laid.plan is None or not alike or not by:
                    continue
                if key in made:
                    continue
                made.add(key)
                between = _between(laid, earlier, by, self.house)
                change = None if between is None else self._unseen(laid, then, by, between)
                terms = {laid.measure: 1.0, then: -1.0} | ({} if change is None else {change.measure: -1.0})
                yield change, MeasureRelation(terms, {}, equation=True)

    def _unseen(self, laid: Laid, then: str, by: tuple[str, ...], between: Microdata) -> Laid:
        assert laid.plan is not None, "it is a table of the plan"
        table = tabulate(between, by, _AMOUNT, name=f"{laid.pattern.table.name} (Δ)", largest=LARGEST)
        kept = table.contributions
        assert kept is not None, "a table of records tells who contributes"
        still = np.abs(table.value) <= NOTHING_LEFT * (
            np.abs(table.value) if kept.size is None else kept.size
        )
        pattern = Pattern(table)
        if self.least:
            nothing = np.zeros(len(table))
            pattern = pattern.marked(
                Sensitivity((kept.count < self.least) & ~still, nothing, nothing, _FEW)
            )
            for rule in laid.plan.rules if kept.size is None else ():
                pattern = pattern.marked(rule.mark(table))
        low = np.where(still, table.value, pattern.low)
        high = np.where(still, table.value, pattern.high)
        plain = replace(
            table, measure=f"{laid.measure} (Δ {then})", contributions=None, owners=None, source=""
        )
        return Laid(replace(pattern, table=plain, low=low, high=high))


def earlier_edition(
    tables: Sequence[TableSignature], house: House, number: int, now: Sequence[Hierarchy]
) -> tuple[list[EarlierTable], list[str]]:
    """The tables of one earlier edition, and the names of those that cannot be made again; `now` are the hierarchies of the new tables."""
    made: list[EarlierTable] = []
    lost: list[str] = []
    for table in tables:
        found = _remade(table, house, f" ({number})") if not table.changed and table.contributors else None
        if found is None or not _fits(found.pattern.table, now):
            lost.append(table.name)
        else:
            made.append(found)
    try:
        return _asking_no_more(made), lost
    except TarnkappeError:
        return [], [table.name for table in tables]


def _remade(table: TableSignature, house: House, suffix: str) -> EarlierTable | None:
    """An earlier table with the amounts of those who are found again; None where what it added up is not in the data."""
    contributed = unpacked(table.contributors)
    if contributed is None or len(table.lowest) != len(table.contributors):
        return None
    amount = _amounts(table, contributed, house)
    if amount is None:
        return None
    gone = ~np.isfinite(amount)
    known = amounts_of(house.original, _known(table, house.original), weighted=table.weighted)
    amount = np.where(gone, mean_amount(known), amount)
    trees = table.hierarchies
    codes = {
        name: np.array([cell[j] for cell in table.lowest], dtype=object)[contributed.place]
        for j, name in enumerate(trees)
    }
    try:
        pattern = _pattern(table, trees, codes, amount, gone)
    except TarnkappeError:
        return None
    if pattern is None:
        return None
    renamed = replace(pattern.table, measure=f"{table.measure}{suffix}", name=f"{table.name}{suffix}")
    return EarlierTable(
        as_published(replace(pattern, table=renamed)), table.measure, codes, amount, contributed
    )


def _known(table: TableSignature, data: Microdata) -> str | None:
    return table.value if table.value is None or table.value in data.columns else None


def _amounts(table: TableSignature, contributed: Contributed, house: House) -> Floats | None:
    """What every contribution of then adds, NaN where it is not found again."""
    amount = np.full(len(contributed), np.nan)
    for data in (house.original, house.result):
        value = table.value
        if value is not None and (value not in data.columns or not data.columns[value].kind.is_number):
            continue
        own = amounts_of(data, value, weighted=table.weighted)
        there, who, what = contributions_of(house.original, data, own, house.signer)
        mine, theirs = contributed.found_in(Contributed(who, what, np.zeros(len(who), dtype=np.int64)))
        found = own[there][theirs]
        amount[mine] = np.where(np.isfinite(amount[mine]), amount[mine], found)
    return amount if np.isfinite(amount).any() else None


def _pattern(
    table: TableSignature,
    trees: Mapping[str, Hierarchy],
    codes: Mapping[str, Strings],
    amount: Floats,
    gone: Bools,
) -> Pattern | None:
    """The cells with their values, suppressed as they were; of cells with somebody who is gone no more is required than that they stay in doubt."""
    counts = table.value is None and bool((amount == 1).all())
    columns = {
        name: replace(Column.texts_of(list(own)), hierarchy=trees[name]) for name, own in codes.items()
    }
    data = Microdata({**columns, _AMOUNT: Column.numbers_of(amount.astype(np.float64))})
    value = None if counts else _AMOUNT
    made = tabulate(data, list(trees), value, name=table.name, largest=0)
    cells = suppressed_rows(table, made)
    if cells is None:
        made = tabulate(data, list(trees), value, name=table.name, largest=0, empty="listed")
        cells = suppressed_rows(table, made)
    if cells is None:
        return None
    unsure = np.zeros(len(made), dtype=np.bool_)
    if gone.any():
        whose = tabulate(data.take(np.flatnonzero(gone)), list(trees), None, largest=0)
        unsure[made.find(whose.cells)] = True
    plain = replace(made, contributions=None, owners=None, source="")
    return with_requirements(plain, table, cells, unsure, _REASON)


def suppressed_rows(table: TableSignature, made: Table) -> Ints | None:
    """Where the suppressed cells are; None where one is not there."""
    places = [h.positions([cell[j] for cell in table.suppressed]) for j, h in enumerate(made.dimensions)]
    nodes = np.stack(places, axis=1).astype(np.int32)
    rows = made.find(nodes)
    return None if (nodes < 0).any() or (rows < 0).any() else rows


def with_requirements(
    made: Table, table: TableSignature, rows: Ints, unsure: Bools, because: Text
) -> Pattern:
    """An earlier table as it was published, with what was required of its suppressed cells; of unsure ones that they stay in doubt."""
    status = np.zeros(len(made), dtype=np.uint8)
    status[rows] = np.where(table.primary, Status.PRIMARY, Status.SECONDARY)
    size = sizes(made.value)
    needs = np.zeros((3, len(made)))
    if table.required:
        needs[:, rows] = np.array(table.required).T * size[rows]
    needs[:, unsure] = 0.0
    lower, upper, span = needs
    span = np.where(status == Status.PRIMARY, np.maximum(span, LEAST * size), span)
    hidden = status != Status.OPEN
    return Pattern(
        made, status=status, reason=hidden.astype(np.int32), reasons=(NOTHING, because), lower=lower, upper=upper,
        span=span,
    )  # fmt: skip


def _fits(table: Table, now: Sequence[Hierarchy]) -> bool:
    """Whether the codes of then and of now do not contradict each other."""
    try:
        for tree in table.dimensions:
            meanings([tree, *(other for other in now if other.name == tree.name)])
    except TarnkappeError:
        return False
    return True


def _asking_no_more(tables: list[EarlierTable]) -> list[EarlierTable]:
    """Without the requirements that the earlier tables alone, with what stands in for those who are gone, would not meet."""
    if not tables:
        return []
    over = PatternSet(tuple(table.pattern for table in tables)).aligned()
    narrow = attacked(joint_of(over, Attacker(insiders="none"))).narrow
    return [
        replace(table, pattern=_asking_nothing(table.pattern, narrow[cells]))
        for table, cells in zip(tables, over.tables.numbers, strict=True)
    ]


def _asking_nothing(pattern: Pattern, cells: Bools) -> Pattern:
    status = np.where(cells & pattern.primary, np.uint8(Status.SECONDARY), pattern.status)
    lower, upper, span = (
        np.where(cells, 0.0, need) for need in (pattern.lower, pattern.upper, pattern.span)
    )
    return replace(pattern, status=status, lower=lower, upper=upper, span=span)


# -- what came and went ---------------------------------------------------------------------------------------------


def _between(laid: Laid, earlier: EarlierTable, by: tuple[str, ...], house: House) -> Microdata | None:
    """What came since then, and what went with a sign turned round, as records by the dimensions that both tables have."""
    records, data = laid.records(), laid.data
    assert records is not None, "it is a table of records"
    assert data is not None, "it is a table of records"
    table = laid.pattern.table
    cells, place = lowest_cells(table, records)
    _, who, what = contributions_of(
        house.original, data, np.where(records.there, records.amount, np.nan), house.signer
    )
    new = {
        name: np.array([cell[j] for cell in cells], dtype=object)[place]
        for j, name in enumerate(laid.by)
        if name in by
    }
    mine, theirs = Contributed(who, what, place).found_in(earlier.contributed)
    trees = {tree.name: tree for tree in table.dimensions}
    stayed = np.ones(len(mine), dtype=np.bool_)
    for name in by:
        stayed &= _one_below_other(
            trees[name], new[name][mine], earlier.tree(name), earlier.codes[name][theirs]
        )
    came, went = np.ones(len(who), dtype=np.bool_), np.ones(len(earlier.amount), dtype=np.bool_)
    came[mine[stayed]], went[theirs[stayed]] = False, False
    if not came.any() and not went.any():
        return None
    gone = {name: _as_now(trees[name], earlier.tree(name), earlier.codes[name][went]) for name in by}
    amount = np.concatenate([records.amount[records.there][came], -earlier.amount[went]])
    codes = {name: np.concatenate([new[name][came], gone[name]]) for name in by}
    side = np.concatenate([np.ones(int(came.sum()), np.bool_), np.zeros(int(went.sum()), np.bool_)])
    whose = np.concatenate([who[came], earlier.contributed.who[went]])
    return _records(
        codes, {name: trees[name] for name in by}, amount, side, whose,
        named=bool(house.original.role(Role.IDENTIFIER)),
    )  # fmt: skip


def _records(
    codes: dict[str, Strings],
    trees: Mapping[str, Hierarchy],
    amount: Floats,
    came: Bools,
    who: np.ndarray[tuple[int], np.dtype[np.uint64]],
    *,
    named: bool,
) -> Microdata | None:
    """Contributions that came or went as records, one identifier for each unit."""
    wide = {name: _with_codes(trees[name], own) for name, own in codes.items()}
    there = np.ones(len(amount), dtype=np.bool_)
    for name, own in codes.items():
        places = wide[name].positions(list(own))
        there &= (places >= 0) & wide[name].is_leaf[places]
    if not there.any():
        return None
    columns = {
        name: replace(Column.texts_of(list(own[there])), hierarchy=wide[name]) for name, own in codes.items()
    }
    place = np.unique(
        np.stack([column.true_codes()[0] for column in columns.values()]), axis=1, return_inverse=True
    )[1]
    unit = units_between(came[there], who[there], place.reshape(-1), named=named)
    identity = Column.texts_of([str(number) for number in unit])
    return Microdata(
        {**columns, _AMOUNT: Column.numbers_of(amount[there]), _UNIT: identity}, {Role.IDENTIFIER: (_UNIT,)}
    )


def _with_codes(tree: Hierarchy, codes: Strings) -> Hierarchy:
    """A dimension without levels knows codes that only an earlier edition had, too; in others they have no place."""
    if tree.depth > 1 or (tree.positions(list(codes)) >= 0).all():
        return tree
    total = str(tree.codes[0])
    own = [str(code) for code in tree.codes[1:]]
    return below_total(tree.name, list(dict.fromkeys([*own, *map(str, codes)])), total)


def _above(tree: Hierarchy) -> dict[str, set[str]]:
    """For every code itself and all above it."""
    out: dict[str, set[str]] = {}
    for code, parent in zip(tree.codes, tree.parent, strict=True):  # in preorder
        out[str(code)] = {str(code)} | (out[str(tree.codes[parent])] if parent >= 0 else set())
    return out


def _one_below_other(now: Hierarchy, new: Strings, then: Hierarchy, old: Strings) -> Bools:
    """Pairs of codes of which one is the other or lies below it: the one table divides further what the other does not."""
    above_new, above_old = _above(now), _above(then)
    known: dict[tuple[str, str], bool] = {}
    for pair in set(zip(new.tolist(), old.tolist(), strict=True)):
        a, b = pair
        known[pair] = a == b or b in above_new.get(a, set()) or a in above_old.get(b, set())
    return np.array([known[pair] for pair in zip(new.tolist(), old.tolist(), strict=True)], dtype=np.bool_)


def _as_now(now: Hierarchy, then: Hierarchy, codes: Strings) -> Strings:
    """Codes of then at the lowest level of now, where that is above them."""
    places = now.positions(list(now.codes))
    leaves = {str(code) for code, at in zip(now.codes, places, strict=True) if now.is_leaf[at]}
    above = _above(then)
    found = {code: next(iter(above.get(code, set()) & leaves), code) for code in set(codes.tolist())}
    return np.array([found[code] for code in codes.tolist()], dtype=object)
