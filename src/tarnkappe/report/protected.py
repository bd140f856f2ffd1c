"""Protected tables as the pages show them: everything for the office, the published view for everybody else.

No page shows the value of a suppressed cell, not even the internal one: it says why a cell is suppressed, what protection it
needs as a share of its value, and the attacker's interval, rounded outwards. The values stand in internal/tables/.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.language import Text, same
from tarnkappe.plan.ledger import ClaimEntry, TableEntry
from tarnkappe.report.audits import LEAKS, leaks, linked, proven
from tarnkappe.report.axes import SMALLEST
from tarnkappe.report.grids import Cell, Grid, Writer, grid, measure_of
from tarnkappe.report.numbers import decimals_of, grouped, percent, shown
from tarnkappe.report.steps import Used, used
from tarnkappe.report.table_notes import office_notes, public_notes
from tarnkappe.spec import TableMethod

HIDDEN, PRIMARY, SECONDARY = same("×"), same("■"), same("□")
_KINDS = {
    Status.PRIMARY: Text("primary: {why}", "primär: {why}"),
    Status.SECONDARY: Text("secondary: {why}", "sekundär: {why}"),
    Status.ROUNDED: Text("rounded: {why}", "gerundet: {why}"),
    Status.PERTURBED: Text("noise added: {why}", "überlagert: {why}"),
    Status.RANGE: Text("as a range: {why}", "als Spanne: {why}"),
}
_NEEDS = Text("needs {low} below, {high} above", "braucht {low} nach unten, {high} nach oben")
_WIDE = Text(
    "needs an interval {span} of the value wide", "braucht ein Intervall von {span} des Werts Breite"
)
_FINDS = Text("an attacker finds {low} to {high}", "ein Angreifer findet {low} bis {high}")
_FINDS_MORE = Text(
    "an attacker finds at best {low} to {high}", "ein Angreifer findet bestenfalls {low} bis {high}"
)
_SUPPRESSED = Text("Cells were suppressed to protect.", "Zellen wurden zum Schutz gesperrt.")
_UNCHANGED = Text("Published as it is.", "Unverändert veröffentlicht.")
_SIGNS = {Status.ROUNDED: "≈", Status.PERTURBED: "~"}
_STATES = {
    Status.OPEN: Text("open", "offen"),
    Status.PRIMARY: Text("primary", "primär gesperrt"),
    Status.SECONDARY: Text("secondary", "sekundär gesperrt"),
    Status.ROUNDED: Text("rounded", "gerundet"),
    Status.PERTURBED: Text("with noise", "überlagert"),
    Status.RANGE: Text("as a range", "als Spanne"),
}


@dataclass(frozen=True, slots=True)
class Level:
    """What was lost on one level of aggregation."""

    name: Text
    cells: int
    primary: float
    secondary: float
    """Shares of the cells."""
    value: float | None
    """Share of the sizes of the cells; None where it would stand for one or two of them."""

    @property
    def suppressed(self) -> float:
        return self.primary + self.secondary


@dataclass(frozen=True, slots=True)
class OfficeView:
    """One table for the report."""

    entry: TableEntry
    measure: Text
    notes: tuple[Text, ...]
    dimensions: tuple[Hierarchy, ...]
    states: tuple[tuple[Text, int], ...]
    rules: tuple[Used, ...]
    protect: Used | None
    audit: Used
    levels: tuple[Level, ...]
    proven: tuple[tuple[Text, int], ...]
    leaks: tuple[Text, ...]
    linked: tuple[Text, ...]
    grid: Grid
    signs: tuple[tuple[str, Text], ...]

    @property
    def held(self) -> bool:
        return bool(self.entry.audit.value) and self.entry.audit.trusted

    def claims(self, side: str) -> list[ClaimEntry]:
        return [claim for claim in self.entry.claims if claim.side == side]


@dataclass(frozen=True, slots=True)
class PublicView:
    """One table for everybody."""

    name: str
    measure: Text
    notes: tuple[Text, ...]
    dimensions: tuple[Hierarchy, ...]
    grid: Grid
    signs: tuple[tuple[str, Text], ...]
    method: TableMethod | None
    does: Text
    """What was done, in kind."""


def office_view(entry: TableEntry) -> OfficeView:
    """Everything about a table but the values under its suppressed cells."""
    pattern, found = entry.pattern, entry.audit.details
    counts = np.bincount(pattern.status, minlength=len(Status))
    states = ((_STATES[s], int(counts[s])) for s in Status if counts[s] or s <= Status.SECONDARY)
    return OfficeView(
        entry, measure_of(entry.plan.described.value), office_notes(entry), pattern.table.dimensions, tuple(states),
        tuple(used(rule) for rule in entry.plan.rules), used(entry.plan.protect) if entry.plan.protect else None,
        used(entry.plan.audit), tuple(_levels(pattern)), tuple(proven(found)), tuple(leaks(found)),
        tuple(linked(found, entry.plan.described.unlinked)), grid(pattern.table, _for_the_office(entry)), tuple(_office_signs(pattern)),
    )  # fmt: skip


def public_view(entry: TableEntry) -> PublicView:
    """What is published, and nothing of how it came about."""
    pattern, protect = entry.pattern, entry.plan.protect
    return PublicView(
        entry.name, measure_of(entry.plan.described.value), public_notes(entry), pattern.table.dimensions,
        grid(pattern.table, _published(pattern)), tuple(_public_signs(pattern)), protect,
        protect.does if protect else _SUPPRESSED if pattern.suppressed.any() else _UNCHANGED,
    )  # fmt: skip


# -- cells ----------------------------------------------------------------------------------------------------------


def _published(pattern: Pattern) -> Writer:
    """Values, ranges, and one sign for whatever is suppressed."""
    values = pattern.table.value if pattern.shown is None else pattern.shown
    bare = pattern.suppressed | (pattern.status == Status.RANGE)
    decimals = decimals_of(values[~bare])
    mixed = len(np.unique(pattern.status[~pattern.suppressed])) > 1

    def write(cell: int) -> Cell:
        status = Status(pattern.status[cell])
        if status in (Status.PRIMARY, Status.SECONDARY):
            return Cell(HIDDEN, "hidden")
        if status is Status.RANGE:
            return Cell(_range(pattern, cell), "range")
        text = grouped(float(values[cell]), decimals)
        sign = _SIGNS.get(status, "") if mixed else ""
        return Cell(Text(sign + text.en, sign + text.de), status.name.lower() if sign else "")

    return write


def _range(pattern: Pattern, cell: int) -> Text:
    assert pattern.shown_low is not None
    assert pattern.shown_high is not None
    low, high = shown(float(pattern.shown_low[cell]), 4), shown(float(pattern.shown_high[cell]), 4)
    return low if low == high else Text(f"{low.en}–{high.en}", f"{low.de}–{high.de}")


def _for_the_office(entry: TableEntry) -> Writer:
    """The published view, with the kind of suppression and the reason of everything that is not plainly open."""
    pattern, published = entry.pattern, _published(entry.pattern)
    leaking: Bools = entry.audit.per_cell.get("leaks", np.zeros(len(pattern.table), dtype=np.bool_))

    def write(cell: int) -> Cell:
        status = Status(pattern.status[cell])
        if status is Status.OPEN:
            return published(cell)
        why = tuple(_why(entry, cell, known=bool(leaking[cell])))
        mark = " leak" if leaking[cell] else ""
        if status is Status.PRIMARY:
            return Cell(PRIMARY, "primary" + mark, why)
        if status is Status.SECONDARY:
            return Cell(SECONDARY, "secondary" + mark, why)
        plain = published(cell)
        return Cell(plain.says, plain.kind, why)

    return write


def _why(entry: TableEntry, cell: int, *, known: bool) -> Iterator[Text]:
    pattern, status = entry.pattern, Status(entry.pattern.status[cell])
    yield _KINDS[status].filled(why=pattern.because(cell))
    size = abs(float(pattern.table.value[cell]))
    if status is Status.PRIMARY and size:
        low, high = (percent(float(side[cell]) / size, 2) for side in (pattern.lower, pattern.upper))
        if pattern.lower[cell] or pattern.upper[cell] or not pattern.span[cell]:
            yield _NEEDS.filled(low=low, high=high)
        if pattern.span[cell]:
            yield _WIDE.filled(span=percent(float(pattern.span[cell]) / size, 2))
    if not pattern.suppressed[cell]:
        return
    if known:
        yield LEAKS
    elif {"low", "high"} <= set(entry.audit.per_cell):
        found = entry.audit.per_cell
        low, high = (shown(_outward(found[side], cell, up=side == "high")) for side in ("low", "high"))
        exact = bool(found["exact"][cell]) if "exact" in found else False
        yield (_FINDS if exact else _FINDS_MORE).filled(low=low, high=high)


def _outward(bounds: Floats, cell: int, *, up: bool) -> float:
    """The end of an interval, three digits long and never inside of it: an interval must not spell out a value."""
    bound = float(bounds[cell])
    if not bound or not math.isfinite(bound):
        return bound
    step = 10.0 ** (math.floor(math.log10(abs(bound))) - 2)
    steps = round(bound / step, 6)
    return (math.ceil(steps) if up else math.floor(steps)) * step


# -- signs ----------------------------------------------------------------------------------------------------------

_CHANGED = {
    Status.ROUNDED: Text("rounded value", "gerundeter Wert"),
    Status.PERTURBED: Text("value with random noise", "Wert mit zufälliger Überlagerung"),
}
_ALL = {
    Status.ROUNDED: Text("all values are rounded", "alle Werte sind gerundet"),
    Status.PERTURBED: Text("all values carry random noise", "alle Werte sind zufällig überlagert"),
}
_SPAN = Text("the value lies in this range", "der Wert liegt in dieser Spanne")


def _public_signs(pattern: Pattern) -> Iterator[tuple[str, Text]]:
    if pattern.suppressed.any():
        yield HIDDEN.en, Text("suppressed to protect", "zum Schutz gesperrt")
    yield from _other_signs(pattern)


def _office_signs(pattern: Pattern) -> Iterator[tuple[str, Text]]:
    if pattern.suppressed.any():
        yield PRIMARY.en, Text("primary: a rule marks the cell", "primär: eine Regel trifft zu")
        yield (
            SECONDARY.en,
            Text("secondary: suppressed to protect others", "sekundär: zum Schutz anderer gesperrt"),
        )
    yield from _other_signs(pattern)


def _other_signs(pattern: Pattern) -> Iterator[tuple[str, Text]]:
    kinds = {Status(s) for s in np.unique(pattern.status[~pattern.suppressed])}
    for status, sign in _SIGNS.items():
        if status in kinds:
            yield (sign, _CHANGED[status]) if len(kinds) > 1 else ("", _ALL[status])
    if Status.RANGE in kinds:
        yield "1–3", _SPAN


# -- figures --------------------------------------------------------------------------------------------------------


def _levels(pattern: Pattern) -> Iterator[Level]:
    """Suppressed cells and their size by level of aggregation (Wettig 2002, 549-557)."""
    level, size = pattern.table.aggregation(), np.abs(pattern.table.value)
    for above in range(len(pattern.table.dimensions) + 1):
        here = level == above
        cells, gone = int(here.sum()), here & pattern.suppressed
        if cells:
            primary, count = int((here & pattern.primary).sum()), int(gone.sum())
            share = float(size[gone].sum() / max(size[here].sum(), np.finfo(float).tiny))
            yield Level(
                _level_name(above), cells, primary / cells, (count - primary) / cells,
                None if 0 < count < SMALLEST else share,
            )  # fmt: skip


def _level_name(above: int) -> Text:
    if not above:
        return Text("inner cells", "innere Zellen")
    if above == 1:
        return Text("sums along 1 dimension", "Summen über 1 Dimension")
    return Text(f"sums along {above} dimensions", f"Summen über {above} Dimensionen")
