"""What models on sensitive columns share: the candidates of every person, and what these tell about a column."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import MISSING_CODE, Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.data import NothingToUse
from tarnkappe.errors.risk import NoSensitive, SensitiveIsKey
from tarnkappe.kernels.class_profiles import Counts, profile, scored
from tarnkappe.kernels.classes import classes, index_type
from tarnkappe.kernels.compatible import Candidates
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.counting import NO_KEY, OnKeys, counted, printed, units_of_classes
from tarnkappe.risk.shared import shared
from tarnkappe.spec import Finding, Goal, Json
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Kind, Role

Codes = NDArray[Any]
Score = Callable[[Counts], Floats]
"""One number for every row of counts."""
Apply = Callable[[Score], Floats]
"""Takes a score over the candidates of all persons."""

_ONE_CLASS = Text(
    "All records agree on all keys: there is only one class, and nothing that it could be compared with.",
    "Alle Datensätze stimmen in allen Schlüsseln überein: Es gibt nur eine Klasse und nichts, womit sie zu vergleichen wäre.",
)
_CONSTANT = Text(
    "A sensitive column shows one value only: everybody knows it of everybody, whatever the keys are.",
    "Eine sensible Spalte zeigt nur einen einzigen Wert: Jeder kennt ihn von jedem, gleich was die Schlüssel sind.",
)
_ALL_DIFFER = Text(
    "Nearly all numbers of a sensitive column differ, though many may be close to each other: band them first.",
    "In einer sensiblen Spalte sind fast alle Zahlen verschieden, obwohl viele nahe beieinander liegen können: Bilden Sie zuerst "
    "Klassen.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A sensitive column as the release shows it."""

    name: str
    kind: Kind
    codes: Codes
    """Values that occur are 0, 1, … in their order; -1 where nothing is told."""
    kinds: Ints
    """The code of every such value in the column; one more than there are for missing values."""
    shares: Floats
    """Share of every value among those that are told."""


def told_by(data: Microdata, name: str, *, skip_missing: bool) -> Told:
    """A sensitive column: suppressed values tell nothing, missing ones are a value of their own or tell nothing."""
    column = data.column(name)
    facts = ("told", name, skip_missing)
    return shared(
        (column.values, column.state), facts, lambda: _told(name, column, skip_missing=skip_missing)
    )


def _told(name: str, column: Column, *, skip_missing: bool) -> Told:
    codes, count = column.codes()
    if not skip_missing:
        codes[codes == MISSING_CODE] = count
    codes[codes < 0] = count + 1
    times = np.bincount(codes, minlength=count + 2)[:-1]
    kinds = np.flatnonzero(times)
    if not len(kinds):
        raise NothingToUse(name=name)
    place = np.full(count + 2, -1, dtype=index_type(count + 2))
    place[kinds] = np.arange(len(kinds))
    return Told(name, column.kind, place[codes], kinds, times[kinds] / times.sum())


