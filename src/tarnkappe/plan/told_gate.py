"""Nothing that is told is the value of somebody: every figure in what leaves the house is held against the values it could be made from.

Figures that the plan states are the office's own; those that a method marks as numbers of records or as figures of many are nobody's (`spec.told_figures`).
Every other number, wherever it stands, must not equal a value of fewer contributors than the policy asks for, nor give it back within the policy's closeness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.tellable import Shown
from tarnkappe.errors.release import GateClosed
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.plan.ledger import GateEntry, Run, StepEntry
from tarnkappe.plan.policy import ToldDescription
from tarnkappe.spec import Json, Method
from tarnkappe.spec.told_figures import bare_figures, placed_figures

_SAYS = Text(
    "no figure that is told is, or gives back, a value of fewer than {needed} contributors",
    "keine mitgeteilte Zahl ist ein Wert von weniger als {needed} Beitragenden oder gibt ihn wieder",
)
_FOUND = Text("found for the columns {names}", "gefunden für die Spalten {names}")
_HELPS = Text(
    "State the limit of the step as a number in the plan, or ask for a larger share or class.",
    "Geben Sie die Grenze des Schritts im Plan als Zahl an oder verlangen Sie einen größeren Anteil oder eine größere Klasse.",
)
_DOCUMENT = Text(
    "  ✗ A figure in {file} is, or gives back, a value of fewer than {needed} contributors of {names}.",
    "  ✗ Eine Zahl in {file} ist ein Wert von weniger als {needed} Beitragenden von {names} oder gibt ihn wieder.",
)


Figures = Mapping[str, Sequence[float | int]]
"""Column -> the figures that are held against its values."""


def own_figures(told: Json, method: Method, changed: Iterable[str]) -> Figures:
    """The figures of a step that could be somebody's value: neither marked nor stated by its parameters.

    A figure that stands under the name of a column concerns that one, any other all columns that the step names or changed.
    """
    names = dict.fromkeys((*method.named_columns(), *changed))
    given = set(bare_figures(method.model_dump()))
    found: dict[str, dict[float | int, None]] = {}
    for figure, under in placed_figures(told, names):
        if figure not in given:
            for name in (under,) if under is not None else names:
                found.setdefault(name, {})[figure] = None
    return {name: tuple(figures) for name, figures in found.items()}


def tell_few(data: Microdata, figures: Figures, least: ToldDescription) -> Iterator[str]:
    """The columns of which a figure tells too few contributors."""
    who = contributor_codes(data) if figures else np.zeros(0, dtype=np.int64)
    for name, here in figures.items():
        column = data.columns.get(name)
        if column is None or not column.kind.is_number:
            continue
        there = column.observed
        shown = Shown.of(column.values[there], who[there], least.contributors, least.closeness)
        if any(shown.tells_few(figure) for figure in here):
            yield name


def told_of_few(step: StepEntry, found: Microdata, least: ToldDescription) -> Iterator[str]:
    """The columns, as a step found them, of which it tells too few: its figures are made from these values."""
    return tell_few(found, own_figures(step.tells, step.method, step.changes), least)


def told_gate(steps: Sequence[StepEntry], least: ToldDescription) -> Iterator[GateEntry]:
    """What was found of the figures that the steps tell; none where no figure could be a value."""
    found = dict.fromkeys(name for step in steps for name in step.tells_of_few)
    if found or any(own_figures(step.tells, step.method, step.changes) for step in steps):
        because = _FOUND.filled(names=listed([repr(name) for name in found])) if found else NOTHING
        yield GateEntry(
            _SAYS.filled(needed=least.contributors),
            held=not found,
            because=because,
            helps=_HELPS if found else NOTHING,
        )


def refuse_told(file: str, document: Json, run: Run) -> None:
    """Raise where a document about to be written has a figure that tells too few of any column.

    What steps tell was held against the columns that they concern; whatever else stands in a document is held against all.
    """
    passed = {figure for step in run.steps for figure in bare_figures(step.tells)}
    figures = [figure for figure in dict.fromkeys(bare_figures(document)) if figure not in passed]
    least = run.plan.policy.told
    found = list(tell_few(run.before, dict.fromkeys(run.before.names, figures), least))
    if found:
        names = listed([repr(name) for name in found])
        raise GateClosed(reasons=_DOCUMENT.filled(file=file, needed=least.contributors, names=names))
