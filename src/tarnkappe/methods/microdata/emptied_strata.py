"""A few records without any keys in every stratum, however large: they fit whoever is looked for.

In large strata no search finds it, because each of its steps costs more than the next small one; so it is computed and taken where it
costs less. It needs k - 1 such records where everybody who is emptied has a twin that is not, else k.
"""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.kernels.classes import classes
from tarnkappe.methods.microdata.suppression_part import Part
from tarnkappe.methods.microdata.suppression_task import Known, Task


def emptied_where_cheaper(task: Task, hidden: Bools, known: Known) -> Bools:
    """With records emptied in place of what was found, stratum by stratum, where that costs less or nothing else reaches the goal."""
    own = sorted({key for keys in known for key in keys})
    few = _emptied(task, own, task.k - 1, twins=True)
    unsafe = np.zeros(len(task.strata), dtype=np.bool_)
    unsafe[task.strata.of[task.unfitted(few, known)]] = True
    many = np.where(unsafe[task.strata.of][:, np.newaxis], _emptied(task, own, task.k, twins=False), few)
    lost, failed = np.zeros_like(unsafe), np.zeros_like(unsafe)
    lost[task.strata.of[task.unfitted(many, known)]] = True
    failed[task.strata.of[task.unfitted(hidden, known)]] = True
    out = hidden.copy()
    for stratum in np.flatnonzero(~lost & _touched(task, hidden, failed)):
        records = task.strata.order[task.strata.starts[stratum] : task.strata.starts[stratum + 1]]
        part = Part(task.codes[records], task.before[records], task.k, task.levels)
        if failed[stratum] or part.price(many[records]) < part.price(hidden[records]):
            out[records] = many[records]
    return out


def _touched(task: Task, hidden: Bools, failed: Bools) -> Bools:
    """Strata in which cells are suppressed or should be."""
    out = failed.copy()
    out[task.strata.of[(hidden & ~task.before).any(axis=1)]] = True
    return out


def _emptied(task: Task, own: list[int], many: int, *, twins: bool) -> Bools:
    """In every stratum the so many records emptied for which that costs least, of these the rarest.

    With `twins` the last of every combination is kept where others can be had.
    """
    price = (~task.before[:, own]).astype(np.float64) @ task.costs(task.k)[own]
    sizes, nth = _classes(task)
    kept = (nth == 0) & twins
    gaps = task.missing[:, own].any(axis=1)
    order = np.lexsort((np.arange(len(price)), sizes, price, kept, gaps, task.strata.of))
    place = np.arange(len(order)) - task.strata.starts[task.strata.of[order]]
    out = task.before.copy()
    out[np.ix_(order[place < many], own)] = True
    out[task.missing & ~task.before] = False
    return out


def _classes(task: Task) -> tuple[Floats, Ints]:
    """How many records of the stratum have the keys of each record, and which of them it is."""
    found = classes([(task.strata.of, len(task.strata)), *((c, int(c.max()) + 1) for c in task.codes.T)])
    order = np.argsort(found.ids, kind="stable")
    sizes = found.sizes[found.ids]
    first = np.cumsum(found.sizes) - found.sizes
    nth = np.empty(len(order), dtype=np.int64)
    nth[order] = np.arange(len(order)) - first[found.ids[order]]
    return sizes.astype(np.float64), nth
