"""What happened to every column between the original and the release."""

from __future__ import annotations

from dataclasses import dataclass

from tarnkappe.data.column import Column, state_column
from tarnkappe.data.microdata import Microdata
from tarnkappe.plan.ledger import Change, Run, StepEntry
from tarnkappe.vocab import Role


@dataclass(frozen=True, slots=True)
class Story:
    """One column, before and after, with the steps that touched it."""

    name: str
    before: Column | None
    after: Column | None
    roles: tuple[Role, ...]
    """Those of the original: a pseudonymised identifier is still one here."""
    steps: tuple[StepEntry, ...]

    @property
    def dropped(self) -> bool:
        return self.after is None

    @property
    def added(self) -> bool:
        return self.before is None

    @property
    def changed(self) -> bool:
        """In the release, but not as it was."""
        return bool(self.steps) and not self.dropped and not self.added

    @property
    def label(self) -> str:
        column = self.after or self.before
        return column.label if column else ""


def stories(run: Run) -> tuple[Story, ...]:
    """All columns: those of the original in their order, then the added ones."""
    names = dict.fromkeys((*run.before.names, *run.after.names))
    return tuple(_story(run, name) for name in names)


def empty_cells(data: Microdata, name: str) -> str:
    """Tell what an empty cell of a column is: ``missing``, ``suppressed``, or the column that says which."""
    column = data.columns[name]
    if not column.suppressed.any():
        return "missing"
    if not column.missing.any():
        return "suppressed"
    return state_column(name)


def touched(change: Change) -> bool:
    """The step did something to the column."""
    return bool(change.changed or change.suppressed or change.missing or change.added or change.dropped)


def _story(run: Run, name: str) -> Story:
    steps = tuple(s for s in run.steps if name in s.changes and touched(s.changes[name]))
    data = run.before if name in run.before.names else run.after
    return Story(
        name,
        run.before.columns.get(name),
        run.after.columns.get(name),
        data.roles_of(name),
        steps,
    )
