"""The verdict in three colours: refused; conditions met, but something stands out and is signed by a reason; nothing stands out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong
from tarnkappe.language import Text, listed, number
from tarnkappe.plan.accept import AcceptDescription
from tarnkappe.plan.gate import judge
from tarnkappe.plan.ledger import Accepted, GateEntry, MeasureEntry, Standing, Unmeasured
from tarnkappe.plan.looks import suspects
from tarnkappe.plan.measuring import measured
from tarnkappe.plan.model import Asked, Gate, Plan
from tarnkappe.plan.policy import COMPUTED, KEYS, ROLES, RULES
from tarnkappe.plan.policy_gates import accepted, entry_of
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.routine import Occasion
from tarnkappe.spec import Finding, Measure

_UNSIGNED = Text(
    "nothing stands out without being signed: {title}",
    "nichts fällt auf, ohne gezeichnet zu sein: {title}",
)
_FOUND = Text(
    "{found} The policy wants {limit}. {why}",
    "{found} Die Richtlinie verlangt {limit}. {why}",
)
_SIGN = Text(
    "{helps} Or sign it with a reason (accept: what: {what}, reason: …).",
    "{helps} Oder zeichnen Sie es mit einer Begründung (accept: what: {what}, reason: …).",
)
_WITHOUT_KEYS = Text("no column has the role key", "keine Spalte hat die Rolle key")
_WITHOUT_ROLE = Text("columns without a role: {names}", "Spalten ohne Rolle: {names}")
_REDUNDANT = Text(
    "dropped columns that others may give back: {names}",
    "entfernte Spalten, die andere wiedergeben können: {names}",
)
_WITHOUT_RULE = Text(
    "tables with weaker rules than usual, or none: {names}",
    "Tabellen mit schwächeren Regeln als üblich oder ohne: {names}",
)
_INSTEAD = Text("{said} was not asked for", "{said} wurde nicht verlangt")


def measured_for_policy(
    plan: Plan, occasion: Occasion, found: Sequence[MeasureEntry], left: Sequence[Unmeasured]
) -> list[MeasureEntry]:
    """What the policy asks for beyond the routine of a run, whatever the effort, where the data has what it needs."""
    out: list[MeasureEntry] = []
    gone = {one.measure for one in left if not one.costly}
    for condition in (*plan.policy.gates, *plan.policy.findings) if plan.releases_data else ():
        measure = condition.gate.measure
        if not isinstance(measure, Measure) or type(measure) in gone or entry_of(measure, [*found, *out]):
            continue
        try:
            out.append(measured(Asked(measure), occasion.before, occasion.after, Progress()))
        except InputWrong:
            continue  # nothing there that it could look at
    return out


def standing_of(plan: Plan, found: Sequence[MeasureEntry]) -> tuple[Standing, ...]:
    """The findings that do not keep the limits of the policy, each with the reason that signs it, if there is one."""
    out = []
    for condition in plan.policy.findings if plan.releases_data else ():
        entry = entry_of(condition.gate.measure, found)
        if entry is None or not _beyond(condition.gate, entry.after.value):
            continue
        one = accepted(plan, condition.id)
        signed = one is not None and _covers(one, condition.gate, entry.after)
        value = entry.after.value
        sentence = entry.after.reads or condition.gate.measure.reads
        reads = sentence.filled(value=Text(number(value, "en"), number(value, "de")))
        found_there = _found(reads, condition.gate, entry.after)
        out.append(
            Standing(
                condition.id, condition.gate.measure.title, condition.gate.says, found_there,
                condition.why, condition.helps, one.reason if one is not None and signed else "",
            )
        )  # fmt: skip
    return tuple(out)


def _found(says: Text, gate: Gate, finding: Finding) -> Text:
    """What was found, with the columns that it comes from where the measure tells them."""
    details = finding.details
    shares = {row["column"]: row["share"] for row in details.get("further", ())}
    told = details.get("sensitive") or details.get("hidden", {})
    values = shares or {name: row.get("value") for name, row in told.items()}
    worst = [
        name for name, value in values.items()
        if value is not None and _beyond(gate, float(value))
    ]  # fmt: skip
    if not worst:
        return says
    names = listed([repr(name) for name in worst])
    return Text(f"{says.en} Columns: {names}.", f"{says.de} Spalten: {names}.")


def _beyond(gate: Gate, value: float) -> bool:
    """Whether a value breaks the limit; where a measure found no number there is nothing to stand out."""
    low = gate.at_least is not None and value < gate.at_least
    return low or (gate.at_most is not None and value > gate.at_most)


def _covers(one: AcceptDescription, gate: Gate, finding: Finding) -> bool:
    """Whether what is accepted reaches as far as what was found."""
    return not one.bounded or not _beyond(Gate(gate.measure, one.at_least, one.at_most), finding.value)


def unsigned(standing: Sequence[Standing]) -> Iterator[GateEntry]:
    """What nobody has signed closes a gate of its own, which says why it matters and what would help."""
    for one in standing:
        if not one.reason:
            because = _FOUND.filled(found=one.found, limit=one.limit, why=one.why)
            yield GateEntry(
                _UNSIGNED.filled(title=one.title), held=False, because=because, public=False, of_policy=True,
                helps=_SIGN.filled(helps=one.helps, what=one.what),
            )  # fmt: skip


def less_in_effect(
    plan: Plan, before: Microdata, after: Microdata, found: Sequence[MeasureEntry]
) -> Iterator[Accepted]:
    """What the plan accepts beside findings, as far as the release is really less than the policy asks."""
    for one in plan.accept:
        says = _less(plan, one, before, after, found)
        if says:
            yield Accepted(one.what, says, one.reason)


def _less(
    plan: Plan, one: AcceptDescription, before: Microdata, after: Microdata, found: Sequence[MeasureEntry]
) -> Text | None:
    if one.what == RULES:
        names = [name for name in one.tables if name in [t.described.name for t in plan.tables]]
        return _WITHOUT_RULE.filled(names=", ".join(names)) if names else None
    if not plan.releases_data:
        return None
    if one.what == KEYS:
        return None if any(before.role(role) for role in plan.policy.roles.needed) else _WITHOUT_KEYS
    if one.what in (COMPUTED, ROLES):
        return _columns_less(plan, one, before, after)
    for condition in plan.policy.gates:
        entry = entry_of(condition.gate.measure, found)
        if condition.id == one.what and not (entry and judge(condition.gate, entry.after).held):
            return _INSTEAD.filled(said=condition.gate.says)
    return None


def _columns_less(plan: Plan, one: AcceptDescription, before: Microdata, after: Microdata) -> Text | None:
    """Columns that are released without a role, or dropped ones that others may give back."""
    if one.what == COMPUTED:
        names = [name for name in one.columns if name in before.names and name not in after.names]
    else:
        found = [s.name for s in suspects(plan, before, accepting=False)]
        names = [name for name in found if name in one.columns and name in after.names]
    says = _REDUNDANT if one.what == COMPUTED else _WITHOUT_ROLE
    return says.filled(names=", ".join(names)) if names else None
