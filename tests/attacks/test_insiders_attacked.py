"""Attackers who contribute: two who fill a cell together know it, and no insider may know a protected cell exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tarnkappe as tk
from reference.flat import cell, flat_table, suppressing
from reference.table_attack import attack
from tarnkappe.attack.circles import Circles, circles_of
from tarnkappe.attack.hidden import hidden
from tarnkappe.attack.insiders import breaches, owed_of
from tarnkappe.data.pattern import Pattern, Sensitivity
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.relations import Relations
from tarnkappe.errors.release import GateClosed
from tarnkappe.language import Text
from tarnkappe.plan.linked_audit import set_findings
from tarnkappe.plan.protect import protect
from tarnkappe.risk.table_audit import TableAudit
from tarnkappe.solve.highs import Highs


def table_of(cells, by, name="t"):
    """Records given as codes and values, one contributor each."""
    rows = [(*codes, float(value)) for codes, values in cells for value in values]
    frame = pl.DataFrame(rows, schema=[*by, "v"], orient="row")
    return tk.tabulate(tk.read(frame), by, "v", name=name)


PAIRS = ((("a",), (50, 60)), (("b",), (40, 41)), (("c",), (5, 6, 7, 8)))


def in_pairs(lower=5.0):
    return suppressing(table_of(PAIRS, ("d",)), [("a",), ("b",)], lower, lower)


@pytest.mark.parametrize(("coalition", "found"), [(1, 0), (2, 2), (3, 2)])
def test_two_who_fill_a_cell_together_know_it(coalition, found):
    """Total minus the cell of two is the cell of the two others."""
    audit = TableAudit(insiders="contributors", coalition=coalition).audit(in_pairs())
    assert len(audit.breaches) == found
    assert all(len(b.insiders) == 2 for b in audit.breaches)


def test_what_insiders_see_is_named():
    """The two of a subtract their cell from the total: what is left is b."""
    found = TableAudit(insiders="contributors", coalition=2).measure(in_pairs()).details["insiders"]
    assert [one["cell"] for one in found] == ["a", "b"]
    assert [one["steps"] for one in found] == [
        [{"cell": name, "sum": "Total", "along": "d"}] for name in ("a", "b")
    ]


@pytest.mark.parametrize("amounts", [True, False])
def test_two_whom_nobody_names_know_their_cell_too(amounts):
    pattern = in_pairs()
    kept = pattern.table.contributions
    unnamed = replace(kept, who=np.arange(kept.who.size).reshape(kept.who.shape))
    if not amounts:
        unnamed = replace(kept, who=kept.who[:, :0], largest=kept.largest[:, :0])
    pattern = replace(pattern, table=replace(pattern.table, contributions=unnamed))
    assert TableAudit(coalition=1).audit(pattern).holds
    assert not TableAudit(coalition=2).audit(pattern).holds


def test_coalitions_in_linked_tables():
    rows = [
        (*codes, place, float(v)) for codes, values in PAIRS for v, place in zip(values, "xyyx", strict=False)
    ]
    data = tk.read(pl.DataFrame(rows, schema=["d", "e", "v"], orient="row"))
    one, other = (tk.tabulate(data, (by,), "v", name=by) for by in "de")
    over = PatternSet((suppressing(one, [("a",), ("b",)], 5.0, 5.0), Pattern(other))).aligned()
    audits = [TableAudit(insiders="contributors", coalition=together) for together in (1, 2)]
    assert [set_findings(over, [audit])[0].value for audit in audits] == [1.0, 0.0]


SQUARE = ((("1", "A"), (10,)), (("1", "B"), (20,)), (("1", "C"), (40,)), (("2", "A"), (20,)), (("2", "B"), (30,)),
           (("2", "C"), (10,)), (("3", "A"), (30,)), (("3", "B"), (10,)), (("3", "C"), (50,)))  # fmt: skip
CORNERS = [("1", "A"), ("1", "B"), ("2", "A"), ("2", "B")]
"""Single respondents in every cell (Wettig 2002, L1111-1123): each of four computes the three others."""


@pytest.mark.parametrize("required", [0.0, 1.0])
def test_no_insider_may_know_a_protected_cell_exactly(required):
    """Whether or not a rule says how wide its interval must be."""
    pattern = suppressing(table_of(SQUARE, ("r", "c")), CORNERS, required, required)
    audit = TableAudit(insiders="contributors").audit(pattern)
    assert not audit.narrow.any()
    assert {b.cell for b in audit.breaches} == {cell(pattern.table, *codes) for codes in CORNERS}
    assert TableAudit(insiders="none").audit(pattern).holds
    over = PatternSet((pattern,))
    assert set_findings(over, [TableAudit(insiders="contributors")])[0].value == 0.0


def test_nine_single_respondents_hide_each_other():
    pattern = suppressing(table_of(SQUARE, ("r", "c")), [(r, c) for r in "123" for c in "ABC"], 0.0, 0.0)
    assert TableAudit(insiders="contributors").audit(pattern).holds


def test_counts_move_by_whole_numbers_for_insiders_too():
    """x + w = y1 + y3 with y1 + y2 and y2 + y3 published: x moves by an even number, or together with w."""
    x, w, y1, y2, y3 = range(5)
    sums = [[(y1, 1.0), (y2, 1.0)], [(y2, 1.0), (y3, 1.0)], [(y1, 1.0), (y3, 1.0), (x, -1.0), (w, -1.0)]]
    start = np.cumsum([0, *map(len, sums)])
    cells = np.array([c for row in sums for c, _ in row])
    nothing = np.full(len(sums), -1)
    relations = Relations(5, start, cells, np.array([k for row in sums for _, k in row]), nothing, nothing)
    value, all_hidden = np.full(5, 5.0), np.ones(5, dtype=bool)
    system = hidden(relations, value, all_hidden, value - 1, value + 1)
    needs = np.arange(5) == x
    inside = Circles(np.where(np.arange(5) == w, 7, -1)[:, None])
    for whole, found in ((False, []), (True, [x])):
        owed = owed_of(system, needs, (np.where(needs, 1.0, 0.0),) * 2, value, whole=whole)
        assert [b.cell for b in breaches(system, inside, owed, Highs())] == found


def test_an_audit_that_could_not_decide_is_a_refusal():
    class Undecided(TableAudit):
        def measure(self, pattern):
            return replace(super().measure(pattern), trusted=False)

    with pytest.raises(GateClosed):
        protect(in_pairs(), audit=Undecided(insiders="none"))


@pytest.mark.parametrize("seed", [16, 25, 28])
def test_the_noise_of_a_solver_is_no_doubt(seed):
    """Programs are right up to a share of the numbers before them; cells that are known exactly seem to move by as little."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.lognormal(3, 1.5, (3, 3))) * (rng.random((3, 3)) < 0.7)
    table = flat_table(x, np.where(rng.random((3, 3)) < 0.6, 1, 3))
    hide = rng.random(len(table)) < 0.7
    marked, nothing = hide & (rng.random(len(table)) < 0.5), np.zeros(len(table))
    pattern = Pattern(table).marked(Sensitivity(marked, nothing, nothing, Text("r", "r")))
    pattern = pattern.with_secondary(hide, Text("s", "s"))
    sole = np.where(hide, circles_of(table, table.contributions, 1).sole, -1)
    known = set()
    for who in np.unique(sole[sole >= 0]):
        cells = np.flatnonzero(marked & (sole != who))
        ends = attack(pattern, cells, known=sole == who)
        known |= set(cells[ends[:, 1] - ends[:, 0] < 1e-6].tolist())
    assert known
    assert {b.cell for b in TableAudit(insiders="contributors").audit(pattern).breaches} == known
