"""Tables with their suppressions as rows and as JJ files: there and back."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from table_samples import full_table, patterns, same, tree

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity, Status
from tarnkappe.data.tabulate import below_total
from tarnkappe.errors import tables as wrong
from tarnkappe.errors.files import NameNotWritable
from tarnkappe.errors.table_files import CellsUnnamed, ProtectionNegative, StatusUnknown
from tarnkappe.io.cells import CellColumns, CellFile, read_cells
from tarnkappe.io.jj import jj_bytes, jj_of, pattern_of_jj, read_jj
from tarnkappe.io.patterns import pattern_of, rows_of
from tarnkappe.io.write import write
from tarnkappe.language import Text

BY = ("region", "sector")


def through(folder, pattern, form):
    """Write the rows of a pattern and read them again."""
    path = folder / f"t.{form}"
    buffer = BytesIO()
    write(rows_of(pattern), buffer, form)
    path.write_bytes(buffer.getvalue())
    kept = pattern.table.contributions
    columns = CellColumns(count="count", largest=("largest_1", "largest_2")) if kept else CellColumns()
    return pattern_of(read_cells(CellFile(path, BY, columns)), trees(pattern), columns, "t")


def trees(pattern):
    return {h.name: h for h in pattern.table.dimensions}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@settings(max_examples=40, deadline=None)
@given(pattern=patterns())
def test_rows_there_and_back(tmp_path_factory, form, pattern):
    again = through(tmp_path_factory.mktemp("rows"), pattern, form)
    same(pattern, again, "status", "mark", "lower", "upper", "low", "high", "cost")


def test_bounds_and_all_marks_in_rows(tmp_path):
    table = full_table((tree("two levels", "region"), tree("flat", "sector")), np.full((3, 3), 2.0))
    mark = (np.arange(len(table)) % 4).astype(np.uint8)
    mark[mark == Mark.ZERO] = Mark.NONE
    mark[5] = Mark.SAFE
    low = np.where(np.arange(len(table)) % 3 == 0, 1.0, 0.0)
    high = np.where(np.arange(len(table)) % 3 == 1, 99.5, np.inf)
    pattern = Pattern(table, mark=mark, low=low, high=high)
    same(pattern, through(tmp_path, pattern, "csv"), "status", "mark", "low", "high")


@settings(max_examples=40, deadline=None)
@given(pattern=patterns())
def test_jj_there_and_back(tmp_path_factory, pattern):
    path = tmp_path_factory.mktemp("jj") / "t.jj"
    path.write_bytes(jj_bytes(jj_of(pattern)))
    again = pattern_of_jj(read_jj(path), trees(pattern))
    same(pattern, again, "status", "lower", "upper")
    assert again.forced_open[pattern.forced_open].all()
    assert np.array_equal(again.high, pattern.high)
    assert jj_bytes(jj_of(again)) == jj_bytes(jj_of(pattern))


def test_a_jj_file_with_other_hierarchies(tmp_path):
    pattern = Pattern(full_table((tree("flat", "region"), tree("flat", "sector")), np.ones((3, 3))))
    path = tmp_path / "t.jj"
    path.write_bytes(jj_bytes(jj_of(pattern)))
    with pytest.raises(CellsUnnamed):
        pattern_of_jj(
            read_jj(path), {"region": tree("two levels", "region"), "sector": tree("flat", "sector")}
        )
    with pytest.raises(wrong.NotAdditive):
        pattern_of_jj(
            read_jj(path),
            {
                "region": tree("flat", "region"),
                "sector": Hierarchy("s", np.array(list("Tabc"), dtype=object), np.array([-1, 0, 1, 1])),
            },
        )


@pytest.mark.parametrize(
    ("column", "error"),
    [
        ("status\nopen\nprimary\nhmm", StatusUnknown),
        ("status\nopen\nrounded\nopen", wrong.NotExact),
        ("cost\n1\n-1\n1", ProtectionNegative),
        ("mark\n\nkept\n", wrong.MarkUnknown),
        ("mark\n\nzero\n", wrong.BoundsWrong),
        ("prior_low\n\n4\n\n", wrong.BoundsWrong),
    ],
)
def test_what_rows_cannot_say(tmp_path, column, error):
    rows = ["r,value", "Total,5", "a,3", "b,2"]
    said = [*column.split("\n"), "", "", ""][:4]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(f"{a},{b}" for a, b in zip(rows, said, strict=True)) + "\n")
    hierarchy = full_tree()
    with pytest.raises(error) as told:
        pattern_of(read_cells(CellFile(path, ("r",))), {"r": hierarchy}, CellColumns(), "t")
    assert told.value.exit_code == 2


def full_tree():
    return below_total("r", ["a", "b"], "Total")


def test_protection_that_is_required_counts_for_hidden_cells_only(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("r,value,status,required_low\nTotal,5,open,1\na,3,u,2\nb,2,M,\n")
    found = pattern_of(read_cells(CellFile(path, ("r",))), {"r": full_tree()}, CellColumns(), "t")
    assert found.needs.tolist() == [False, True, False]
    total = found.marked(
        Sensitivity(np.array([True, False, False]), np.zeros(3), np.zeros(3), Text("r", "r"))
    )
    assert total.lower.tolist() == [1, 2, 0], "and for those that a rule hides later"
    assert found.status.tolist() == [Status.OPEN, Status.PRIMARY, Status.SECONDARY]


def test_a_dimension_with_the_name_of_a_part():
    with pytest.raises(NameNotWritable):
        rows_of(Pattern(full_table((tree("flat", "value"), tree("flat", "s")), np.ones((3, 3)))))
