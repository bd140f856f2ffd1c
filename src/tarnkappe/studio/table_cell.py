"""One cell in words: what it is, why, who contributes, what it needs, what an attacker finds, and what gives it away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import Contributions
from tarnkappe.language import Text
from tarnkappe.report.audits import leaks
from tarnkappe.report.grids import named
from tarnkappe.report.numbers import decimals_of, grouped, percent, shown
from tarnkappe.studio.table_view import range_of
from tarnkappe.studio.tasks.table import MarkedTable

_NOT_YET = Text(
    "Not known yet: protect and audit the table first.",
    "Noch nicht bekannt: Tabelle erst schützen und prüfen.",
)
_FINDS = Text("{low} to {high}", "{low} bis {high}")
_AT_BEST = Text("at best {low} to {high}", "bestenfalls {low} bis {high}")
_EXACTLY = Text("the exact value", "den genauen Wert")
_OPEN = Text("the value: it is published", "den Wert: er wird veröffentlicht")
_NEEDS = Text("{low} below, {high} above the value", "{low} unter, {high} über dem Wert")
_WIDE = Text("an interval {span} of the value wide", "ein Intervall von {span} des Werts Breite")
_MARKS = {
    Mark.KEEP: Text("keep open", "offen halten"),
    Mark.SUPPRESS: Text("suppress", "sperren"),
    Mark.PUBLISHED: Text("published already", "schon veröffentlicht"),
    Mark.ZERO: Text("structural zero", "strukturelle Null"),
    Mark.SAFE: Text("safe whatever the rules say", "sicher, was die Regeln auch sagen"),
}


@dataclass(frozen=True, slots=True)
class CellFacts:
    """What the side panel says of a cell; what must be asked for stands apart."""

    codes: tuple[tuple[str, str], ...]
    """Dimension and code with its label."""
    status: Status
    value: Text
    """Empty where it is suppressed."""
    hidden_value: Text
    """The value under a suppressed cell; shown on request only."""
    because: tuple[Text, ...]
    contributors: int | None
    owners: int | None
    shares: tuple[Text, ...]
    """Shares of the largest contributions; shown on request only."""
    needs: Text
    finds: Text
    leaks: bool
    proof: tuple[Text, ...]
    mark: Text
    """What the office has decided; empty where nothing."""


def facts_of(table: MarkedTable, cell: int) -> CellFacts:
    """Everything about one cell."""
    pattern = table.pattern
    status = Status(pattern.status[cell])
    hidden = bool(pattern.suppressed[cell])
    kept, owners = pattern.table.contributions, pattern.table.owners
    value = _value(pattern, cell)
    leaking = table.audit is not None and bool(_leaks(table)[cell])
    return CellFacts(
        codes=tuple(
            (tree.name, named(tree, int(node)))
            for tree, node in zip(pattern.table.dimensions, pattern.table.cells[cell], strict=True)
        ),
        status=status,
        value=Text("", "") if hidden else value,
        hidden_value=_true(pattern, cell) if hidden else Text("", ""),
        because=tuple(_because(table, cell)),
        contributors=None if kept is None else int(kept.count[cell]),
        owners=None if owners is None else int(owners.count[cell]),
        shares=tuple(_shares(pattern, owners or kept, cell)),
        needs=_required(pattern, cell),
        finds=_found(table, cell),
        leaks=leaking,
        proof=tuple(_proof(table, cell)) if leaking else (),
        mark=_MARKS.get(Mark(pattern.mark[cell]), Text("", "")),
    )


def _value(pattern: Pattern, cell: int) -> Text:
    if pattern.status[cell] == Status.RANGE:
        return range_of(pattern, cell)
    values = pattern.table.value if pattern.shown is None else pattern.shown
    return grouped(float(values[cell]), decimals_of(values))


def _true(pattern: Pattern, cell: int) -> Text:
    return grouped(float(pattern.table.value[cell]), decimals_of(pattern.table.value))


def _because(table: MarkedTable, cell: int) -> Iterator[Text]:
    """Every rule that marks the cell; for others the reason that the protector gave."""
    pattern = table.pattern
    said = [because for because, cells in table.rules if cells[cell]]
    own = pattern.because(cell)
    if pattern.primary[cell] and said and Mark(pattern.mark[cell]) is not Mark.SUPPRESS:
        yield from said
    elif own:
        yield own


def _shares(pattern: Pattern, kept: Contributions | None, cell: int) -> Iterator[Text]:
    if kept is None:
        return
    size = float(abs(pattern.table.value[cell]) if kept.size is None else kept.size[cell])
    for part in kept.largest[cell]:
        if part and size:
            yield percent(abs(float(part)) / size)


def _required(pattern: Pattern, cell: int) -> Text:
    size = abs(float(pattern.table.value[cell]))
    low, high, span = (float(need[cell]) for need in (pattern.lower, pattern.upper, pattern.span))
    if not size or not (low or high or span):
        return Text("", "")
    width = _WIDE.filled(span=percent(span / size, 2))
    if not (low or high):
        return width
    sides = _NEEDS.filled(low=percent(low / size, 2), high=percent(high / size, 2))
    return sides if not span else Text(f"{sides.en}; {width.en}", f"{sides.de}; {width.de}")


def _leaks(table: MarkedTable) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    assert table.audit is not None, "there is an audit"
    return np.asarray(table.audit.per_cell.get("leaks", np.zeros(len(table.pattern.table), np.bool_)))


def _found(table: MarkedTable, cell: int) -> Text:
    if table.pattern.status[cell] == Status.OPEN:
        return _OPEN
    if table.audit is None or not {"low", "high"} <= set(table.audit.per_cell):
        return _NOT_YET
    found = table.audit.per_cell
    low, high = float(found["low"][cell]), float(found["high"][cell])
    exact = bool(found["exact"][cell]) if "exact" in found else False
    if exact and low == high:
        return _EXACTLY
    says = _FINDS if exact else _AT_BEST
    return says.filled(low=shown(low, 4), high=shown(high, 4))


def _proof(table: MarkedTable, cell: int) -> Iterator[Text]:
    """The sums that give the cell away, as the audit lists them."""
    assert table.audit is not None, "there is an audit"
    spelt = table.pattern.table.spelt(cell)
    for part in ("leaks", "insiders"):
        mine = [one for one in table.audit.details.get(part, ()) if one["cell"] == spelt]
        yield from leaks({part: mine})
