"""Numbers in classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator

from tarnkappe.data.column import MISSING, OBSERVED, Bools, Column, Floats, Ints
from tarnkappe.data.contributors import contributor_codes, contributors_by
from tarnkappe.data.hierarchy import TOTAL
from tarnkappe.data.intervals import Bands, Classes, Cuts, refuse_points
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.recode import recoded
from tarnkappe.data.strata import Strata, ascending_strata, strata_of
from tarnkappe.data.stratum_cuts import Rule, StratumCuts, classes_by, merged
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import NotFinite, NothingToUse, WrongKind
from tarnkappe.errors.hierarchy import ClassesNone, ClassOpen, ClassTooSmall
from tarnkappe.kernels.class_means import class_means
from tarnkappe.language import Text
from tarnkappe.methods.microdata.step_remarks import hidden_changes, twins
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Declared, Family, Json, Method, Source, method
from tarnkappe.spec.conditions import Condition, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import stated

SMALLEST = 3
"""With two contributors in a class, each could compute the other's value from the mean."""


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
    """Neighbouring classes are merged until each has so many contributors. | Benachbarte Klassen werden vereinigt, bis jede so viele
    Beitragende hat."""

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

    @property
    def from_data(self) -> bool:
        """The limits are made from the values, so every stratum has its own."""
        return self.quantiles is not None or self.at_least is not None

    def rule(self, data: Microdata, name: str, strata: Strata) -> Rule:
        """What puts a value into its class; limits made from the data come from the values that each stratum shows."""
        column = data.column(name)
        if self.quantiles is not None:
            if not np.isfinite(column.values[column.observed]).any():
                raise NothingToUse(name=name)
            given: Rule = StratumCuts.at_quantiles(column, strata, contributor_codes(data), self.quantiles)
        else:
            given = Cuts((self.cuts,)) if self.cuts is not None else Bands((self.width or 0.0,), self.origin)
        if self.at_least is not None:
            given = merged(given, column, strata, contributor_codes(data), self.at_least)
        if isinstance(given, StratumCuts) and not len(given.points):
            raise ClassesNone(name=name)
        return given


def _pairs(m: Band, before: Microdata, after: Microdata) -> Iterator[tuple[Column, Column]]:
    aligned = before.aligned_to(after)
    for name in m.columns:
        yield aligned.column(name), after.column(name)


def _strata(m: Band, before: Microdata, after: Microdata) -> Strata:
    return strata_of(before.aligned_to(after), m.within)


def _states_kept(m: Band, before: Microdata, after: Microdata) -> bool:
    return all(
        np.array_equal(was.observed, now.observed) and np.array_equal(was.missing, now.missing)
        for was, now in _pairs(m, before, after)
    )


def _order_kept(m: Band, before: Microdata, after: Microdata) -> bool:
    """In the order of the old values the new ones of a stratum never fall; classes are numbered in ascending order."""
    of = _strata(m, before, after).of
    for was, now in _pairs(m, before, after):
        counted = _counted(was)
        order = np.lexsort((was.values[counted], of[counted]))
        new, block = now.values[counted][order].astype(np.float64), of[counted][order]
        if ((new[1:] < new[:-1]) & (block[1:] == block[:-1])).any():
            return False
    return True


def _means_kept(m: Band, before: Microdata, after: Microdata) -> bool:
    """In every stratum, up to rounding."""
    of = _strata(m, before, after).of
    for was, now in _pairs(m, before, after):
        shown = was.observed & now.observed
        old, new = was.numbers()[shown], now.numbers()[shown]
        size = np.full(int(of.max(initial=-1)) + 1, np.finfo(np.float64).tiny)
        np.maximum.at(size, of[shown], np.abs(old))
        a, b = (np.bincount(of[shown], x / size[of[shown]], len(size)) for x in (old, new))
        if (np.abs(a - b) > 1e-9 * np.bincount(of[shown], minlength=len(size))).any():
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
    """In every stratum as many pairs of a class and a value shown as classes."""
    aligned, strata = before.aligned_to(after), _strata(m, before, after)
    for name, (was, now) in zip(m.columns, _pairs(m, before, after), strict=True):
        counted = _counted(was)
        of = strata.of[counted]
        classes = classes_by(m.into.rule(aligned, name, strata), was.values[counted], of)
        group = _groups(classes, of)
        if np.count_nonzero(_new_rows(*_ascending(group, now.values[counted]))) != group.max(initial=-1) + 1:
            return False
    return True


