"""Numbers in classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, Field, model_validator

from tarnkappe.data.column import MISSING, OBSERVED, Bools, Column, Floats, Ints
from tarnkappe.data.intervals import Bands, Classes, Cuts, refuse_points
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.recode import recoded
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import NotFinite, WrongKind
from tarnkappe.errors.hierarchy import ClassesNone, ClassOpen, ClassTooSmall
from tarnkappe.kernels.class_means import class_means
from tarnkappe.language import Text
from tarnkappe.methods.microdata.step_remarks import hidden_changes, twins
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Declared, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns

SMALLEST = 3
"""With two records in a class, each contributor could compute the other's value from the mean."""


class Into(BaseModel):
    """The classes: of equal width, between cut points, or with equally many records."""

    model_config = Declared.model_config

    width: Annotated[float, Field(gt=0)] | None = None
    """Width of the classes. | Breite der Klassen."""
    origin: float = 0.0
    """Where a class of that width begins. | Wo eine Klasse dieser Breite beginnt."""
    cuts: Annotated[tuple[float, ...], Field(min_length=1)] | None = None
    """Limits of the classes, ascending. | Grenzen der Klassen, aufsteigend."""
    quantiles: Annotated[int, Field(ge=2, le=1000)] | None = None
    """Number of classes with equally many records. | Anzahl der Klassen mit gleich vielen Datensätzen."""
    at_least: Annotated[int, Field(ge=SMALLEST)] | None = None
    """Neighbouring classes are merged until each has so many records. | Benachbarte Klassen werden vereinigt, bis jede so viele
    Datensätze hat."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(way is not None for way in (self.width, self.cuts, self.quantiles)) != 1:
            ways = "width, cuts, quantiles"
            raise ValueError(Text(f"needs exactly one of {ways}", f"braucht genau eines von {ways}"))
        if self.origin and self.width is None:
            raise ValueError(Text("origin goes with width only", "origin gehört nur zu width"))
        try:
            refuse_points("cuts", (self.cuts or (0.0,),))
        except TarnkappeError as problem:
            raise ValueError(problem.what) from None
        return self

    def rule(self, column: Column, name: str) -> Bands | Cuts:
        """What puts a value into its class; for quantiles it is made from the values that are shown."""
        if self.quantiles is not None:
            given: Bands | Cuts = Cuts.at_quantiles(column, name, self.quantiles)
        else:
            given = Cuts((self.cuts,)) if self.cuts is not None else Bands((self.width or 0.0,), self.origin)
        return given if self.at_least is None else _merged(given, column, name, self.at_least)


def _merged(rule: Bands | Cuts, column: Column, name: str, at_least: int) -> Cuts:
    """The same classes with neighbours merged until each holds enough of the records that are shown (Gottschalk 2002, G-M01)."""
    if isinstance(rule, Bands):
        rule.refuse_values(name, column)
    (classes,) = rule.classes(column.values[column.observed])
    counts = np.bincount(classes.ids, minlength=len(classes.limits)).tolist()
    points, here, left = [], 0, sum(counts)
    for (low, _), count in zip(classes.limits, counts, strict=True):
        if here >= at_least and left >= at_least:
            points.append(float(low))
            here = 0
        here, left = here + count, left - count
    if not points:
        raise ClassesNone(name=name)
    return Cuts((tuple(points),))


def _pairs(m: Band, before: Microdata, after: Microdata) -> Iterator[tuple[Column, Column]]:
    aligned = before.aligned_to(after)
    for name in m.columns:
        yield aligned.column(name), after.column(name)


def _states_kept(m: Band, before: Microdata, after: Microdata) -> bool:
    return all(
        np.array_equal(was.observed, now.observed) and np.array_equal(was.missing, now.missing)
        for was, now in _pairs(m, before, after)
    )


def _order_kept(m: Band, before: Microdata, after: Microdata) -> bool:
    """In the order of the old values the new ones never fall; classes are numbered in ascending order."""
    for was, now in _pairs(m, before, after):
        counted = _counted(was)
        order = np.argsort(was.values[counted])
        new = now.values[counted][order].astype(np.float64)
        if (new[1:] < new[:-1]).any():
            return False
    return True


def _means_kept(m: Band, before: Microdata, after: Microdata) -> bool:
    for was, now in _pairs(m, before, after):
        old, new = was.numbers()[was.observed], now.numbers()[now.observed]
        size = float(np.abs(old).max(initial=0.0)) or 1.0
        if len(old) and abs(float(np.mean(old / size) - np.mean(new / size))) > 1e-9:
            return False
    return True


def _near(m: Band, before: Microdata, after: Microdata) -> bool:
    """No value moves by more than half the width, but for the rounding of its last digit."""
    half = (m.into.width or 0.0) / 2 * (1 + 1e-9)
    for was, now in _pairs(m, before, after):
        old, new = was.numbers()[was.observed], now.numbers()[now.observed]
        if (np.abs(new - old) > half + np.spacing(np.abs(old))).any():
            return False
    return True


def _alike(m: Band, before: Microdata, after: Microdata) -> bool:
    """As many pairs of a class and a value shown as classes."""
    for name, (was, now) in zip(m.columns, _pairs(m, before, after), strict=True):
        counted = _counted(was)
        (classes,) = m.into.rule(before.column(name), name).classes(was.values[counted])
        pairs = np.stack([classes.ids, now.values[counted].astype(np.float64)])
        if np.unique(pairs, axis=1).shape[1] != len(classes.limits):
            return False
    return True


def _shared_by_three(m: Band, before: Microdata, after: Microdata) -> bool:
    return all(
        np.unique(now.values[now.observed], return_counts=True)[1].min(initial=SMALLEST) >= SMALLEST
        for _, now in _pairs(m, before, after)
    )


def _counted(column: Column) -> Bools:
    """Cells with a value, shown or suppressed; under a sealed cell there is none."""
    counted: Bools = ~column.missing & ~(column.suppressed & np.isnan(column.values.astype(np.float64)))
    return counted


@method(
    "microdata.band",
    family=Family.RECODE,
    title=Text("Put numbers into classes", "Zahlen in Klassen einteilen"),
    does=Text(
        "Numbers were replaced by the class they lie in, or by the midpoint or the mean of that class.",
        "Zahlen wurden durch die Klasse ersetzt, in der sie liegen, oder durch deren Mitte oder Mittelwert.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.3, grouping of metric variables into interval classes"),
        Source("gottschalk2002", "4.1, grouping (G-M01)"),
        Source("dav2025", "section 3.2.1, generalisation of numbers"),
    ),
    preserves=(
        Claim(Text("the order of the values", "die Reihenfolge der Werte"), _order_kept),
        Claim(
            Text("which cells are missing or suppressed", "welche Zellen fehlen oder unterdrückt sind"),
            _states_kept,
        ),
        Claim(
            Text("the mean of every chosen column", "den Mittelwert jeder gewählten Spalte"),
            _means_kept,
            when=lambda m: m.show == "mean",
        ),
        Claim(
            Text("every value to within half the width", "jeden Wert bis auf die halbe Breite"),
            _near,
            when=lambda m: m.show == "midpoint" and m.into.width is not None and m.into.at_least is None,
        ),
    ),
    protects=(
        Claim(
            Text(
                "differences within a class: all its values are shown alike",
                "Unterschiede innerhalb einer Klasse: alle ihre Werte werden gleich gezeigt",
            ),
            _alike,
        ),
        Claim(
            Text(
                "every class that is made from the data, and every mean, rests on three records or more",
                "jede aus den Daten gebildete Klasse und jeder Mittelwert beruht auf drei oder mehr Sätzen",
            ),
            _shared_by_three,
            when=lambda m: m.show == "mean" or m.into.quantiles is not None or m.into.at_least is not None,
        ),
    ),
    does_not=(
        Text(
            "hide how many records lie in a class of given limits, be it only one",
            "verbergen, wie viele Datensätze in einer Klasse mit festen Grenzen liegen, und sei es nur einer",
        ),
        Text(
            "keep variances: they shrink with midpoints and means",
            "Varianzen erhalten: mit Mitten und Mittelwerten schrumpfen sie",
        ),
        Text(
            "weigh: means and quantiles are those of the records, not of the population",
            "gewichten: Mittelwerte und Quantile sind die der Datensätze, nicht der Grundgesamtheit",
        ),
    ),
    advice=Text(
        "Numbers are shown as classes. As an outcome, `tarnkappe correct` fits an interval regression.",
        "Zahlen sind als Klassen gezeigt. Für eine Zielgröße schätzt `tarnkappe correct` eine Intervallregression.",
    ),
    words={
        "classes": Text("classes", "Klassen"),
        "show": Text("shown is", "gezeigt wird"),
        "class": Text("the class", "die Klasse"),
        "mean": Text("the mean of the class", "der Mittelwert der Klasse"),
        "midpoint": Text("the middle of the class", "die Mitte der Klasse"),
    },
    example={
        "columns": ["wealth", "employees"],
        "into": {"width": 500.0, "origin": 100.0},
        "show": "midpoint",
    },
)
class Band(Method):
    """Put numbers into classes: of equal width, between given cut points, or with equally many records.

    Classes are half-open: the lower limit belongs to a class, the upper one does not. They cover every
    number. Classes between cut points and quantiles are open at both ends (``<18``, ``18-<35``, ``>=35``; of
    whole numbers ``18-34``). Limits of quantile classes are rounded to the leading digit of the usual
    distance between them, so that they do not show the value of a record; near ones fall together, so there
    may be fewer classes than asked for. With `at_least` neighbours are merged, from below, until each has so many
    records; all classes are then open at the ends.

    Missing cells stay missing, suppressed cells suppressed. Infinite values lie in the open classes; where there is none, and for
    means, they are refused. Open classes have no midpoint. A mean needs three records. Shown as classes, a column is no longer a
    numeric variable; shown as midpoints or means it stays one, and whole numbers stay whole if all midpoints are. Zeros and
    negative values are values like others; equal values, and so a constant column, come into one class.
    """

    columns: Columns
    """Numeric columns. | Numerische Spalten."""
    into: Into
    """The classes: width, cuts or quantiles. | Die Klassen: width, cuts oder quantiles."""
    show: Literal["class", "midpoint", "mean"] = "class"
    """What is shown: class, midpoint or mean. | Was gezeigt wird: Klasse, Mitte oder Mittelwert."""

    @model_validator(mode="after")
    def _midpoints_are_known(self) -> Self:
        if self.into.quantiles and self.show == "midpoint":
            raise ValueError(Text("quantile classes have no midpoints", "Quantilsklassen haben keine Mitte"))
        return self

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        return recoded(data, {name: self._banded(data.column(name), name) for name in self.columns})

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return (*twins(before, after, self.columns), *hidden_changes(before, after, self.columns))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The limits of the classes, for interval regression."""
        del after
        rules = {name: self.into.rule(before.column(name), name) for name in self.columns}
        return {"show": self.show, "classes": {name: _told(rule) for name, rule in rules.items()}}

    def _banded(self, column: Column, name: str) -> Column:
        if not column.kind.is_number:
            raise WrongKind(name=name, found=column.kind.text, who=self.id, needed=Text("numbers", "Zahlen"))
        rule, counted = self.into.rule(column, name), _counted(column)
        if isinstance(rule, Bands):
            rule.refuse_values(name, column)
        (classes,) = rule.classes(column.values[counted])
        if self.into.quantiles is not None or self.show == "mean":
            self._refuse_small(classes, column.observed[counted], name)
        if self.show == "class":
            return _as_classes(column, classes, counted)
        known = self.show == "midpoint"
        shown = _midpoints(classes, name) if known else _means(column, classes, counted, name)
        return _as_numbers(column, shown, classes.ids, counted)

    def _refuse_small(self, classes: Classes, shown: Bools, name: str) -> None:
        sizes = np.bincount(classes.ids[shown], minlength=1)
        small = int(((sizes > 0) & (sizes < SMALLEST)).sum())
        if small:
            what = Text("means", "Mittelwerte") if self.show == "mean" else Text("limits", "Grenzen")
            raise ClassTooSmall(name=name, count=small, needed=SMALLEST, what=what)


