"""Splitting: a large unit becomes several artificial ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.comparison import same_records
from tarnkappe.data.contributors import contributor_codes, contributors_by
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.new_names import names_of_their_own, refuse_other_names, with_new_names
from tarnkappe.data.units import units_of, whole_units
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.errors.selection import StillAlone
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.whole import whole_with_total
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Reach, Source, method
from tarnkappe.spec.conditions import given
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Kind, Role

_NAMED = Text(
    "the unit can be neither a key nor a column that is distributed: parts get names of their own",
    "die Einheit kann weder Schlüssel noch eine Spalte sein, die verteilt wird: Teile bekommen eigene Namen",
)


def _same_totals(m: Split, before: Microdata, after: Microdata) -> bool:
    x, y = before.numbers(m.columns), after.numbers(m.columns)
    scale = power_scale(x)
    a, b = (np.nansum(z / scale, axis=0) for z in (x, y))
    return bool(np.all(np.abs(a - b) <= 1e-9 * (1 + np.nansum(np.abs(x / scale), axis=0))))


def _small_units_kept(m: Split, before: Microdata, after: Microdata) -> bool:
    small = ~m.large(before)
    old = before.take(small)
    return same_records(old, after.aligned_to(old))


def _no_large_unit(m: Split, before: Microdata, after: Microdata) -> bool:
    """What stands for a large unit is smaller than it in the size column, by at least a tenth of it."""
    old, new = before.paired(after)
    large = m.large(old)
    x, y = old.column(m.columns[0]).numbers()[large], new.column(m.columns[0]).numbers()[large]
    return bool(np.all((np.abs(y) <= 0.9 * np.abs(x) + 1) | np.isnan(x)))


def _among_others(m: Split, before: Microdata, after: Microdata) -> bool:
    """The contributors are counted anew, one by one, among the records that show the keys of a large unit."""
    del after
    keys = zip(*(before.columns[k].codes()[0].tolist() for k in before.keys(m.keys)), strict=True)
    rows, people = list(keys), dict[tuple[int, ...], set[int]]()
    for row, who in zip(rows, contributor_codes(before).tolist(), strict=True):
        people.setdefault(row, set()).add(who)
    return all(len(people[rows[i]]) >= m.k for i in np.flatnonzero(m.large(before)).tolist())


def _alike_in_all_periods(m: Split, before: Microdata, after: Microdata) -> bool:
    """What is left of a large unit under its own name is the same share of it in all its records, up to the rounding of whole numbers."""
    old, new = before.paired(after)
    ids, count = units_of(old, m.unit_columns())
    for name in m.columns if not m.jitter else m.columns[:1]:
        x, y = old.column(name).numbers(), new.column(name).numbers()
        used = m.large(old) & (np.abs(x) > 0)
        slack = 1.0 / np.abs(x[used]) if old.column(name).kind is Kind.INTEGER else 0.0
        share, off = y[used] / x[used], 1e-9 + slack
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(low, ids[used], share + off)
        np.maximum.at(high, ids[used], share - off)
        if np.any(high > low):
            return False
    return True


def _names_of_their_own(m: Split, before: Microdata, after: Microdata) -> bool:
    """No part that stands under another name has a name that was there."""
    return names_of_their_own(after.column(m.unit or ""), ~np.isin(after.rows, before.rows))


@method(
    "microdata.split",
    family=Family.RECORDS,
    title=Text("Split large units", "Große Einheiten zerlegen"),
    does=Text(
        "Some large units appear as several smaller ones.",
        "Einige große Einheiten erscheinen als mehrere kleinere.",
    ),
    sources=(Source("hoehne2010", "section 2.1.3, splitting (T15)"),),
    preserves=(
        Claim(Text("the total of every chosen column", "die Summe jeder gewählten Spalte"), _same_totals),
        Claim(
            Text("every other unit, cell by cell", "jede andere Einheit, Zelle für Zelle"), _small_units_kept
        ),
        Claim(
            Text(
                "the series of a unit over periods: its parts have the same share of it in all its records",
                "die Reihe einer Einheit über Perioden: ihre Teile haben in allen ihren Datensätzen denselben Anteil an ihr",
            ),
            _alike_in_all_periods,
            when=given("unit"),
        ),
    ),
    protects=(
        Claim(
            Text(
                "no record shows the size of a large unit: each is split into parts by a secret key",
                "kein Datensatz zeigt die Größe einer großen Einheit: jede ist nach einem geheimen Schlüssel zerlegt",
            ),
            _no_large_unit,
        ),
        Claim(
            Text(
                "every unit that was split shares its keys with k - 1 other contributors or more",
                "jede zerlegte Einheit teilt ihre Schlüssel mit mindestens k - 1 anderen Beitragenden",
            ),
            _among_others,
        ),
        Claim(
            Text(
                "which parts belong to a unit is not told by its name: all but one have names that nobody had",
                "welche Teile zu einer Einheit gehören, verrät nicht ihr Name: alle bis auf einen haben Namen, die niemand hatte",
            ),
            _names_of_their_own,
            when=given("unit"),
        ),
    ),
    does_not=(
        Text(
            "protect a unit whose parts can be told from all others: adding them up gives it back",
            "eine Einheit schützen, deren Teile von allen anderen zu unterscheiden sind: addiert ergeben sie sie wieder",
        ),
        Text(
            "hide which parts belong together: they have the same values in all other columns and, where jitter is 0, the same ratios between the "
            "chosen ones",
            "verbergen, welche Teile zusammengehören: sie haben in allen anderen Spalten dieselben Werte und, wo jitter 0 ist, dieselben "
            "Verhältnisse der gewählten",
        ),
        ForAnalysis(
            "keep the number of units, means per unit, variances and correlations",
            "Zahl der Einheiten, Mittelwerte je Einheit, Varianzen und Korrelationen erhalten",
        ),
    ),
    advice=Text(
        "Large units stand there as several records. Totals are right; there are too many units, and large ones are too small.",
        "Große Einheiten stehen als mehrere Datensätze da. Summen stimmen; es sind zu viele Einheiten, und große sind zu klein.",
    ),
    example={
        "columns": ["income", "employees"],
        "above": 6000.0,
        "parts": 4,
        "jitter": 0.2,
        "keys": ["sex"],
        "k": 4,
        "unit": "household",
    },
    random=True,
    makes_records=True,
    revision=2,
)
class Split(Method):
    """Distribute the numbers of every large unit over several artificial units by a secret key.

    Large are the units whose value in the first of `columns` lies above `above`, in absolute value. Every part of a unit has its other cells; its numbers in
    `columns` are shares of the unit's that add up to it again, the same shares for all columns, so that ratios between them stay. Shares
    are drawn between half and one and a half of an equal share. Ratios that are alike to the last digit tell which parts belong together: with `jitter` the
    shares of every column but the first differ by random factors between 1 - jitter and 1 + jitter. Whole numbers are split into whole ones. Missing
    and suppressed cells stay so.

    Whoever can tell the parts of a unit from all other records only has to add them up. So the step is refused where fewer than k - 1 other
    contributors share the keys of a unit to be split; other units of its owner do not hide it.

    In a panel name the `unit`: a unit that is large in one record is split in all its records, by the same shares, and its parts are units of their own
    over all periods. The first keeps the name, the others get names that nobody has: figures are drawn among unused ones, texts are drawn sign by sign among all names of that length.
    Records without a name are units of their own.

    Zero stays zero and negative values keep their sign in all parts; constant and tied values are split like others.
    """

    needs_roles = needs(keys=Role.KEY)

    columns: Columns
    """Numeric columns that are distributed; the first tells the size. | Numerische Spalten, die verteilt werden; die erste gibt die Größe an."""
    above: Annotated[float, Field(gt=0)]
    """Units larger than this are split. | Größere Einheiten werden zerlegt."""
    parts: Annotated[int, Field(ge=2, le=100)] = 3
    """Parts of every large unit. | Teile jeder großen Einheit."""
    jitter: Annotated[float, Field(ge=0, lt=1)] = 0
    """Largest relative difference of a share from the one in the first column, before they are made to add up. | Größte relative Abweichung
    eines Anteils von dem in der ersten Spalte, bevor sie zur Summe passend gemacht werden."""
    keys: tuple[str, ...] = ()
    """Columns an attacker knows; without them, those with the role key. | Spalten, die ein Angreifer kennt; ohne sie die mit der Rolle key."""
    k: Annotated[int, Field(ge=2)] = 3
    """Fewest contributors with the same keys. | Kleinste Zahl von Beitragenden mit gleichen Schlüsseln."""
    unit: str | None = None
    """Column that names the unit; its records are split alike. | Spalte, die die Einheit nennt; ihre Datensätze werden gleich zerlegt."""

    @model_validator(mode="after")
    def _names_are_free(self) -> Self:
        if self.unit in {*self.columns, *self.keys}:
            raise ValueError(_NAMED)
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.keys, *self.unit_columns())))

    def large(self, data: Microdata) -> Bools:
        """The records of the units to be split."""
        above = np.abs(np.nan_to_num(data.column(self.columns[0]).numbers())) > self.above
        return whole_units(data, self.unit_columns(), above)

    def reach(self, data: Microdata) -> Reach:
        del data
        return Reach(changed=(*self.columns, *self.unit_columns()))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        data.numbers(self.columns, self.id)
        self._refuse_names(data)
        large = np.flatnonzero(self.large(data))
        self._refuse_alone(data, large)
        units, of = np.unique(units_of(data, self.unit_columns())[0][large], return_inverse=True)
        shares = _shares(len(units), self.parts, stream.generator)
        by_column = [shares, *(self._jittered(shares, stream.generator) for _ in self.columns[1:])]
        after = data.with_made(np.repeat(large, self.parts - 1))
        after = after.with_columns(
            {
                name: _distributed(after.column(name), len(data), large, own[of])
                for name, own in zip(self.columns, by_column, strict=True)
            }
        )
        return self._named(after, len(data), of, stream.generator)

    def _named(self, after: Microdata, originals: int, of: Ints, generator: np.random.Generator) -> Microdata:
        """Names for the parts, the same in all records of a unit."""
        if self.unit is None or not len(of):
            return after
        parts = (of[:, None] * (self.parts - 1) + np.arange(self.parts - 1)).ravel()
        cells = np.arange(originals, len(after))
        return after.with_columns(
            {self.unit: with_new_names(after.column(self.unit), cells, parts, generator)}
        )

    def _refuse_names(self, data: Microdata) -> None:
        if self.unit is None:
            return
        refuse_other_names(data.column(self.unit), self.unit, self.id)
        if self.unit in data.keys(self.keys):
            raise ParameterWrong(id=self.id, problems=_NAMED)

    def _jittered(self, shares: Floats, generator: np.random.Generator) -> Floats:
        """The shares of a further column."""
        if not self.jitter:
            return shares
        drawn = shares * generator.uniform(1 - self.jitter, 1 + self.jitter, shares.shape)
        out: Floats = drawn / drawn.sum(axis=1, keepdims=True)
        return out

    def _refuse_alone(self, data: Microdata, large: Ints) -> None:
        found = classes(data.column(key).codes() for key in data.keys(self.keys))
        people = contributors_by(data, np.ones(len(data), dtype=np.bool_), found.ids)
        alone = int(np.count_nonzero(people[found.ids[large]] < self.k)) if len(large) else 0
        if alone:
            raise StillAlone(count=alone)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That large units were split; not which, nor into how many parts."""
        del before, after
        return {"artificial_records": True, "columns": list(self.columns)}


def _shares(units: int, parts: int, generator: np.random.Generator) -> Floats:
    """Shares of the parts of every unit, each row adding up to 1."""
    drawn = generator.uniform(0.5, 1.5, (units, parts))
    out: Floats = drawn / drawn.sum(axis=1, keepdims=True)
    return out


def _distributed(column: Column, originals: int, large: Ints, shares: Floats) -> Column:
    """The value of every large unit spread over its own record and the made ones behind the originals."""
    units, parts = shares.shape
    spread = column.values[large].astype(np.float64)[:, None] * shares
    if column.kind is Kind.INTEGER:
        starts = np.arange(units + 1, dtype=np.int64) * parts
        spread = whole_with_total(spread.ravel(), np.arange(units * parts), starts).reshape(units, parts)
    values = column.values.copy()
    values[large] = spread[:, 0]
    values[originals:] = spread[:, 1:].ravel()
    return replace(column, values=values)
