"""Cloning: artificial records beside rare ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import MISSING_CODE, Column, Floats, Ints
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.contributors import units_counted
from tarnkappe.data.heaping import multiples_near, usual_units
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.new_names import names_of_their_own, refuse_other_names, with_new_names
from tarnkappe.data.units import Units, units_of
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.kernels.candidate_units import class_units
from tarnkappe.kernels.classes import Classes, classes, first_records
from tarnkappe.kernels.sorted_classes import sorted_classes
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Mark, Method, Reach, Source, Trace, method
from tarnkappe.spec.conditions import given
from tarnkappe.spec.fields import Names
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Kind, Role

MOST_WHOLE = 2.0**62
_VARY = Text(
    "vary must name neither keys nor columns that get factors, nor weights that are shared",
    "vary darf weder Schlüssel noch Spalten nennen, die Faktoren bekommen, noch Gewichte, die geteilt werden",
)
_KEYS_STAY = Text(
    "a key cannot differ in clones: they would not be in the class they are to fill",
    "ein Schlüssel kann in Klonen nicht abweichen: sie lägen nicht in der Klasse, die sie füllen sollen",
)
_NAMED = Text(
    "the unit can be neither a key nor a column that differs in clones: they get names of their own",
    "die Einheit kann weder Schlüssel noch eine Spalte sein, die in Klonen abweicht: sie bekommen eigene Namen",
)
_SAME_UNIT = Text(
    "clones would be of the unit they are made from and hide nobody: name the column with the role unit under unit",
    "Klone gehörten zu der Einheit, nach der sie gemacht sind, und verbärgen niemanden: nennen Sie die Spalte mit der Rolle unit unter unit",
)
_WEIGHTS_SHARED = Text(
    "a weight that is shared with clones cannot differ in them; take it out of columns, or say share_weights: false",
    "ein Gewicht, das mit Klonen geteilt wird, kann in ihnen nicht abweichen; nehmen Sie es aus columns oder sagen Sie share_weights: false",
)


@dataclass(frozen=True)
class Made:
    """Records to be made."""

    templates: Ints
    """The record that each copies."""
    of: Ints
    """The artificial unit of each, 0, 1, …"""

    @property
    def units(self) -> int:
        return int(self.of.max(initial=-1)) + 1


def _units(data: Microdata, unit: Sequence[str]) -> Units:
    """The units with their records in the order of the file; a record whose name is missing or suppressed is one of its own."""
    found = classes([units_of(data, unit)])
    of = found.ids.astype(np.int64)
    return Units(of, first_records(found), found.sizes, np.argsort(of, kind="stable"))


def _originals_kept(m: Clone, before: Microdata, after: Microdata) -> bool:
    """The reported records are there, cell by cell, but for weights that are shared with clones."""
    old, new = before.paired(after)
    weights = before.role(Role.WEIGHT) if m.share_weights else ()
    return len(old) == len(before) and all(
        same_cells(old.columns[n], new.columns[n]) for n in before.names if n not in weights
    )


def _weights_shared(m: Clone, before: Microdata, after: Microdata) -> bool:
    """Class by class the weights add up to what they were."""
    weights = before.role(Role.WEIGHT)
    if not weights:
        return True
    joined = (_one_after_the_other(before.column(k), after.column(k)) for k in before.keys(m.keys))
    found = sorted_classes(joined, len(before) + len(after))
    of, of_after = found.ids[: len(before)], found.ids[len(before) :]
    size = len(found.sizes)
    if len(np.unique(of)) < size or len(np.unique(of_after)) < size:
        return False
    for name in weights:
        was = np.bincount(of, np.nan_to_num(before.column(name).numbers()), size)
        now = np.bincount(of_after, np.nan_to_num(after.column(name).numbers()), size)
        with np.errstate(invalid="ignore"):  # sums beyond all numbers
            if np.any(np.abs(was - now) > 1e-9 * np.abs(was)):
                return False
    return True


def _one_after_the_other(was: Column, now: Column) -> tuple[Ints, int]:
    """The cells of both columns as codes, equal where they show the same; what is not shown is one value more."""
    spelt, place = np.unique(
        np.array([*was.distinct(), *now.distinct(), ""], dtype=object), return_inverse=True
    )
    place[-1] = MISSING_CODE
    (codes, count), (later, _) = was.codes(), now.codes()
    shown = np.concatenate([np.where(codes < 0, -1, codes), np.where(later < 0, -1, later + count)])
    return place[shown].astype(np.int64), len(spelt)


def _classes_large(m: Clone, before: Microdata, after: Microdata) -> bool:
    del before
    rows = np.column_stack([after.column(k).codes()[0] for k in after.keys(m.keys)])
    _, of, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return bool(np.all(class_units(Classes(of.reshape(-1), sizes), units_counted(after)) >= m.k))


def _whole_units(m: Clone, before: Microdata, after: Microdata) -> bool:
    """Every artificial unit has a name that nobody had, and is there as often, with the same keys, as some real unit."""
    made = ~np.isin(after.rows, before.rows)
    if not names_of_their_own(after.column(m.unit or ""), made):
        return False
    units = _units(after, m.unit_columns())
    found = units.profile(classes(after.column(k).codes() for k in after.keys(m.keys)))
    artificial = made[units.first]
    return not set(found[artificial].tolist()) - set(found[~artificial].tolist())


@method(
    "microdata.clone",
    family=Family.RECORDS,
    title=Text("Clone rare records", "Seltene Datensätze klonen"),
    does=Text(
        "Artificial records were added beside rare ones.",
        "Neben seltene Datensätze wurden künstliche gestellt.",
    ),
    sources=(Source("hoehne2010", "section 2.1.3, cloning (T14)"),),
    preserves=(
        Claim(
            Text("every reported record, cell by cell, but for shared weights", "jeden gemeldeten Datensatz, Zelle für Zelle, bis auf geteilte Gewichte"),
            _originals_kept,
        ),
        Claim(
            Text("the sum of the weights of every class", "die Summe der Gewichte jeder Klasse"),
            _weights_shared,
            when=given("share_weights"),
        ),
        Claim(
            Text(
                "units: an artificial one has a name of its own, and is there in all periods of the unit it is made from",
                "Einheiten: eine künstliche hat einen eigenen Namen und ist in allen Perioden der Einheit da, nach der sie gemacht ist",
            ),
            _whole_units,
            when=given("unit"),
        ),
    ),
    protects=(
        Claim(
            Text(
                "every combination of keys stands in at least k records",
                "jede Kombination der Schlüssel steht in mindestens k Datensätzen",
            ),
            _classes_large,
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep unweighted counts and totals: records are added",
            "ungewichtete Fallzahlen und Summen erhalten: es kommen Datensätze hinzu",
        ),
        Text(
            "protect against somebody who knows who is in the population: clones belong to nobody",
            "vor denen schützen, die wissen, wen es gibt: Klone gehören niemandem",
        ),
        Text(
            "hide how many real units a class has where weights are shared: they add up to what they were",
            "verbergen, wie viele echte Einheiten eine Klasse hat, wenn Gewichte geteilt werden: sie ergeben, was sie waren",
        ),
        ForAnalysis("give clones households or owners of their own", "Klonen eigene Haushalte oder Eigentümer geben"),
    ),
    words={
        "weights_shared": Text("weights allow for the artificial records", "Gewichte berücksichtigen künstliche Datensätze"),
    },
    example={
        "keys": ["sex", "region"], "k": 9, "columns": ["income", "wealth"], "vary": ["diagnosis"], "spread": 0.05, "share_weights": False,
        "unit": "household",
    },
    random=True,
    makes_records=True,
    revision=3,
)  # fmt: skip
class Clone(Method):
    """Add artificial records like those of small classes, until every class on the keys has k records.

    A clone has the keys and all other cells of a record of its class, taken in turn; the numbers in `columns` are multiplied by random factors
    between 1 - spread and 1 + spread, so that clones are similar and not the same. Name all columns that tell records apart, or clones are
    recognised as copies. Columns in `vary`, which may be of any type, take the value of a random record instead: name there what would be a gain of
    information, such as a diagnosis that else all records of the class would have in common. Missing and suppressed cells stay so; whole numbers are
    rounded to whole ones, and where round numbers are usual in a column (multiples of a hundred, say), a clone of such a record has one too, where they are far apart the same.

    With weights the records of a class share their weight with their clones, so that weighted counts stay as they were. Direct identifiers must be
    dropped, as in every release.

    In a panel name the `unit`: then whole units are cloned, with all their records, as often as the record that needs it most. The records of an
    artificial unit have one factor in every column and one value in every column of `vary`, so that its series are like those of a real one, and a name
    that nobody has: names in figures are drawn among unused ones, texts sign by sign among all names of that length. Records whose name is missing or suppressed are units of their own.

    Zero stays zero and negative values keep their sign; constant and tied values get a factor each like others.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns that form the classes; without them, those with the role key. | Spalten, die die Klassen bilden; ohne sie die mit der
    Rolle key."""
    k: Annotated[int, Field(ge=2)] = 3
    """Smallest class size afterwards. | Kleinste Klassengröße danach."""
    columns: Names = ()
    """Numeric columns that differ a little in clones. | Numerische Spalten, die in Klonen etwas abweichen."""
    vary: Names = ()
    """Columns that hold the values of random records in clones. | Spalten, die in Klonen Werte zufälliger Datensätze enthalten."""
    spread: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """Largest relative difference of a number in a clone. | Größte relative Abweichung einer Zahl in einem Klon."""
    share_weights: bool = True
    """Share the weight of a record with its clones. | Das Gewicht eines Datensatzes mit seinen Klonen teilen."""
    unit: str | None = None
    """Column that names the unit; its records are cloned together. | Spalte, die die Einheit nennt; ihre Datensätze werden gemeinsam geklont."""

    @model_validator(mode="after")
    def _keys_stay(self) -> Self:
        if set(self.keys) & set(self.columns):
            raise ValueError(_KEYS_STAY)
        if set(self.vary) & {*self.keys, *self.columns}:
            raise ValueError(_VARY)
        if self.unit in {*self.keys, *self.columns, *self.vary}:
            raise ValueError(_NAMED)
        return self

    def masks(self) -> tuple[str, ...]:
        """Of the clones: where they do not add up as real records do, they are known."""
        return (*self.columns, *self.vary)

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.keys, *self.columns, *self.vary, *self.unit_columns())))

    def reach(self, data: Microdata) -> Reach:
        weights = data.role(Role.WEIGHT) if self.share_weights else ()
        return Reach(changed=(*self.columns, *self.vary, *weights, *self.unit_columns()))

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        return (Trace(Mark.COUNTED, self.keys or roles.get(Role.KEY, ())),)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        weights = data.role(Role.WEIGHT) if self.share_weights else ()
        if set(data.keys(self.keys)) & set(self.columns):
            raise ParameterWrong(id=self.id, problems=_KEYS_STAY)
        if set(weights) & set(self.columns):
            raise ParameterWrong(id=self.id, problems=_WEIGHTS_SHARED)
        if {*data.keys(self.keys), *weights} & set(self.vary):
            raise ParameterWrong(id=self.id, problems=_VARY)
        if self.unit in data.keys(self.keys):
            raise ParameterWrong(id=self.id, problems=_NAMED)
        data.numbers((*self.columns, *weights), self.id)
        if self.unit:
            refuse_other_names(data.column(self.unit), self.unit, self.id)
        made = self._made(data, self._templates(data))
        if not len(made.templates):
            return data
        if self.unit is None and data.role(Role.UNIT):
            raise ParameterWrong(id=self.id, problems=_SAME_UNIT)
        after = self._weighted(data.with_made(made.templates), data, made.templates)
        return self._varied(after, made, stream.generator)

    def _made(self, data: Microdata, templates: Ints) -> Made:
        """The records to be made, and the artificial unit of each; with units, all records of those that are needed."""
        if self.unit is None:
            return Made(templates, np.arange(len(templates)))
        units = _units(data, self.unit_columns())
        copies = np.zeros(len(units.size), dtype=np.int64)
        np.maximum.at(copies, units.of, np.bincount(templates, minlength=len(data)))
        unit = np.repeat(np.arange(len(copies)), copies)  # of every artificial unit the one it is made from
        return Made(units.rows(unit), np.repeat(np.arange(len(unit)), units.size[unit]))

    def _templates(self, data: Microdata) -> Ints:
        """The record that every clone copies: those of a small class in turn."""
        found = classes(data.column(key).codes() for key in data.keys(self.keys))
        units = units_counted(data)
        records = np.arange(len(data))
        if units is not None:  # of several records of a unit in one class the first is copied
            pairs = classes([(found.ids, len(found.sizes)), (units, int(units.max(initial=0)) + 1)])
            records = first_records(pairs)
        of, sizes = found.ids[records], class_units(found, units)
        order = records[np.argsort(of, kind="stable")]
        starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        lacking = np.maximum(self.k - sizes, 0)
        turn = np.arange(lacking.sum()) - np.repeat(np.cumsum(lacking) - lacking, lacking)
        return np.asarray(order[np.repeat(starts, lacking) + turn % np.repeat(sizes, lacking)])

    def _weighted(self, after: Microdata, data: Microdata, templates: Ints) -> Microdata:
        if not self.share_weights:
            return after
        copies = 1 + np.bincount(templates, minlength=len(data))
        parts = np.concatenate([copies, copies[templates]])
        names = data.role(Role.WEIGHT)
        return after.with_columns(
            {n: after.column(n).with_numbers(after.column(n).numbers() / parts) for n in names}
        )

    def _varied(self, after: Microdata, made: Made, generator: np.random.Generator) -> Microdata:
        near = {n: _varied(after.column(n), made, self.spread, generator) for n in self.columns}
        any_ = {n: _redrawn(after.column(n), made, generator) for n in self.vary}
        after = after.with_columns({**near, **any_})
        if self.unit is None:
            return after
        cells = np.arange(len(after) - len(made.of), len(after))
        return after.with_columns(
            {self.unit: with_new_names(after.column(self.unit), cells, made.of, generator)}
        )

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That there are artificial records and whether weights allow for them; not how many, nor which."""
        del after
        return {
            "artificial_records": True,
            "weights_shared": self.share_weights and bool(before.role(Role.WEIGHT)),
        }


