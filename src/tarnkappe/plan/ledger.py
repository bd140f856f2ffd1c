"""What was done, with what, and what held: the record a run leaves, and the only thing reports are made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Attack, Declared, Finding, Holds, Json, Measure, Method, plain

if TYPE_CHECKING:
    from tarnkappe.plan.model import Gate, Plan, RegisterDescription, TablePlan
    from tarnkappe.plan.release_register import Entry
    from tarnkappe.plan.scoring import Score


@dataclass(frozen=True, slots=True)
class ClaimEntry:
    """One claim of a step and whether it held. None: not checked in a single run (on average, by proof)."""

    side: str
    """``preserves`` or ``protects``."""
    says: Text
    holds: Holds
    kept: bool | None


@dataclass(frozen=True, slots=True)
class Change:
    """What a step did to one column: numbers of cells."""

    changed: int = 0
    suppressed: int = 0
    missing: int = 0
    added: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class StepEntry:
    """One step that was done."""

    number: int
    method: Method
    implied: bool
    """True when the plan does not name the step: the release itself demands it."""
    records_before: int
    records_after: int
    changes: dict[str, Change]
    claims: tuple[ClaimEntry, ...]
    tells: dict[str, Json]
    """For about.json."""
    seconds: float
    remarks: tuple[Text, ...] = ()
    """For the office: what to know of the step beside its claims."""
    moves: dict[str, dict[str, float]] = field(default_factory=dict)
    """Relative errors of mean and standard deviation (``mean``, ``sd``) that this step alone brought, by column."""
    tells_of_few: tuple[str, ...] = ()
    """Columns, as the step found them, of which a figure that it tells is a value of too few contributors."""
    after: Microdata | None = field(default=None, repr=False, compare=False)
    """The data after the step; it shares what the step left alone."""


@dataclass(frozen=True, slots=True)
class MeasureEntry:
    """One measure, on the original and on the result."""

    measure: Measure
    before: Finding | None
    """None for measures that compare the two."""
    after: Finding
    seconds: float
    against: RegisterDescription | None = None
    """The register that the attacker has."""


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A measure that was not taken, and why."""

    measure: type[Declared]
    because: Text
    costly: bool = False
    """Only the effort spoke against it."""


class Colour(StrEnum):
    """The verdict: nothing may leave; it may, but something stands out and was signed; it may, and nothing stands out."""

    REFUSED = "refused"
    SIGNED = "signed"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class AttackEntry:
    """One attack of a stranger on what is to be released, and what it is worth."""

    attack: Attack
    colour: Colour
    """Refused, or it stands out, or nothing was found."""
    tried: int
    score: Score
    how: tuple[Text, ...]
    """What was put together where something came back; no value."""
    could_not: Text
    seconds: float


@dataclass(frozen=True, slots=True)
class Exposed:
    """A record that is found most surely: for the office alone, and no value of it."""

    record: int
    """Its place in the original file, counted from 1."""
    before: float | None
    """How surely it is found in the original."""
    after: float
    """How surely it is found in the release."""
    fitting: int
    """Released records that fit the person."""
    key: str
    """The key without which most records would fit; empty where there is only one key."""
    learnt: bool | None
    """A sensitive value becomes known for certain; None where there are no sensitive columns."""


@dataclass(frozen=True, slots=True, eq=False)
class TableEntry:
    """One table: protected and audited."""

    plan: TablePlan
    pattern: Pattern
    audit: Finding
    claims: tuple[ClaimEntry, ...]
    seconds: float

    @property
    def name(self) -> str:
        return self.plan.described.name


@dataclass(frozen=True, slots=True)
class GateEntry:
    """One condition of the release."""

    says: Text
    """The condition in words."""
    held: bool
    because: Text
    """What was found, in words."""
    gate: Gate | None = None
    """None for the gates that no plan can leave out."""
    public: bool = True
    """May stand in the certificate."""
    of_policy: bool = False
    """The default policy asks for it, not the plan."""
    helps: Text = NOTHING
    """What would help, where the policy says so."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A finding that stands out though all conditions are met."""

    what: str
    """Id of the measure, as a plan accepts it."""
    title: Text
    limit: Text
    """What the policy asks, in words."""
    found: Text
    """What was found, in words."""
    why: Text
    helps: Text
    reason: str
    """Why it is accepted all the same; empty where nobody has signed."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Less than the default policy, accepted for a reason, and in effect."""

    what: str
    says: Text
    reason: str


