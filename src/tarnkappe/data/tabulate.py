"""From records to a table: sums and counts of all cells on all levels, with the largest contributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from tarnkappe.data.class_codes import in_order_of_size
from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.contributors import real_units, units_repeat
from tarnkappe.data.empty_cells import with_empty_cells
from tarnkappe.data.hierarchy import TOTAL, Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.near_zero import refuse_near_zero
from tarnkappe.data.record_marks import Words, with_amounts
from tarnkappe.data.table import Contributions, Nodes, Table
from tarnkappe.errors.calls import NotAsked
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.tables import (
    DimensionTwice,
    InnerCode,
    NoDimension,
    NothingToAdd,
    TableTooWide,
    TooLarge,
    WeightMissing,
    WeightNegative,
)
from tarnkappe.kernels.exact import WHOLE, decimals, shifted
from tarnkappe.kernels.lattice import strides_of
from tarnkappe.kernels.tabulation import Levels, Tallied, tally, units
from tarnkappe.language import Text
from tarnkappe.vocab import Role

UNKNOWN = "?"
"""Code of records whose value along a dimension is missing or suppressed."""
RECORDS = "records"
"""Contributors are numbered by their first record."""
UNWEIGHTED = " (without weights)"
"""The same numbers with and without weights are two measures."""
LARGEST = 1e300
"""Sums beyond this are refused: what is computed with them must still be a number."""


_RECORDS = Text(
    "records, as tk.read gives them from a file or a frame",
    "Datensätze, wie tk.read sie aus einer Datei oder einem Frame liefert",
)
_LARGEST = Text("a whole number from 0 for largest", "für largest eine ganze Zahl ab 0")


class _Amounts(NamedTuple):
    """What every record adds, in parts of which `scale` make 1."""

    added: Floats
    """One row for every record that adds something."""
    scale: float
    weight_scale: float


def tabulate(
    data: Microdata,
    by: Sequence[str] | str,
    value: str | None = None,
    *,
    name: str = "",
    largest: int = 3,
    empty: Literal["left-out", "listed"] = "left-out",
    weighted: bool = True,
) -> Table:
    """Add up `value` (or count records) by the columns `by`, on all levels of their hierarchies.

    A contributor is a real unit: the records that an identifier repeats, the years of a panel, parts and copies that a step has made are one,
    and where nothing says so a record is one. Units of one owner (role `owner`) also count together, a unit without an owner is its own. A record whose value is missing or suppressed contributes nothing and is not counted; one with the value 0 is. A
    missing or suppressed category gets the code ``?``: what was taken away does not come back in a table.

    With weights (role `weight`) a cell is the sum of weight × value; records with weight 0 are left out. Counts are of
    contributors, and rules look at what these told (`unweighted`) unless they are asked to take weights in. Then a record
    with weight w stands for w units with its value, as in τ-ARGUS; the contributor himself is one of them, and a fraction is
    one more unit with that part of the value. Without `weighted` weights are left aside, and it is another measure.

    Values with up to six decimals are added without rounding, so that rules can be applied to the last digit.

    Combinations of codes that no record has are no cells, unless `empty` is listed: then they are zeros, which rules can mark.
    """
    by = [by] if isinstance(by, str) else list(by)
    _refuse(data, by, largest)
    laid = laid_records(data, by, value, weighted=weighted)
    dimensions, weights, x, there = laid.dimensions, laid.weights, laid.told, laid.there
    name = name or (value or "count")
    strides = strides_of([len(h) for h in dimensions])
    if strides is None:
        raise TableTooWide(name=name)
    if not there.any():
        raise NothingToAdd(name=name)
    cut = _Cut(
        name, dimensions, laid.nodes[there].astype(np.int32), there, strides, _units(data), _owners(data), largest
    )  # fmt: skip
    told = cut.table(x[there], None, value)
    table = told if weights is None else replace(cut.table(x[there], weights[there], value), unweighted=told)
    table = replace(table, of_units=units_repeat(data))
    if data.role(Role.WEIGHT) and not weighted:
        table = replace(table, measure=f"{table.measure}{UNWEIGHTED}")
    table = with_empty_cells(table) if empty == "listed" else table
    if data.marks is None:
        return table
    return replace(
        table, marks=_marks(table, cut.nodes, _own_marks(data.marks[there], x[there], weights, there))
    )


def _own_marks(marks: Words, x: Floats, weights: Floats | None, there: Bools) -> Words:
    """What tells a record together with what it adds."""
    with np.errstate(over="ignore", invalid="ignore"):
        return with_amounts(marks, x if weights is None else x * weights[there])


def _marks(table: Table, nodes: Nodes, own: Words) -> Words:
    """The sums of the marks of the records, for every cell on every level."""
    out = np.zeros(len(table), dtype=np.uint64)
    np.add.at(out, table.find(nodes), own)
    for j, dimension in enumerate(table.dimensions):
        level = dimension.level[table.cells[:, j]]
        for at in range(dimension.depth, 0, -1):
            cells = np.flatnonzero((level == at) & (table.up[:, j] >= 0))
            np.add.at(out, table.up[cells, j], out[cells])
    return out


@dataclass(frozen=True, slots=True, eq=False)
class LaidRecords:
    """Where the records of a table lie, and what each adds."""

    dimensions: tuple[Hierarchy, ...]
    nodes: Ints
    """(records, dimensions) the lowest code of every record."""
    told: Floats
    """The value of every record, 1 where records are counted; NaN where it has none."""
    weights: Floats | None
    there: Bools
    """Records that add something."""

    @property
    def amount(self) -> Floats:
        """What every record adds; 0 where it has no value."""
        x = self.told if self.weights is None else self.told * self.weights
        return np.where(self.there, x, 0.0)


def laid_records(data: Microdata, by: Sequence[str], value: str | None, *, weighted: bool) -> LaidRecords:
    """The records as a table by these columns takes them."""
    placed = [_placed(data, column) for column in by]
    weights, x = _weights(data) if weighted else None, _values(data, value)
    there = ~np.isnan(x) if weights is None else ~np.isnan(x) & (weights > 0)
    nodes = np.stack([nodes for _, nodes in placed], axis=1)
    return LaidRecords(tuple(hierarchy for hierarchy, _ in placed), nodes, x, weights, there)


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """Records cut into cells."""

    name: str
    dimensions: tuple[Hierarchy, ...]
    nodes: Nodes
    """Of the records that add something."""
    there: Bools
    """Which these are."""
    strides: Ints
    units: Ints
    """The real unit behind every record."""
    owners: Ints | None
    largest: int

    def table(self, x: Floats, weights: Floats | None, value: str | None) -> Table:
        """What the records add up to, with their weights or as they were told."""
        amounts = _amounts(x, weights)
        by_record = self._tallied(amounts, self.units)
        owners = None if self.owners is None else self._tallied(amounts, self.owners)
        total = by_record.total / amounts.scale
        if not np.all(np.abs(by_record.size) <= LARGEST):
            raise TooLarge(name=self.name)
        return Table(
            self.name, self.dimensions, by_record.cells, total, _contributions(by_record, amounts),
            _contributions(owners, amounts) if owners else None,
            counts=value is None and bool(np.all(total == np.rint(total))), measure=value or "", source=RECORDS,
        )  # fmt: skip

    def _tallied(self, amounts: _Amounts, who: Ints) -> Tallied:
        levels = [_levels(h) for h in self.dimensions]
        return tally(self.nodes, amounts.added, who[self.there], levels, self.strides, self.largest)


def _refuse(data: object, by: Sequence[str], largest: object) -> None:
    if not isinstance(data, Microdata):
        raise NotAsked(where="tabulate", what=_RECORDS)
    if not isinstance(largest, int) or largest < 0:
        raise NotAsked(where="tabulate", what=_LARGEST)
    if len(by) == 0:
        raise NoDimension
    for column in by:
        if by.count(column) > 1:
            raise DimensionTwice(name=column)
    if len(data) == 0:
        raise EmptyData


def _contributions(found: Tallied, amounts: _Amounts) -> Contributions:
    """Back from parts; sizes and weights only where they tell something."""
    signed = bool(np.any(found.size != found.total))
    weighted = amounts.added.shape[1] > 1
    return Contributions(
        found.contributors, found.largest / amounts.scale, found.who,
        found.size / amounts.scale if signed else None,
        found.weight / amounts.weight_scale if weighted else None,
    )  # fmt: skip


def _values(data: Microdata, value: str | None) -> Floats:
    """What every record was told to have; 1 where records are counted."""
    x = np.ones(len(data)) if value is None else data.numbers([value], "tabulate")[:, 0]
    refuse_near_zero(data, (*([value] if value else []), *data.role(Role.WEIGHT)))
    return x


def _amounts(x: Floats, w: Floats | None) -> _Amounts:
    """What every record adds to its cells; decimal numbers as whole numbers of their smallest part."""
    exact = _exact(x, w)
    if exact is None:
        with np.errstate(over="ignore", invalid="ignore"):
            return _Amounts(x[:, None] if w is None else units(x, w), 1.0, 1.0)
    of_value, of_weight = exact
    one, x = 10.0**of_weight, shifted(x, of_value)
    added = x[:, None] if w is None else units(x, shifted(w, of_weight), one)
    return _Amounts(added, 10.0 ** (of_value + of_weight), one)


def _exact(x: Floats, w: Floats | None) -> tuple[int, int] | None:
    """Decimals of values and weights; None where sums of whole parts would be too large to be exact."""
    of_value, of_weight = decimals(x), 0 if w is None else decimals(w)
    if of_value is None or of_weight is None:
        return None
    most = float(np.sum(np.abs(x) * (1.0 if w is None else np.maximum(w, 1.0)))) * 10.0 ** (
        of_value + of_weight
    )
    return (of_value, of_weight) if most < WHOLE else None


def _weights(data: Microdata) -> Floats | None:
    named = data.role(Role.WEIGHT)
    if not named:
        return None
    w = data.numbers(named, "tabulate")[:, 0]
    for error, wrong in ((WeightMissing, np.isnan(w)), (WeightNegative, w < 0)):
        if wrong.any():
            raise error(name=named[0], count=int(wrong.sum()), first=data.record(np.argmax(wrong)))
    return w


def _units(data: Microdata) -> Ints:
    """The real unit behind every record, numbered from 0 alike in all data that came from one file."""
    found = real_units(data)
    return np.where(found < 0, data.reported - 1 - found, found)


def _owners(data: Microdata) -> Ints | None:
    """The owner of every record by number; a unit without an owner gets a number of its own."""
    named = data.role(Role.OWNER)
    if not named:
        return None
    codes, count = data.column(named[0]).true_codes()
    alone = codes < 0
    codes[alone] = count + np.unique(real_units(data)[alone], return_inverse=True)[1]
    return codes


def _placed(data: Microdata, name: str) -> tuple[Hierarchy, Ints]:
    """The hierarchy of a dimension and the leaf of every record."""
    column = data.column(name)
    hierarchy, nodes = _nodes(column, name)
    inner = (nodes >= 0) & ~hierarchy.is_leaf[nodes]
    if inner.any():
        raise InnerCode(name=name, count=int(inner.sum()), first=data.record(np.argmax(inner)))
    if (nodes < 0).any():
        hierarchy = _with_unknown(hierarchy)
        nodes = np.where(nodes < 0, len(hierarchy) - 1, nodes)
    return hierarchy, nodes


def _nodes(column: Column, name: str) -> tuple[Hierarchy, Ints]:
    """The position of every record in the hierarchy; -1 where its category is missing or suppressed."""
    hierarchy = column.hierarchy or flat(name, in_order_of_size(column.distinct().tolist()))
    hierarchy, found = hierarchy.fitted(column)
    found.refuse_unknown(name)
    shown = column.observed & (found.cells >= 0)
    return hierarchy, np.where(shown, np.append(found.nodes, -1)[found.cells], -1)


def flat(name: str, codes: Sequence[str]) -> Hierarchy:
    """A dimension without levels: the total and the codes below it."""
    return below_total(name, codes, _free(TOTAL, codes))


def below_total(name: str, codes: Sequence[str], total: str) -> Hierarchy:
    """All codes right below the total, whose own code may be among them."""
    others = [code for code in codes if code != total]
    return Hierarchy(name, np.array([total, *others], dtype=object), np.array([-1] + [0] * len(others)))


def _free(code: str, taken: Sequence[str]) -> str:
    """A code that no other has."""
    known = set(taken)
    while code in known:
        code += "*"
    return code


def _with_unknown(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy with one more code below the total; it stands last, so the others keep their positions."""
    names = hierarchy.level_names
    return Hierarchy(
        hierarchy.name, np.append(hierarchy.codes, _free(UNKNOWN, hierarchy.codes.tolist())),
        np.append(hierarchy.parent, 0), np.append(hierarchy.labels, ""), np.append(hierarchy.level, 1),
        names if len(names) > 1 else (),
    )  # fmt: skip


def _levels(hierarchy: Hierarchy) -> Levels:
    return Levels(hierarchy.level, tuple(hierarchy.ancestors(at) for at in range(hierarchy.depth + 1)))
