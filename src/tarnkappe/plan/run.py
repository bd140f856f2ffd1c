"""Run a plan: steps in order, claims after each, measures on both sides, gates at the end. Nothing is written here."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import count

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.digest import digest_of
from tarnkappe.data.linear_relations import LinearRelation
from tarnkappe.data.made_of_keys import counted_as_keys, made_of_keys
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.moved import moved
from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text
from tarnkappe.plan.as_one import treated_as_one
from tarnkappe.plan.consistent import consistency_gates, consistency_of
from tarnkappe.plan.exposed import FILE, as_rows, exposed
from tarnkappe.plan.files import input_hashes
from tarnkappe.plan.gate import (
    identifiers_gone,
    judge,
    keys_made_of_keys,
    nothing_computed,
    something_left,
    substitutes_hold,
)
from tarnkappe.plan.implied import steps_of
from tarnkappe.plan.leaving_texts import leaving_texts
from tarnkappe.plan.ledger import (
    Change,
    ClaimEntry,
    GateEntry,
    MeasureEntry,
    Run,
    StepEntry,
    TableEntry,
    Versions,
)
from tarnkappe.plan.measuring import Routine, asked_by, measured, refuse_wrong_kinds, without
from tarnkappe.plan.model import Plan
from tarnkappe.plan.policy import COMPUTED, ToldDescription
from tarnkappe.plan.policy_gates import judged_by_default, refuse_less, refuse_suspects
from tarnkappe.plan.prepare import prepare
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.registered_tables import RegisteredTables
from tarnkappe.plan.registers import read_registers, refuse_unfit
from tarnkappe.plan.release_register import (
    Releasing,
    edition_gates,
    measured_with,
    needs_book,
    opened,
    register_gate,
)
from tarnkappe.plan.routine import Occasion, on_request, usual
from tarnkappe.plan.strangers import attack_gates, attacks_standing, strangers
from tarnkappe.plan.tables import Made, gates_of, protected_tables, stages_of
from tarnkappe.plan.told_gate import told_gate, told_of_few
from tarnkappe.plan.verdict import less_in_effect, measured_for_policy, standing_of, unsigned
from tarnkappe.randomness import Secret, fresh, look_up, stream
from tarnkappe.spec import Holds, Leaves, Method, TableMeasure
from tarnkappe.spec.step import apply_step, drawn_for, members_apart

PACKAGES = ("numpy", "scipy", "numba", "polars", "pydantic")


def run(plan: Plan, progress: Progress | None = None) -> Run:
    """Protect, measure and judge; the result is complete but not written."""
    progress = progress or Progress()
    refuse_less(plan, keys=False)
    started, clock = datetime.now(UTC), _Clock()
    steps = steps_of(plan)
    book = opened(plan)
    asked = asked_by(plan)
    routine = Routine(usual(plan.release.attackers, asked) if plan.releases_data else ())
    progress.expect_also(3 + len(steps) + len(plan.tables) + len(asked) + len(routine.measures))
    progress.next(Text("reading the data", "Daten werden gelesen"))
    before = prepare(plan, progress)
    refuse_suspects(plan, before)
    registers = read_registers(plan.registers, plan.folder, before)
    refuse_unfit(asked, registers)
    refuse_wrong_kinds([one for one in asked if not needs_book(one)], [step for step, _ in steps], before)
    inputs = input_hashes(plan)
    secret = look_up(plan.secret, plan.folder) if plan.secret else fresh()
    clock.lap("read")
    after, entries, kept, result = apply_steps(
        steps, before, secret, progress, plan.relations, plan.policy.told
    )
    further = made_of_keys(before, after) if plan.releases_data else ()
    after = counted_as_keys(after, further)
    clock.lap("steps")
    made = Made(before, result, after if plan.releases_data else None, stages_of(entries))
    registered = book.tables(before) if book and plan.tables else RegisteredTables()
    tables = tuple(protected_tables(plan, made, secret, progress, registered.patterns))
    clock.lap("tables")
    found = [measured(one, before, after, progress, registers) for one in asked if not needs_book(one)]
    found += measured_with(book, asked, before, after, progress)
    occasion = Occasion(before, after, next(iter(plan.registers), None), drawn=drawn_by(plan))
    routine.take(occasion, progress, asked, registers)
    found += routine.taken
    found += measured_for_policy(plan, occasion, found, routine.left)
    riskiest = exposed(before, after, found) if plan.releases_data else ()
    clock.lap("measures")
    progress.next(Text("attacking the release", "Freigabe wird angegriffen"))
    tried = strangers(plan, before, after, entries, tables)
    clock.lap("attacks")
    progress.next(Text("judging the gates", "Bedingungen werden geprüft"))
    consistency = consistency_of(plan, before, after)
    standing = (*standing_of(plan, found), *attacks_standing(plan, tried))
    releasing = Releasing(plan, before, after, tables)
    gates = (
        *judged(plan, before, after, tuple(found), tables),
        *keys_made_of_keys(further),
        *unsigned(standing),
        *register_gate(book, plan.gates, found),
        *edition_gates(book, releasing, secret, found),
        *registered.gate(tables),
        *told_gate(entries, plan.policy.told),
        *gates_of(tables, made),
        *consistency_gates(consistency),
        *attack_gates(tried),
    )
    clock.lap("gates")
    return Run(
        plan=plan, before=before, after=after, steps=entries, measures=tuple(found), gates=gates, inputs=inputs,
        secret=secret.fingerprint, repeatable=secret.kept, started=started, versions=versions(),
        kept_files=kept | ({FILE: as_rows(riskiest)} if riskiest else {}), seconds=clock.laps, tables=tables,
        unmeasured=without(found, [*routine.left, *on_request()]) if plan.releases_data else (), exposed=riskiest,
        entry=book.entry(releasing, secret, started) if book and len(after) else None, consistency=consistency,
        standing=standing, less=tuple(less_in_effect(plan, before, after, found)), attacks=tried,
    )  # fmt: skip


Kept = dict[str, tuple[tuple[str, ...], list[tuple[str, ...]]]]


def apply_steps(
    steps: Iterable[tuple[Method, bool]],
    data: Microdata,
    secret: Secret,
    progress: Progress,
    declared: Sequence[LinearRelation] = (),
    told: ToldDescription | None = None,
) -> tuple[Microdata, tuple[StepEntry, ...], Kept, Microdata]:
    """The data after all steps and, for tables, after those that the plan names: owners are still there.

    Columns that add up are masked as one, by the relations that are `declared` and those that are found; looked for again when a step made columns.
    """
    entries: list[StepEntry] = []
    result = data
    read = digest_of(data)
    kept: Kept = {}
    used: dict[str, int] = {}
    own = 0  # as the plan counts: without the steps that are implied
    given = list(steps)
    ahead = treated_as_one(given, data, declared)
    progress.expect_also(len(ahead) - len(given))
    for number in count(1):
        if not ahead:
            break
        (method, implied), *ahead = ahead
        progress.next(Text(f"step {number}: {method.title.en}", f"Schritt {number}: {method.title.de}"))
        nth = used[method.id] = used.get(method.id, -1) + 1
        began = time.perf_counter()
        own += not implied
        try:
            drawn = stream(secret, method.id, nth, drawn_for=drawn_for(method, read))
            after = apply_step(method, data, drawn, number)
        except (InputWrong, Refused) as problem:
            if not implied:
                problem.at(f"steps[{own}]")
            raise
        seconds = time.perf_counter() - began
        entry = _entry(number, method, data, after, implied=implied, seconds=seconds)
        entries.append(
            replace(entry, tells_of_few=tuple(told_of_few(entry, data, told or ToldDescription())))
        )
        kept |= {f"{number:02d}-{name}": table for name, table in method.keeps(data, after).items()}
        data = after
        result = result if implied and method.leaves is Leaves.VALUES else data
        if method.leaves is Leaves.DERIVED and not implied:
            ahead = treated_as_one(ahead, data, declared)
    return data, tuple(entries), kept, result


def _entry(
    number: int, method: Method, before: Microdata, after: Microdata, *, implied: bool, seconds: float
) -> StepEntry:
    return StepEntry(
        number=number, method=method, implied=implied, records_before=len(before), records_after=len(after),
        changes=dict(changes(before, after)), claims=tuple(_claims(method)),
        tells=dict(method.tells(before, after)), seconds=seconds,
        remarks=(*method.remarks(before, after), *members_apart(before, after)),
        moves=moved(before, after), after=after,
    )  # fmt: skip


def _claims(method: Method) -> Iterator[ClaimEntry]:
    """`apply_step` has checked what is checked in every run and would have stopped."""
    for side in ("preserves", "protects"):
        for claim in getattr(method, side):
            if claim.applies(method):
                yield ClaimEntry(side, claim.says, claim.holds, True if claim.holds is Holds.ALWAYS else None)


def changes(before: Microdata, after: Microdata) -> Iterator[tuple[str, Change]]:
    """What became of every column that is not the very same one."""
    same_rows = np.array_equal(before.rows, after.rows)
    old, new = before.paired(after)
    for name, column in before.columns.items():
        if name not in after.columns:
            yield name, Change(dropped=True)
        elif after.columns[name] is not column:
            change = _change(old.columns[name], new.columns[name])
            if same_rows or change != Change():
                yield name, change
    yield from ((name, Change(added=True)) for name in after.columns if name not in before.columns)


def _change(old: Column, new: Column) -> Change:
    """Count cells: shown with another value, newly suppressed, newly missing."""
    shown = old.observed & new.observed
    comparable = old.kind is new.kind and new.categories is old.categories
    a, b = (old.values, new.values) if comparable else (old.texts(), new.texts())
    return Change(
        changed=int((a[shown] != b[shown]).sum()),
        suppressed=int((new.suppressed & ~old.suppressed).sum()),
        missing=int((new.missing & ~old.missing).sum()),
    )


def judged(
    plan: Plan,
    before: Microdata,
    after: Microdata,
    found: tuple[MeasureEntry, ...],
    tables: tuple[TableEntry, ...] = (),
) -> Iterator[GateEntry]:
    """Every condition on the data, held against what was found."""
    measured = {(entry.measure, entry.against): entry.after for entry in found}
    for gate in plan.gates:
        if isinstance(gate.measure, TableMeasure):
            yield from (judge(gate, gate.measure.measure(entry.pattern)) for entry in tables)
        else:
            yield judge(gate, measured[gate.measure, gate.against])
    yield from judged_by_default(plan, after, found)
    if plan.releases_data:
        yield something_left(after)
    yield from identifiers_gone(
        before, after if plan.releases_data else None, leaving_texts(plan, after, tables)
    )
    if plan.releases_data:
        yield from substitutes_hold(before, after, (method for method, _ in steps_of(plan)))
        redundant = [name for one in plan.accept if one.what == COMPUTED for name in one.columns]
        yield from nothing_computed(before, after, redundant, plan.relations)


def drawn_by(plan: Plan) -> frozenset[str]:
    """Columns of numbers that steps have drawn in the place of identifiers: nobody can know them."""
    drawing = [method for method, _ in steps_of(plan) if method.takes_identifiers and method.random]
    return frozenset(name for method in drawing for name in method.named_columns())


def versions() -> Versions:
    """Tarnkappe, Python and the packages whose version can move a number."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return Versions(version("tarnkappe"), platform.python_version(), found)


class _Clock:
    """Seconds between laps."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name], self._last = now - self._last, now
