"""Categories turned into uniform numbers, treated by a method for numbers, and turned back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from pydantic import model_validator

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.masking import NothingChanged
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.coding import compact
from tarnkappe.kernels.uniform_categories import categories_of, uniform_columns
from tarnkappe.language import Text
from tarnkappe.methods.microdata.categories_as_numbers import (
    OTHERS_KEPT,
    STATES_KEPT,
    new_combinations,
    not_given_back,
    per_cent_same,
    refuse_moved,
)
from tarnkappe.methods.microdata.inner_step import in_kind, inner_step
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Reach, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind

_CATEGORIES = Text("categories", "Kategorien")
_TREATS = Text(
    "step must name every column that is transformed under its columns",
    "step muss jede umgewandelte Spalte unter seinen columns nennen",
)
_FOR_NUMBERS = Text(
    "step must be a method for numbers with a list of columns: one that averages, adds noise or draws anew",
    "step muss ein Verfahren für Zahlen mit einer Liste columns sein: eines, das mittelt, überlagert oder neu zieht",
)
_SAME = Text(
    "{name}: {share} % of the values shown are what they were.",
    "{name}: {share} % der gezeigten Werte sind, was sie waren.",
)


@dataclass(frozen=True)
class _Spread:
    """A column of categories as uniform numbers."""

    codes: Ints
    """Places in `found` of the cells that are shown, -1 elsewhere."""
    found: Ints
    """Codes of the column, the most frequent last."""
    shares: Floats
    """(records, categories): frequencies in the stratum of the record."""
    names: tuple[str, ...]
    """What the uniform columns are called while the step is done."""

    def columns(self, column: Column, z: Floats) -> dict[str, Column]:
        """The uniform columns; their gaps are those of the categories."""
        d = uniform_columns(self.codes, self.shares, z)
        return {n: Column(Kind.NUMBER, d[:, j].copy(), column.state) for j, n in enumerate(self.names)}


def _spread(data: Microdata, name: str, within: tuple[str, ...]) -> _Spread:
    column, strata = data.column(name), strata_of(data, within)
    codes, _ = column.codes()
    found, counts = np.unique(codes[codes >= 0], return_counts=True)
    found = found[np.argsort(counts, kind="stable")]
    place = np.full(int(codes.max(initial=-1)) + 1, -1, dtype=np.int64)
    place[found] = np.arange(len(found))
    placed = np.where(codes >= 0, np.append(place, -1)[codes], -1)
    shown = np.flatnonzero(placed >= 0)
    cell = strata.of[shown].astype(np.int64) * len(found) + placed[shown]
    often = np.bincount(cell, minlength=len(strata) * len(found)).reshape(len(strata), len(found))
    shares = often / np.maximum(often.sum(axis=1, keepdims=True), 1)
    return _Spread(placed, found, shares[strata.of], _names(name, max(len(found) - 1, 0), data.names))


def _names(name: str, count: int, taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Names that no column has, as messages of the step will show them."""
    while any(f"{name} [{place + 1}]" in taken for place in range(count)):
        name += "'"
    return tuple(f"{name} [{place + 1}]" for place in range(count))


def _none_invented(m: UniformCategories, before: Microdata, after: Microdata) -> bool:
    """Every category shown in a stratum was shown there before."""
    of = strata_of(before, m.strata())
    for name in m.columns:
        was, now = before.columns[name], after.columns[name]
        if not np.array_equal(was.categories, now.categories):  # type: ignore[arg-type]
            return False
        sides = [(of.of[c.observed], c.codes()[0][c.observed]) for c in (was, now)]
        strata, codes = (np.concatenate(parts).astype(np.int64) for parts in zip(*sides, strict=True))
        found = classes([(strata, len(of)), (codes, len(was.distinct()))]).ids
        count = len(sides[0][0])
        if not np.isin(found[count:], found[:count]).all():
            return False
    return True


