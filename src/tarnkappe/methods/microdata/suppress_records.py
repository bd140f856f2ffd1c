"""Suppression of whole records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.comparison import same_records
from tarnkappe.data.contributors import contributors, units_counted
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.selection import cells_holding, records_numbered, values_of
from tarnkappe.data.units import units_of, whole_units
from tarnkappe.errors.release import Unattainable
from tarnkappe.kernels.candidate_units import class_units
from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.kernels.sorted_classes import sorted_classes
from tarnkappe.language import Text
from tarnkappe.methods.microdata.records_lost import records_lost
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Mark, Method, Source, Trace, method
from tarnkappe.spec.conditions import given
from tarnkappe.spec.fields import Records, Unit, Values
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import Needs
from tarnkappe.spec.told_figures import counted
from tarnkappe.vocab import Role

NO_CLASS = np.iinfo(np.int64).max
"""Stands for the class size of a record that was named."""
ENOUGH = 3
"""Of fewer units or contributors nothing is told: neither that they are gone, nor a value that only they have."""
NAMING = (Role.IDENTIFIER, Role.OWNER, Role.HOUSEHOLD, Role.UNIT)
"""Roles whose values name somebody."""


def _kept_whole(m: SuppressRecords, before: Microdata, after: Microdata) -> bool:
    del m
    return same_records(before.take(np.isin(before.rows, after.rows)), after)


def _in_budget(m: SuppressRecords, before: Microdata, after: Microdata) -> bool:
    return len(before) - len(after) <= m.budget * len(before) + 1e-9


def _asked_gone(m: SuppressRecords, before: Microdata, after: Microdata) -> bool:
    del before
    if np.isin(after.rows + 1, m.records).any():
        return False
    for name, values in m.values.items():
        column = after.columns[name]
        if values_of(column, ~column.missing) & set(values):
            return False
    return True


def _units_whole(m: SuppressRecords, before: Microdata, after: Microdata) -> bool:
    gone = ~np.isin(before.rows, after.rows)
    return bool(np.array_equal(gone, whole_units(before, m.unit, gone)))


def _classes_large(m: SuppressRecords, before: Microdata, after: Microdata) -> bool:
    del before
    found = sorted_classes((after.columns[k].codes() for k in after.keys(m.keys)), len(after))
    return bool(np.all(class_units(Classes(found.ids, found.sizes), units_counted(after)) >= (m.below or 0)))


@method(
    "microdata.suppress-records",
    family=Family.SUPPRESS,
    leaves=Leaves.VALUES,
    title=Text("Suppress records", "Datensätze unterdrücken"),
    does=Text(
        "Some records were removed from the file.",
        "Einige Datensätze wurden aus der Datei entfernt.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.2, restriction of the population"),
        Source("gottschalk2002", "5.1, deleting respondents who answered for their group (G-M11)"),
        Source("dav2025", "section 3.2.2, record suppression"),
    ),
    preserves=(
        Claim(
            Text(
                "every record that stays, cell by cell and in its order",
                "jeden verbliebenen Datensatz, Zelle für Zelle und in seiner Reihenfolge",
            ),
            _kept_whole,
        ),
        Claim(Text("all records but the budget", "alle Datensätze bis auf das Budget"), _in_budget),
    ),
    protects=(
        Claim(
            Text(
                "no named record and no record with a named value is left",
                "kein genannter Datensatz und keiner mit einem genannten Wert ist noch da",
            ),
            _asked_gone,
        ),
        Claim(
            Text(
                "every record shares its keys with enough others, those of one unit counted once",
                "jeder Datensatz teilt seine Schlüssel mit genügend anderen, die einer Einheit einmal gezählt",
            ),
            _classes_large,
            when=given("below"),
        ),
        Claim(
            Text(
                "a unit of which a record was removed is not in the file",
                "eine Einheit, von der ein Datensatz entfernt wurde, ist nicht in der Datei",
            ),
            _units_whole,
            when=given("unit"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep results unbiased: the removed records differ from the others",
            "Ergebnisse unverzerrt lassen: die entfernten Datensätze unterscheiden sich von den übrigen",
        ),
        ForAnalysis(
            "raise the weights of the records that stay", "die Gewichte der verbliebenen Datensätze erhöhen"
        ),
        Text(
            "remove the rest of a household or of an owner with the record, unless unit names it",
            "mit dem Datensatz auch den übrigen Haushalt oder Eigentümer entfernen, wenn unit sie nicht nennt",
        ),
    ),
    advice=Text(
        "Some records were left out, mostly rare ones. Totals are too low and rare groups are underrepresented.",
        "Einige Datensätze wurden weggelassen, vor allem seltene. Summen sind zu niedrig, seltene Gruppen unterrepräsentiert.",
    ),
    words={
        "suppressed_records": Text("records left out", "weggelassene Datensätze"),
        "values": Text("left out with the value of", "weggelassen mit dem Wert von"),
        "by": Text("left out by values of", "weggelassen nach Werten von"),
        "below": Text("left out in classes smaller than", "weggelassen in Klassen kleiner als"),
        "keys": Text("classes formed by", "Klassen gebildet nach"),
        "one_by_one": Text(
            "some records were chosen one by one", "einige Datensätze wurden einzeln ausgewählt"
        ),
        "unit": Text(
            "all records go that share a value of", "alle Datensätze entfallen bei gleichem Wert von"
        ),
    },
    example={
        "records": [4, 8],
        "values": {"diagnosis": ["asthma"]},
        "keys": ["sex"],
        "below": 3,
        "unit": "household",
        "budget": 0.9,
    },
    loses_records=True,
    revision=2,
)
class SuppressRecords(Method):
    """Remove records by their number, by values they hold, or because their class on the keys is too small.

    Records are numbered as in the original file, from 1. Values are compared in one spelling; a value that
    does not occur is refused. A record goes if one of the named columns holds one of its values, also under a
    suppressed cell. The classes are counted after that on what the release shows: missing equals missing,
    suppressed equals suppressed. That is the cautious count; an attacker sees classes at least as large. Where several records are one unit's (role
    `unit`; in a panel also owners and identifiers that repeat) the units of a class are counted: three years of one firm are a class of one.

    With `unit` all records of a household, or of an enterprise over the periods, go together; classes that become too small by that go too, until
    all that are left are large enough. A record whose unit is not known is a unit of its own.

    No more than the budget is removed: a step that needs more is refused and says what the budget would
    reach.

    The receiver is told by which rule records were removed and how many, never which. Where fewer than three units or owners are gone nothing
    is told, and a value that fewer than three have, or that names an owner or a household, is left out of the rule.

    Zero, negative, constant and tied values are values like others.
    """

    records: Records = ()
    """Numbers of records in the original file, from 1. | Nummern der Datensätze in der Originaldatei,
    ab 1."""
    values: Values = Field(default_factory=dict)
    """Column and the values whose records are removed. | Spalte und die Werte, deren Datensätze entfernt
    werden."""
    keys: tuple[str, ...] = ()
    """Columns that form the classes; without them, those with the role key. | Spalten, die die Klassen
    bilden; ohne sie die mit der Rolle key."""
    below: Annotated[int, Field(ge=2)] | None = None
    """Remove records whose class has fewer records, or units, than this. | Entfernt Datensätze, deren Klasse weniger Datensätze oder Einheiten hat."""
    unit: Unit = ()
    """Columns that name the unit whose records go together; without them, each record is one. | Spalten, die die Einheit nennen, deren
    Datensätze zusammen entfallen; ohne sie ist jeder Datensatz eine."""
    budget: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Largest share of the records that may be removed. | Größter Anteil der Datensätze, der entfernt werden
    darf."""

    @model_validator(mode="after")
    def _something_named(self) -> Self:
        if not self.records and not self.values and self.below is None:
            raise ValueError(Text("needs records, values or below", "braucht records, values oder below"))
        if self.keys and self.below is None:
            raise ValueError(Text("keys need below", "keys brauchen below"))
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.values, *self.keys, *self.unit)))

    def needed_roles(self) -> Needs:
        return {"keys": (Role.KEY,)} if self.below is not None and not self.keys else {}

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        return (Trace(Mark.COUNTED, self.keys or roles.get(Role.KEY, ())),) if self.below else ()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        gone = whole_units(data, self.unit, self._named(data))
        sizes = self._class_sizes(data, ~gone)
        small = sizes < (self.below or 0)
        while small.any():
            gone = whole_units(data, self.unit, gone | small)
            small = self._class_sizes(data, ~gone) < (self.below or 0)
        allowed = int(self.budget * len(data) + 1e-9)
        if np.count_nonzero(gone) > allowed:
            raise self._unattainable(gone, sizes, allowed)
        return data.take(~gone)

    def _named(self, data: Microdata) -> Bools:
        gone = records_numbered(data, self.records) if self.records else np.zeros(len(data), dtype=np.bool_)
        for name, values in self.values.items():
            gone |= cells_holding(data, name, values)
        return gone

    def _class_sizes(self, data: Microdata, rest: Bools) -> Ints:
        """Size of the class of every record of the rest, in units where several records are one unit's; the others get the largest number."""
        sizes = np.full(len(data), NO_CLASS)
        if self.below is not None:
            found = classes(data.column(k).take(rest).codes() for k in data.keys(self.keys))
            units = units_counted(data)
            sizes[rest] = class_units(found, None if units is None else units[rest])[found.ids]
        return sizes

    def _unattainable(self, gone: Bools, sizes: Ints, allowed: int) -> Unattainable:
        need, of = int(np.count_nonzero(gone)), len(gone)
        goal = Text(
            f"{need} of {of} records would have to go, the budget is {allowed}",
            f"{need} von {of} Datensätzen müssten entfallen, das Budget ist {allowed}",
        )
        hint = Text(
            "Generalise the keys first, or raise the budget.",
            "Vergröbern Sie zuerst die Schlüssel oder erhöhen Sie das Budget.",
        )
        named = int(np.count_nonzero(gone & (sizes == NO_CLASS)))
        best = _NO_UNITS if self.unit else _best(sizes, allowed - named)
        return Unattainable(who=self.id, goal=goal, best=best, hint=hint)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The rule and how many records are gone (Gottschalk 2002, 5.1: the receiver knows both, never who), unless they are of one or two."""
        gone = ~np.isin(before.rows, after.rows)
        if gone.any() and not self._many(before, gone):
            return {}
        return {"suppressed_records": counted(int(np.count_nonzero(gone))), **self._rule(before)}

    def keeps(
        self, before: Microdata, after: Microdata
    ) -> Mapping[str, tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """What was left out, for the office."""
        return records_lost(before, after)

    def _rule(self, data: Microdata) -> Mapping[str, Json]:
        """What is asked for, without numbers of records and without values that name somebody or that few have."""
        rule: dict[str, Json] = {}
        if self.records:
            rule["one_by_one"] = True
        if self.values:
            rule["by"] = list(self.values)
            shown = {name: self._common(data, name, values) for name, values in self.values.items()}
            rule |= {"values": told} if (told := {n: list(v) for n, v in shown.items() if v}) else {}
        if self.below is not None:
            rule |= {"below": self.below, "keys": list(data.keys(self.keys))}
        return rule | ({"unit": list(self.unit)} if self.unit else {})

    def _common(self, data: Microdata, name: str, values: Sequence[str]) -> tuple[str, ...]:
        if set(data.roles_of(name)) & set(NAMING):
            return ()
        return tuple(v for v in values if self._many(data, cells_holding(data, name, (v,))))

    def _many(self, data: Microdata, records: Bools) -> bool:
        units, _ = units_of(data, self.unit)
        return min(len(np.unique(units[records])), contributors(data, records)) >= ENOUGH


_NO_UNITS = Text("no unit removed", "keine Einheit entfernt")


def _best(sizes: Ints, left: int) -> Text:
    """The class size that is reached when the `left` records with the smallest classes go."""
    ascending = np.sort(sizes[sizes != NO_CLASS])
    if left < 0 or not len(ascending):
        return Text("none of these records removed", "keiner dieser Datensätze entfernt")
    return Text(f"classes of at least {ascending[left]}", f"Klassen von mindestens {ascending[left]}")