def _shared_by(m: Band, before: Microdata, after: Microdata) -> Iterator[tuple[Ints, Ints]]:
    """For every column the strata of the values shown, each value of a stratum once, and how many contributors share it.

    The class of all values of a stratum is left out: it has no limits that could tell one.
    """
    aligned = before.aligned_to(after)
    who, of = contributor_codes(aligned), strata_of(aligned, m.within).of
    for name in m.columns:
        now = after.column(name)
        counted = now.observed
        if m.show == "class" and now.categories is not None and len(now.categories):
            counted = counted & (now.categories != TOTAL)[now.values]
        stratum, shown, one = _ascending(of[counted], now.values[counted], who[counted])
        begins = np.flatnonzero(_new_rows(stratum, shown))
        people = np.append(0, np.cumsum(_new_rows(stratum, shown, one)))
        yield stratum[begins], np.diff(people[np.append(begins, len(one))])


def _shared_by_three(m: Band, before: Microdata, after: Microdata) -> bool:
    return all(people.min(initial=SMALLEST) >= SMALLEST for _, people in _shared_by(m, before, after))


def _merged_enough(m: Band, before: Microdata, after: Microdata) -> bool:
    """In every stratum that shows several values; one class may be all that a small stratum has."""
    needed = m.into.at_least or SMALLEST
    return all(
        people[np.bincount(stratum)[stratum] > 1].min(initial=needed) >= needed
        for stratum, people in _shared_by(m, before, after)
        if len(stratum)
    )


def _groups(classes: Classes, of: Ints) -> Ints:
    """The class within its stratum that every value lies in, numbered through all strata."""
    keys = of.astype(np.int64) * max(len(classes.limits), 1) + classes.ids
    groups: Ints = np.unique(keys, return_inverse=True)[1].ravel()
    return groups


def _ascending(*columns: NDArray[Any]) -> list[NDArray[Any]]:
    """The same rows in ascending order, the first column first."""
    order = np.lexsort(columns[::-1])
    return [column[order] for column in columns]


def _new_rows(*columns: NDArray[Any]) -> Bools:
    """Where, among sorted rows, another one begins."""
    new = np.zeros(len(columns[0]), dtype=np.bool_)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def _counted(column: Column) -> Bools:
    """Cells with a value, shown or suppressed; under a sealed cell there is none."""
    counted: Bools = ~column.missing & ~(column.suppressed & np.isnan(column.values.astype(np.float64)))
    return counted


