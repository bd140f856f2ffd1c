"""table audit: what the columns of a file of cells require of suppressed cells is tested, and refused where it is not met."""

from __future__ import annotations

import json

import pytest
from command import command

BY = ("--by", "r", "--by", "c")
SUMS = {"1,Total": 200, "2,Total": 200, "Total,1": 200, "Total,2": 200, "Total,Total": 400}
COLUMNS = "r,c,value,status,required_low,required_high,required_span,prior_low,prior_percent"


def file(path, *, first="", others="100,suppressed,,,,,", second=None):
    """A table of four suppressed cells of 100 each, which an outsider knows to lie between 0 and 200."""
    inner = {"1,1": first, "1,2": others, "2,1": second or others, "2,2": others}
    lines = [COLUMNS, *(f"{cell},{value},open,,,,," for cell, value in SUMS.items())]
    path.write_text("\n".join([*lines, *(f"{cell},{said}" for cell, said in inner.items())]) + "\n")
    return path


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("100,suppressed,100,100,200,,", 0),
        ("100,suppressed,100.1,,,,", 3),
        ("100,suppressed,,100.1,,,", 3),
        ("100,suppressed,,,200.1,,", 3),
        ("100,suppressed,10,10,,,5", 3),
        ("100,suppressed,5,5,10,,5", 0),
        (",suppressed,,,200.1,,", 3),
        (",suppressed,,,200,,", 0),
        ("100,suppressed,-1,,,,", 2),
        (",suppressed,10,,,,", 2),
    ],
)
def test_required_columns(capsys, tmp_path, said, code):
    out = tmp_path / "found.json"
    answer = command(
        capsys, "table", "audit", file(tmp_path / "t.csv", first=said), *BY, "--out", out, "--lang", "en"
    )
    assert answer.code == code, answer.all
    if code == 3:
        found = json.loads(out.read_text())
        assert [c["cell"] for c in found["cells"] if c["too_narrow"]] == ["1 × 1"]
        assert "1 cells have less protection than required." in answer.all


def test_quickly_too(capsys, tmp_path):
    path = file(tmp_path / "t.csv", first="100,suppressed,100.1,,,,")
    assert command(capsys, "table", "audit", path, *BY, "--quick").code == 3
    path = file(tmp_path / "t.csv", first="100,suppressed,100,100,200,,")
    assert command(capsys, "table", "audit", path, *BY, "--quick").code == 0


def test_files_that_are_read_together_require_as_much(capsys, tmp_path):
    one, two = (file(tmp_path / f"{name}.csv", first="100,suppressed,100.1,,,,") for name in ("one", "two"))
    assert command(capsys, "table", "audit", one, "--also", two, *BY).code == 3


def test_a_cell_that_the_file_marks_needs_no_rule(capsys, tmp_path):
    path = tmp_path / "t.csv"
    inner = {"1,1": "100,suppress", "1,2": "100,", "2,1": "100,", "2,2": "100,"}
    lines = ["r,c,value,mark", *(f"{cell},{value}," for cell, value in SUMS.items())]
    path.write_text("\n".join([*lines, *(f"{cell},{said}" for cell, said in inner.items())]) + "\n")
    done = command(capsys, "table", "protect", path, *BY, "--out", tmp_path / "out", "--quiet")
    assert done.code == 0, done.all
    path.write_text(path.read_text().replace("suppress", "keep"))
    none = command(capsys, "table", "protect", path, *BY, "--out", tmp_path / "none", "--quiet")
    assert none.code == 2
    assert "policy.rule-needed" in none.all
