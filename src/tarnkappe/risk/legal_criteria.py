"""What singling out, linkability, inference and membership share: who was in the release, who was not, and what an attack is worth.

An attack on persons whose data entered the release (members) also succeeds by what holds for everybody: that is what the data is for. So it is
run a second time on a hold-out, persons whose data did not enter. What it reaches beyond that is the risk.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.risk import ColumnsMissing, OriginalNeeded
from tarnkappe.kernels.excess import Rate, excess, excess_error, excess_interval
from tarnkappe.language import NOTHING, Text, same
from tarnkappe.risk.common_codes import CommonColumn, common
from tarnkappe.spec import Finding, Json, Measure
from tarnkappe.vocab import Role

LEVEL = 0.95
FEW = 30
"""With fewer attacks on either side no conclusion is drawn."""
NO_CONTENT = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD, Role.UNIT, Role.OWNER)
"""Columns with these roles say nothing about a person that an attacker could hold."""

_MEASURED = Text(
    "The hold-out: {count} records{which}. The share of attacks that succeed beyond it is the risk; the interval covers 95% of what the choice of "
    "attacks can do.",
    "Die Vergleichsgruppe: {count} Datensätze{which}. Das Risiko ist der Anteil der Angriffe, die darüber hinaus gelingen; das Intervall deckt "
    "95 % dessen, was die Auswahl der Angriffe ausmachen kann.",
)
_WHICH = {
    "left-out": Text(
        " of the original that are not in the release; they must have been left out by chance, and before anything else was done",
        " des Originals, die nicht in der Freigabe sind; sie müssen zufällig und vor allen anderen Schritten weggelassen worden sein",
    ),
    "given": Text(" that were given", ", die angegeben wurden"),
}
_NO_HOLDOUT = Text(
    "There is no hold-out: {why} The value is the whole rate of success, also by what holds for everybody; it is an upper limit of the risk.",
    "Es gibt keine Vergleichsgruppe: {why} Der Wert ist die ganze Erfolgsquote, auch durch das, was für alle gilt; er ist eine Obergrenze des "
    "Risikos.",
)
_NOT_ASKED = Text(
    "none was given, and nothing says that records left out may serve (holdout: left-out).",
    "Keine wurde angegeben, und es ist nicht gesagt, dass weggelassene Datensätze dienen dürfen (holdout: left-out).",
)
_NONE_LEFT = Text("no record was left out.", "Kein Datensatz wurde weggelassen.")
_MADE = Text(
    "the release has records that nobody reported, so persons who are not in it may have shaped it.",
    "Die Freigabe hat Datensätze, die niemand gemeldet hat; auch wer nicht darin ist, kann sie geprägt haben.",
)
_EMPTY = Text("the one that was given is empty.", "Die angegebene ist leer.")
TOO_FEW = Text(
    "Only {count} attacks were possible on one side; from fewer than {needed} nothing is concluded.",
    "Auf einer Seite waren nur {count} Angriffe möglich; aus weniger als {needed} wird nichts geschlossen.",
)
_TOO_WEAK = Text(
    "The attack does no better than guessing: it is too weak to show that there is no risk.",
    "Der Angriff ist nicht besser als Raten: Er ist zu schwach, um zu zeigen, dass kein Risiko besteht.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The release, the persons whose data is in it, and persons whose data is not."""

    release: Microdata
    members: Microdata
    outside: Microdata | None
    which: str
    """Where those outside come from: given, left-out or none."""
    why: Text
    """Why nobody is outside."""

    @property
    def files(self) -> tuple[Microdata, ...]:
        return (self.release, self.members, *(() if self.outside is None else (self.outside,)))

    def columns(self, names: tuple[str, ...]) -> list[CommonColumn]:
        return [common(self.files, name) for name in names]

    def cells(self, names: tuple[str, ...]) -> list[Ints]:
        """By file: the cells of some columns side by side, for Gower's distance."""
        parts = [column.cells() for column in self.columns(names)]
        return [np.column_stack([part[f] for part in parts]) for f in range(len(self.files))]

    def chosen(self, names: tuple[str, ...], roles: tuple[Role, ...] = ()) -> tuple[str, ...]:
        """The named columns; without them those with the roles, or all with content where no role is given, that every file has."""
        if not names:
            own = [n for role in roles for n in self.release.role(role)] if roles else self._with_content()
            names = tuple(dict.fromkeys(n for n in own if all(n in file.columns for file in self.files)))
        for name in names:
            for file in self.files:
                file.column(name)
        return names

    def _with_content(self) -> list[str]:
        return [n for n in self.release.names if not set(self.release.roles_of(n)) & set(NO_CONTENT)]


def sides(after: Microdata, before: Microdata, *, left_out: bool) -> Sides:
    """Who was in and who was not; records are told apart by their place in the original file.

    Where no released record is one of the original, as in synthetic data, the whole original is taken to have entered.
    """
    _refuse_empty(after, before)
    entered = np.isin(before.rows, after.rows)
    members = before.take(entered) if entered.any() else before
    if not left_out:
        return Sides(after, members, None, "none", _NOT_ASKED)
    if bool((after.rows < 0).any()) or not entered.any():
        return Sides(after, members, None, "none", _MADE)
    if entered.all():
        return Sides(after, members, None, "none", _NONE_LEFT)
    return Sides(after, members, before.take(~entered), "left-out", NOTHING)