@method(
    "microdata.uniform-categories",
    family=Family.SWAP,
    title=Text("Treat categories as uniform numbers", "Kategorien wie gleichverteilte Zahlen behandeln"),
    does=Text(
        "Categories were turned into random uniform numbers, changed by a method for numbers and turned back; combinations may stand there "
        "that nobody has.",
        "Kategorien wurden in zufällige gleichverteilte Zahlen umgewandelt, mit einem Verfahren für Zahlen verändert und zurückverwandelt; "
        "es können Kombinationen dastehen, die niemand hat.",
    ),
    sources=(Source("hoehne2010", "2.2.1, transformation after Sullivan (C-f), with any method for numbers"),),
    preserves=(
        Claim(
            Text(
                "the list of categories of every stratum: none is shown that was not there",
                "die Liste der Kategorien jeder Schicht: keine steht da, die es dort nicht gab",
            ),
            _none_invented,
        ),
        OTHERS_KEPT,
        STATES_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no transformed column that varies is given back as it was",
                "keine umgewandelte Spalte, die variiert, kommt zurück, wie sie war",
            ),
            not_given_back,
        ),
    ),
    does_not=(
        ForAnalysis(
            "rule out combinations that nobody has, across columns or within a hierarchy",
            "Kombinationen ausschließen, die niemand hat, zwischen Spalten oder in einer Hierarchie",
        ),
        ForAnalysis("keep frequencies: averages pull the numbers together, and frequent categories gain", "Häufigkeiten erhalten: Mittelwerte ziehen die Zahlen zusammen, und häufige Kategorien gewinnen"),
        Text("suit categories of many values: each but one becomes a column", "sich für Kategorien mit vielen Ausprägungen eignen: jede bis auf eine wird zur Spalte"),
        Text(
            "protect as much as the step does on numbers: small changes leave a category what it was",
            "so viel schützen wie der Schritt bei Zahlen: kleine Änderungen lassen eine Kategorie, was sie war",
        ),
    ),
    advice=Text(
        "Categories were changed by a method for numbers. Frequencies and relations are near those of the original at best, and "
        "combinations may be impossible. There is no correction.",
        "Kategorien wurden mit einem Verfahren für Zahlen verändert. Häufigkeiten und Zusammenhänge liegen bestenfalls nahe am "
        "Original, und Kombinationen können unmöglich sein. Eine Korrektur gibt es nicht.",
    ),
    words={
        "transformed": Text("categories treated as uniform numbers", "wie gleichverteilte Zahlen behandelte Kategorien"),
        "within": Text("treated separately within", "getrennt behandelt innerhalb von"),
        "step": Text("done to the numbers", "mit den Zahlen getan"),
    },
    example={
        "columns": ("diagnosis", "occupation"),
        "step": {"use": "microdata.random-average", "columns": ["diagnosis", "occupation", "income"], "too_small": "suppress"},
    },
    random=True,
)  # fmt: skip
class UniformCategories(Method):
    """Turn categories into uniform numbers, do a step for numbers with them, and turn them back.

    A column with a categories becomes a - 1 columns, one for every category but the most frequent. With h the frequency of a category and Z
    drawn anew for every cell, its column is 1 - h(1 - Z) where the record has the category and Z(1 - h) where it has another one: uniform
    between 0 and 1, and at 1 - h or above exactly where the category is there. The step treats these columns together with the other columns
    that it names. A record then gets the category whose column lies highest among those at 1 - h or above, and the most frequent one where
    none does. The claims of the step are checked on the numbers.

    No order of the categories is needed, and dependencies stay better than with `microdata.number-categories`. It goes with every method
    that averages, adds noise or draws anew; methods that swap take categories as they are, and `microdata.sullivan` does all of this with its own noise and a test
    of the protection. Strata are those of the step (`within`): frequencies are taken in them.

    Units over periods are treated as the step treats them, with its `unit`; Z is drawn anew for every cell, so that a category that stays the same over
    the periods can become another one in some of them.

    Missing and suppressed cells stay as they are; cells that the step suppresses are suppressed. A column that shows one value only stays as
    it is. Numbers beside the categories are treated by the rules of the step, also zero, negative and equal ones. A column that varies and
    would be given back as it was is refused.
    """

    columns: Columns
    """Columns of categories. | Spalten mit Kategorien."""
    step: Mapping[str, Any]
    """The step that treats the numbers, as in a plan; the columns above stand among its columns. | Der Schritt, der die Zahlen behandelt,
    wie in einem Plan; die Spalten von oben stehen unter seinen Spalten."""

    @model_validator(mode="after")
    def _step_fits(self) -> Self:
        first = self.first()
        if not first.family.takes_numbers or not isinstance(self.step.get("columns"), list | tuple):
            raise ValueError(_FOR_NUMBERS)
        if not set(self.columns) <= set(first.treated_columns()):
            raise ValueError(_TREATS)
        self._around({name: _names(name, 1) for name in self.columns})
        return self

    def first(self) -> Method:
        """The step as it stands in the plan."""
        return inner_step(self.step)

    def _around(self, names: Mapping[str, tuple[str, ...]]) -> Method:
        """The step with other columns in place of the categories."""
        columns = [new for name in self.step["columns"] for new in names.get(name, (name,))]
        return inner_step({**self.step, "columns": columns})

    def strata(self) -> tuple[str, ...]:
        """The columns whose combinations the step treats apart."""
        within: tuple[str, ...] = getattr(self.first(), "within", ())
        return within

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
        spread = self._all_spread(data)
        names = {name: one.names for name, one in spread.items()}
        if not len(data) or not any(n for n in (*names.values(), set(self.step["columns"]) - set(names))):
            return data
        numbers = self._numbers(data, spread, stream.generator.random)
        first = self._around(names)
        done = apply_step(first, numbers, stream)
        refuse_moved(self.id, first, numbers, done)
        back = {name: self._back(name, data, done, one) for name, one in spread.items()}
        return done.with_columns(back).without(n for one in spread.values() for n in one.names)

    def _all_spread(self, data: Microdata) -> dict[str, _Spread]:
        for name in self.columns:
            if data.column(name).categories is None:
                found = data.column(name).kind.text
                raise WrongKind(name=name, found=found, who=self.id, needed=_CATEGORIES)
        return {name: _spread(data, name, self.strata()) for name in self.columns}

    def _numbers(
        self, data: Microdata, spread: Mapping[str, _Spread], uniform: Callable[[tuple[int, int]], Floats]
    ) -> Microdata:
        """The data with the uniform columns at the end."""
        new = {
            name: one.columns(data.columns[name], uniform((len(data), len(one.names))))
            for name, one in spread.items()
        }
        return data.with_columns({n: c for columns in new.values() for n, c in columns.items()})

    def _back(self, name: str, data: Microdata, done: Microdata, spread: _Spread) -> Column:
        """The categories that the uniform columns stand for now."""
        column = data.column(name)
        if not spread.names:
            return column
        shown = np.logical_and.reduce([done.column(n).observed for n in spread.names])
        d = np.stack([np.nan_to_num(done.column(n).numbers()) for n in spread.names], axis=1)
        new = spread.found[categories_of(d, spread.shares)]
        if np.array_equal(new[shown], column.values[shown]):
            raise NothingChanged(who=self.id, name=name)
        values = compact(np.where(shown, new, column.values))
        return replace(column, values=values).suppress(column.observed & ~shown)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Which columns were transformed, and the step in kind."""
        spread = self._all_spread(before)
        names = {name: one.names for name, one in spread.items()}
        numbers = self._numbers(before, spread, lambda shape: np.full(shape, 0.5))
        new = {n: numbers.columns[n] for one in names.values() for n in one}
        step = in_kind(self._around(names), numbers, after.with_columns(new))
        return {"transformed": list(self.columns), "step": step}

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """How many combinations are new, and how much of each column is as it was."""
        there = np.logical_and.reduce([~before.columns[n].missing for n in self.columns])
        shown = np.logical_and.reduce([after.columns[n].observed for n in self.columns])
        was, now = ([data.columns[n].true_codes()[0] for n in self.columns] for data in (before, after))
        both = [before.columns[n].observed & after.columns[n].observed for n in self.columns]
        same = [per_cent_same(x == y, seen) for x, y, seen in zip(was, now, both, strict=True)]
        return (
            *new_combinations(self.columns, was, now, there, shown),
            *(_SAME.filled(name=n, share=s) for n, s in zip(self.columns, same, strict=True) if s),
        )
