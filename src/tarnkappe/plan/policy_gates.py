"""What the default policy adds to the gates of a plan, and what of a plan is less than it asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern
from tarnkappe.errors.policy import KeysNeeded, RolesNeeded, RuleNeeded
from tarnkappe.language import Text
from tarnkappe.plan.accept import AcceptDescription
from tarnkappe.plan.document import Place
from tarnkappe.plan.gate import judge
from tarnkappe.plan.ledger import GateEntry, MeasureEntry
from tarnkappe.plan.looks import suspects
from tarnkappe.plan.model import Gate, Plan, TablePlan
from tarnkappe.plan.policy import KEYS, RULES, Condition
from tarnkappe.plan.problems import Problem, wrong
from tarnkappe.spec import Measure
from tarnkappe.vocab import Role

FITTED = {"population", "attacker", "suppressed", "without"}
"""Parameters that a run fits to its occasion: measures that differ in nothing else are the same to a policy."""
_KEYS: Place = ("data", "roles")
_ACCEPT = Text(
    "or accept it with a written reason (accept: what: {what})",
    "oder nehmen Sie es mit schriftlicher Begründung hin (accept: what: {what})",
)


def accepted(plan: Plan, what: str) -> AcceptDescription | None:
    """What a plan accepts of this, the first if there are several."""
    return next((one for one in plan.accept if one.what == what), None)


# -- before data is read --------------------------------------------------------------------------------------------


def refuse_less(plan: Plan, *, keys: bool = True) -> None:
    """Raise with everything in a plan that is less than its policy and that no reason accepts.

    Without `keys` it may still name none: a run looks at the data first, which may tell keys itself, and is then refused.
    """
    problems = [p for p in less_than_policy(plan) if keys or p.place != _KEYS]
    if problems:
        raise wrong(plan.file, problems, plan.lines)


def less_than_policy(plan: Plan) -> Iterator[Problem]:
    """What of a plan is less than its policy asks, as far as that shows before data is read."""
    if plan.releases_data:
        yield from _no_keys(plan)
        yield from _weaker_gates(plan)
    for number, table in enumerate(plan.tables):
        yield from _weaker_rules(plan, number, table)
        if table.described.file is None and table.described.marks is None and unruled(plan, table):
            yield Problem(("tables", number), RuleNeeded(name=table.described.name).what)


def _no_keys(plan: Plan) -> Iterator[Problem]:
    """What others may know must be named; records of τ-ARGUS tell their keys themselves."""
    told = plan.data is not None and plan.data.file.lower().endswith(".asc")
    if not told and not any(plan.having(role) for role in plan.policy.roles.needed):
        yield from _missing_keys(plan)


def _missing_keys(plan: Plan) -> Iterator[Problem]:
    needed = plan.policy.roles.needed
    if needed and not accepted(plan, KEYS):
        says = Text(
            "no column has the role {roles}: say what others may know of people or firms (tarnkappe inspect proposes it), {accept}",
            "keine Spalte hat die Rolle {roles}: Sagen Sie, was andere von Personen oder Firmen wissen können (tarnkappe inspect schlägt es "
            "vor), {accept}",
        )
        roles = ", ".join(role.value for role in needed)
        yield Problem(_KEYS, says.filled(roles=roles, accept=_ACCEPT.filled(what=KEYS)))


def _weaker_gates(plan: Plan) -> Iterator[Problem]:
    for condition in plan.policy.gates:
        if accepted(plan, condition.id) or _asked_by(plan, condition):
            continue
        for number, own in enumerate(plan.gates):
            if (
                own.measure == condition.gate.measure
                and own.against is None
                and _same_side(own, condition.gate)
            ):
                says = Text(
                    "{own} is less than the default policy of a {kind} asks ({asked}): raise it, {accept}",
                    "{own} ist weniger, als die Standardrichtlinie verlangt ({kind}: {asked}): Erhöhen Sie es {accept}",
                )
                yield Problem(
                    ("release_if", number),
                    says.filled(
                        own=own.says, kind=plan.release.kind.text, asked=condition.gate.says,
                        accept=_ACCEPT.filled(what=condition.id),
                    ),
                )  # fmt: skip


def _weaker_rules(plan: Plan, number: int, table: TablePlan) -> Iterator[Problem]:
    """Rules of a table whose parameter is below that of the policy, unless another rule of the kind is strict enough."""
    if _accepts_table(plan, table):
        return
    for least in plan.policy.least:
        own = [rule for rule in table.rules if rule.id == least.rule]
        if own and not any(least.kept_by(getattr(rule, least.parameter, None)) for rule in own):
            says = Text(
                "{rule} with {parameter} {given} is less than the default policy asks ({bound}): raise it, {accept}",
                "{rule} mit {parameter} {given} ist weniger, als die Standardrichtlinie verlangt ({bound}): Erhöhen Sie es {accept}",
            )
            bound = f"≥ {least.at_least:g}" if least.at_least is not None else f"≤ {least.at_most:g}"
            yield Problem(
                ("tables", number, "rules"),
                says.filled(
                    rule=least.rule, parameter=least.parameter, given=getattr(own[0], least.parameter), bound=bound,
                    accept=_ACCEPT.filled(what=RULES),
                ),
            )  # fmt: skip


def unruled(plan: Plan, table: TablePlan) -> bool:
    """Whether nothing in the plan says which cells of a table need protection; methods that only hide cells do what they are told."""
    tells = table.protect is not None and not table.protect.needs_marks
    return not table.rules and not tells and not _accepts_table(plan, table)


def _accepts_table(plan: Plan, table: TablePlan) -> bool:
    return any(one.what == RULES and table.described.name in one.tables for one in plan.accept)


# -- with the data --------------------------------------------------------------------------------------------------


def refuse_suspects(plan: Plan, data: Microdata) -> None:
    """Raise where no column is a key, or columns without a role look like identifiers, special categories or what else the policy names."""
    needed = plan.policy.roles.needed
    if plan.releases_data and not any(data.role(role) for role in needed) and any(_missing_keys(plan)):
        raise KeysNeeded(roles=", ".join(role.value for role in needed))
    found = suspects(plan, data)
    if found:
        lines = [one.says for one in found]
        raise RolesNeeded(
            columns=Text("\n".join(f"  ✗ {t.en}" for t in lines), "\n".join(f"  ✗ {t.de}" for t in lines))
        )


def refuse_unmarked(plan: Plan, table: TablePlan, pattern: Pattern) -> None:
    """Raise where neither the plan nor the file of a table marks a cell, and its method has no rule of its own."""
    marked = pattern.primary | (pattern.mark == Mark.SUPPRESS)
    if unruled(plan, table) and table.described.marks is None and not marked.any():
        raise RuleNeeded(name=table.described.name)


def default_gates(plan: Plan) -> Iterator[Gate]:
    """The gates that the policy adds: those that the plan neither asks itself nor accepts to do without."""
    for condition in plan.policy.gates if plan.releases_data else ():
        one = accepted(plan, condition.id)
        gate = condition.gate
        if one is not None:
            gate = Gate(gate.measure, one.at_least, one.at_most)
        if (one is None or one.bounded) and not _asked_by(plan, condition, gate):
            yield gate


def judged_by_default(plan: Plan, after: Microdata, found: Sequence[MeasureEntry]) -> Iterator[GateEntry]:
    """The gates of the policy, held against what was found; without keys in the release there is nothing to find by keys."""
    for gate in default_gates(plan):
        entry = entry_of(gate.measure, found)
        if entry is not None:
            said = judge(gate, entry.after)
            yield GateEntry(said.says, said.held, said.because, gate, of_policy=True)
        elif len(after) and not after.role(Role.KEY):
            says = Text(
                "no column is released that has the role key",
                "keine Spalte mit der Rolle key wird freigegeben",
            )
            yield GateEntry(says, held=True, because=Text("", ""), of_policy=True)
        else:
            because = Text("it could not be measured", "es ließ sich nicht messen")
            yield GateEntry(gate.says, held=False, because=because, of_policy=True)


def entry_of(measure: object, found: Sequence[MeasureEntry]) -> MeasureEntry | None:
    """What was found by a measure of the policy, as the run took it."""
    if not isinstance(measure, Measure):
        return None
    asked = measure.model_dump(exclude=FITTED)
    alike = [e for e in found if e.measure.id == measure.id and e.measure.model_dump(exclude=FITTED) == asked]
    return next((e for e in alike if e.measure == measure), alike[0] if alike else None)


def _asked_by(plan: Plan, condition: Condition, gate: Gate | None = None) -> bool:
    """Whether a gate of the plan is as strict as that of the policy, or as one that may take its place."""
    asked = gate or condition.gate
    return any(
        (own.measure == asked.measure and own.against is None and as_strict(own, asked))
        or any(_takes_place(plan, own, other) for other in condition.instead)
        for own in plan.gates
    )


def _takes_place(plan: Plan, own: Gate, other: Gate) -> bool:
    """Another measure with a limit as strict, of all keys."""
    keys = getattr(own.measure, "keys", ())
    whole = not keys or set(keys) >= set(plan.having(Role.KEY))
    return own.measure.id == other.measure.id and whole and as_strict(own, other)


def _same_side(own: Gate, asked: Gate) -> bool:
    """Whether both set a limit on the same side."""
    return any(None not in (getattr(own, side), getattr(asked, side)) for side in ("at_least", "at_most"))


def as_strict(own: Gate, asked: Gate) -> bool:
    """Whether one gate lets nothing pass that the other does not."""
    low, high = -np.inf, np.inf
    return (own.at_least if own.at_least is not None else low) >= (
        asked.at_least if asked.at_least is not None else low
    ) and (own.at_most if own.at_most is not None else high) <= (
        asked.at_most if asked.at_most is not None else high
    )
