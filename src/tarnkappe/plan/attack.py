"""Attack a release: every measure of risk of the catalogue on two files, and why some could not be taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong, did_you_mean
from tarnkappe.errors.risk import BoundsBroken, NotAnAttack
from tarnkappe.language import Text
from tarnkappe.plan.exposed import exposed
from tarnkappe.plan.gate import judge
from tarnkappe.plan.ledger import Exposed, GateEntry, MeasureEntry, Unmeasured
from tarnkappe.plan.measuring import measured, without
from tarnkappe.plan.model import Asked, Gate, RegisterDescription
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.routine import Occasion, fitted
from tarnkappe.spec import Measure, catalogue
from tarnkappe.vocab import Attacker, Role

EVERYBODY = tuple(Attacker)
_PARAMETERS = Text(
    "its parameters must be chosen: name it under measures in a plan",
    "seine Parameter müssen gewählt werden: in einem Plan unter measures nennen",
)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """What is attacked: the original, the release, and what an attacker has besides."""

    before: Microdata
    after: Microdata
    basis: tuple[Text, ...] = ()
    """How the files were read and who is who, in words."""
    knowledge: tuple[RegisterDescription, Microdata] | None = None
    holdout: tuple[RegisterDescription, Microdata] | None = None
    """Persons like those of the original whose data did not enter the release."""

    @property
    def sealed(self) -> bool:
        """Some key is suppressed, and what stood there is not in the file."""
        return any(self.after.column(name).suppressed.any() for name in self.after.role(Role.KEY))


@dataclass(frozen=True, slots=True)
class Bounds:
    """What must hold: id of a measure -> largest and smallest value allowed."""

    most: Mapping[str, float] = field(default_factory=dict)
    least: Mapping[str, float] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        return (*self.most, *self.least)


@dataclass(frozen=True, slots=True)
class Attacked:
    """What the attacks reached."""

    entries: tuple[MeasureEntry, ...]
    left: tuple[Unmeasured, ...]
    exposed: tuple[Exposed, ...]
    gates: tuple[GateEntry, ...]
    changed: tuple[str, ...]
    """Columns that do not hold the original values any more, as far as records can be compared."""

    def refuse(self) -> None:
        """Raise where a bound does not hold."""
        broken = [gate for gate in self.gates if not gate.held]
        if broken:
            said = [
                Text(f"  ✗ {g.says.en}: {g.because.en}", f"  ✗ {g.says.de}: {g.because.de}") for g in broken
            ]
            raise BoundsBroken(reasons=Text("\n".join(t.en for t in said), "\n".join(t.de for t in said)))


def attack(
    sides: Sides,
    attackers: Sequence[Attacker] = EVERYBODY,
    only: Sequence[str] = (),
    bounds: Bounds | None = None,
    progress: Progress | None = None,
) -> Attacked:
    """Take every measure of risk, or only some; what the files have nothing for is left out with the reason."""
    progress, bounds = progress or Progress(), bounds or Bounds()
    before, after = sides.before, sides.after
    chosen = _chosen(only, bounds.ids)
    wanted = list(_wanted(sides, tuple(attackers), [cls for cls in chosen if not _asks(cls)]))
    registers = dict(one for one in (sides.knowledge, sides.holdout) if one)
    progress.expect_also(len(wanted))
    taken: list[MeasureEntry] = []
    left = [Unmeasured(cls, _PARAMETERS) for cls in chosen if _asks(cls)]
    for one in wanted:
        try:
            taken.append(measured(one, before, after, progress, registers))
        except InputWrong as problem:
            left.append(Unmeasured(type(one.measure), problem.what))
    return Attacked(
        tuple(taken), without(taken, left), exposed(before, after, taken), tuple(_judged(taken, left, bounds)),
        tuple(_changed(before, after)),
    )  # fmt: skip


def _chosen(only: Sequence[str], bounded: Sequence[str]) -> list[type[Measure]]:
    """The measures of risk, or those that are named; what is bounded is always among them."""
    known = {cls.id: cls for cls in catalogue.measures() if cls.id.startswith("risk.")}
    for id_ in (*only, *bounded):
        if id_ not in known:
            raise NotAnAttack(id=id_, hint=did_you_mean(id_, known))
    return [cls for id_, cls in known.items() if not only or id_ in only or id_ in bounded]


def _asks(cls: type[Measure]) -> bool:
    """Does the measure say nothing before somebody chooses its parameters?"""
    return any(field.is_required() for field in cls.model_fields.values())


def _wanted(
    sides: Sides, attackers: tuple[Attacker, ...], classes: Sequence[type[Measure]]
) -> Iterator[Asked]:
    """Every measure once for every attacker; with what an attacker has besides, also against that."""
    holdout = sides.holdout[0] if sides.holdout else None
    alone = Occasion(sides.before, sides.after, holdout=holdout, sealed=sides.sealed)
    knowing = replace(alone, register=sides.knowledge[0]) if sides.knowledge else alone
    for cls in classes:
        for attacker in attackers if "attacker" in cls.model_fields else (None,):
            first, second = fitted(cls, attacker, knowing), fitted(cls, attacker, alone)
            yield first
            if attacker is None and second != first:
                yield second


def _judged(taken: Sequence[MeasureEntry], left: Sequence[Unmeasured], bounds: Bounds) -> Iterator[GateEntry]:
    """Hold every finding of a bounded measure against its bound; one that could not be taken does not hold."""
    for id_ in dict.fromkeys(bounds.ids):
        most, least = bounds.most.get(id_), bounds.least.get(id_)
        found = [entry for entry in taken if entry.measure.id == id_]
        yield from (judge(Gate(e.measure, least, most, None, e.against), e.after) for e in found)
        for one in left if not found else ():
            if one.measure.id == id_:
                yield GateEntry(one.measure.title, held=False, because=one.because)


def _changed(before: Microdata, after: Microdata) -> Iterator[str]:
    """Sensitive columns with some other value than in the original; where records cannot be compared, with a new one."""
    old, new = before.paired(after)
    for name in after.role(Role.SENSITIVE):
        if name in before.columns and (_moved(old, new, name) if len(old) else _new(before, after, name)):
            yield name


def _moved(old: Microdata, new: Microdata, name: str) -> bool:
    shown = new.column(name).observed
    return bool((old.column(name).texts()[shown] != new.column(name).texts()[shown]).any())


def _new(before: Microdata, after: Microdata, name: str) -> bool:
    return not set(after.column(name).distinct()) <= set(before.column(name).distinct())
