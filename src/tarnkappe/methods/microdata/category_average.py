"""Microaggregation of categories, and of categories and numbers together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.masked import rounded, whole_alike
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.data import ValueUnknown, WrongKind
from tarnkappe.kernels.averages import group_averages, group_medians
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.coding import compact
from tarnkappe.kernels.mixed_groups import Mixed, medoids, mixed_groups_within
from tarnkappe.kernels.neighbour_blocks import neighbour_blocks
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import (
    COMBINATIONS,
    HEAVY,
    INSIDERS,
    OTHER_COLUMNS,
    PERIODS_APART,
    Weighing,
    same_totals,
)
from tarnkappe.methods.microdata.limits import only_treated
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT, WHOLE_TOTALS
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Source, method
from tarnkappe.spec.conditions import unless, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis

BLOCK = 4096
"""Larger sets are halved into blocks of neighbours: the work grows with the square of the records."""
_KINDS = Text("numbers or categories", "Zahlen oder Kategorien")


def _no_new_values(m: CategoryAverage, before: Microdata, after: Microdata) -> bool:
    """Each shown category was shown in the stratum; with medoids each combination of the columns was."""
    aligned = before.aligned_to(after)
    names = [n for n in m.columns if not before.column(n).kind.is_number]
    sets = [m.columns] if m.aggregate == "medoid" else [(n,) for n in names]
    for chosen in sets:
        kept = [n for n in chosen if m.aggregate == "medoid" or n in names]
        both = [
            (
                np.concatenate([aligned.column(n).codes()[0], after.column(n).codes()[0]]),
                aligned.column(n).codes()[1],
            )
            for n in m.within
        ]
        both += [_joined(aligned.column(n), after.column(n)) for n in kept]
        seen = classes(both).ids
        shown = np.logical_and.reduce([after.column(n).observed for n in kept])
        if not np.isin(seen[len(after) :][shown], seen[: len(after)]).all():
            return False
    return True


def _joined(was: Column, now: Column) -> tuple[Ints, int]:
    """Codes of a column before and after that can be compared."""
    if was.categories is not None:
        both = np.concatenate([was.codes()[0], now.codes()[0]])
        return both, len(was.categories)
    both = np.where(np.concatenate([was.observed, now.observed]), np.concatenate([was.values, now.values]), 0)
    kinds, codes = np.unique(both, return_inverse=True)
    return codes.astype(np.int64), len(kinds)


@dataclass(frozen=True)
class _Part:
    """One column as numbers or as codes, one row of codes per level of its hierarchy."""

    numbers: Floats | None
    codes: tuple[Ints, ...] = ()
    table: Floats | None = None
    """Given distances of the codes."""


@method(
    "microdata.category-average",
    family=Family.AVERAGE,
    title=Text("Average categories and numbers", "Kategorien und Zahlen mitteln"),
    does=Text(
        "Values of small groups of similar records were replaced by the most typical value of their group.",
        "Die Werte kleiner Gruppen ähnlicher Datensätze wurden durch den typischsten Wert ihrer Gruppe ersetzt.",
    ),
    sources=(
        Source("domingoferrer2005", "MDAV-generic for numerical, ordinal and nominal columns"),
        Source("hoehne2010", "2.2.1, distances of categories after Torra (C-e), files split by categories (C-c)"),
        Source("gower1971", "distance of records of mixed type"),
        Source("templ2015", "microaggregation by Gower distance"),
    ),
    preserves=(
        Claim(
            Text(
                "which categories a stratum has: none is shown that was not there, and with medoids no combination of the columns",
                "welche Kategorien eine Schicht hat: keine wird gezeigt, die nicht da war, und mit Medoiden keine Kombination der Spalten",
            ),
            _no_new_values,
        ),
        Claim(
            Text(
                "the total and the mean of every chosen column of numbers over the records whose values are shown, in every stratum; with weights, the weighted ones",
                "Summe und Mittelwert jeder gewählten Spalte von Zahlen über die Datensätze, deren Werte gezeigt werden, in jeder Schicht; mit Gewichten die gewichteten",
            ),
            same_totals,
            when=where("aggregate", "mean") & where("whole", "decimals"),
        ),
        WHOLE_TOTALS,
        WHOLE_KEPT,
    ),
    protects=(COMBINATIONS,),
    does_not=(
        OTHER_COLUMNS,
        PERIODS_APART,
        ForAnalysis("keep frequencies of categories: rare ones vanish", "Häufigkeiten von Kategorien erhalten: seltene verschwinden"),
        ForAnalysis("keep totals of numbers", "Summen von Zahlen erhalten", unless("aggregate", "mean")),
        Text(
            "look at more than 4,096 records at once: larger sets are halved into neighbours first",
            "mehr als 4096 Datensätze auf einmal ansehen: größere Mengen werden zuerst in Nachbarn geteilt",
        ),
        Text(
            "number categories and treat them as numbers: that would invent categories and break hierarchies",
            "Kategorien nummerieren und wie Zahlen behandeln: das erfände Kategorien und bräche Hierarchien",
        ),
        INSIDERS,
        HEAVY,
    ),
    example={
        "columns": ("occupation", "employees"), "k": 4, "by": "records", "within": ("sex",), "too_small": "suppress",
        "whole": "total", "aggregate": "median", "weights": {"occupation": 2.0}, "weighted": True,
        "distances": {"occupation": {"doctor": {"nurse": 0.2}}},
    },
    revision=2,
)  # fmt: skip
class CategoryAverage(Weighing):
    """Replace small groups of similar records by their typical values, for categories and numbers together.

    Records are grouped as in microdata.mdav, by Gower's distance: numbers count with their difference over the range of the
    column in the stratum, categories with 0 or 1, and where a column has a hierarchy with the share of its levels on which two categories differ: half
    for two states of one region, one for states of different regions. `distances` gives the distance of pairs of categories of a column instead,
    between 0 and 1 (1 for pairs that are not named), for what no hierarchy says. `weights` make a column count more or less.

    With `aggregate: medoid` a group gets all values from the record nearest to all others, so that no combination is invented. Otherwise
    numbers get the mean or the median, and each column of categories the category nearest to all others (without a hierarchy the most
    frequent one; of equals the first in the order of categories). Means and medians of whole numbers can be rounded (`whole`); a typical record has whole
    numbers as they are.

    Missing, suppressed, zero, negative, constant and tied values, strata and owners are treated as in microdata.mdav; infinite
    values are refused. Other kinds of columns, such as dates, are refused: band them first.
    """

    columns: Columns
    """Columns of categories or numbers to treat together. | Spalten mit Kategorien oder Zahlen, die gemeinsam behandelt werden."""
    aggregate: Literal["mean", "median", "medoid"] = "mean"
    """What stands for a group: mean or median of numbers and the most typical category, or one typical record. | Was für eine Gruppe
    steht: Mittelwert oder Median der Zahlen und die typischste Kategorie, oder ein typischer Datensatz."""
    weights: Mapping[str, Annotated[float, Field(gt=0, le=1e6)]] = Field(default_factory=dict)
    """Column -> how much it counts in distances; 1 if not given. | Spalte -> wie viel sie bei Abständen zählt; 1 ohne Angabe."""

    distances: Mapping[str, Mapping[str, Mapping[str, Annotated[float, Field(ge=0, le=1)]]]] = Field(
        default_factory=dict
    )
    """Column -> category -> other category -> distance of the two, in both directions; 1 for pairs that are not named. | Spalte -> Kategorie ->
    andere Kategorie -> Abstand der beiden, in beiden Richtungen; 1 für nicht genannte Paare."""

    @model_validator(mode="after")
    def _nothing_is_ignored(self) -> Self:
        only_treated("weights", self.weights, self.columns)
        only_treated("distances", self.distances, self.columns)
        self._refuse_two_distances()
        if self.whole != "decimals" and self.aggregate == "medoid":
            raise ValueError(
                Text(
                    "whole goes with aggregate: mean and median only: a typical record has whole numbers as they are",
                    "whole gehört nur zu aggregate: mean und median: ein typischer Datensatz hat ganze Zahlen, wie sie sind",
                )
            )
        return self

    def as_one(self) -> tuple[tuple[str, ...], ...]:
        """Means over the same records add up, and so do the values of one record."""
        return super().as_one() if self.aggregate == "median" else self.sets()

    def _refuse_two_distances(self) -> None:
        for table in self.distances.values():
            for one, others in table.items():
                for other, distance in others.items():
                    back = 0.0 if one == other else table.get(other, {}).get(one, distance)
                    if back != distance:
                        raise ValueError(
                            Text(
                                "distances: two categories have one distance in both directions, and a category none from itself",
                                "distances: zwei Kategorien haben einen Abstand in beiden Richtungen, und eine Kategorie keinen von sich selbst",
                            )
                        )

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        del after
        return {"aggregate": self.aggregate, "rounded": rounded(before, self.columns, self.whole)}

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        mixed = self._mixed(data)
        self.refuse_few(data)
        blocks = strata_of(data, self.within, self.columns)
        who, _ = self.contributors(data)
        place = np.hstack([mixed.numbers, mixed.codes / max(mixed.codes.max(initial=0), 1) * mixed.weights])
        order, starts = neighbour_blocks(place, who, blocks.order, blocks.starts, self.k, BLOCK)
        labels = mixed_groups_within(mixed, who, order, starts, self.k)
        new = {n: self._typical(data, n, labels, mixed, blocks) for n in self.columns}
        shown = np.logical_or.reduce([data.column(n).observed for n in self.columns])
        return self.without(data.with_columns(new), self.columns, (labels < 0) & shown)

    def _mixed(self, data: Microdata, names: tuple[str, ...] = ()) -> Mixed:
        strata = strata_of(data, self.within)
        parts = {n: self._part(data.column(n), n, data, strata) for n in names or self.columns}
        numbers = [p.numbers * self.weights.get(n, 1.0) for n, p in parts.items() if p.numbers is not None]
        codes = [(c, self.weights.get(n, 1.0) / len(p.codes)) for n, p in parts.items() for c in p.codes]
        given = [p.table for p in parts.values() for _ in p.codes]
        size, tables = len(data), [t for t in given if t is not None]
        widest = max((len(t) for t in tables), default=1)
        return Mixed(
            np.stack(numbers, axis=1) if numbers else np.zeros((size, 0)),
            np.stack([c for c, _ in codes], axis=1).astype(np.int32)
            if codes
            else np.zeros((size, 0), dtype=np.int32),
            np.array([w for _, w in codes], dtype=np.float64),
            np.stack([np.pad(t, (0, widest - len(t))) for t in tables]) if tables else np.zeros((1, 1, 1)),
            np.array(
                [-1 if t is None else i for t, i in zip(given, _numbered(given), strict=True)], dtype=np.int64
            ),
        )

    def _part(self, column: Column, name: str, data: Microdata, strata: Strata) -> _Part:
        if name in self.distances and column.categories is None:
            raise WrongKind(
                name=name, found=column.kind.text, who=self.id, needed=Text("categories", "Kategorien")
            )
        if column.kind.is_number:
            return _Part(_over_range(data.numbers((name,), self.id)[:, 0], strata))
        if column.categories is None:
            raise WrongKind(name=name, found=column.kind.text, who=self.id, needed=_KINDS)
        if name in self.distances:
            table = _distances(column, name, self.distances[name])
            return _Part(None, (np.where(column.observed, column.values.astype(np.int64), 0),), table)
        if column.hierarchy is None:
            return _Part(None, (np.where(column.observed, column.values.astype(np.int64), 0),))
        tree, placed = column.hierarchy.fitted(column)
        placed.refuse_unknown(name)
        nodes = np.append(np.where(placed.nodes < 0, 0, placed.nodes), 0)
        levels = (
            np.where(column.observed, tree.ancestors(level)[nodes][placed.cells], 0)
            for level in range(1, tree.depth + 1)
        )
        return _Part(None, tuple(levels))

    def _typical(self, data: Microdata, name: str, labels: Ints, mixed: Mixed, blocks: Strata) -> Column:
        column = data.column(name)
        if self.aggregate == "medoid":
            return _taken(column, self._medoids(data, mixed, labels))
        if not column.kind.is_number:
            return _taken(column, self._medoids(data, self._mixed(data, (name,)), labels))
        z, weights = np.where(column.observed, column.numbers(), 0.0)[:, None], self.record_weights(data)
        pooled = (group_averages if self.aggregate == "mean" else group_medians)(z, labels, weights)[:, 0]
        return column.with_numbers(whole_alike(column, pooled, self.whole, blocks.of, labels, weights))

    def _medoids(self, data: Microdata, mixed: Mixed, labels: Ints) -> Ints:
        weights = self.record_weights(data)
        return medoids(
            mixed, labels, np.ones(len(data)) if weights is None else weights / weights.max(initial=1e-300)
        )


def _numbered(tables: list[Floats | None]) -> Iterator[int]:
    """The number of every table among those that there are."""
    count = 0
    for table in tables:
        yield count
        count += table is not None


def _distances(column: Column, name: str, given: Mapping[str, Mapping[str, float]]) -> Floats:
    """Distances of all pairs of categories: those given in either direction, 1 between others."""
    places = {str(c): i for i, c in enumerate(() if column.categories is None else column.categories)}
    named = list(dict.fromkeys((*given, *(other for others in given.values() for other in others))))
    if unknown := [number for number, value in enumerate(named, 1) if value not in places]:
        raise ValueUnknown(name=name, count=len(unknown), first=unknown[0])
    out = 1.0 - np.eye(len(places))
    for one, others in given.items():
        for other, distance in others.items():
            out[places[one], places[other]] = out[places[other], places[one]] = distance
    return out


def _over_range(x: Floats, strata: Strata) -> Floats:
    """The column over its range in the stratum; 0 where there is no value, and where all are equal."""
    there = np.flatnonzero(~np.isnan(x))
    z, of = x[there] / float(power_scale(x[:, None])[0]), strata.of[there]
    low, high = np.full(len(strata), np.inf), np.full(len(strata), -np.inf)
    np.minimum.at(low, of, z)
    np.maximum.at(high, of, z)
    wide = high > low
    out = np.zeros(len(x))
    out[there] = np.where(wide[of], z - low[of], 0.0) / np.where(wide, high - low, 1.0)[of]
    return out


def _taken(column: Column, rows: Ints) -> Column:
    """The observed cells with the values of other records of the group; the other cells as they are."""
    values = np.where(column.observed, column.values[rows], column.values)
    return replace(
        column,
        values=compact(values) if column.categories is not None else values.astype(column.values.dtype),
    )