def _told(rule: Bands | Cuts) -> Json:
    if isinstance(rule, Bands):
        return {"width": rule.widths[0], "origin": rule.origin}
    return {"limits": list(rule.points[0])}


def _as_classes(column: Column, classes: Classes, counted: Bools) -> Column:
    codes = np.zeros(len(column), dtype=np.int64)
    codes[counted] = classes.ids
    spelt = classes.codes()
    tree = column.hierarchy
    knows = tree is not None and bool((tree.positions(spelt) >= 0).all())
    return replace(column.with_codes(codes, spelt), hierarchy=tree if knows else None)


def _as_numbers(column: Column, shown: Floats, ids: Ints, counted: Bools) -> Column:
    """New numbers in all cells that have a value, also under the suppressed ones."""
    values = np.zeros(len(column))
    values[counted] = shown[ids]
    bare = replace(column, state=np.where(counted, OBSERVED, MISSING).astype(np.uint8))
    return replace(bare.with_numbers(values), state=column.state)


def _midpoints(classes: Classes, name: str) -> Floats:
    middle = classes.midpoints()
    is_open = np.isinf(middle)
    if is_open.any():
        raise ClassOpen(name=name, count=int(is_open[classes.ids].sum()))
    return middle


def _means(column: Column, classes: Classes, counted: Bools, name: str) -> Floats:
    """The mean of the values shown in every class; in a class that shows none, of those suppressed."""
    infinite = np.flatnonzero(np.isinf(column.values) & counted)
    if len(infinite):
        raise NotFinite(name=name, count=len(infinite), first=int(infinite[0]) + 1)
    shown, size = column.observed[counted], len(classes.limits)
    told = shown | (np.bincount(classes.ids[shown], minlength=size) == 0)[classes.ids]
    return class_means(column.values[counted][told].astype(np.float64), classes.ids[told], size)
