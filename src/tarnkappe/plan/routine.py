"""What is measured in every run without being asked for: what is cheap, and what the data has the columns for.

Everything else of the catalogue is named with the reason why it was not measured; a plan's `measures` and `tarnkappe attack` take it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import NOTHING, Text, number
from tarnkappe.plan.check_measures import takes_holdout, takes_register
from tarnkappe.plan.ledger import Unmeasured
from tarnkappe.plan.model import Asked, RegisterDescription
from tarnkappe.spec import Measure, catalogue
from tarnkappe.spec.parameters import build, fit
from tarnkappe.vocab import Attacker, Role, Suppressed

MOST_COUNTED = 2**27
"""Records × sets of keys up to which contributions of keys are counted in a routine run: some seconds."""
MOST_ADDED = 2**24
"""Records × columns up to which every column is tried as a further key: some seconds."""
MOST_COMPARED = 20_000
"""Records up to which attacks that search the nearest record are part of a routine run."""
_ON_REQUEST = Text(
    "only on request: name it under measures, or run tarnkappe attack",
    "nur auf Wunsch: unter measures nennen oder tarnkappe attack aufrufen",
)
_TOO_MANY = Text(
    "too costly for every run with {records} records; name it under measures, or run tarnkappe attack",
    "bei {records} Datensätzen zu aufwendig für jeden Lauf; unter measures nennen oder tarnkappe attack aufrufen",
)
_NO_WEIGHTS = Text("no column has the role 'weight'", "keine Spalte hat die Rolle 'weight'")
_NOT_MASKED = Text("no number was changed", "keine Zahl wurde verändert")


@dataclass(frozen=True, slots=True, eq=False)
class Occasion:
    """What a routine measure may depend on."""

    before: Microdata
    after: Microdata
    register: RegisterDescription | None = None
    """What the attackers have who know nobody in the file."""
    holdout: RegisterDescription | None = None
    """Persons like those of the original whose data did not enter the release."""
    drawn: frozenset[str] = frozenset()
    """Columns of numbers that were drawn for the release: nobody can know them."""
    sealed: bool = False
    """What stood under suppressed cells is not known, as in a file that is read back: a suppressed key is then a value of its own."""

    @property
    def population(self) -> str:
        """Where the persons come from who could be behind a record, if there is no register."""
        if self.after.role(Role.WEIGHT):
            return "weights"
        return "original" if len(self.after) < len(self.before) else "release"

    def masked(self) -> bool:
        """Some number is another one than it was."""
        names = [n for n in self.after.role(Role.NUMERIC) if n in self.before.columns]
        old, new = self.before.paired(self.after)
        return any(
            not np.array_equal(old.column(n).values, new.column(n).values)
            for n in names
            if old.column(n).kind.is_number
        )


Reason = Callable[[Occasion], Text]
"""Why a measure is left out on this occasion, or nothing."""


def _always(occasion: Occasion) -> Text:
    del occasion
    return NOTHING


def _weighted(occasion: Occasion) -> Text:
    return NOTHING if occasion.after.role(Role.WEIGHT) else _NO_WEIGHTS


def _few_sets(occasion: Occasion) -> Text:
    records = max(len(occasion.before), len(occasion.after))
    cost = records << len(occasion.after.role(Role.KEY))
    return NOTHING if cost <= MOST_COUNTED else _too_many(records)


def _few_columns(occasion: Occasion) -> Text:
    records = len(occasion.after)
    return NOTHING if records * len(occasion.after.names) <= MOST_ADDED else _too_many(records)


def _masked(occasion: Occasion) -> Text:
    return NOTHING if occasion.masked() else _NOT_MASKED


def _few(occasion: Occasion) -> Text:
    records = len(occasion.after)
    return NOTHING if records <= MOST_COMPARED else _too_many(records)


def _too_many(records: int) -> Text:
    return _TOO_MANY.filled(records=Text(number(records, "en"), number(records, "de")))


class Routine(NamedTuple):
    """A measure of the catalogue and when it is left out."""

    id: str
    left_out: Reason = _always
    too_large: Reason = _always
    """The reason where only the effort speaks against it."""


ROUTINE = (
    Routine("risk.k-anonymity"),
    Routine("risk.class-sizes"),
    Routine("risk.uniques"),
    Routine("risk.reidentification"),
    Routine("risk.attribution", too_large=_few_sets),
    Routine("risk.individual", _weighted),
    Routine("risk.l-diversity"),
    Routine("risk.homogeneity"),
    Routine("risk.background-knowledge"),
    Routine("risk.skewness"),
    Routine("risk.similarity"),
    Routine("risk.elimination"),
    Routine("risk.row-order"),
    Routine("risk.dependencies"),
    Routine("risk.structural-outliers"),
    Routine("risk.series-breaks"),
    Routine("risk.weight-leakage", _weighted),
    Routine("risk.further-keys", too_large=_few_columns),
    Routine("risk.interval-disclosure"),
    Routine("risk.linkage", _masked, _few),
    Routine("utility.moments"),
    Routine("utility.variances"),
    Routine("utility.distributions"),
    Routine("utility.frequencies"),
    Routine("utility.structure"),
    Routine("utility.correlations"),
    Routine("utility.changed"),
)
"""In the order in which they are shown. What is not in the catalogue is passed over."""


class Usual(NamedTuple):
    """A routine measure for one attacker, before it is known what the data is like."""

    cls: type[Measure]
    routine: Routine
    attacker: Attacker | None = None

    def left_out(self, occasion: Occasion) -> Unmeasured | None:
        """The reason why it is not measured on this occasion, if there is one."""
        because, effort = self.routine.left_out(occasion), self.routine.too_large(occasion)
        return Unmeasured(self.cls, because or effort, costly=not because) if because or effort else None


def usual(
    attackers: tuple[Attacker, ...] = (Attacker.PROSECUTOR,), asked: Sequence[Asked] = ()
) -> list[Usual]:
    """The routine measures that are not asked for, in their order: those that tell attackers apart once for each."""
    return [
        Usual(cls, one, attacker)
        for one in ROUTINE
        if one.id in catalogue and issubclass(cls := catalogue[one.id], Measure)
        for attacker in _of(cls, attackers)
        if attacker is not None or Asked(_made(cls, {})) not in asked
    ]


def on_request() -> Iterator[Unmeasured]:
    """The measures of risk that are no part of a routine run."""
    often = {one.id for one in ROUTINE}
    for cls in catalogue.measures():
        if cls.id.startswith("risk.") and cls.id not in often:
            yield Unmeasured(cls, _ON_REQUEST)


def fitted(cls: type[Measure], attacker: Attacker | None, occasion: Occasion) -> Asked:
    """A measure as the occasion asks for it, with the register or the population that the attacker has."""
    given: dict[str, Any] = {} if attacker is None else {"attacker": attacker}
    against = occasion.register if takes_register(cls) and attacker is not Attacker.PROSECUTOR else None
    if takes_holdout(cls):
        against = occasion.holdout
    if "population" in cls.model_fields:
        given |= _population(cls, "release" if attacker is Attacker.PROSECUTOR else occasion.population)
    if "without" in cls.model_fields and occasion.drawn:
        given["without"] = tuple(n for n in occasion.after.names if n in occasion.drawn)
    if occasion.sealed and "suppressed" in cls.model_fields:
        given["suppressed"] = Suppressed.CATEGORY
    return Asked(_made(cls, given), against)


def _population(cls: type[Measure], source: str) -> dict[str, Any]:
    """The population of an attacker, where the measure can take it; else its own default."""
    given = {"population": source}
    return given if fit(cls, given)[0] is not None else {}


def _made(cls: type[Measure], given: dict[str, Any]) -> Measure:
    made = build(cls, given)
    assert isinstance(made, Measure)
    return made


def _of(cls: type[Measure], attackers: tuple[Attacker, ...]) -> tuple[Attacker | None, ...]:
    return attackers if "attacker" in cls.model_fields else (None,)
