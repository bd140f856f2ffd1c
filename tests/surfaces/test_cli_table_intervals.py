"""The intervals in the internal files are the attacker's, to their ends, or are called proven bounds."""

from __future__ import annotations

import csv

import pytest
from command import command

# TV-22b (Wettig 2002, L1046-1060): contributors and value of every cell
ROWS = {
    "1": [(11, 7760), (8, 240), (4, 57), (117, 4154), (140, 12211)],
    "2": [(3, 240), (2, 187), (33, 184), (67, 1782), (105, 2393)],
    "3": [(322, 1723), (3, 316), (18, 115), (8, 258), (351, 2412)],
    "4": [(116, 842), (87, 448), (21, 439), (4, 86), (228, 1815)],
    "Total": [(452, 10565), (100, 1191), (76, 795), (196, 6280), (824, 18831)],
}
OPTIONS = (
    "--by",
    "row",
    "--by",
    "column",
    "--count",
    "n",
    "--rule",
    "rule.minimum-frequency: {n: 3}",
    "--quiet",
)


@pytest.fixture
def cells(tmp_path):
    path = tmp_path / "t.csv"
    lines = ["row,column,value,n"]
    for row, found in ROWS.items():
        lines += [f"{row},{c},{v},{n}" for c, (n, v) in zip("ABCD", found, strict=False)]
        lines.append(f"{row},Total,{found[-1][1]},{found[-1][0]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def released(capsys, cells, *more):
    out = cells.parent / "out"
    said = command(capsys, "table", "protect", cells, *OPTIONS, "--out", out, *more)
    assert said.code == 0, said.all
    with (out / "internal" / "tables" / "t.csv").open() as lines:
        return {(r["row"], r["column"]): r for r in csv.DictReader(lines)}


def test_small_tables_tell_exact_intervals(capsys, cells):
    found = released(capsys, cells)
    row = found["2", "B"]
    assert (float(row["low"]), float(row["high"]), row["interval"]) == (130, 371, "exact")
    assert {r["interval"] for r in found.values() if r["status"] == "open"} == {""}
    assert {r["interval"] for r in found.values() if r["status"] != "open"} == {"exact"}


def test_what_stops_where_the_proof_stopped_is_called_that(capsys, cells):
    row = released(capsys, cells, "--no-exact")["2", "B"]
    assert 130 <= float(row["low"]) <= 187 - 18.7 + 1e-6
    assert 187 + 18.7 - 1e-6 <= float(row["high"]) <= 371
    assert row["interval"] == "proven bound"


def test_linked_tables_tell_exact_intervals_over_all_sums(capsys, cells, tmp_path):
    again = tmp_path / "again.csv"
    again.write_text(cells.read_text())
    row = released(capsys, cells, "--also", again)["2", "B"]
    assert (float(row["low"]), float(row["high"]), row["interval"]) == (130, 371, "exact")
