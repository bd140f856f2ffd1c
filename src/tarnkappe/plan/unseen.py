"""Tables that nobody publishes and that others tell: a measure that follows from two published ones, categories before they were merged.

Their cells are hidden from the start. What the rules would hide of them must not follow from what is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.column import Bools
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.tabulate import LaidRecords, laid_records, tabulate
from tarnkappe.language import Text
from tarnkappe.plan.measure_relations import MeasureRelation
from tarnkappe.plan.model import TablePlan

LARGEST = 3
_UNSEEN = Text("stands in no table", "steht in keiner Tabelle")


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A table with the records behind it, where it has any: one that is published, or one that nobody sees."""

    pattern: Pattern
    data: Microdata | None = None
    plan: TablePlan | None = None
    value: str | None = None
    earlier: bool = False
    """It was published before this plan, by hierarchies of its own."""
    weighted: bool = True

    @property
    def measure(self) -> str:
        return self.pattern.table.measure

    @property
    def by(self) -> tuple[str, ...]:
        return tuple(tree.name for tree in self.pattern.table.dimensions)

    def records(self) -> LaidRecords | None:
        if self.data is not None and self.earlier:
            shaped = shaped_by(self.data, self.pattern.table.dimensions)
            return laid_records(shaped, self.by, self.value, weighted=self.weighted)
        if self.data is None or self.plan is None:
            return None
        return laid_records(self.data, self.by, self.value, weighted=self.plan.described.weighted)


def shaped_by(data: Microdata, trees: Sequence[Hierarchy]) -> Microdata:
    """The records with the hierarchies of a table."""
    return data.with_columns({tree.name: replace(data.column(tree.name), hierarchy=tree) for tree in trees})


def merged_before(tables: Sequence[Laid], begun: Sequence[Pattern]) -> Iterator[Laid]:
    """The tables whose categories were merged, as they were before."""
    for laid, before in zip(tables, begun, strict=True):
        if laid.pattern.table.merged and laid.plan is not None and laid.plan.protect is not None:
            pattern = laid.plan.protect.confidential(before)
            renamed = pattern.table.renamed(f"{pattern.table.name} (…)")
            yield replace(laid, pattern=replace(pattern, table=renamed))


def implied(tables: Sequence[Laid], relations: Sequence[MeasureRelation]) -> Iterator[Laid]:
    """For every equation between measures and every set of dimensions in which one of them is tabulated, the others."""
    made = {(laid.measure, frozenset(laid.by)) for laid in tables}
    published = {laid.measure for laid in tables}
    for relation in relations:
        for laid in tables if relation.equation else ():
            if laid.measure not in relation.terms or laid.data is None or laid.plan is None:
                continue
            for measure, column in relation.columns.items():
                if (measure, frozenset(laid.by)) not in made and (
                    column is None or column in laid.data.columns
                ):
                    made.add((measure, frozenset(laid.by)))
                    yield _tabulated(laid, laid.plan, measure, column, rules=measure not in published)


def _tabulated(like: Laid, plan: TablePlan, measure: str, column: str | None, *, rules: bool) -> Laid:
    """Another measure by the dimensions of a table; with `rules` those of the table mark its cells."""
    assert like.data is not None
    name = f"{measure or '#'} ({plan.described.name})"
    table = tabulate(like.data, like.by, column, name=name, largest=LARGEST, weighted=plan.described.weighted)
    pattern = Pattern(replace(table, measure=measure))
    for rule in plan.rules if rules else ():
        found = rule.mark(pattern.table)
        pattern = pattern.marked(found if plan.protect is None else plan.protect.asks(found, pattern.table))
    return Laid(pattern, like.data, plan, column)


def hidden_everywhere(pattern: Pattern, unseen: Bools) -> Pattern:
    """Nobody sees these cells of it; of the others, which published tables have, it asks nothing."""
    marked = pattern.primary & unseen
    kind = np.where(marked, np.uint8(Status.PRIMARY), np.uint8(Status.SECONDARY))
    reason = np.where(marked, pattern.reason, np.int32(len(pattern.reasons)))
    lower, upper, span = (
        np.where(marked, need, 0.0) for need in (pattern.lower, pattern.upper, pattern.span)
    )
    return replace(
        pattern, status=np.where(unseen, kind, np.uint8(Status.OPEN)), reason=np.where(unseen, reason, np.int32(0)),
        reasons=(*pattern.reasons, _UNSEEN), lower=lower, upper=upper, span=span,
    )  # fmt: skip
