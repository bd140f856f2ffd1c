"""Why a cell is shown as a range, for the office alone: a reader who knows it can undo masks."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.pattern import Positions
from tarnkappe.data.table import Table
from tarnkappe.kernels.range_mask import Masks, Tree
from tarnkappe.language import Text, same


def reasons_along(table: Table, tree: Tree, masks: Masks) -> tuple[Positions, list[Text]]:
    """For every cell the number of its reason, from 1 upward, 0 where it is open; and the reasons: phase, step, what it protects.

    Steps are numbered by letters: looking up from the lowest level, looking down from the highest.
    """
    group = np.maximum(masks.group, 0)
    up_step, down_step = tree.depth.max(initial=0) - 1 - tree.depth[group], tree.depth - 2
    step = np.select([masks.phase == 2, masks.phase == 3], [up_step, down_step], 0)
    masked = np.flatnonzero(masks.phase)
    events = np.stack([masks.phase[masked].astype(np.int64), step[masked], masks.group[masked]], axis=1)
    distinct, which = np.unique(events, axis=0, return_inverse=True) if len(masked) else (events, masked)
    numbers = np.zeros(len(table), dtype=np.int32)
    numbers[masked] = which.reshape(-1) + 1
    protected = _protected(table, tree, masks)
    # Below a cell that a rule marks there may be nothing masked before: then it is the cell itself that is protected.
    return numbers, [_said(p, s, protected.get(g) or table.spelt(g)) for p, s, g in distinct.tolist()]


def _protected(table: Table, tree: Tree, masks: Masks) -> dict[int, str]:
    """For every group that needed a mask, the masked children that were there before it, joined by +."""
    used = np.zeros(len(table) + 1, dtype=np.bool_)
    used[masks.group] = True
    used[-1] = False  # where cells have no group, and parents are none
    before = np.isin(masks.phase, (1, 2)) & (masks.group != tree.parent)
    codes: defaultdict[int, list[str]] = defaultdict(list)
    cells = np.flatnonzero(before & used[tree.parent])
    for group, name in zip(tree.parent[cells].tolist(), _names(table, cells), strict=True):
        codes[group].append(name)
    return {group: "+".join(names) for group, names in codes.items()}


def _names(table: Table, cells: Ints) -> list[str]:
    columns = [h.codes[table.cells[cells, j]] for j, h in enumerate(table.dimensions)]
    return [" × ".join(codes) for codes in zip(*columns, strict=True)]


def _said(phase: int, step: int, protected: str) -> Text:
    if phase == 1:
        return same("1")
    label = f"{phase}{letters(step)}"
    return Text(f"{label}: protects {protected}", f"{label}: Sicherung {protected}")


def letters(step: int) -> str:
    """Number steps as a, b, … z, aa, ab and so on."""
    out = ""
    while step >= 0:
        step, digit = divmod(step, 26)
        out, step = chr(ord("a") + digit) + out, step - 1
    return out


def reasons_across(table: Table, small: Bools, protects: Ints) -> tuple[Positions, list[Text]]:
    """Phase 1, and phase 2 with the cell that each added range protects."""
    protected, which = np.unique(protects[protects >= 0], return_inverse=True)
    numbers = np.where(small, 1, 0).astype(np.int32)
    numbers[protects >= 0] = which + 2
    codes = [table.spelt(int(cell)) for cell in protected]
    return numbers, [same("1"), *(Text(f"2: protects {code}", f"2: Sicherung {code}") for code in codes)]
