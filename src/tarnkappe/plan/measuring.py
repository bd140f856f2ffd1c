"""Take measures before and after: those the plan asks for, and the routine ones wherever the data has what they need."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong, TarnkappeError
from tarnkappe.errors.data import WrongKind
from tarnkappe.language import Text
from tarnkappe.plan.ledger import MeasureEntry, Unmeasured
from tarnkappe.plan.model import Asked, Plan
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.registers import Registers, held
from tarnkappe.plan.routine import Occasion, Usual, fitted
from tarnkappe.spec import Finding, Measure, Method
from tarnkappe.vocab import Role

NONE: Registers = {}
FEW_RECORDS = 20
"""Enough to see of what kind columns are."""


def asked_by(plan: Plan) -> tuple[Asked, ...]:
    """What the gates and the plan ask for, each once."""
    wanted = (
        *(Asked(g.measure, g.against) for g in plan.gates if isinstance(g.measure, Measure)),
        *plan.measures,
    )
    return tuple(dict.fromkeys(asked for asked in wanted if issubclass(type(asked.measure), Measure)))


def refuse_wrong_kinds(asked: Sequence[Asked], steps: Iterable[Method], before: Microdata) -> None:
    """Before the first step: a measure that cannot take a column which no step touches is tried on a few records.

    Whatever else it says of so few records does not count.
    """
    touched = {name for step in steps for name in step.named_columns()} | set(before.role(Role.KEY))
    some = before.take(np.arange(min(len(before), FEW_RECORDS)))
    for one in asked:
        try:
            if one.against is None:
                one.measure.measure(some, before=some)
        except WrongKind as problem:
            if problem.facts["name"] not in touched:
                raise
        except TarnkappeError:
            continue


def measured(
    asked: Asked, before: Microdata, after: Microdata, progress: Progress, registers: Registers = NONE
) -> MeasureEntry:
    """Take a measure on both sides, or of the one against the other where it compares.

    What a certain attacker reaches is taken on both sides, though its measure may look at the original too.
    """
    measure = asked.measure
    progress.next(_measuring(measure))
    began = time.perf_counter()
    second = _finding(asked, after, before, registers)
    both = not measure.compares or hasattr(measure, "attacker") or asked.against is not None
    first = _original(asked, before, registers) if both else None
    return MeasureEntry(measure, first, second, time.perf_counter() - began, asked.against)


@dataclass(slots=True)
class Routine:
    """The routine measures of a run: what was taken, and what was left out with the reason. Nobody asked, so nothing fails."""

    measures: Sequence[Usual]
    taken: list[MeasureEntry] = field(default_factory=list)
    left: list[Unmeasured] = field(default_factory=list)

    def take(
        self, occasion: Occasion, progress: Progress, asked: Sequence[Asked] = (), registers: Registers = NONE
    ) -> None:
        """Take what the data has what it needs for and what was not asked for anyway."""
        for one in self.measures:
            wanted = fitted(one.cls, one.attacker, occasion)
            left = one.left_out(occasion)
            if left or wanted in asked:
                progress.next(_measuring(wanted.measure))
                self.left += [left] if left else []
                continue
            try:
                self.taken.append(measured(wanted, occasion.before, occasion.after, progress, registers))
            except InputWrong as problem:
                self.left.append(Unmeasured(one.cls, problem.what))


def without(entries: Iterable[MeasureEntry], left: Iterable[Unmeasured]) -> tuple[Unmeasured, ...]:
    """What was not taken in any form, each once."""
    taken = {type(entry.measure) for entry in entries}
    reasons = {one.measure: one for one in left if one.measure not in taken}
    return tuple(reasons.values())


def _measuring(measure: Measure) -> Text:
    return Text(f"measuring: {measure.title.en}", f"Messung: {measure.title.de}")


def _original(asked: Asked, before: Microdata, registers: Registers) -> Finding | None:
    """What the original has, where it can be told: a column may be new, a missing key may be gone since."""
    with suppress(InputWrong):
        return _finding(asked, before, before, registers)
    return None


def _finding(asked: Asked, data: Microdata, original: Microdata, registers: Registers) -> Finding:
    measure = asked.measure
    if len(data) == 0:
        because = Text("no record is left", "es ist kein Datensatz übrig")
        return Finding(float("nan"), trusted=False, because=because)
    if asked.against is not None:
        return held(asked, data, original, registers)
    return measure.measure(data, before=original if measure.compares else None)
