"""Which cells local suppression suppresses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Bools
from tarnkappe.kernels.covering import least
from tarnkappe.kernels.local_suppression import records_of, strict
from tarnkappe.methods.microdata.emptied_strata import emptied_where_cheaper
from tarnkappe.methods.microdata.least_program import cheapest_least
from tarnkappe.methods.microdata.strict_program import cheapest_strict
from tarnkappe.methods.microdata.suppression_task import Known, Task, cells_of, solved_exactly
from tarnkappe.solve.highs import Highs

BUSY = -1
"""Stands for the pattern of a record that has suppressed cells already."""


def strict_cells(task: Task) -> Bools:
    """Cells so that every combination as it is shown stands in k records."""
    keys = range(task.codes.shape[1])
    records = records_of(task.codes, task.missing, task.strata.of, task.before, marked=True)
    sets = task.sets(keys)
    found = task.before | cells_of(sets, strict(records, task.k, sets), len(keys))
    return solved_exactly(
        task,
        found,
        lambda part, hidden: cheapest_strict(part, hidden, Highs()),
        lambda hidden: task.alone(hidden) | task.unfitted(hidden, [tuple(keys)]),
    )


def least_cells(task: Task, known: Known) -> Bools:
    """Cells so that k released records fit every person, whichever of these sets of keys an attacker knows.

    First everybody is fitted by two records, then by three, and so on, so that a larger k never costs less; and one set of keys after
    the other: what is suppressed for one never harms another.
    """
    hidden = task.before
    for k in range(2, task.k + 1):
        for keys in known:
            hidden = _fitted(replace(task, k=k), hidden, keys)
    hidden = emptied_where_cheaper(task, hidden, known)
    return solved_exactly(
        task,
        hidden,
        lambda part, hidden: cheapest_least(part, hidden, known, Highs()),
        lambda hidden: task.unfitted(hidden, known),
    )


def _fitted(task: Task, hidden: Bools, keys: tuple[int, ...]) -> Bools:
    """With more cells, so that k records fit every person of whom these keys are known, as far as that can be."""
    first = True
    while task.fitting(hidden, keys).min() < task.k:
        more = _covered(task, hidden, keys, first=first)
        if not (more & ~hidden).any() and not first:
            break
        hidden, first = hidden | more, False
    return hidden


def _covered(task: Task, hidden: Bools, keys: tuple[int, ...], *, first: bool) -> Bools:
    """More cells; at first only records that have none suppressed yet are used to cover others."""
    own = list(keys)
    sets = task.sets(keys)
    records = records_of(
        task.codes[:, own], task.missing[:, own], task.strata.of, hidden[:, own], marked=False
    )
    if first:
        records.mask[hidden[:, own].any(axis=1)] = BUSY
    found = least(records, task.k, sets, task.fitting(hidden, keys), generous=not first)
    out = np.zeros_like(hidden)
    out[:, own] = cells_of(sets, found, len(own))
    return out