@dataclass(frozen=True, slots=True)
class ConsistencyEntry:
    """One rule that the result should keep, and whether it does."""

    says: Text
    held: bool | None
    """None where it cannot be checked."""
    because: Text
    hard: bool
    """A condition of the release."""
    declared: bool
    """False for what is looked at without being told."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What the run was made with."""

    tarnkappe: str
    python: str
    packages: dict[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """A plan, the data and a secret seed: everything that happened, nothing written yet."""

    plan: Plan
    before: Microdata
    after: Microdata
    steps: tuple[StepEntry, ...]
    measures: tuple[MeasureEntry, ...]
    gates: tuple[GateEntry, ...]
    inputs: dict[str, str]
    """File name -> SHA-256."""
    secret: str
    """Keyed fingerprint."""
    repeatable: bool
    """False when the secret was drawn for this run only."""
    started: datetime
    versions: Versions
    kept_files: dict[str, tuple[tuple[str, ...], list[tuple[str, ...]]]] = field(default_factory=dict)
    """For internal/: name -> header and rows."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Time by part of the run."""
    tables: tuple[TableEntry, ...] = ()
    unmeasured: tuple[Unmeasured, ...] = ()
    exposed: tuple[Exposed, ...] = ()
    """The riskiest records, the worst first."""
    entry: Entry | None = None
    """What is entered into the register of releases when the release is written."""
    consistency: tuple[ConsistencyEntry, ...] = ()
    standing: tuple[Standing, ...] = ()
    """Findings that stand out, signed or not."""
    less: tuple[Accepted, ...] = ()
    """What else is less than the default policy."""
    attacks: tuple[AttackEntry, ...] = ()
    """What a stranger tried on the release."""

    @property
    def released(self) -> bool:
        return all(gate.held for gate in self.gates)

    @property
    def colour(self) -> Colour:
        if not self.released:
            return Colour.REFUSED
        return Colour.SIGNED if self.standing or self.less else Colour.CLEAR

    @property
    def accepted(self) -> tuple[Accepted, ...]:
        """Everything that is less than the default policy and was signed by a reason."""
        signed = (Accepted(one.what, one.limit, one.reason) for one in self.standing if one.reason)
        return (*self.less, *signed)


def ledger(run: Run) -> dict[str, Json]:
    """The internal record as plain data: plan, parameters, versions, hashes, timings, findings."""
    out: dict[str, Json] = plain(
        {
            "tarnkappe": 1,
            "title": run.plan.title,
            "started": run.started.isoformat(timespec="seconds"),
            "plan": run.plan.source,
            "versions": {
                "tarnkappe": run.versions.tarnkappe,
                "python": run.versions.python,
                "packages": run.versions.packages,
            },
            "inputs": run.inputs,
            "secret": {"fingerprint": run.secret, "repeatable": run.repeatable},
            "records": {"before": len(run.before), "after": len(run.after)},
            "steps": [_step(step) for step in run.steps],
            "tables": [_table(entry) for entry in run.tables],
            "measures": [_measure(entry) for entry in run.measures],
            "attacks": [_attack(entry) for entry in run.attacks],
            "unmeasured": [{"id": u.measure.id, "because": u.because} for u in run.unmeasured],
            "gates": [
                {"says": g.says, "held": g.held, "because": g.because, "policy": g.of_policy} for g in run.gates
            ],
            "verdict": run.colour.value,
            "policy": run.plan.policy.file,
            "findings": [
                {"what": s.what, "title": s.title, "limit": s.limit, "found": s.found, "why": s.why, "helps": s.helps,
                 "reason": s.reason or None}
                for s in run.standing
            ],
            "accepted": [{"what": a.what, "says": a.says, "reason": a.reason} for a in run.accepted],
            "consistency": [
                {"says": c.says, "held": c.held, "because": c.because, "hard": c.hard, "declared": c.declared}
                for c in run.consistency
            ],
            "seconds": {name: round(seconds, 3) for name, seconds in run.seconds.items()},
        }
    )  # fmt: skip
    return out


def parameters(thing: Declared) -> dict[str, Json]:
    """All parameters as they were used, defaults included."""
    return thing.model_dump(mode="json")


def _step(step: StepEntry) -> dict[str, Json]:
    return {
        "number": step.number,
        "id": step.method.id,
        "revision": step.method.revision,
        "implied": step.implied,
        "parameters": parameters(step.method),
        "records": {"before": step.records_before, "after": step.records_after},
        "changes": {
            name: {"changed": c.changed, "suppressed": c.suppressed, "missing": c.missing, "added": c.added,
                   "dropped": c.dropped}
            for name, c in step.changes.items()
        },
        "claims": [
            {"side": c.side, "says": c.says, "holds": c.holds.value, "kept": c.kept} for c in step.claims
        ],
        "tells": step.tells,
        "remarks": list(step.remarks),
        "moves": step.moves,
        "seconds": round(step.seconds, 3),
    }  # fmt: skip


def _table(entry: TableEntry) -> dict[str, Json]:
    pattern = entry.pattern
    protect = entry.plan.protect
    return {
        "name": entry.name,
        "cells": len(pattern.table),
        "by": [h.name for h in pattern.table.dimensions],
        "primary": int(pattern.primary.sum()),
        "secondary": int((pattern.suppressed & ~pattern.primary).sum()),
        "rules": [
            {"id": rule.id, "revision": rule.revision, "parameters": parameters(rule)}
            for rule in entry.plan.rules
        ],
        "protect": {"id": protect.id, "revision": protect.revision, "parameters": parameters(protect)}
        if protect
        else None,
        "warnings": list(protect.warnings) if protect else [],
        "claims": [
            {"side": c.side, "says": c.says, "holds": c.holds.value, "kept": c.kept} for c in entry.claims
        ],
        "audit": {"parameters": parameters(entry.plan.audit), **entry.audit.as_json()},
        "seconds": round(entry.seconds, 3),
    }


def _attack(entry: AttackEntry) -> dict[str, Json]:
    score = entry.score
    return {
        "id": entry.attack.id,
        "revision": entry.attack.revision,
        "verdict": entry.colour.value,
        "tried": entry.tried,
        "answers": score.answers,
        "right": score.right,
        "by_chance": score.by_chance,
        "sure": score.sure,
        "sure_right": score.sure_right,
        "how": list(entry.how),
        "could_not": entry.could_not or None,
        "seconds": round(entry.seconds, 3),
    }


def _measure(entry: MeasureEntry) -> dict[str, Json]:
    return {
        "id": entry.measure.id,
        "revision": entry.measure.revision,
        "parameters": parameters(entry.measure),
        "against": entry.against.file if entry.against else None,
        "before": entry.before.as_json() if entry.before else None,
        "after": entry.after.as_json(),
        "seconds": round(entry.seconds, 3),
    }
