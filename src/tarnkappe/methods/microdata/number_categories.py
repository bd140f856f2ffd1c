"""Categories numbered, treated by a method for numbers, and rounded back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.selection import values_of
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.masking import NothingChanged, StepUnfit
from tarnkappe.kernels.coding import compact
from tarnkappe.language import Text
from tarnkappe.methods.microdata.categories_as_numbers import (
    OTHERS_KEPT,
    STATES_KEPT,
    new_combinations,
    not_given_back,
    per_cent_same,
    refuse_moved,
)
from tarnkappe.methods.microdata.exchange import sortable
from tarnkappe.methods.microdata.inner_step import in_kind, inner_step
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Reach, Source, method
from tarnkappe.spec.fields import Order
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind

_CODES = Text("categories, or whole numbers that are codes", "Kategorien oder ganze Zahlen, die Codes sind")
_TREATS = Text("step must treat every column that is numbered", "step muss jede nummerierte Spalte behandeln")
_FOR_NUMBERS = Text(
    "step must be a method for numbers: one that averages, adds noise or draws anew",
    "step muss ein Verfahren für Zahlen sein: eines, das mittelt, überlagert oder neu zieht",
)
_SAME = Text(
    "{name}: {share} % of the values shown are after rounding what they were.",
    "{name}: {share} % der gezeigten Werte sind nach dem Runden, was sie waren.",
)


def _places(column: Column, order: tuple[str, ...]) -> Ints:
    """The place of every cell in the order, from 0; -1 where it is missing or not in the order, whatever its state."""
    place = {value: number for number, value in enumerate(order)}
    codes, _ = column.true_codes()
    return np.array([*(place.get(text, -1) for text in canonical(column)), -1], dtype=np.int64)[codes]


def _in_order(m: NumberCategories, before: Microdata, after: Microdata) -> bool:
    del before
    return all(
        values_of(after.columns[name], after.columns[name].observed) <= set(order)
        for name, order in m.columns.items()
    )


@method(
    "microdata.number-categories",
    family=Family.SWAP,
    title=Text("Number categories and treat them as numbers", "Kategorien nummerieren und wie Zahlen behandeln"),
    does=Text(
        "Categories were numbered in an order, changed by a method for numbers and rounded to the nearest category; combinations may stand "
        "there that nobody has.",
        "Kategorien wurden der Reihe nach nummeriert, mit einem Verfahren für Zahlen verändert und zur nächsten Kategorie gerundet; es "
        "können Kombinationen dastehen, die niemand hat.",
    ),
    sources=(Source("hoehne2010", "2.2.1, numbering of categories (C-d)"),),
    preserves=(
        Claim(Text("the list of categories: no value outside the order is shown", "die Liste der Kategorien: kein Wert außerhalb der Reihenfolge steht da"), _in_order),
        OTHERS_KEPT,
        STATES_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no numbered column that varies is given back as it was",
                "keine nummerierte Spalte, die variiert, kommt zurück, wie sie war",
            ),
            not_given_back,
        ),
    ),
    does_not=(
        ForAnalysis("keep hierarchies: levels that are treated apart no longer fit", "Hierarchien erhalten: getrennt behandelte Ebenen passen nicht mehr zusammen"),
        ForAnalysis("rule out combinations that nobody has, nor categories that were not there", "Kombinationen ausschließen, die niemand hat, auch nicht Kategorien, die es nicht gab"),
        Text("know real distances between categories: neighbours in the order are one apart", "wirkliche Abstände von Kategorien kennen: Nachbarn der Reihenfolge liegen eins auseinander"),
        ForAnalysis("keep frequencies: categories in the middle of the order gain", "Häufigkeiten erhalten: Kategorien in der Mitte der Reihenfolge gewinnen"),
        Text(
            "protect as much as the step does on numbers: small changes vanish when they are rounded",
            "so viel schützen wie der Schritt bei Zahlen: kleine Änderungen verschwinden beim Runden",
        ),
    ),
    advice=Text(
        "Categories were changed by a method for numbers. Frequencies and relations are near those of the original at best, and "
        "combinations may be impossible. There is no correction.",
        "Kategorien wurden mit einem Verfahren für Zahlen verändert. Häufigkeiten und Zusammenhänge liegen bestenfalls nahe am "
        "Original, und Kombinationen können unmöglich sein. Eine Korrektur gibt es nicht.",
    ),
    words={
        "numbered": Text("categories treated as numbers", "wie Zahlen behandelte Kategorien"),
        "within": Text("treated separately within", "getrennt behandelt innerhalb von"),
        "step": Text("done to the numbers", "mit den Zahlen getan"),
    },
    example={
        "columns": {
            "diagnosis": ("none", "asthma", "injury", "diabetes", "cancer"),
            "occupation": ("baker", "joiner", "clerk", "nurse", "lawyer", "doctor"),
        },
        "step": {"use": "microdata.random-average", "columns": ["diagnosis", "occupation", "income"], "too_small": "suppress"},
    },
    random=True,
    changes_kinds=True,
)  # fmt: skip
class NumberCategories(Method):
    """Number categories 1, 2, … in a given order, do a step for numbers, and round to the nearest category.

    It makes every method for numbers a method for categories, and lets one step treat both together. The result of the step is rounded to the
    nearest whole number (halves to the even one); what lies beyond an end becomes the category at that end. The claims of the step are
    checked on the numbers before they are rounded; equal numbers stay equal, so groups of k averages stay groups of k or larger.

    Give an order that means something (degrees of education, size classes). Without one, an average of the first and the third category is the
    second, whatever that is: use `microdata.category-average`, `microdata.pram` or `microdata.sullivan`. Values of the order that the file
    does not have may appear.

    Units over periods are treated as the step treats them, with its `unit`.

    Every value that the column shows must stand in its order. Missing and suppressed cells stay as they are; cells that the step suppresses are
    suppressed. Columns of whole numbers may be numbered if they are codes. A column that varies and would be given back as it was is refused.
    Zero, negative, constant and tied numbers beside the categories are treated by the rules of the step.
    """

    columns: Annotated[Mapping[str, Order], Field(min_length=1)]
    """Column -> all its values in ascending order. | Spalte -> alle ihre Werte in aufsteigender Reihenfolge."""
    step: Mapping[str, Any]
    """The step that treats the numbers, as in a plan. | Der Schritt, der die Nummern behandelt, wie in einem Plan."""

    @model_validator(mode="after")
    def _step_fits(self) -> Self:
        first = self.first()
        if not first.family.takes_numbers:
            raise ValueError(_FOR_NUMBERS)
        if not set(self.columns) <= set(first.treated_columns()):
            raise ValueError(_TREATS)
        return self

    def first(self) -> Method:
        """The step as an object."""
        return inner_step(self.step)

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.first().named_columns())))

    def unit_columns(self) -> tuple[str, ...]:
        return self.first().unit_columns()

    def masks(self) -> tuple[str, ...]:
        """Also the numbers that the step inside masks beside these columns."""
        return tuple(dict.fromkeys((*super().masks(), *self.first().masks())))

    def reach(self, data: Microdata) -> Reach:
        return self.first().reach(data)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        first = self.first()
        numbered = self._numbered(data)
        done = apply_step(first, numbered, stream)
        refuse_moved(self.id, first, numbered, done)
        self._refuse_unfit(first, done)
        return done.with_columns({name: self._back(name, data, done) for name in self.columns})

    def _numbered(self, data: Microdata) -> Microdata:
        """With the numbers 1, 2, … in place of the categories; 0 under a cell that has none."""
        return data.with_columns({name: self._numbers(name, data.column(name)) for name in self.columns})

    def _numbers(self, name: str, column: Column) -> Column:
        if column.kind not in (Kind.CATEGORY, Kind.BOOLEAN, Kind.INTEGER):
            raise WrongKind(name=name, found=column.kind.text, who=self.id, needed=_CODES)
        places = sortable(name, column, self.columns, self.id)
        return Column(Kind.INTEGER, places.astype(np.int64) + 1, column.state, label=column.label)

    def _refuse_unfit(self, first: Method, done: Microdata) -> None:
        if not all(done.column(name).kind.is_number for name in self.columns):
            why = Text("its results are not numbers", "seine Ergebnisse sind keine Zahlen")
            raise StepUnfit(who=self.id, step=first.id, why=why)

    def _back(self, name: str, data: Microdata, done: Microdata) -> Column:
        """The categories of the rounded numbers; a cell whose number is what it was keeps its spelling."""
        column, now, order = data.column(name), done.column(name), self.columns[name]
        was = _places(column, order)
        place = np.where(now.observed, np.clip(np.rint(now.numbers()), 1, len(order)), 1).astype(np.int64) - 1
        changed = now.observed & (place != was)
        shown = now.observed & column.observed
        if not changed.any() and len(np.unique(was[shown])) > 1:
            raise NothingChanged(who=self.id, name=name)
        return replace(self._spelt(name, column, place, changed), state=now.state)

    def _spelt(self, name: str, column: Column, place: Ints, changed: Bools) -> Column:
        """The column with other values in some cells. Values that the file did not have are added; a hierarchy that does not know one goes."""
        order = self.columns[name]
        tree = column.hierarchy
        kept = tree if tree is not None and bool((tree.positions(order) >= 0).all()) else None
        if column.categories is None:
            values = np.where(changed, self._whole(name, column)[place], column.values)
            return replace(column, values=values, hierarchy=kept)
        known = {text: code for code, text in reversed(list(enumerate(canonical(column))))}
        new = [value for value in order if value not in known]
        known |= {value: len(column.categories) + i for i, value in enumerate(new)}
        codes = np.where(changed, np.array([known[v] for v in order], dtype=np.int64)[place], column.values)
        if not new:
            return replace(column, values=compact(codes), hierarchy=kept)
        categories = np.array([*column.categories, *new], dtype=object)
        return replace(
            column, kind=Kind.CATEGORY, values=compact(codes), categories=categories, hierarchy=kept
        )

    def _whole(self, name: str, column: Column) -> Ints:
        try:
            return np.array([int(value) for value in self.columns[name]], dtype=np.int64)
        except (ValueError, OverflowError) as problem:
            raise WrongKind(name=name, found=column.kind.text, who=self.id, needed=_CODES) from problem

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Which columns were numbered, and the step in kind. Not the order: it may name a value that only one record had."""
        numbered = (self._numbered(data) for data in (before, after))
        return {"numbered": list(self.columns), "step": in_kind(self.first(), *numbered)}

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """How many combinations are new, and how much of each column is as it was."""
        was, now = (
            [_places(data.columns[n], order) for n, order in self.columns.items()] for data in (before, after)
        )
        there = np.all(np.array(was) >= 0, axis=0)
        shown = np.all([after.columns[n].observed for n in self.columns], axis=0)
        both = [before.columns[n].observed & after.columns[n].observed for n in self.columns]
        same = [per_cent_same(x == y, seen) for x, y, seen in zip(was, now, both, strict=True)]
        return (
            *new_combinations(self.columns, was, now, there, shown),
            *(_SAME.filled(name=n, share=s) for n, s in zip(self.columns, same, strict=True) if s),
        )
