"""All tables of one source are one system: tied by measures that add up, by dimensions that follow from each other, by what was merged.

Tables are first protected as their shared cells ask for it. Then everything that ties them further is put beside their sums, and all are
attacked together; where that finds something, further cells are hidden, until it finds nothing. Tables that nothing else ties
are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.data.groupings import Grouped, tie_groupings
from tarnkappe.data.measure_ties import tie_limits, tie_measures
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.table_set import TableSet, groups
from tarnkappe.data.ties import TieBuilder, Ties
from tarnkappe.language import Text
from tarnkappe.plan.changes_by_steps import Left, changes_by_steps, sums_of_records
from tarnkappe.plan.claimed import claims_of
from tarnkappe.plan.earlier_tables import with_records
from tarnkappe.plan.ledger import TableEntry
from tarnkappe.plan.linked_audit import set_findings, strictest
from tarnkappe.plan.linked_protection import Member, protect_further
from tarnkappe.plan.measure_relations import MeasureRelation
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.related import Related, related
from tarnkappe.plan.size_classes import size_classes
from tarnkappe.plan.unseen import Laid, hidden_everywhere, implied, merged_before

_DOING = Text(
    "tables tied by measures and dimensions: attacked together",
    "durch Merkmale und Dimensionen verbundene Tabellen: gemeinsam angegriffen",
)


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """A table that was protected as its shared cells ask for it, and what it was before."""

    entry: TableEntry
    before: Pattern
    member: Member
    data: Microdata | None
    """The records it was made of; None: it came from a file of cells."""

    @property
    def laid(self) -> Laid:
        return Laid(self.entry.pattern, self.data, self.entry.plan, self.entry.plan.described.value)


def one_system(
    done: Sequence[Done],
    published: Sequence[Pattern],
    relations: Sequence[MeasureRelation],
    left: Left,
    progress: Progress,
) -> list[TableEntry]:
    """The tables, further protected where what ties them gives something away."""
    tables = [d.laid for d in done]
    sums = list(sums_of_records(tables, left.released))
    earlier = [*(with_records(p, tables) for p in published), *sums]
    changes = list(changes_by_steps([*tables, *sums], left.stages))
    unseen = [
        *merged_before(tables, [d.before for d in done]),
        *implied([*tables, *earlier], relations),
        *(change for change, _ in changes),
    ]
    relations = [*relations, *(relation for _, relation in changes)]
    every = _Every([*tables, *earlier, *unseen], len(unseen), relations)
    starts = [*(_start(d) for d in done), *(laid.pattern for laid in earlier)]
    out = [d.entry for d in done]
    for part in every.parts():
        mine = [number for number in part if number < len(done)]
        system = every.system(part, starts) if mine else None
        if system is not None:
            for number, entry in zip(mine, _together([done[i] for i in mine], system, progress), strict=True):
                out[number] = entry
    return out


class _Every:
    """All tables that there are: those of the plan first, then published ones, then those that nobody sees; and what may tie them."""

    def __init__(self, tables: Sequence[Laid], unseen: int, relations: Sequence[MeasureRelation]) -> None:
        self.tables, self.relations = tables, relations
        self.published = len(tables) - unseen
        self.related: dict[int, Related] = {}
        self.classes = list(size_classes(tables))

    def parts(self) -> Iterator[list[int]]:
        """The tables that something ties beyond shared cells, with all that share cells with them."""
        ties = [*self._by_measures(), *self._by_dimensions()]
        if not ties:
            return
        shared = groups([laid.pattern.table for laid in self.tables[: self.published]])
        joined = [*ties, *((part[0], other) for part in shared for other in part)]
        one, other = np.array(joined).T
        size = len(self.tables)
        graph = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(size, size))
        label = connected_components(graph, directed=False)[1]
        for part in dict.fromkeys(label[[tie[0] for tie in ties]].tolist()):
            yield np.flatnonzero(label == part).tolist()

    def _by_measures(self) -> Iterator[tuple[int, int]]:
        for relation in self.relations:
            tied = [i for i, laid in enumerate(self.tables) if laid.measure in relation.terms]
            yield from ((tied[0], other) for other in tied[1:])
        for classes in self.classes:
            tied = [
                i for i, laid in enumerate(self.tables) if laid.measure in (classes.measure, classes.count)
            ]
            yield from ((tied[0], other) for other in tied[1:])

    def _by_dimensions(self) -> Iterator[tuple[int, int]]:
        for (i, one), (j, other) in combinations(enumerate(self.tables), 2):
            if self._along(one, other) is not None:
                yield i, j

    def _along(self, one: Laid, other: Laid) -> tuple[set[str], set[str]] | None:
        """The dimensions along which two tables of one measure and the same records tell something of each other."""
        if one.measure != other.measure or one.data is None or one.data is not other.data:
            return None
        if set(one.by) == set(other.by) and not (one.pattern.table.merged or other.pattern.table.merged):
            return None
        if id(one.data) not in self.related:
            names = [name for laid in self.tables if laid.data is one.data for name in laid.by]
            self.related[id(one.data)] = related(one.data, names)
        return self.related[id(one.data)].along(one.pattern.table, other.pattern.table)

    def system(self, part: Sequence[int], starts: Sequence[Pattern]) -> PatternSet | None:
        """The tables of a part with what ties them, before they are protected; None where nothing does after all."""
        unseen = [number for number in part if number >= self.published]
        seen = [number for number in part if number < self.published]
        patterns = [starts[number] for number in seen]
        blank = PatternSet((*patterns, *(self.tables[number].pattern for number in unseen)))
        shown = np.zeros(len(blank), dtype=np.bool_)
        for cells in blank.tables.numbers[: len(seen)]:
            shown[cells] = True
        hidden = [
            hidden_everywhere(p, ~shown[cells])
            for p, cells in zip(blank.patterns[len(seen) :], blank.tables.numbers[len(seen) :], strict=True)
        ]
        ties = self._ties([self.tables[number] for number in part], blank.tables)
        if ties is None:
            return None
        whole = replace(
            blank, patterns=(*patterns, *hidden), given=blank.tables, ties=ties, unseen=len(unseen)
        )
        return whole.aligned()

    def _ties(self, laid: Sequence[Laid], tables: TableSet) -> Ties | None:
        builder = TieBuilder(tables.value)
        for relation in self.relations:
            if relation.equation:
                tie_measures(builder, tables, relation.terms)
            elif all(any(one.measure == name for one in laid) for name in relation.terms):
                tie_limits(builder, tables, relation.terms)
        for classes in self.classes:
            classes.tie(builder, tables)
        records = [one.records() for one in laid]
        for (i, one), (j, other) in combinations(enumerate(laid), 2):
            along, mine, theirs = self._along(one, other), records[i], records[j]
            if along is None or mine is None or theirs is None:
                continue
            cells = (
                Grouped(tables.tables[i], mine, tables.numbers[i]).cell_of_records(along[0]),
                Grouped(tables.tables[j], theirs, tables.numbers[j]).cell_of_records(along[1]),
            )
            there = mine.there & theirs.there
            tie_groupings(
                builder, cells[0][there], cells[1][there], mine.amount[there], counts=tables.tables[i].counts
            )
        return builder.built()


def _start(one: Done) -> Pattern:
    """What a table was before it was protected, with what its method requires; methods that do not suppress have had their say."""
    method, after = one.member.method, one.entry.pattern
    if method is None or not method.suppresses:
        return after
    before = method.requires(one.before)
    return replace(before, span=np.where(before.primary, np.maximum(before.span, after.span), before.span))


def _together(done: Sequence[Done], start: PatternSet, progress: Progress) -> list[TableEntry]:
    """The tables of a part, with further cells hidden where the attack over everything finds something."""
    progress.within(_DOING)
    audits = [one.entry.plan.audit for one in done]
    free = [
        one.member if one.member.method is not None and one.member.method.suppresses else Member(None)
        for one in done
    ]
    members = [*free, *(Member(None) for _ in range(len(start.patterns) - len(done)))]
    hidden = np.zeros(len(start), dtype=np.bool_)
    for one, cells in zip(done, start.tables.numbers, strict=False):
        hidden[cells[one.entry.pattern.suppressed]] = True
    after = protect_further(start, members, strictest(audits), hidden, progress)
    return [
        replace(
            one.entry, pattern=now, audit=found,
            claims=one.entry.claims if one.member.method is None else tuple(claims_of(one.member.method, one.before, now)),
        )
        for one, now, found in zip(done, after.patterns, set_findings(after, audits), strict=False)
    ]  # fmt: skip