_EQUAL_WIDTH = Condition(
    Text("with `width` and without `at_least` in `into`", "mit `width` und ohne `at_least` in `into`"),
    lambda m: m.into.width is not None and m.into.at_least is None,
)
_FROM_DATA = Condition(
    Text(
        "with `show: mean`, or with `quantiles` or `at_least` in `into`",
        "mit `show: mean` oder mit `quantiles` oder `at_least` in `into`",
    ),
    lambda m: m.show == "mean" or m.into.from_data,
)
_MERGED = Condition(
    Text("with `at_least` in `into`", "mit `at_least` in `into`"), lambda m: m.into.at_least is not None
)


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
        Claim(
            Text("the order of the values in every stratum", "die Reihenfolge der Werte in jeder Schicht"),
            _order_kept,
        ),
        Claim(
            Text("which cells are missing or suppressed", "welche Zellen fehlen oder unterdrückt sind"),
            _states_kept,
        ),
        Claim(
            Text(
                "the mean of every chosen column in every stratum",
                "den Mittelwert jeder gewählten Spalte in jeder Schicht",
            ),
            _means_kept,
            when=where("show", "mean"),
        ),
        Claim(
            Text("every value to within half the width", "jeden Wert bis auf die halbe Breite"),
            _near,
            when=where("show", "midpoint") & _EQUAL_WIDTH,
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
                "every class that is made from the data, and every mean, rests on three contributors or more of its stratum",
                "jede aus den Daten gebildete Klasse und jeder Mittelwert beruht auf drei oder mehr Beitragenden der Schicht",
            ),
            _shared_by_three,
            when=_FROM_DATA,
        ),
        Claim(
            Text(
                "every merged class holds at_least contributors or more of its stratum, unless it is the only one there",
                "jede vereinigte Klasse enthält mindestens at_least Beitragende der Schicht, wenn sie dort nicht die einzige ist",
            ),
            _merged_enough,
            when=_MERGED,
        ),
    ),
    does_not=(
        Text(
            "hide how many records lie in a class of given limits, be it only one",
            "verbergen, wie viele Datensätze in einer Klasse mit festen Grenzen liegen, und sei es nur einer",
        ),
        ForAnalysis(
            "keep variances: with means they shrink, with midpoints they grow, by about a twelfth of the square of the width",
            "Varianzen erhalten: mit Mittelwerten schrumpfen sie, mit Mitten wachsen sie, um etwa ein Zwölftel der quadrierten Breite",
        ),
        ForAnalysis(
            "weigh: means and quantiles are those of the records, not of the population",
            "gewichten: Mittelwerte und Quantile sind die der Datensätze, nicht der Grundgesamtheit",
            _FROM_DATA,
        ),
    ),
    advice=Text(
        "Numbers are shown as classes. As an outcome, `tarnkappe correct` fits an interval regression.",
        "Zahlen sind als Klassen gezeigt. Für eine Zielgröße schätzt `tarnkappe correct` eine Intervallregression.",
    ),
    words={
        "classes": Text("classes", "Klassen"),
        "show": Text("shown is", "gezeigt wird"),
        "within": Text("made separately within", "getrennt gebildet innerhalb von"),
        "limits_stand_in": Text("the limits of a stratum stand in", "die Grenzen einer Schicht stehen in"),
        "the classes shown": Text("the classes shown", "den gezeigten Klassen"),
        "limits_by_stratum": Text(
            "limits by stratum, in ascending order of its columns",
            "Grenzen je Schicht, in aufsteigender Folge ihrer Spalten",
        ),
        "class": Text("the class", "die Klasse"),
        "mean": Text("the mean of the class", "der Mittelwert der Klasse"),
        "midpoint": Text("the middle of the class", "die Mitte der Klasse"),
    },
    example={
        "columns": ["wealth", "income"],
        "into": {"width": 500.0, "origin": 100.0, "at_least": 5},
        "show": "mean",
        "within": ["region"],
    },
    revision=4,
    changes_kinds=True,
)
class Band(Method):
    """Put numbers into classes: of equal width, between given cut points, or with equally many records.

    Classes are half-open: the lower limit belongs to a class, the upper one does not. They cover every
    number. Classes between cut points and quantiles are open at both ends (``<18``, ``18-<35``, ``>=35``; of
    whole numbers ``18-34``). Limits of quantile classes are rounded to the leading digit of the usual
    distance between them, so that they do not show the value of a record; near ones fall together, so there
    may be fewer classes than asked for. With `at_least` neighbours are merged, from below, until each has so many
    contributors; all classes are then open at the ends.

    A class of quantiles, and every mean, needs three contributors, because limits and means of one or two give their values away; with fewer the
    step is refused. Records of one owner count once, a record without an owner is a contributor of its own. Quantiles themselves, as
    means, are those of the records.

    With `within` every stratum has its own quantiles, its own merged classes and its own means: classes of the same name mean the same, but
    other strata may have others, so that order holds within a stratum only. A stratum with too few or too like values for two classes is
    one class (``Total``). Classes of given limits are the same everywhere, so `within` is refused where nothing is made from the data.

    Missing cells stay missing, suppressed cells suppressed. Infinite values lie in the open classes; where there is none, and for
    means, they are refused. Open classes have no midpoint. Shown as classes, a column is no longer a
    numeric variable; shown as midpoints or means it stays one, and whole numbers stay whole if all midpoints or means are; else
    they get decimals, which microdata.round takes away. Zeros and negative values are values like others; equal values, and so a constant column, come into one class.
    """

    columns: Columns
    """Numeric columns. | Numerische Spalten."""
    into: Into
    """The classes: width, cuts or quantiles. | Die Klassen: width, cuts oder quantiles."""
    show: Literal["class", "midpoint", "mean"] = "class"
    """What is shown: class, midpoint or mean. | Was gezeigt wird: Klasse, Mitte oder Mittelwert."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""

    @model_validator(mode="after")
    def _midpoints_are_known(self) -> Self:
        if self.into.quantiles and self.show == "midpoint":
            raise ValueError(Text("quantile classes have no midpoints", "Quantilsklassen haben keine Mitte"))
        if self.within and not self.into.from_data and self.show != "mean":
            raise ValueError(
                Text(
                    "within goes with quantiles, at_least or means only: other classes are the same in all strata",
                    "within gehört nur zu quantiles, at_least oder Mittelwerten: andere Klassen sind in allen Schichten gleich",
                )
            )
        return self

    def masks(self) -> tuple[str, ...]:
        return () if self.show == "class" else self.columns

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        strata = strata_of(data, self.within)
        return recoded(data, {name: self._banded(data, name, strata) for name in self.columns})

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return (*twins(before, after, self.columns), *hidden_changes(before, after, self.columns))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The limits of the classes, for interval regression; no value of a stratum is named."""
        del after
        strata = ascending_strata(before, self.within)
        rules = {name: self.into.rule(before, name, strata) for name in self.columns}
        told = {"show": self.show, "classes": {name: self._told(rule) for name, rule in rules.items()}}
        return {**told, "within": list(self.within)} if self.within else told

    def _told(self, rule: Rule) -> Json:
        if isinstance(rule, Bands):
            return stated({"width": rule.widths[0], "origin": rule.origin})
        if isinstance(rule, Cuts):
            return {"limits": stated(list(rule.points[0]))}
        if not self.within:
            return {"limits": self._own(rule.points.tolist())}
        if self.show == "class":
            return {"limits_stand_in": "the classes shown"}
        return {"limits_by_stratum": self._own([points.tolist() for points in rule.by_stratum()])}

    def _own(self, limits: Json) -> Json:
        """Merged classes keep limits that the plan states; quantiles are of the data."""
        return limits if self.into.quantiles is not None else stated(limits)

    def _banded(self, data: Microdata, name: str, strata: Strata) -> Column:
        column = data.column(name)
        if not column.kind.is_number:
            raise WrongKind(name=name, found=column.kind.text, who=self.id, needed=Text("numbers", "Zahlen"))
        if self.into.width is not None:
            Bands((self.into.width,), self.into.origin).refuse_values(name, column, data.record)
        counted = _counted(column)
        of = strata.of[counted]
        classes = classes_by(self.into.rule(data, name, strata), column.values[counted], of)
        groups = _groups(classes, of)
        if self.into.quantiles is not None or self.show == "mean":
            self._refuse_small(data, name, classes, groups)
        if self.show == "class":
            return _as_classes(column, classes, counted)
        if self.show == "midpoint":
            return _as_numbers(column, _midpoints(classes, name)[classes.ids], counted)
        _refuse_infinite(data, name, counted)
        return _as_numbers(column, _means(column, groups, counted), counted)

    def _refuse_small(self, data: Microdata, name: str, classes: Classes, groups: Ints) -> None:
        """A mean, and limits made from the data, need three contributors; the class of all values of a stratum has no limits."""
        column = data.column(name)
        counted, group = np.flatnonzero(_counted(column)), np.zeros(len(column), dtype=np.int64)
        group[counted] = groups
        judged = column.observed
        if self.show != "mean":
            open_ = [low.is_infinite() and high.is_infinite() for low, high in classes.limits]
            judged = judged.copy()
            judged[counted] &= ~np.array(open_, dtype=np.bool_)[classes.ids]
        small = int(np.count_nonzero(contributors_by(data, judged, group) < SMALLEST))
        if small:
            what = Text("means", "Mittelwerte") if self.show == "mean" else Text("limits", "Grenzen")
            raise ClassTooSmall(name=name, count=small, needed=SMALLEST, what=what)


