"""What every declared thing must say about itself. Nothing here knows any particular method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from tarnkappe.attack.attacker import Attacker
from tarnkappe.data.column import Bools, Column, Floats
from tarnkappe.data.guess import Attempt
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Sensitivity
from tarnkappe.data.seen import Seen
from tarnkappe.data.sums import Sums
from tarnkappe.data.swapped import warn_if_swapped
from tarnkappe.data.table import Table
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec.claims import Claim
from tarnkappe.spec.composition import Trace
from tarnkappe.spec.family import Family
from tarnkappe.spec.finding import Finding, Json
from tarnkappe.spec.leaves import Leaves
from tarnkappe.spec.needs import Needs, needs
from tarnkappe.spec.parameters import misfits, parameter_wrong
from tarnkappe.spec.reach import Reach
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)  # it has no public name


class Maturity(StrEnum):
    """How far a declared thing has been checked; the bottom rung is switched off unless a plan allows it."""

    EXPERIMENTAL = "experimental"
    REVIEWED = "reviewed"
    """Code and source were compared by a second pair of eyes."""
    REPLICATED = "replicated"
    """A published number is reproduced in tests/replication."""

    @property
    def text(self) -> Text:
        return _MATURITY[self]


_MATURITY = {
    Maturity.EXPERIMENTAL: Text("experimental", "experimentell"),
    Maturity.REVIEWED: Text("reviewed", "begutachtet"),
    Maturity.REPLICATED: Text("replicated", "repliziert"),
}


class Goal(StrEnum):
    """Which direction is better."""

    HIGH = "high"
    LOW = "low"
    NEAR_ZERO = "near-zero"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a method comes from: a key of docs/references.bib and the place in that work."""

    key: str
    where: str


class CalledInPython(ModelMetaclass):
    """Parameters that do not fit are told as they are in a plan, all at once; plans themselves do not come this way."""

    def __call__(self, *args: Any, **parameters: Any) -> Any:
        try:
            return super().__call__(*args, **parameters)
        except ValidationError as problem:
            found = misfits(cast("type[BaseModel]", self), problem)
            raise parameter_wrong(getattr(self, "id", self.__name__), found) from None