def sides_given(after: Microdata, before: Microdata, outside: Microdata) -> Sides:
    """A hold-out of other persons; members are those of the original whom the release has, or all where that cannot be told."""
    _refuse_empty(after, before)
    entered = np.isin(before.rows, after.rows)
    before = before.take(entered) if entered.any() and not entered.all() else before
    if not len(outside):
        return Sides(after, before, None, "none", _EMPTY)
    return Sides(after, before, outside, "given", NOTHING)


def _refuse_empty(*files: Microdata) -> None:
    if not all(len(file) for file in files):
        raise EmptyData


class OnHoldout(Measure):
    """A measure that attacks members and, to compare, a hold-out."""

    attacks: Annotated[int, Field(ge=1)] = 2000
    """Number of attacks; 2,000 fix a rate to 2.2 percentage points or better. Where there are fewer targets, all are attacked. | Zahl der
    Angriffe; 2000 legen eine Quote auf mindestens 2,2 Prozentpunkte fest. Gibt es weniger Ziele, werden alle angegriffen."""
    holdout: Literal["none", "left-out"] = "none"
    """Whether original records that are not in the release may serve as hold-out: only if they were left out by chance and before all
    other steps (left-out). | Ob Originaldatensätze, die nicht in der Freigabe sind, als Vergleichsgruppe dienen dürfen: nur wenn sie zufällig
    und vor allen anderen Schritten weggelassen wurden (left-out)."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if before is None:
            raise OriginalNeeded(who=same(self.id))
        return self.attack(sides(after, before, left_out=self.holdout == "left-out"))

    def against(self, after: Microdata, before: Microdata, outside: Microdata) -> Finding:
        """With a hold-out: records like the original that did not enter the release in any way."""
        return self.attack(sides_given(after, before, outside))

    @abstractmethod
    def attack(self, between: Sides) -> Finding:
        """Attack members and hold-out, and compare."""

    def draw(self, between: Sides) -> np.random.Generator:
        """The same draws for the same sizes and parameters: a measure can be repeated."""
        sizes = [len(file) for file in between.files]
        told = f"{self.id} {self.model_dump_json()} {sizes}".encode()
        return np.random.default_rng(int.from_bytes(hashlib.sha256(told).digest()[:16], "big"))

    def targets(self, size: int, draw: np.random.Generator) -> Ints:
        """Whom to attack: any, each once."""
        return np.sort(draw.permutation(size)[: self.attacks])


def some(names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns to attack with; there must be some."""
    if not names:
        raise ColumnsMissing
    return names


def z_of(level: float) -> float:
    """The normal quantile of a two-sided interval."""
    from scipy.special import ndtri  # noqa: PLC0415 - loaded when first used

    return float(ndtri((1 + level) / 2))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attack reached, what it reached on the hold-out, and what guessing reaches."""

    attack: Rate
    control: Rate | None
    guess: float

    def finding(
        self, between: Sides, details: dict[str, Json], doubt: Text = NOTHING, level: float = LEVEL
    ) -> Finding:
        """The excess over the hold-out, or without one the rate of success, which is not trusted as a risk."""
        z = z_of(level)
        doubt = doubt or self._doubt()
        told = {
            **self.told(z),
            "holdout": between.which,
            "records": len(between.members),
            "level": level,
            **details,
        }
        if self.control is None:
            low, high = self.attack.interval(z)
            because = doubt or _NO_HOLDOUT.filled(why=between.why)
            return Finding(
                self.attack.point(z), low, high, self.guess, trusted=False, because=because, details=told
            )
        low, high = excess_interval(self.attack, self.control, z)
        assert between.outside is not None
        because = doubt or _MEASURED.filled(count=len(between.outside), which=_WHICH[between.which])
        guessed = Rate(self.guess * self.attack.attacks, self.attack.attacks)
        value, baseline = (_cut(excess(rate, self.control, z)) for rate in (self.attack, guessed))
        return Finding(value, low, high, baseline, doubt == NOTHING, because, told)

    def told(self, z: float) -> dict[str, Json]:
        """The figures behind the value."""
        out: dict[str, Json] = {"attack": _told(self.attack, z), "guess": self.guess}
        if self.control is not None:
            out["control_attack"] = _told(self.control, z)
            out["error"] = excess_error(self.attack, self.control, z)
        return out

    def _doubt(self) -> Text:
        fewest = min(rate.attacks for rate in (self.attack, self.control) if rate is not None)
        if fewest < FEW:
            return TOO_FEW.filled(count=int(fewest), needed=FEW)
        share = self.attack.hits / self.attack.attacks
        return _TOO_WEAK if share <= self.guess else NOTHING


def rate(hits: Floats | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Rate:
    """The rate of some attacks, each a hit or not."""
    return Rate(float(np.sum(hits)), float(len(hits)))


def _told(rate: Rate, z: float) -> dict[str, Json]:
    low, high = rate.interval(z)
    return {"attacks": rate.attacks, "hits": rate.hits, "rate": rate.point(z), "low": low, "high": high}


def _cut(value: float) -> float:
    return min(max(value, 0.0), 1.0)
