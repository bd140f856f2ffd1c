"""table audit: what the attacker knows beforehand (Wettig 2002, L575-635, TV-12)."""

from __future__ import annotations

import json

import pytest
from command import command

BY = ("--by", "r", "--by", "c")
VALUES = {("1", "1"): 100, ("1", "2"): 80, ("2", "1"): 90, ("2", "2"): 1}
SUMS = {
    ("1", "Total"): 180,
    ("2", "Total"): 91,
    ("Total", "1"): 190,
    ("Total", "2"): 81,
    ("Total", "Total"): 271,
}


def file(path, columns, row):
    """Everything but the sums is suppressed; `row` says what else the file tells of a cell."""
    lines = [",".join(["r", "c", "value", "status", *columns])]
    lines += [f"{r},{c},{v},open" + "," * len(columns) for (r, c), v in SUMS.items()]
    lines += [f"{r},{c},{row(v)}" for (r, c), v in VALUES.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def ends(capsys, tmp_path, path, *more):
    out = tmp_path / "found.json"
    said = command(capsys, "table", "audit", path, *BY, *more, "--out", out)
    assert said.code == 0, said.all
    cells = {c["cell"]: (c["low"], c["high"]) for c in json.loads(out.read_text())["cells"]}
    return cells["1 × 1"]


def test_without_prior_knowledge(capsys, tmp_path):
    path = file(tmp_path / "t.csv", [], lambda v: ",suppressed")
    assert ends(capsys, tmp_path, path) == pytest.approx((99, 180))


def test_bounds_of_the_file(capsys, tmp_path):
    path = file(tmp_path / "t.csv", ["prior_low", "prior_high"], lambda v: f",suppressed,{v / 2},{v * 1.5}")
    assert ends(capsys, tmp_path, path) == pytest.approx((99.5, 100.5))


def test_a_percentage_of_the_file(capsys, tmp_path):
    path = file(tmp_path / "t.csv", ["prior_percent"], lambda v: f"{v},suppressed,50")
    assert ends(capsys, tmp_path, path) == pytest.approx((99.5, 100.5))


def test_a_percentage_of_the_command(capsys, tmp_path):
    path = file(tmp_path / "t.csv", [], lambda v: f"{v},suppressed")
    assert ends(capsys, tmp_path, path, "--prior", "50") == pytest.approx((99.5, 100.5))


def test_a_percentage_needs_values(capsys, tmp_path):
    path = file(tmp_path / "t.csv", [], lambda v: ",suppressed")
    said = command(capsys, "table", "audit", path, *BY, "--prior", "50")
    assert said.code == 2
    assert "[table.option]" in said.err
    assert "prior_low" in said.err


def test_bounds_that_cannot_be_are_refused_without_a_value(capsys, tmp_path):
    path = file(tmp_path / "t.csv", ["prior_low", "prior_high"], lambda v: f"{v},suppressed,{v + 7},{v + 9}")
    said = command(capsys, "table", "audit", path, *BY)
    assert said.code == 2
    assert "[table.prior-wrong]" in said.err
    assert "107" not in said.all
