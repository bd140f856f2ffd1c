"""Try a plan without releasing: its steps on data that is already there, its gates, and two measures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.consistent import consistency_gates, consistency_of
from tarnkappe.plan.implied import steps_of
from tarnkappe.plan.ledger import GateEntry
from tarnkappe.plan.looks import suspects
from tarnkappe.plan.measuring import asked_by, measured
from tarnkappe.plan.model import Asked, Plan
from tarnkappe.plan.policy_gates import less_than_policy
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.registers import read_registers, refuse_unfit
from tarnkappe.plan.release_register import measured_with, needs_book, opened, register_gate
from tarnkappe.plan.routine import Occasion
from tarnkappe.plan.run import apply_steps, judged
from tarnkappe.plan.verdict import measured_for_policy
from tarnkappe.randomness import fresh, look_up
from tarnkappe.spec import Finding, Json, TableMeasure


@dataclass(frozen=True, slots=True)
class Trial:
    """What a plan would reach: a point of the map, or the reason why there is none."""

    name: str
    plan: str = ""
    """The file of the plan."""
    changed: Mapping[str, Json] = field(default_factory=dict)
    """What a grid set: path in the plan -> value."""
    risk: Finding | None = None
    utility: Finding | None = None
    closed: tuple[Text, ...] = ()
    """Gates that refuse the release, with what was found."""
    failed: Text = NOTHING
    """Why the plan could not be run."""
    seconds: float = 0.0
    cached: bool = False

    @property
    def measured(self) -> bool:
        """Has a place on the map."""
        return all(
            f is not None and f.trusted and abs(f.value) < float("inf") for f in (self.risk, self.utility)
        )

    @property
    def released(self) -> bool:
        return self.measured and not self.closed


def try_plan(plan: Plan, before: Microdata, risk: Asked, utility: Asked, progress: Progress) -> Trial:
    """Run the steps, judge the gates on records, take both measures. Tables are left to `tarnkappe run`."""
    began = time.perf_counter()
    secret = look_up(plan.secret, plan.folder) if plan.secret else fresh()
    registers = read_registers(plan.registers, plan.folder, before)
    gates = tuple(gate for gate in plan.gates if not isinstance(gate.measure, TableMeasure))
    plan = replace(plan, gates=gates, tables=(), measures=())
    asked = asked_by(plan)
    refuse_unfit(asked, registers)
    book = opened(plan)
    after, *_ = apply_steps(steps_of(plan), before, secret, progress, plan.relations)
    chosen = [one for one in dict.fromkeys((*asked, risk, utility)) if not needs_book(one)]
    found = {one: measured(one, before, after, progress, registers) for one in chosen}
    entries = (*found.values(), *measured_with(book, asked, before, after, progress))
    gated = replace(plan, policy=replace(plan.policy, findings=()))
    entries = (*entries, *measured_for_policy(gated, Occasion(before, after), entries, ()))
    judgements = (
        *_short(plan, before),
        *judged(plan, before, after, entries),
        *register_gate(book, plan.gates, entries),
        *consistency_gates(consistency_of(plan, before, after)),
    )
    return Trial(
        name="", plan=plan.file, risk=bare(found[risk].after), utility=bare(found[utility].after),
        closed=tuple(_reason(gate) for gate in judgements if not gate.held), seconds=time.perf_counter() - began,
    )  # fmt: skip


def _short(plan: Plan, before: Microdata) -> Iterator[GateEntry]:
    """What the policy does not let pass whatever the steps reach."""
    says = Text(
        "the plan asks for no less than the policy", "der Plan verlangt nicht weniger als die Richtlinie"
    )
    yield from (GateEntry(says, held=False, because=problem.says) for problem in less_than_policy(plan))
    roles = Text("columns that need a role have one", "Spalten, die eine Rolle brauchen, haben eine")
    yield from (GateEntry(roles, held=False, because=one.says) for one in suspects(plan, before))


def parts_of(plan: Plan, risk: Asked, utility: Asked) -> int:
    """How many parts of work a trial announces."""
    return len(steps_of(plan)) + len(dict.fromkeys((*asked_by(replace(plan, measures=())), risk, utility)))


def bare(finding: Finding) -> Finding:
    """The value with its interval; nothing about records."""
    return replace(finding, details={}, per_record=None, per_cell={})


def _reason(gate: GateEntry) -> Text:
    if not gate.because:
        return gate.says
    return Text(f"{gate.says.en}: {gate.because.en}", f"{gate.says.de}: {gate.because.de}")
