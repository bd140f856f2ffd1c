"""Distributions in classes: neighbouring classes merged until nobody stands alone."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.class_codes import out_of_order
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity, Status
from tarnkappe.data.recode_table import merged_further
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import UNKNOWN
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import ClassesUnordered, LimitsMisfit, NotFlat
from tarnkappe.kernels.class_merge import Demands, best_cuts
from tarnkappe.language import Text, listed
from tarnkappe.methods.tables.dimensions import along
from tarnkappe.methods.tables.ranges import refuse_cells, refuse_unfit
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Source, TableMethod, table_method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.limits import ForAnalysis

_RANGE = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*[-–]\s*(\d+(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)\s*(?:\+|and more|und mehr)?"
)


def _none_or_k(m: ClassMerge, before: Pattern, after: Pattern) -> bool:
    del before
    table = after.table
    counted = table.value[table.cells[:, along(table, m.dimension)] != 0]
    return bool(np.all((counted == 0) | (counted >= m.k))) and bool((after.status == Status.OPEN).all())


def _counts_are_sums(m: ClassMerge, before: Pattern, after: Pattern) -> bool:
    """Every published count is the sum of the original counts of its classes; everything else is as it was."""
    table, told = before.table, after.table
    at = along(table, m.dimension)
    new = np.zeros(len(table.dimensions[at]), dtype=np.int64)
    cuts = m.cuts(before)
    new[1:] = np.searchsorted(cuts, np.arange(len(new) - 1), side="right")
    cells = table.cells.astype(np.int64)
    cells[:, at] = new[cells[:, at]]
    rows = told.find(cells.astype(np.int32))
    sums = np.zeros(len(told))
    np.add.at(sums, rows[rows >= 0], table.value[rows >= 0])
    return bool((rows >= 0).all()) and np.array_equal(sums, told.value)


def _nobody_alone_in_one(m: ClassMerge, before: Pattern, after: Pattern) -> bool:
    """No group has all its persons in one of several classes."""
    del before
    table = after.table
    at = along(table, m.dimension)
    home = table.up[:, at]
    inside = home >= 0
    whole = table.value[inside] == table.value[home[inside]]
    return len(table.dimensions[at]) <= 2 or not (whole & (table.value[inside] > 0)).any()


@table_method(
    "table.class-merge",
    title=Text("Merging of classes", "Zusammenfassen von Klassen"),
    does=Text(
        "Neighbouring classes of a distribution were merged so that no class has only a few persons.",
        "Benachbarte Klassen einer Verteilung wurden so zusammengefasst, dass keine Klasse nur wenige Personen hat.",
    ),
    sources=(
        Source(
            "schenker2019",
            "open points: incomes in classes; solved here by dynamic programming over the cuts",
        ),
    ),
    preserves=(
        Claim(
            Text(
                "every published count is the sum of the original counts of its classes, and totals are unchanged",
                "jede veröffentlichte Anzahl ist die Summe der Anzahlen ihrer Klassen, und Summen bleiben unverändert",
            ),
            _counts_are_sums,
        ),
    ),
    protects=(
        Claim(
            Text(
                "in every column and on every level a class has no persons or at least k",
                "in jeder Spalte und auf jeder Ebene hat eine Klasse keine oder mindestens k Personen",
            ),
            _none_or_k,
        ),
        Claim(
            Text(
                "no group has all its persons in one of several classes",
                "keine Gruppe hat alle ihre Personen in einer von mehreren Klassen",
            ),
            _nobody_alone_in_one,
            when=where("together", "merge"),
        ),
    ),
    does_not=(
        Text(
            "protect amounts: where sums of incomes are published too, use the rules for values",
            "Beträge schützen: werden auch Einkommenssummen veröffentlicht, verwenden Sie die Regeln für Werte",
        ),
        ForAnalysis(
            "fit to tables of the same persons that are published with other cuts",
            "zu Tabellen derselben Personen mit anderen Klassengrenzen passen",
        ),
        Text(
            "hide that a cut was not possible: whoever has the program knows that each finer choice of cuts left a class of 1 to k - 1 persons in "
            "some column",
            "verbergen, dass eine Grenze nicht möglich war: Wer das Programm hat, weiß, dass jede feinere Einteilung in einer Spalte eine Klasse "
            "mit 1 bis k - 1 Personen ließ",
        ),
        Text(
            "help a group that has fewer than k persons altogether",
            "einer Gruppe helfen, die insgesamt weniger als k Personen hat",
        ),
    ),
    example={"dimension": "region", "k": 2, "loss": "cuts", "limits": (0, 1, 4), "together": "show"},
)
class ClassMerge(TableMethod):
    """Merge neighbouring classes so that in every column each class has no persons or at least k.

    Use it for incomes, ages or sizes in classes, where a single person may stand alone in a high class. The classes stand in their
    order right below the total of the dimension: as the file of cells or `order` has them; of records, by the numbers they begin with. The same cuts hold for all columns and levels, so parents minus children
    tell nothing more. Of all ways to cut, the one that loses least is found; the lowest and the highest class are never
    empty, and open-ended when merged. All cells of the result are published. A class of unknowns (`?`) is never merged.
    """

    hides: ClassVar[bool] = False

    dimension: str
    """The dimension with the classes. | Die Dimension mit den Klassen."""
    k: Annotated[int, Field(ge=2)] = 3
    """Smallest number of persons in a class. | Kleinste Zahl von Personen in einer Klasse."""
    loss: Literal["detail", "cuts"] = "detail"
    """What is kept small: how much wider classes get, over all persons, or the number of cuts lost. | Was klein gehalten wird: wie
    viel breiter Klassen werden, über alle Personen, oder die Zahl verlorener Grenzen."""
    limits: tuple[float, ...] = ()
    """Lower limits of the classes, for their widths; without them all classes count alike. | Untere Grenzen der Klassen für ihre
    Breiten; ohne sie zählen alle Klassen gleich."""
    together: Literal["merge", "show"] = "merge"
    """What happens where all persons of a group fall into one class. | Was geschieht, wo alle Personen einer Gruppe in eine Klasse fallen."""

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        del stream
        refuse_unfit(pattern, self.id)
        at = along(pattern.table, self.dimension)
        table, rows = _merged(pattern.table, at, self.cuts(pattern))
        hidden = pattern.primary | (pattern.mark == Mark.SUPPRESS)
        given = table.value[rows] < pattern.table.value + np.maximum(pattern.upper, 1.0)
        refuse_cells(self.id, pattern.table, hidden & given)
        return _carried(pattern, table, rows)

    def confidential(self, pattern: Pattern) -> Pattern:
        """Classes with fewer than k persons."""
        few = (pattern.table.value > 0) & (pattern.table.value < self.k)
        nothing = np.zeros(len(few))
        return pattern.marked(Sensitivity(few, nothing, nothing, _FEW))

    def cuts(self, pattern: Pattern) -> Ints:
        """Where merged classes begin, from 0, and the number of classes at the end."""
        table = pattern.table
        at = along(table, self.dimension)
        tree = table.dimensions[at]
        if (tree.parent[1:] != 0).any():
            raise NotFlat(dimension=tree.name, levels=tree.depth)
        if out_of_order([str(code) for code in tree.codes[1:]], UNKNOWN):
            raise ClassesUnordered(dimension=tree.name)
        classes = len(tree) - 1
        if self.limits and (len(self.limits) != classes or (np.diff(self.limits) <= 0).any()):
            raise LimitsMisfit(dimension=tree.name, classes=classes, limits=len(self.limits))
        persons, column, rows = _by_column(table, at)
        up_to = np.zeros((classes + 1, persons.shape[1]), dtype=np.int64)
        up_to[1:] = np.cumsum(persons, axis=0)
        cuts: Ints = best_cuts(
            up_to, self._costs(persons.sum(axis=1)), self._demands(pattern, at, column, rows)
        )
        if len(cuts) == 0 and classes:
            self._refuse(pattern, up_to[-1], column, rows)
        return cuts if classes else np.zeros(1, dtype=np.int64)

    def _costs(self, persons: Ints) -> Floats:
        """Of merging the classes from one place to another."""
        classes = len(persons)
        place = np.arange(classes + 1)
        if self.loss == "cuts":
            return np.asarray(np.maximum(place[None, :] - place[:, None] - 1, 0), dtype=np.float64)
        width = self._widths(classes)
        edge, heads = (np.concatenate([[0.0], np.cumsum(x)]) for x in (width, persons))
        alone = np.concatenate([[0.0], np.cumsum(persons * np.log(width))])
        wide = np.maximum(edge[None, :] - edge[:, None], 1e-300)
        spread = (heads[None, :] - heads[:, None]) * np.log(wide) - (alone[None, :] - alone[:, None])
        # A lost cut costs a little even where nobody stands, so that no cut is lost for nothing.
        return np.asarray(spread + 1e-6 * np.maximum(place[None, :] - place[:, None] - 1, 0))

    def _widths(self, classes: int) -> Floats:
        if len(self.limits) < 2:
            return np.ones(classes)
        width = np.diff(self.limits)
        return np.append(width, width[-1])

    def _demands(self, pattern: Pattern, at: int, column: Ints, rows: Ints) -> Demands:
        table = pattern.table
        tree = table.dimensions[at]
        closed: Bools = tree.codes[1:] == UNKNOWN
        forced = table.cells[np.isin(pattern.mark, (Mark.KEEP, Mark.PUBLISHED)), at]
        closed[forced[forced > 0] - 1] = True
        hidden = (pattern.primary | (pattern.mark == Mark.SUPPRESS))[rows]
        order = np.argsort(table.cells[rows[hidden], at], kind="stable")
        which = np.flatnonzero(hidden)[order]
        more = np.maximum(
            pattern.upper[rows[which]], 1.0
        )  # a cell that is to be hidden must not be given by its class
        least = np.ceil(table.value[rows[which]] + more).astype(np.int64)
        start = np.searchsorted(table.cells[rows[which], at], np.arange(1, len(tree) + 1)).astype(np.int64)
        return Demands(self.k, self.together == "merge", closed, start, column[which], least)

    def _refuse(self, pattern: Pattern, persons: Ints, column: Ints, rows: Ints) -> None:
        table = pattern.table
        few = np.flatnonzero((persons > 0) & (persons < self.k))
        homes = [table.up[rows[np.argmax(column == c)], along(table, self.dimension)] for c in few[:13]]
        names = listed([table.spelt(int(home)) for home in homes])
        best = (
            Text(
                "{count} columns have fewer persons altogether: {names}",
                "{count} Spalten haben insgesamt weniger Personen: {names}",
            ).filled(count=len(few), names=names)
            if len(few)
            else Text(
                "no way of cutting leaves enough in every class", "keine Einteilung lässt jeder Klasse genug"
            )
        )
        raise Unattainable(who=self.id, goal=_GOAL.filled(k=self.k), best=best, hint=_HINT)


_FEW = Text("has too few persons", "hat zu wenige Personen")
_GOAL = Text("no class with 1 to {k} - 1 persons", "keine Klasse mit 1 bis {k} - 1 Personen")
_HINT = Text(
    "Merge areas or columns first, let more classes be merged, or show small counts as ranges.",
    "Fassen Sie zuerst Gebiete oder Spalten zusammen, geben Sie mehr Klassen frei oder zeigen Sie kleine Anzahlen als Bereiche.",
)


def _by_column(table: Table, at: int) -> tuple[Ints, Ints, Ints]:
    """Persons by class and column, the columns being the lowest level of all other dimensions; column and row of every cell."""
    lowest = np.ones(len(table), dtype=np.bool_)
    for j, tree in enumerate(table.dimensions):
        lowest &= (table.cells[:, j] != 0) if j == at else tree.is_leaf[table.cells[:, j]]
    rows = np.flatnonzero(lowest)
    others = np.delete(table.cells[rows], at, axis=1)
    distinct, column = np.unique(others, axis=0, return_inverse=True) if len(rows) else (others, rows)
    persons = np.zeros((len(table.dimensions[at]) - 1, len(distinct)), dtype=np.int64)
    persons[table.cells[rows, at] - 1, column.reshape(-1)] = table.value[rows].astype(np.int64)
    return persons, column.reshape(-1).astype(np.int64), rows


def _merged(table: Table, at: int, cuts: Ints) -> tuple[Table, Ints]:
    """The table with the merged classes in place of the old ones, and the new row of every old cell."""
    tree = table.dimensions[at]
    segments = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    codes = [tree.total, *merged_codes([str(c) for c in tree.codes[1:]], segments)]
    dimensions = list(table.dimensions)
    dimensions[at] = Hierarchy(tree.name, np.array(codes, dtype=object), np.array([-1] + [0] * len(segments)))
    new = np.zeros(len(tree), dtype=np.int64)
    for number, (start, end) in enumerate(segments, 1):
        new[start + 1 : end + 1] = number
    cells = table.cells.astype(np.int64)
    cells[:, at] = new[cells[:, at]]
    distinct, which = np.unique(cells, axis=0, return_inverse=True) if len(cells) else (cells, cells[:, 0])
    rows: Ints = which.reshape(-1).astype(np.int64)
    value = np.zeros(len(distinct))
    np.add.at(value, rows, table.value)
    done = Table(
        table.name, tuple(dimensions), distinct.astype(np.int32), value, counts=table.counts,
        measure=table.measure, merged=merged_further(table, at, new),
    )  # fmt: skip
    return done, rows


def _carried(pattern: Pattern, table: Table, rows: Ints) -> Pattern:
    """The merged table with the marks of cells that are as they were, and with bounds and costs added up."""
    size = len(table)
    alone = np.bincount(rows, minlength=size)[rows] == 1
    mark = np.zeros(size, dtype=np.uint8)
    mark[rows[alone]] = pattern.mark[alone]

    def added(amount: Floats) -> Floats:
        return np.bincount(rows, amount, minlength=size).astype(np.float64)

    cost = None if pattern.cost is None else added(pattern.cost)
    return Pattern(table, mark=mark, low=added(pattern.low), high=added(pattern.high), cost=cost)


def merged_codes(codes: list[str], segments: list[tuple[int, int]]) -> list[str]:
    """A code for every merged class: from the lower limit of its first to the upper limit of its last; open at the ends."""
    return [
        codes[a] if b - a == 1 else _joined(codes[a], codes[b - 1], a == 0, b == len(codes))
        for a, b in segments
    ]


def _joined(first: str, last: str, lowest: bool, highest: bool) -> str:  # noqa: FBT001 - both ends alike
    low, high = _RANGE.fullmatch(first.strip()), _RANGE.fullmatch(last.strip())
    if low and highest:
        return f"{low[1] or low[3]}+"
    if low and high and (high[2] or high[3]):
        upper = high[2] or high[3]
        return f"≤{upper}" if lowest else f"{low[1] or low[3]}-{upper}"
    return f"{first}..{last}"
