"""Tables that were published earlier and share cells with those of the plan: they do not change any more.

Their suppressed cells need values to compute with. They come from the internal files of the release or from the tables of the
plan; where neither has them, any values that fit all published sums do: the attacker's interval is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.completion import completed
from tarnkappe.attack.foreign import Found, audit
from tarnkappe.attack.insiders import LEAST
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.pattern_set import as_published
from tarnkappe.data.system import System, system_of
from tarnkappe.data.system_set import linked_system
from tarnkappe.data.table import Table
from tarnkappe.errors.linked import PublishedShareNothing
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.published import PublishedFile
from tarnkappe.io.released import released_tables
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.plan.earlier_tables import with_records
from tarnkappe.plan.hierarchies import dimension
from tarnkappe.plan.model import PublishedDescription
from tarnkappe.plan.unseen import Laid
from tarnkappe.solve.highs import Highs

FITS = 1e-6
"""Values that were found to fit add up to this share."""
EARLIER = Text("suppressed in an earlier publication", "in einer früheren Veröffentlichung gesperrt")


@dataclass(frozen=True, slots=True, eq=False)
class _Out:
    """A table that is out."""

    name: str
    measure: str
    system: System
    pattern: Pattern | None
    """With its true values, where they are known."""


def published_patterns(
    described: Sequence[PublishedDescription], tables: Sequence[Table], folder: Path
) -> list[Pattern]:
    """The earlier tables, to be taken together with new ones."""
    out = [table for said in described for table in _read(said, folder)]
    blank = [table for table in out if table.pattern is None]
    known = [*tables, *(t.pattern.table for t in out if t.pattern is not None)]
    made = iter(_completed(blank, known))
    patterns = [next(made) if t.pattern is None else t.pattern for t in out]
    return [as_published(p) for p in patterns]


def _read(said: PublishedDescription, folder: Path) -> Iterator[_Out]:
    if said.release is not None:
        home = inside(folder, said.release)
        for table in released_tables(home):
            pattern = table.pattern(home)
            measure = said.measure or table.measure or ""
            if pattern is not None:
                pattern = replace(pattern, table=replace(pattern.table, measure=measure))
            yield _Out(table.name, measure, table.system(home), pattern)
    if said.file is not None:
        path = inside(folder, said.file)
        file = PublishedFile(
            path, said.by, said.value, said.status, signed=said.signed,
            options=ReadOptions(missing=said.missing, encoding=said.encoding, separator=said.separator, decimal=said.decimal),
        )  # fmt: skip
        cells = file.read()
        trees = {name: dimension(said.hierarchies.get(name), name, cells, folder) for name in said.by}
        yield _Out(path.stem, said.measure or said.value, file.system(cells, trees), None)


def _completed(blank: Sequence[_Out], known: Sequence[Table]) -> Iterator[Pattern]:
    """Tables without values under their suppressed cells, with values that fit everything that is known."""
    if not blank:
        return
    systems = [*(t.system for t in blank), *(system_of(Pattern(t)) for t in known)]
    whole, numbers = linked_system(systems, [*(t.measure for t in blank), *(t.measure for t in known)])
    value = completed(whole, FITS, Highs()).value
    alone, own = linked_system([t.system for t in blank], [t.measure for t in blank])
    computable = _known_already(audit(alone, quick=True))
    for table, cells, mine in zip(blank, numbers, own, strict=False):
        yield _pattern(table, value[cells], computable[mine])


def _known_already(found: Found) -> Bools:
    """Suppressed cells that the earlier tables alone tell as good as exactly."""
    width = found.intervals.high - found.intervals.low
    return found.disclosed | (width <= 2 * LEAST * sizes(found.system.value))


def _pattern(out: _Out, value: Floats, computable: Bools) -> Pattern:
    """Suppressed cells must stay in doubt, unless the earlier tables alone give them away; no more is asked of them."""
    system = out.system
    assert system.nodes is not None
    table = Table(out.name, system.trees, system.nodes, value, tolerance=FITS, measure=out.measure)
    row = table.find(system.nodes)
    status = np.zeros(len(table), dtype=np.uint8)
    status[row] = np.where(
        system.suppressed & ~computable,
        Status.PRIMARY,
        np.where(system.hidden, Status.SECONDARY, Status.OPEN),
    )
    low, high = np.empty(len(table)), np.empty(len(table))
    low[row], high[row] = np.minimum(system.low, value), np.maximum(system.high, value)
    reason = (status != Status.OPEN).astype(np.int32)
    span = np.where(status == Status.PRIMARY, LEAST * sizes(table.value), 0.0)
    return Pattern(
        table, status=status, reason=reason, reasons=(NOTHING, EARLIER), low=low, high=high, span=span
    )


def refuse_strangers(published: Sequence[Pattern], tables: Sequence[Laid]) -> None:
    """Raise where an earlier table that a plan names shares nothing with its tables, or shares codes under another name: a column was renamed.

    What was made of the same records has its own place in them: nothing was renamed, and whatever it shares is found.
    """
    trees = {tree.name: set(tree.codes.tolist()) for t in tables for tree in t.pattern.table.dimensions}
    for pattern in published if tables else ():
        own = {tree.name: set(tree.codes.tolist()) for tree in pattern.table.dimensions}
        alike = any(t.measure == pattern.table.measure and own.keys() & set(t.by) for t in tables)
        renamed = any(
            name not in trees and 2 * len(codes & other) > max(len(codes), len(other))
            for name, codes in own.items()
            for new, other in trees.items()
            if new not in own
        )
        if (not alike or renamed) and with_records(pattern, tables).data is None:
            raise PublishedShareNothing(
                name=pattern.table.name, measure=pattern.table.measure, by=listed(sorted(own))
            )
