"""Tables of a plan that share cells are one publication: protected together, and audited over all their sums."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tarnkappe.attack.progress import heard_by
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.table_set import groups
from tarnkappe.language import Text
from tarnkappe.plan.changes_by_steps import Left
from tarnkappe.plan.claimed import claims_of
from tarnkappe.plan.ledger import ClaimEntry, TableEntry
from tarnkappe.plan.linked_audit import set_findings, strictest
from tarnkappe.plan.linked_protection import Member, protect_linked, suppressing
from tarnkappe.plan.measure_relations import MeasureRelation
from tarnkappe.plan.model import TablePlan
from tarnkappe.plan.one_system import Done, one_system
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.unseen import Laid
from tarnkappe.randomness import Stream
from tarnkappe.spec import TableMeasure


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """A table of a plan with the cells that its rules mark."""

    plan: TablePlan
    pattern: Pattern
    stream: Stream | None
    seconds: float
    data: Microdata | None = None
    """The records it is made of; None: it comes from a file of cells."""

    @property
    def laid(self) -> Laid:
        return Laid(self.pattern, self.data, self.plan, self.plan.described.value)


def entries(
    begun: Sequence[Begun],
    published: Sequence[Pattern] = (),
    progress: Progress | None = None,
    relations: Sequence[MeasureRelation] = (),
    left: Left | None = None,
) -> list[TableEntry]:
    """Every table protected and audited, those that share cells or are tied otherwise together; `published` ones do not change any more."""
    progress = progress or Progress()
    with heard_by(progress.within):
        alone = _entries(begun, published, progress)
        done = [
            Done(entry, b.pattern, Member(b.plan.protect, b.stream), b.data)
            for b, entry in zip(begun, alone, strict=True)
            if b.plan.described.unlinked is None
        ]
        tied = {
            entry.name: entry for entry in one_system(done, published, relations, left or Left(), progress)
        }
        return [tied.get(entry.name, entry) for entry in alone]


def _entries(begun: Sequence[Begun], published: Sequence[Pattern], progress: Progress) -> list[TableEntry]:
    linked = [b for b in begun if b.plan.described.unlinked is None]
    apart = [b for b in begun if b.plan.described.unlinked is not None]
    done = {b.plan.described.name: _alone(b, progress) for b in apart}
    tables = [b.pattern.table for b in linked] + [p.table for p in published]
    for group in groups(tables):
        mine = [linked[i] for i in group if i < len(linked)]
        others = [published[i - len(linked)] for i in group if i >= len(linked)]
        if len(group) == 1 and mine:
            done[mine[0].plan.described.name] = _alone(mine[0], progress)
        elif mine:
            done |= {entry.name: entry for entry in _together(mine, others, progress)}
    return [done[b.plan.described.name] for b in begun]


def _alone(begun: Begun, progress: Progress) -> TableEntry:
    began, method, pattern = time.perf_counter(), begun.plan.protect, begun.pattern
    name = begun.plan.described.name
    progress.within(Text(f"table {name}: protection and audit", f"Tabelle {name}: Schutz und Nachprüfung"))
    after: Pattern = pattern
    claims: tuple[ClaimEntry, ...] = ()
    if method and begun.stream:
        after, claims = protected_alone(pattern, Member(method, begun.stream), begun.plan.audit)
    finding = begun.plan.audit.measure(after)
    return TableEntry(begun.plan, after, finding, claims, begun.seconds + time.perf_counter() - began)


def protected_alone(
    pattern: Pattern, member: Member, audit: TableMeasure
) -> tuple[Pattern, tuple[ClaimEntry, ...]]:
    """A table protected by itself, against an attacker who knows as much beforehand as the audit supposes; and the claims."""
    method, stream = member
    assert method is not None, "there is a method"
    assert stream is not None, "it may draw"
    known = pattern.known_within(audit.attacker().prior) if method.suppresses else pattern
    after = method.protect(known, stream)
    claims = tuple(claims_of(method, known, after))
    return (after if known is pattern else replace(after, low=pattern.low, high=pattern.high)), claims


def _together(begun: Sequence[Begun], published: Sequence[Pattern], progress: Progress) -> list[TableEntry]:
    began = time.perf_counter()
    start = PatternSet((*(b.pattern for b in begun), *published)).aligned()
    members = [*(Member(b.plan.protect, b.stream) for b in begun), *(Member(None) for _ in published)]
    audits = [b.plan.audit for b in begun]
    after = protected_set(start, members, audits, progress)
    progress.within(Text("linked tables: audit", "verknüpfte Tabellen: Nachprüfung"))
    findings = set_findings(after, audits)
    shared = (time.perf_counter() - began) / len(begun)
    return [
        TableEntry(
            b.plan, now, found,
            tuple(claims_of(b.plan.protect, before, now)) if b.plan.protect else (),
            b.seconds + shared,
        )
        for b, before, now, found in zip(begun, start.patterns, after.patterns, findings, strict=False)
    ]  # fmt: skip


def protected_set(
    start: PatternSet,
    members: Sequence[Member],
    audits: Sequence[TableMeasure],
    progress: Progress | None = None,
) -> PatternSet:
    """An aligned set, protected by the methods of its tables."""
    methods = [member.method for member in members]
    if not any(methods):
        return start
    if not suppressing(methods):
        return _each(start, members)
    return protect_linked(start, members, strictest(audits), progress)


def _each(start: PatternSet, members: Sequence[Member]) -> PatternSet:
    """Methods that change values cannot be brought into line: shared cells must come out the same by themselves."""
    done = []
    for pattern, (method, stream) in zip(start.patterns, members, strict=True):
        now = method.protect(pattern, stream) if method and stream else pattern
        measured = replace(now.table, measure=pattern.table.measure)
        done.append(now if now.table.measure == measured.measure else replace(now, table=measured))
    after = PatternSet(tuple(done))
    after.refuse_differences()
    return after
