"""A-priori files of τ-ARGUS become marks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from table_samples import full_table, patterns, tree

from reference.flat import cell
from tables.quader_tables import random_pattern
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity, Status
from tarnkappe.errors import InputWrong
from tarnkappe.errors.files import FileEmpty
from tarnkappe.errors.table_files import ArgusWrong
from tarnkappe.errors.tables import BoundsWrong, CodeUnknown, MarkedCellsMissing
from tarnkappe.errors.unsafe_tables import Unprotectable
from tarnkappe.io.argus_history import history_text
from tarnkappe.io.marks import read_marks, with_marks
from tarnkappe.language import Text
from tarnkappe.methods.tables.quader import Quader

BY = ("region", "sector")


@pytest.fixture
def table():
    return full_table((tree("two levels", "region"), tree("flat", "sector")), np.full((3, 3), 2.0))


def marked(folder, table, text):
    path = folder / "a.hst"
    path.write_text(text)
    return with_marks(Pattern(table), read_marks(path, BY))


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_every_word(tmp_path, table, sign):
    lines = [
        "// comment",
        "N1,a,u",
        "N1,a,pl,0.5,1",
        "N2,a,s",
        "S,b,p",
        "S1,b,z",
        "N1,b,ml",
        "N2,b,M",
        '"Total","c",c,7',
        "N,c,w,0.25",
        "N,b,ab,1,9",
    ]
    found = marked(tmp_path, table, "\n".join(lines).replace(",", sign) + "\n")
    spot = {
        name: cell(table, *name.split("/"))
        for name in ("N1/a", "N2/a", "S/b", "S1/b", "N1/b", "N2/b", "Total/c", "N/c", "N/b")
    }
    assert found.status[spot["N1/a"]] == Status.PRIMARY
    assert (found.lower[spot["N1/a"]], found.upper[spot["N1/a"]]) == (0.5, 1)
    assert found.mark[spot["N2/a"]] == Mark.SAFE
    assert found.mark[spot["S/b"]] == found.mark[spot["S1/b"]] == Mark.KEEP
    assert found.status[spot["N1/b"]] == found.status[spot["N2/b"]] == Status.OPEN
    assert found.again is not None
    assert found.again[[spot["N1/b"], spot["N2/b"]]].max() < found.again[spot["N1/a"]] == 1
    assert found.cost is not None
    assert (found.cost[spot["Total/c"]], found.cost[spot["N/c"]]) == (7, 0.25)
    assert (found.low[spot["N/b"]], found.high[spot["N/b"]]) == (1, 9)


def test_a_decimal_comma(tmp_path, table):
    assert marked(tmp_path, table, "N1;a;pl;0,5;1,5\nN1;a;u\n").upper[cell(table, "N1", "a")] == 1.5


def test_safe_overrules_a_rule_but_can_be_suppressed(tmp_path, table):
    found = marked(tmp_path, table, "N1,a,s\n")
    all_cells = np.ones(len(table), dtype=np.bool_)
    wide = np.ones(len(table))
    ruled = found.marked(Sensitivity(all_cells, wide, wide, Text("x", "x")))
    at = cell(table, "N1", "a")
    assert ruled.status[at] == Status.OPEN
    assert ruled.primary.sum() == len(table) - 1
    assert ruled.with_secondary(all_cells, Text("y", "y")).status[at] == Status.SECONDARY


def test_the_last_status_holds(tmp_path, table):
    assert not marked(tmp_path, table, "N1,a,u\nN1,a,s\n").hidden.any()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("N1,a,x\n", ArgusWrong),
        ("N1,a,u\nN1,b,q\n", ArgusWrong),
        ("N1,a,u\nN1\n", ArgusWrong),
        ("N1,a,c\n", ArgusWrong),
        ("N1,a,c,-1\n", ArgusWrong),
        ("N1,a,c,nan\n", ArgusWrong),
        ("N1,a,pl,1\n", ArgusWrong),
        ("N1,a,pl,1,4711x\n", ArgusWrong),
        ("N9,a,u\n", CodeUnknown),
        ("N1,a,ab,9,10\n", BoundsWrong),
        ("", FileEmpty),
        ("// nothing\n", ArgusWrong),
    ],
)
def test_bad_files(tmp_path, table, text, error):
    with pytest.raises(error) as told:
        marked(tmp_path, table, text)
    assert "4711" not in told.value.text("en")


def test_a_cell_that_is_not_there(tmp_path, table):
    few = type(table)("t", table.dimensions, table.cells[:4], table.value[:4] * 0)
    with pytest.raises(MarkedCellsMissing):
        marked(tmp_path, few, "S1,c,u\n")


@settings(max_examples=40, deadline=None)
@given(pattern=patterns())
def test_what_is_written_comes_back(tmp_path_factory, pattern):
    path = tmp_path_factory.mktemp("hst") / "a.hst"
    text = history_text(pattern)
    path.write_text(text)
    try:
        again = with_marks(Pattern(pattern.table), read_marks(path, BY))
    except FileEmpty:
        assert not text
        return
    assert np.array_equal(again.primary, pattern.primary)
    cheap = np.zeros(len(pattern.table), bool) if again.again is None else again.again < 1
    assert np.array_equal(cheap, pattern.suppressed & ~pattern.primary)
    assert np.array_equal(again.lower[pattern.primary], pattern.lower[pattern.primary])
    assert np.array_equal(again.forced_open, pattern.forced_open)
    if pattern.cost is not None:
        assert np.array_equal(again.cost, pattern.cost)


def test_the_pattern_of_the_last_period_is_kept(tmp_path):
    """Values move, the same cells are suppressed again, and the cells that were open stay open where they suffice."""
    kept = 0
    for seed in range(8):
        before = random_pattern(seed, dimensions=2)
        try:
            last = Quader(insiders="none").protect(before, None)
            (tmp_path / "last.hst").write_text(history_text(last))
            value = before.table.value * 1.25
            moved = Pattern(replace(before.table, value=value, contributions=None))
            marks = read_marks(tmp_path / "last.hst", [h.name for h in moved.table.dimensions])
            now = Quader(insiders="none").protect(with_marks(moved, marks), None)
        except (Unprotectable, FileEmpty):
            continue
        assert np.array_equal(now.suppressed, last.suppressed)
        kept += int(last.suppressed.sum())
    assert kept > 20


def test_no_file(tmp_path):
    with pytest.raises(InputWrong):
        read_marks(tmp_path / "none.hst", BY)
