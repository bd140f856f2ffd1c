"""Files of cells: what is read, and what is refused with which error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.attack.circles import circles_of
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.tabulate import below_total, flat
from tarnkappe.errors import InputWrong, TarnkappeError
from tarnkappe.errors import tables as wrong
from tarnkappe.io.cells import CellColumns, CellFile, read_cells, table_of
from tarnkappe.io.marks import read_marks, with_marks
from tarnkappe.language import Text

COLUMNS = CellColumns(count="n", largest=("x1", "x2"), who=("w1", "w2"))
HEAD = "r,value,n,x1,x2,w1,w2\n"
ROWS = ["Total,30,4,10,9,p,q", "a,12,2,10,2,p,r", "b,18,2,9,9,q,p"]


def table(folder: Path, rows: list[str], columns: CellColumns = COLUMNS, head: str = HEAD) -> Table:
    path = folder / "cells.csv"
    path.write_text(head + "\n".join(rows) + "\n")
    cells = read_cells(CellFile(path, ("r",), columns))
    return table_of(cells, {"r": below_total("r", ["a", "b"], "Total")}, columns, "t")


def test_one_contributor_has_one_number_in_all_columns(tmp_path):
    kept = table(tmp_path, ROWS).contributions
    assert kept is not None
    p, q = kept.who[0]
    assert kept.who[1, 0] == p
    assert set(kept.who[2].tolist()) == {p, q}
    assert len({*kept.who.ravel().tolist()}) == 3


def test_numbers_as_names_of_contributors_are_the_same_with_and_without_gaps(tmp_path):
    kept = table(tmp_path, ["Total,10,2,6,4,1,2", "a,4,1,4,,2,", "b,6,1,6,,1,"]).contributions
    assert kept is not None
    assert kept.who.tolist() == [[kept.who[2, 0], kept.who[1, 0]], [kept.who[0, 1], -1], [kept.who[0, 0], -1]]


def test_contributions_are_put_in_order(tmp_path):
    kept = table(tmp_path, ["Total,30,4,9,10,q,p", *ROWS[1:]]).contributions
    assert kept is not None
    assert kept.largest[0].tolist() == [10, 9]
    assert kept.who[0, 0] == kept.who[1, 0]


def test_owners_have_their_own_columns(tmp_path):
    columns = CellColumns(count="n", owner_count="x2", owner_largest=("x1",), owner_who=("w1",))
    found = table(tmp_path, ["Total,30,4,20,2,g,", "a,12,2,12,1,g,", "b,18,2,10,2,g,"], columns)
    assert found.owners is not None
    assert found.owners.count.tolist() == [2, 1, 2]
    assert found.owners.largest[:, 0].tolist() == [20, 12, 10]
    assert len(set(found.owners.who[:, 0].tolist())) == 1


def test_a_table_whose_value_is_its_count_counts_units(tmp_path):
    columns = CellColumns(value="n", count="n")
    assert table(tmp_path, ["Total,5,5,,,,", "a,2,2,,,,", "b,3,3,,,,"], columns).counts
    assert not table(tmp_path, ROWS).counts


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (["Total,30,,10,9,p,q", *ROWS[1:]], wrong.CountWrong),
        (["Total,30,4.5,10,9,p,q", *ROWS[1:]], wrong.CountWrong),
        (["Total,30,-4,10,9,p,q", *ROWS[1:]], wrong.CountNegative),
        (["Total,30,4,10,,p,q", *ROWS[1:]], wrong.LargestMissing),
        ([*ROWS[:2], "b,18,1,9,9,q,p"], wrong.MoreThanCounted),
        (["Total,,4,10,9,p,q", *ROWS[1:]], wrong.ValueMissing),
        ([*ROWS, "a,12,2,10,2,p,r"], wrong.CellTwice),
        ([*ROWS, "c,0,0,,,,"], wrong.CodeUnknown),
        ([*ROWS, ",0,0,,,,"], wrong.CodeUnknown),
        (["Total,31,4,10,9,p,q", *ROWS[1:]], wrong.NotAdditive),
        (["Total,30,4,31,9,p,q", *ROWS[1:]], wrong.ContributionsExceed),
        (["Total,30,4,10,-9,p,q", *ROWS[1:]], wrong.ContributionsExceed),
    ],
)
def test_what_is_wrong_has_its_error(tmp_path, rows, error):
    with pytest.raises(error) as told:
        table(tmp_path, rows)
    assert isinstance(told.value, InputWrong)
    assert "30" not in told.value.text("en").replace("row 30", "")


def test_columns_of_contributors_must_fit(tmp_path):
    for columns in (CellColumns(largest=("x1",)), CellColumns(count="n", largest=("x1", "x2"), who=("w1",))):
        with pytest.raises(wrong.ContributorsMisfit):
            table(tmp_path, ROWS, columns)


def test_negative_contributions_need_their_size(tmp_path):
    rows = ["Total,30,4,40,-9,p,q", "a,12,2,20,-8,p,r", "b,18,2,20,-2,q,p"]
    with pytest.raises(wrong.ContributionsExceed):
        table(tmp_path, rows)
    columns = CellColumns(count="n", largest=("x1", "x2"), size="s")
    found = table(tmp_path, [f"{row},50" for row in rows], columns, HEAD.strip() + ",s\n")
    assert found.contributions is not None
    assert found.contributions.size is not None
    assert Pattern(found).low.min() == -np.inf


@given(
    st.text("TotalabS0123,.;-x\"'\n\t\x00é", max_size=80),
    st.sampled_from(["", HEAD, "r,value\n", "r;value\nTotal;1\n"]),
)
@settings(max_examples=150, deadline=None)
def test_any_file_gives_a_table_or_a_told_problem(tmp_path_factory, text, head):
    path = tmp_path_factory.mktemp("fuzz") / "cells.csv"
    path.write_bytes((head + text).encode())
    for columns in (CellColumns(), COLUMNS):
        try:
            cells = read_cells(CellFile(path, ("r",), columns))
            codes = [str(c) for c in cells.column("r").distinct()]
            table_of(cells, {"r": below_total("r", codes, "Total")}, columns, "t")
            with_marks(Pattern(table_of(cells, {"r": flat("r", codes)}, CellColumns(), "t")), cells)
        except TarnkappeError:
            pass


# -- marks ----------------------------------------------------------------------------------------------------


def marked(folder: Path, text: str) -> Pattern:
    path = folder / "marks.csv"
    path.write_text(text)
    return with_marks(Pattern(table(folder, ROWS)), read_marks(path, ("r",)))


def test_marks_bounds_and_costs_find_their_cells(tmp_path):
    found = marked(tmp_path, "r,mark,low,high,cost\nb,keep,,20,7\na,Suppress,10,,\n")
    assert found.mark.tolist() == [Mark.NONE, Mark.SUPPRESS, Mark.KEEP]
    assert found.status.tolist() == [Status.OPEN, Status.PRIMARY, Status.OPEN]
    assert found.because(1).de == "auf Wunsch der Stelle gesperrt"
    assert found.low.tolist() == [0, 10, 0]
    assert found.high.tolist() == [np.inf, np.inf, 20]
    assert found.cost is not None
    assert found.cost.tolist() == [30, 12, 7]


def test_marks_may_give_bounds_only(tmp_path):
    found = marked(tmp_path, "r,low\na,1\n")
    assert found.mark.tolist() == [0, 0, 0]
    assert found.cost is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("r,mark\na,maybe\n", wrong.MarkUnknown),
        ("r,mark\nc,keep\n", wrong.CodeUnknown),
        ("r,mark\na,keep\na,keep\n", wrong.CellTwice),
        ("r,low\na,13\n", wrong.BoundsWrong),
        ("r,high\na,11\n", wrong.BoundsWrong),
        ("r,cost\na,-1\n", wrong.BoundsWrong),
        ("r,mark\na,zero\n", wrong.BoundsWrong),
    ],
)
def test_wrong_marks_are_refused(tmp_path, text, error):
    with pytest.raises(error):
        marked(tmp_path, text)


def test_marks_for_cells_that_are_not_there_are_told(tmp_path):
    sparse = Table("t", (flat("r", ["a", "b"]),), np.array([[0], [1]], np.int32), np.array([1.0, 1.0]))
    marks = Microdata({"r": Column.texts_of(["b"]), "mark": Column.texts_of(["keep"])})
    with pytest.raises(wrong.MarkedCellsMissing) as told:
        with_marks(Pattern(sparse), marks)
    assert "b" in told.value.text("en")


# -- patterns and audits --------------------------------------------------------------------------------------


def test_what_must_stay_open_is_not_suppressed_for_others(tmp_path):
    found = marked(tmp_path, "r,mark\na,keep\n").with_secondary(np.array([False, True, True]), Text("x", "x"))
    assert found.status.tolist() == [Status.OPEN, Status.OPEN, Status.SECONDARY]


def test_sole_contributors_nobody_knows_are_nobody():
    dimension = flat("r", ["a", "b"])
    nodes, value, count = np.array([[0], [1], [2]], np.int32), np.array([3.0, 1.0, 2.0]), np.array([2, 1, 1])
    for who, expected in (
        (np.array([[4], [-1], [4]]), [-1, -1, 4]),
        (np.zeros((3, 0), np.int64), [-1, 1, 2]),
    ):
        kept = Contributions(count.copy(), np.zeros(who.shape), who)
        pattern = Pattern(Table("t", (dimension,), nodes, value, kept), status=np.array([0, 1, 2], np.uint8))
        found = circles_of(pattern.table, kept, most=1).within(pattern.hidden)
        assert found.sole.tolist() == expected