class Declared(BaseModel, ABC, metaclass=CalledInPython):
    """Fields are the parameters, described in both languages; the class docstring is the manual page."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
    )

    id: ClassVar[str]
    title: ClassVar[Text]
    does: ClassVar[Text]
    """One sentence for the people who receive a release."""
    sources: ClassVar[tuple[Source, ...]]
    does_not: ClassVar[tuple[Text, ...]]
    """What it does not do: the limits a user must know."""
    maturity: ClassVar[Maturity]
    revision: ClassVar[int]
    """Raised when the same plan would give other numbers."""
    example: ClassVar[Mapping[str, Any]]
    """Parameters, none at its default, that work on `tarnkappe.testing.example_data()`."""
    words: ClassVar[Mapping[str, Text]]
    """For people: the names of figures and facts, and phrases in them, that no other declared thing has. Facts that are named by
    columns are introduced by the words for ``""``; what stands under a column is then another column, or has words here."""
    module: ClassVar[str]
    needs_roles: ClassVar[Needs] = needs()
    """Parameter that names columns -> roles, one of which some column must have where the parameter is not given. The parameter is "" where
    none can take the place of the role."""

    def needed_roles(self) -> Needs:
        """What of `needs_roles` must hold with these parameters, so that a plan that lacks it is found before data is read."""
        needed = {name: roles for name, roles in self.needs_roles.items() if not getattr(self, name, None)}
        estimated = getattr(self, "population", None) == "weights"
        return {**needed, **({"population": (Role.WEIGHT,)} if estimated else {})}


NAME_COLUMNS = ("columns", "within", "keys", "sensitive", "unit", "period")
"""Parameters of measures that hold names of columns wherever they occur."""


NO_NEARER = Text(
    "no value that it changes, hides or drops comes back exactly more often than by chance; how near others come is not stated",
    "kein Wert, den es verändert, verbirgt oder entfernt, kommt häufiger als durch Zufall genau zurück; wie nahe andere kommen, ist nicht gesagt",
)


class Method(Declared):
    """Changes microdata."""

    family: ClassVar[Family]
    """What stands together where people choose."""
    leaves: ClassVar[Leaves] = Leaves.OTHER_VALUES
    """What is left of the columns it treats, for those who analyse them."""
    preserves: ClassVar[tuple[Claim, ...]]
    protects: ClassVar[tuple[Claim, ...]]
    nearness: ClassVar[Text] = NO_NEARER
    """How exactly a release may give back what it treats: `probable_error` in words."""
    advice: ClassVar[Text | None] = None
    """What receivers of a release do about it in their analyses; None where it is plain from what they are told."""
    random: ClassVar[bool]
    """Another secret gives another result."""
    takes_identifiers: ClassVar[bool]
    """May be used on direct identifiers; all other methods refuse them."""
    still_personal: ClassVar[bool] = False
    """A release made with it is still personal data."""
    makes_records: ClassVar[bool] = False
    """Adds records that nobody reported."""
    loses_records: ClassVar[bool] = False
    """Leaves records out."""
    reorders: ClassVar[bool] = False
    """Puts the records into another order."""
    changes_kinds: ClassVar[bool] = False
    """Columns it treats may be of another kind afterwards: numbers or dates become categories, codes numbers."""

    @model_validator(mode="after")
    def _strata_of_other_columns(self) -> Self:
        """Where a column is its own stratum all its values there are equal: nothing would change, and all claims would hold."""
        strata: tuple[str, ...] = getattr(self, "within", ())
        if set(strata) & set(self.treated_columns()):
            raise ValueError(
                Text(
                    "within must not name a column that is treated: in its strata all values are equal",
                    "within darf keine behandelte Spalte nennen: in ihren Schichten sind alle Werte gleich",
                )
            )
        return self

    @abstractmethod
    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        """Return the protected data; the input is left as it is."""

    def named_columns(self) -> tuple[str, ...]:
        """The columns the parameters name, for checks before data is read."""
        chosen: Any = getattr(self, "columns", ())
        return tuple(chosen)

    def unit_columns(self) -> tuple[str, ...]:
        """Those of them that only tell which records belong to one unit: they are read, so they may be identifiers."""
        unit: str | tuple[str, ...] | None = getattr(self, "unit", None)
        return () if unit is None else (unit,) if isinstance(unit, str) else tuple(unit)

    def treated_columns(self) -> tuple[str, ...]:
        """The columns whose values it works on: without a single value shown there is nothing to do, and it is refused."""
        one: str | None = getattr(self, "column", None)
        chosen: Any = getattr(self, "columns", ())
        return (one,) if one else tuple(chosen)

    def masks(self) -> tuple[str, ...]:
        """The columns whose numbers it replaces by others: with columns that add up to them, they must be treated as one."""
        changes = self.leaves in (Leaves.OTHER_VALUES, Leaves.EXCHANGED)
        return self.treated_columns() if changes else ()

    def as_one(self) -> tuple[tuple[str, ...], ...]:
        """Sets of columns that change together: what adds up in every record before the step adds up after it."""
        return tuple((name,) for name in self.masks())

    def shares_draws(self) -> bool:
        """Whether what is drawn for one value tells of others: columns, or records of a unit, have a factor, a sign or noise in common."""
        return False

    def hides(self, roles: Mapping[Role, tuple[str, ...]]) -> tuple[str, ...]:
        """The columns of which it suppresses cells, as far as parameters and roles tell."""
        del roles
        return self.treated_columns() if self.leaves is Leaves.GAPS else ()

    def leaves_behind(self, roles: Mapping[Role, tuple[str, ...]]) -> tuple[Trace, ...]:
        """What later steps could undo, and in which columns (see `spec.composition`)."""
        del roles
        return ()

    def roles_after(self, roles: Mapping[Role, tuple[str, ...]]) -> Mapping[Role, tuple[str, ...]]:
        """The roles of columns after the step, as far as the parameters alone tell."""
        return {role: tuple(n for n in names if n not in self.drops()) for role, names in roles.items()}

    def drops(self) -> tuple[str, ...]:
        """The columns that are gone afterwards, as far as the parameters alone tell."""
        return ()

    def needed_hierarchies(self) -> tuple[str, ...]:
        """The columns that must have a hierarchy."""
        return ()

    def adds(self) -> tuple[str, ...]:
        """The names of columns that are new afterwards."""
        return ()

    def reach(self, data: Microdata) -> Reach:
        """What it may change, take away and add of this data; whatever else changes is a fault, in every run."""
        del data
        return Reach(self.treated_columns(), self.drops(), self.adds())

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """What the receiver needs for corrected estimates; goes to about.json, so only that."""
        del before, after
        return {}

    def probable_error(self, before: Microdata) -> Mapping[str, Floats]:
        """Column -> how far, in every record, half of the values or more lie from whatever can be computed of them; 0 where that is not promised.

        Of columns that are not named it is only promised that exact values come back no more often than by chance.
        """
        del before
        return {}

    def given_back(self, before: Microdata, after: Microdata) -> Mapping[str, Text]:
        """Columns it replaced that can be computed from `after` all the same, and how; asked again before the release."""
        del before, after
        return {}

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """What the office should know of this step beside the claims: names, counts and shares, never a value of a record."""
        del before, after
        return ()

    def keeps(
        self, before: Microdata, after: Microdata
    ) -> Mapping[str, tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """Files for the office alone: name -> (header, rows); they go to internal/."""
        del before, after
        return {}


class Measure(Declared):
    """Says something about data: a risk, or what the data is still worth."""

    goal: ClassVar[Goal]
    bounds: ClassVar[tuple[float, float]]
    """Smallest and largest possible value."""
    reads: ClassVar[Text]
    """How to read the value, with the placeholder {value}."""
    knows: ClassVar[Text]
    """What the attacker is assumed to know; for measures of utility, what is compared."""
    compares: ClassVar[bool]
    """Compares before with after (utility); otherwise it looks at one file and is taken on both."""
    alone: ClassVar[bool]
    """Can be computed again from the released file alone, so `verify` does."""

    def __hash__(self) -> int:
        """Equal measures share it; parameters that are mappings have none."""
        return hash(self.id)

    def named_columns(self) -> tuple[str, ...]:
        """The columns the parameters name, so that a name that nothing has is found before anything is computed."""
        given = (getattr(self, name, None) for name in NAME_COLUMNS)
        return tuple(
            dict.fromkeys(
                n for names in given if names for n in ((names,) if isinstance(names, str) else names)
            )
        )

    @abstractmethod
    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        """Measure `after`, against `before` where one is given, by name: this is what a measure declares; people call it (see below)."""

    def __call__(self, before: Microdata, after: Microdata | None = None) -> Finding:
        """Measure one file, or a protected file against its original: the original comes first, as everywhere; warns where it looks otherwise."""
        if after is None:
            return self.measure(before)
        warn_if_swapped(before, after)
        return self.measure(after, before=before)


class Rule(Declared):
    """Marks the cells of a table that need protection."""

    flags: ClassVar[Text]
    """Which cells it marks."""

    @property
    def looks_at(self) -> int:
        """So many of the largest contributions to every cell it must know."""
        return 0

    @abstractmethod
    def mark(self, table: Table) -> Sensitivity:
        """Say which cells need protection, and how much."""

    def sensitive(self, sums: Sums) -> Bools:
        """Which sums the rule does not allow to be known, whatever cells they are made of; none where it is about rows."""
        return np.zeros(len(sums), dtype=np.bool_)


class TableMethod(Declared):
    """Protects a table whose primary cells are marked."""

    preserves: ClassVar[tuple[Claim, ...]]
    protects: ClassVar[tuple[Claim, ...]]
    random: ClassVar[bool]
    suppresses: ClassVar[bool] = False
    """It hides cells and changes nothing else, so it can be run over tables that share cells."""
    hides: ClassVar[bool] = True
    """Cells of its result do not show their value, so that it matters who attacks from inside."""

    def published_columns(self, after: Pattern) -> dict[str, Column]:
        """Further columns of the published table: they follow from what it shows anyway."""
        del after
        return {}

    def notes(self, after: Pattern) -> tuple[Text, ...]:
        """What the office should know of the result; it stands in the internal report and in the summary of a run."""
        del after
        return ()

    def internal_columns(self, after: Pattern) -> dict[str, Column]:
        """Further columns of the internal table, for the office alone."""
        del after
        return {}

    @property
    def warnings(self) -> tuple[Text, ...]:
        """What the office must know before it uses the method with these parameters: told by check, by every run and in the report."""
        return ()

    @property
    def needs_marks(self) -> bool:
        """It protects only cells that a rule or the office has marked: without a mark it leaves the table as it is."""
        return False

    @abstractmethod
    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        """Return the protected table; refuse when the protection cannot be reached."""

    def may_hide(self, pattern: Pattern) -> Bools:
        """Cells that it may suppress to protect others."""
        return np.asarray(~pattern.forced_open & (pattern.table.value != 0))

    def asks(self, found: Sensitivity, table: Table) -> Sensitivity:
        """What it requires of the cells that a rule marks; by default what the rule does."""
        del table
        return found

    def confidential(self, pattern: Pattern) -> Pattern:
        """The table before it, with the cells marked that must not come back where it merges categories; by default those that rules mark."""
        return pattern

    def requires(self, pattern: Pattern) -> Pattern:
        """The table with what it requires of cells that are marked without a rule; again changes nothing."""
        return pattern


class TableMeasure(Declared):
    """Says something about a protected table."""

    goal: ClassVar[Goal]
    bounds: ClassVar[tuple[float, float]]
    reads: ClassVar[Text]
    knows: ClassVar[Text]

    def attacker(self) -> Attacker:
        """Who attacks, where tables that share cells are looked at together."""
        return Attacker()

    @abstractmethod
    def measure(self, pattern: Pattern) -> Finding:
        """Measure a protected table."""

    @abstractmethod
    def intervals(self, pattern: Pattern) -> tuple[Floats, Floats]:
        """The least and the largest value of every cell that an attacker cannot rule out, to their ends."""


class Attack(Declared):
    """Tries to get originals back from a finished release, as a stranger who receives it would. Knows nothing of the protectors' code."""

    knows: ClassVar[Text]
    """What the stranger has and knows."""
    helps: ClassVar[Text]
    """What the office can do where the attack gets something back."""
    fast: ClassVar[bool]
    """Part of every run; otherwise only `tarnkappe attack` takes it."""

    @abstractmethod
    def attempt(self, seen: Seen) -> Attempt:
        """Attack what is seen."""


class Synthesiser(Declared):
    """Learns from data and draws new records."""

    preserves: ClassVar[tuple[Claim, ...]]
    protects: ClassVar[tuple[Claim, ...]]

    @abstractmethod
    def fit(self, data: Microdata, stream: Stream) -> Any:
        """Learn a model."""

    @abstractmethod
    def sample(self, model: Any, size: int, stream: Stream) -> Microdata:
        """Draw records from the model."""