def _varied(column: Column, made: Made, spread: float, generator: np.random.Generator) -> Column:
    """The numbers behind the originals times a random factor of their unit."""
    originals = len(column) - len(made.of)
    factor = generator.uniform(1 - spread, 1 + spread, made.units)[made.of]
    values = column.values.copy()
    with np.errstate(over="ignore"):
        new = values[originals:] * factor
    new = _as_usual(values[originals:].astype(np.float64), new, column.numbers()[:originals], spread)
    whole = column.kind is Kind.INTEGER
    limit = MOST_WHOLE if whole else np.finfo(np.float64).max
    new = np.clip(np.rint(new) if whole else new, -limit, limit)
    values[originals:] = np.where(column.missing[originals:], 0 if whole else np.nan, new)
    return replace(column, values=values)


def _as_usual(old: Floats, new: Floats, among: Floats, spread: float) -> Floats:
    """New numbers as round as those they are made from, where round ones are usual: whoever keeps the round ones must not be left with the real records."""
    unit = usual_units(old, among[np.isfinite(among)])
    safe = np.where(unit > 0, unit, 1.0)
    rounded = multiples_near(new, safe)
    next_one = multiples_near(old + np.where(new < old, -safe, safe), safe)
    rounded = np.where((rounded == old) & (safe <= spread * np.abs(old)), next_one, rounded)
    rounded = np.where(rounded == 0, old, rounded)
    return np.where((unit > 0) & np.isfinite(new) & (np.abs(new) < MOST_WHOLE), rounded, new)


def _redrawn(column: Column, made: Made, generator: np.random.Generator) -> Column:
    """The observed cells behind the originals with the value of a random original that shows one, the same for all cells of a unit."""
    originals = len(column) - len(made.of)
    donors = np.flatnonzero(column.observed[:originals])
    shown = np.flatnonzero(column.observed[originals:])
    values = column.values.copy()
    if len(shown):  # a clone shows a value because its template does, so there is a donor
        units, of = np.unique(made.of[shown], return_inverse=True)
        values[originals + shown] = values[generator.choice(donors, len(units))[of]]
    return replace(column, values=values)