def _as_classes(column: Column, classes: Classes, counted: Bools) -> Column:
    codes = np.zeros(len(column), dtype=np.int64)
    codes[counted] = classes.ids
    spelt = classes.codes()
    tree = column.hierarchy
    knows = tree is not None and bool((tree.positions(spelt) >= 0).all())
    return replace(column.with_codes(codes, spelt), hierarchy=tree if knows else None)


def _as_numbers(column: Column, shown: Floats, counted: Bools) -> Column:
    """New numbers in all cells that have a value, also under the suppressed ones."""
    values = np.zeros(len(column))
    values[counted] = shown
    bare = replace(column, state=np.where(counted, OBSERVED, MISSING).astype(np.uint8))
    return replace(bare.with_numbers(values), state=column.state)


def _midpoints(classes: Classes, name: str) -> Floats:
    middle = classes.midpoints()
    is_open = np.isinf(middle)
    if is_open.any():
        raise ClassOpen(name=name, count=int(is_open[classes.ids].sum()))
    return middle


def _refuse_infinite(data: Microdata, name: str, counted: Bools) -> None:
    infinite = np.flatnonzero(np.isinf(data.column(name).values) & counted)
    if len(infinite):
        raise NotFinite(name=name, count=len(infinite), first=data.record(infinite[0]))


def _means(column: Column, groups: Ints, counted: Bools) -> Floats:
    """For every value the mean of those its group shows; where it shows none, of those suppressed."""
    shown, size = column.observed[counted], int(groups.max(initial=-1)) + 1
    told = shown | (np.bincount(groups[shown], minlength=size) == 0)[groups]
    return class_means(column.values[counted][told].astype(np.float64), groups[told], size)[groups]