class OnSensitive(OnKeys):
    """A model that looks at what the records which could be a person's tell about sensitive columns."""

    needs_roles = needs(keys=Role.KEY, sensitive=Role.SENSITIVE)

    sensitive: tuple[str, ...] = ()
    """Columns nobody may learn; without them, those with the role sensitive. Each is judged on its own, the worst counts. | Spalten, die
    niemand erfahren darf; ohne Angabe die mit der Rolle sensitive. Jede wird für sich beurteilt, die schlechteste zählt."""
    others_known: bool = False
    """The attacker knows the other sensitive columns like keys. | Der Angreifer kennt die anderen sensiblen Spalten wie Schlüssel."""
    unknown: Literal["category", "skip"] = "category"
    """A missing sensitive value is a value of its own, or tells nothing (skip); a suppressed one never tells anything. | Ein fehlender
    sensibler Wert ist ein Wert für sich oder sagt nichts (skip); ein unterdrückter sagt nie etwas."""

    @abstractmethod
    def score(self, data: Microdata, told: Told) -> Score:
        """How the counts of a class become its number."""

    def among_units(self, scores: Floats, units: Ints) -> Floats:
        """The numbers of all persons where each is hidden among so many units, and several records are one unit's."""
        del units
        return scores

    def told(self, data: Microdata, name: str) -> Told:
        return told_by(data, name, skip_missing=self.unknown == "skip")

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        """More of a column for the details."""
        del data, told, apply
        return {}

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        value, details, per_record = self._worst(after)
        doubt = self.doubt(after)
        return Finding(
            value=value,
            baseline=None if before is None else self._worst(before)[0],
            trusted=not doubt,
            because=doubt,
            details={**self.policy(after), "records": len(after), **details},
            per_record=per_record,
        )

    def policy(self, data: Microdata) -> dict[str, Json]:
        sensitive = {
            "others_known": self.others_known,
            "missing_sensitive": self.unknown,
            "suppressed_sensitive": "skip",
        }
        return super().policy(data) | sensitive

    def doubt(self, data: Microdata) -> Text:
        return super().doubt(data) or doubt_of(data, data.keys(self.keys)) or self._doubt_of_columns(data)

    def _doubt_of_columns(self, data: Microdata) -> Text:
        for name in self.named(data):
            told = self.told(data, name)
            if len(told.shares) == 1:
                return _CONSTANT
            if told.kind is Kind.NUMBER and 2 * len(told.shares) > len(data) and not self.knows_nearness():
                return _ALL_DIFFER
        return NOTHING

    def knows_nearness(self) -> bool:
        """Does the model see that two values are close?"""
        return False

    def named(self, data: Microdata) -> tuple[str, ...]:
        """The sensitive columns."""
        names = self.sensitive or data.role(Role.SENSITIVE)
        if not names:
            raise NoSensitive
        for name in names:
            data.column(name)
            if name in (self.keys or data.role(Role.KEY)):
                raise SensitiveIsKey(name=name)
        return names

    def _worst(self, data: Microdata) -> tuple[float, dict[str, Json], Floats]:
        """The worst value over all columns, details by column, and the worst of every record."""
        worse = np.fmin if self.goal is Goal.HIGH else np.fmax
        per_record = np.full(len(data), np.nan)
        columns: dict[str, Json] = {}
        for name, found in self._columns(data):
            columns[name] = found[0]
            per_record = worse(per_record, found[1])
        value = worse.reduce([figures["value"] for figures in columns.values()])
        return float(value), {"classes": self._classes(data), "sensitive": columns}, per_record

    def _classes(self, data: Microdata) -> int:
        """How many classes the release shows."""
        among = self.candidates(data)
        return len((among.found if among.wild is None else classes(printed(data, self.keys))).sizes)

    def _columns(self, data: Microdata) -> Iterator[tuple[str, tuple[dict[str, Json], Floats]]]:
        names = self.named(data)
        for name in names:
            more = tuple(n for n in names if n != name) if self.others_known else ()
            yield name, self._column(data, self.candidates(data, more), self.told(data, name))

    def _column(self, data: Microdata, among: Candidates, told: Told) -> tuple[dict[str, Json], Floats]:
        count = len(told.shares)
        arrays = (among.found.ids, told.codes)
        values = shared(arrays, "profile", lambda: profile(among, told.codes, count))

        def apply(score: Score) -> Floats:
            return scored(among, values, score)

        of_record = apply(self.score(data, told))[among.found.ids]
        if units_of_classes(data) is not None:
            of_record = self.among_units(of_record, counted(data, among))
        worst = float((np.fmin if self.goal is Goal.HIGH else np.fmax).reduce(of_record))
        figures = self.figures(data, told, apply)
        at_worst = int(np.sum(of_record == worst))
        return {"value": worst, "records_at_worst": at_worst, "values": count, **figures}, of_record


def doubt_of(data: Microdata, keys: tuple[str, ...]) -> Text:
    """Why nothing can be said with these keys, or nothing."""
    if not any(data.column(name).observed.any() for name in keys):
        return NO_KEY
    return _ONE_CLASS if all(_constant(data.column(name)) for name in keys) else NOTHING


def _constant(column: Column) -> bool:
    shown = column.values if column.state is None else column.codes()[0]
    return bool((shown == shown[0]).all())


def flagged(data: Microdata, told: Told, values: Sequence[str]) -> Bools:
    """Which values of a sensitive column are among those named; a missing value is not, and a named one may be absent."""
    wanted = set(values)
    spelt = [text in wanted for text in canonical(data.column(told.name))]
    named: Bools = np.array([*spelt, False], dtype=np.bool_)
    return np.asarray(named[told.kinds])
