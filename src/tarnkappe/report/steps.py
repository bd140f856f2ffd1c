"""Steps as a reader meets them: parameters, what changed, what was promised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.ledger import Change, ClaimEntry, StepEntry, parameters
from tarnkappe.report.bias_charts import bias_by_step
from tarnkappe.report.columns import touched
from tarnkappe.report.numbers import percent, shown
from tarnkappe.report.pictures import Drawing, drawn
from tarnkappe.report.tables import as_written
from tarnkappe.spec import Declared
from tarnkappe.spec.parameters import describe


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as it was used."""

    name: str
    value: str
    says: Text


@dataclass(frozen=True, slots=True)
class Used:
    """Something of the catalogue with the parameters it was used with."""

    thing: Declared
    parameters: tuple[Parameter, ...]
    unset: tuple[str, ...]
    """Parameters without a value."""


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """Cells of one column that a step touched."""

    name: str
    share: float
    """Of all cells of the column."""
    says: Text


@dataclass(frozen=True, slots=True)
class StepView:
    """One step, ready to be shown."""

    entry: StepEntry
    used: Used
    changes: tuple[ColumnChange, ...]
    dropped: tuple[str, ...]
    added: tuple[str, ...]
    records: Text
    """How many records were removed; nothing where none were."""

    def claims(self, side: str) -> list[ClaimEntry]:
        return [claim for claim in self.entry.claims if claim.side == side]

    @property
    def quiet(self) -> bool:
        """No column was touched and no record removed."""
        return not (self.changes or self.dropped or self.added or self.records)


def used(thing: Declared) -> Used:
    """Gather the parameters of a declared thing, apart from those without a value."""
    given = {name: as_written(value) for name, value in parameters(thing).items()}
    return Used(
        thing,
        tuple(Parameter(n, v, describe(type(thing), n)) for n, v in given.items() if v != "–"),
        tuple(name for name, value in given.items() if value == "–"),
    )


_NOTHING_MOVED = 1e-9
_MOVES = Text(
    "Relative errors of means and standard deviations that each step brought, by column",
    "Relative Abweichungen der Mittelwerte und Standardabweichungen durch jeden Schritt, nach Spalten",
)


def moves_of(steps: Sequence[StepEntry]) -> Drawing | None:
    """Bias by method: what each step did to the figures of the columns it touched; None where no step moved a number."""
    told = [(_numbered(step), kept) for step in steps if (kept := _moved(step))]
    return drawn(partial(bias_by_step, told), _MOVES) if told else None


def _moved(step: StepEntry) -> dict[str, dict[str, float]]:
    """The columns with a figure that is another one; new orders of records move nothing."""
    return {
        name: errors
        for name, errors in step.moves.items()
        if any(abs(e) > _NOTHING_MOVED for e in errors.values())
    }


def _numbered(step: StepEntry) -> Text:
    title = step.method.title
    return Text(f"{step.number} {title.en}", f"{step.number} {title.de}")


def step_view(entry: StepEntry) -> StepView:
    """Gather what the page shows of a step."""
    cells = {n: c for n, c in entry.changes.items() if touched(c)}
    return StepView(
        entry,
        used(entry.method),
        tuple(_change(n, c, entry.records_after) for n, c in cells.items() if not (c.dropped or c.added)),
        tuple(name for name, change in cells.items() if change.dropped),
        tuple(name for name, change in cells.items() if change.added),
        _records(entry),
    )


def _change(name: str, change: Change, records: int) -> ColumnChange:
    counts = (
        (change.changed, Text("changed", "verändert")),
        (change.suppressed, Text("suppressed", "unterdrückt")),
        (change.missing, Text("made missing", "geleert")),
    )
    share = sum(count for count, _ in counts) / max(records, 1)
    said = [_counted(count, word) for count, word in counts if count] + [percent(share)]
    return ColumnChange(name, share, Text(", ".join(t.en for t in said), "; ".join(t.de for t in said)))


def _counted(count: int, word: Text) -> Text:
    number = shown(count)
    return Text(f"{number.en} {word.en}", f"{number.de} {word.de}")


def _records(entry: StepEntry) -> Text:
    gone = entry.records_before - entry.records_after
    if gone <= 0:
        return NOTHING
    share = percent(gone / max(entry.records_before, 1))
    said = Text("{n} records removed ({share})", "{n} Datensätze entfernt ({share})")
    return said.filled(n=shown(gone), share=share)
