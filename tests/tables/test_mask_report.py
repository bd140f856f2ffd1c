"""What the office sees of masking: losses by level, steps, and the masks of the last period again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tables.trees import city, crossed, random_table
from tables.trees import hierarchy as tree_of
from tarnkappe.data.last_period import as_last_time
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.methods.tables.mask_report import mask_losses, mask_steps
from tarnkappe.methods.tables.range_mask import RangeMask
from tarnkappe.randomness import public_stream as stream


def masked(table, **options):
    return RangeMask(draw="nothing", **options).protect(Pattern(table), stream("secret of these tests"))


def test_losses_of_the_printed_city():
    """Q11 and Q21 are 2 shown as 1-3, Q12 is 7, K2 is 2, K3 and Q31 are 17: widths 2 by value."""
    found = mask_losses(masked(city(2, 7, 2, 0, 17)))
    assert [(loss.cells, loss.masked) for loss in found] == [(1, 0), (3, 2), (5, 4)]
    assert found[1].width == pytest.approx(2 / 2 + 2 / 17)
    assert found[2].width == pytest.approx(2 / 2 + 2 / 7 + 2 / 2 + 2 / 17)


def test_steps_of_the_printed_city():
    """Specification 6, columns primary, 2 step 1, 2 step 2 and 3 step 1."""
    found = mask_steps(masked(city(2, 7, 2, 0, 17), mode="compat"))
    assert found == {
        "1": ["28", "9", "1-3", "7", "2", "1-3", "0", "17", "17"],
        "2a": ["28", "9", "1-3", "6-8", "1-3", "1-3", "0", "17", "17"],
        "2b": ["28", "9", "1-3", "6-8", "1-3", "1-3", "0", "16-18", "17"],
        "3a": ["28", "9", "1-3", "6-8", "1-3", "1-3", "0", "16-18", "16-18"],
    }


def test_nothing_masked():
    table = city(20, 70, 20, 0, 17)
    assert mask_steps(masked(table)) == {}
    assert sum(loss.masked for loss in mask_losses(masked(table))) == 0


def test_losses_over_several_dimensions_are_complete():
    rng = np.random.default_rng(1)
    trees = [
        tree_of("a", {"T": None, "x": "T", "y": "T", "z": "T"}),
        tree_of("b", {"U": None, "p": "U", "q": "U", "r": "U"}),
    ]
    done = masked(crossed(rng, trees, values=(1, 2, 5, 9, 20, 30)))
    found = mask_losses(done)
    assert sum(loss.cells for loss in found) == len(done.table)
    assert sum(loss.masked for loss in found) == int((done.status == Status.RANGE).sum())
    assert found[0].level == "0 × 0"


def test_the_last_masks_come_first():
    """Values drift; cells masked last time are taken again. Without memory other partners are picked more often."""
    new = {True: 0, False: 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        last = random_table(rng, values=(0, 1, 2, 3, 20, 21, 22, 23, 24))
        inner = last.inner
        value = np.where(
            inner & (last.value > 10), last.value + rng.integers(-3, 4, len(last)), last.value * inner
        )
        for node in range(len(value) - 1, 0, -1):
            value[last.up[node, 0]] += value[node]
        now = Pattern(replace(last, value=value))
        before = masked(last)
        for kept in (True, False):
            start = as_last_time(now, before) if kept else now
            done = RangeMask(draw="nothing").protect(start, stream("secret of these tests"))
            new[kept] += int((done.hidden & ~before.hidden).sum())
    assert new[False] > 2 * new[True]


def test_another_code_list():
    """Cells that the last table did not have are no masks of the last period."""
    table = city(2, 7, 2, 0, 17)
    last = masked(table)
    renamed = replace(
        table,
        dimensions=(replace(table.dimensions[0], codes=np.array([f"x{i}" for i in range(9)], dtype=object)),),
    )
    assert (as_last_time(Pattern(renamed), last).again == 1).all()
    assert (as_last_time(Pattern(table), last).again < 1).sum() == last.hidden.sum()
