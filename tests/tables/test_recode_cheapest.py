"""The proposal of table.recode against all ways there are, each tabulated anew from the records."""

from __future__ import annotations

import numpy as np
import pytest

from reference.recoding import cheapest_merge, entropy_lost
from tables.test_recode import records, tree_pattern
from tarnkappe.data.pattern import Mark, Pattern
from tarnkappe.data.recode_table import merged, rolled_up
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors.recoding import MergedMarks
from tarnkappe.methods.tables.merging import propose_merge
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.primary.p_percent import PPercent
from tarnkappe.methods.tables.recode import Recode
from tarnkappe.randomness import public_stream as stream

BY = ["area", "kind"]


def compared(seed, *, ordered, counts):
    """Does the proposal cost what the cheapest of all ways costs?  None where no way is safe, and none is proposed."""
    rng = np.random.default_rng(seed)
    data = records(rng, int(rng.integers(8, 45)))
    value = None if counts else "value"
    rules = [MinimumFrequency(n=3)] if counts else [MinimumFrequency(n=2), PPercent(p=10)]
    best = cheapest_merge(data, BY, "area", value, rules, ordered=ordered)
    table = tabulate(data, BY, value, largest=50)
    groups = propose_merge(table, 0, rules, ordered=ordered)
    if groups is None or any(r.mark(merged(Pattern(table), 0, groups).table).cells.any() for r in rules):
        return None if best is None else False
    after = merged(Pattern(table), 0, groups).table
    parts = {}
    for code, new in groups.items():
        parts.setdefault(new, []).append(code)
    price = len(table) - len(after), round(entropy_lost(data, "area", value, list(parts.values())), 6)
    return best is not None and price[0] == best[0] and price[1] == pytest.approx(best[1], abs=1e-5)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("counts", [False, True])
def test_the_proposal_is_the_cheapest(ordered, counts):
    found = [compared(seed, ordered=ordered, counts=counts) for seed in range(25)]
    assert False not in found
    assert found.count(True) > 5


@pytest.mark.long
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("counts", [False, True])
def test_the_proposal_is_the_cheapest_in_hundreds_of_tables(ordered, counts):
    assert False not in [compared(seed, ordered=ordered, counts=counts) for seed in range(1000, 1400)]


def marking(pattern, code, mark):
    mine = np.where(pattern.table.codes(0) == code, np.uint8(mark), np.uint8(0))
    return Pattern(pattern.table, mark=mine)


@pytest.mark.parametrize("mark", [Mark.KEEP, Mark.PUBLISHED])
def test_what_must_stay_open_is_not_left_out_or_renamed(mark):
    with pytest.raises(MergedMarks, match="n1"):
        rolled_up(marking(tree_pattern(), "n1", mark), 0, 1)
    with pytest.raises(MergedMarks, match="n1"):
        merged(marking(tree_pattern(), "n1", mark), 0, {"n1": "other"})
    rolled_up(marking(tree_pattern(), "N", mark), 0, 1)


@pytest.mark.parametrize("mark", [Mark.SUPPRESS, Mark.SAFE, Mark.ZERO])
def test_other_marks_may_be_left_out(mark):
    assert len(rolled_up(marking(tree_pattern(), "n1", mark), 0, 1).table) == 3


def test_cells_that_the_office_calls_safe_are_not_refused():
    pattern = tree_pattern()
    rules = [{"use": "rule.small-counts", "n": 4}]
    from dataclasses import replace

    table = replace(pattern.table, counts=True)
    method = Recode(dimension="area", groups={"s1": "s", "s2": "s"}, rules=rules)
    safe = np.where(table.value <= 4, np.uint8(Mark.SAFE), np.uint8(0))
    after = method.protect(Pattern(table, mark=safe), stream("s"))
    assert not after.suppressed.any()
