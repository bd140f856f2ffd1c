"""table protect and audit over several files that share cells."""

from __future__ import annotations

import numpy as np
import pytest
from command import command


def cells(folder, name, by, values, shown=None):
    """A file of cells over two dimensions, with all sums."""
    rows = sorted({k[0] for k in values})
    columns = sorted({k[1] for k in values})
    lines = [f"{by[0]},{by[1]},value"]
    for r in (*rows, "Total"):
        for c in (*columns, "Total"):
            number = sum(v for (i, j), v in values.items() if r in (i, "Total") and c in (j, "Total"))
            lines.append(f"{r},{c},{'' if shown is not None and (r, c) in shown else number}")
    (folder / name).write_text("\n".join(lines) + "\n")


def marked(file, cell):
    """The office marks one cell: without a mark or a rule nothing says what needs protection."""
    head, *rows = file.read_text().splitlines()
    rows = [f"{row},{'u' if row.startswith(cell) else ''}" for row in rows]
    file.write_text("\n".join([f"{head},status", *rows]) + "\n")


@pytest.fixture
def two(tmp_path):
    """Turnover by region and sector, and by sector and size; the sums by sector are shared."""
    rng = np.random.default_rng(1)
    first = {(r, s): int(rng.integers(20, 90)) for r in "NOSW" for s in "abc"}
    totals = {s: sum(v for (_, j), v in first.items() if j == s) for s in "abc"}
    second = {(s, "1"): int(totals[s] // 3) for s in "abc"} | {
        (s, "2"): totals[s] - int(totals[s] // 3) for s in "abc"
    }
    return first, second


def test_an_open_sum_in_one_file_gives_away_a_cell_of_the_other(capsys, tmp_path, two):
    first, second = two
    hidden = {("N", "a"), ("Total", "a"), ("N", "b"), ("Total", "b")}
    cells(tmp_path, "one.csv", ("region", "sector"), first, hidden)
    cells(tmp_path, "two.csv", ("sector", "size"), second)
    by = ["--by", "region", "--by", "sector"]
    assert command(capsys, "table", "audit", tmp_path / "one.csv", *by).code == 0
    done = command(
        capsys,
        "table",
        "audit",
        tmp_path / "one.csv",
        "--also",
        tmp_path / "two.csv",
        *by,
        "--by",
        "size",
        "--lang",
        "en",
    )
    assert done.code == 3
    assert "one: N × a" in done.all


def test_several_files_are_protected_together(capsys, tmp_path, two):
    first, second = two
    cells(tmp_path, "one.csv", ("region", "sector"), first)
    cells(tmp_path, "two.csv", ("sector", "size"), second)
    cells(tmp_path, "out-already.csv", ("region", "sector"), first)
    for name, cell in (("one.csv", "N,a,"), ("two.csv", "a,1,")):
        marked(tmp_path / name, cell)
    done = command(capsys, "table", "protect", tmp_path / "one.csv", "--also", tmp_path / "two.csv", "--by", "region", "--by",
        "sector", "--by", "size", "--out", str(tmp_path / "out"), "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.all
    assert {p.name for p in (tmp_path / "out/tables").iterdir()} == {"one.csv", "two.csv"}
    late = command(capsys, "table", "protect", tmp_path / "two.csv", "--published", str(tmp_path / "out"), "--by", "sector", "--by",
        "size", "--out", str(tmp_path / "late"), "--quiet",
    )  # fmt: skip
    assert late.code == 0, late.all
    file = command(capsys, "table", "protect", tmp_path / "two.csv", "--published", tmp_path / "out-already.csv", "--by", "region", "--by",
        "sector", "--by", "size", "--out", str(tmp_path / "later"), "--quiet",
    )  # fmt: skip
    assert file.code == 0, file.all


def test_files_that_contradict_each_other_are_told(capsys, tmp_path, two):
    first, second = two
    cells(tmp_path, "one.csv", ("region", "sector"), first)
    cells(tmp_path, "two.csv", ("sector", "size"), {**second, ("a", "1"): 1})
    done = command(capsys, "table", "audit", tmp_path / "one.csv", "--also", tmp_path / "two.csv", "--by", "region", "--by",
        "sector", "--by", "size", "--lang", "en",
    )  # fmt: skip
    assert done.code == 2
    assert "linked.values-differ" in done.all
