"""Numbers of units are whole, and size classes bound them: together they can tell a count that neither tells alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from attacks.published_cells import Cell, Reader
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.report.release import release

CLASSES = {"0-9": (0, 9), "10-19": (10, 19), "20-29": (20, 29), "30-39": (30, 39)}
FEW = [{"use": "rule.minimum-frequency", "n": 3}]
BY = ["branch", "size"]


def firms(seed: int, n: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    employees = np.minimum(rng.integers(0, 40, n), 39)
    size = np.array([next(k for k, (a, b) in CLASSES.items() if a <= e <= b) for e in employees])
    return {"branch": rng.choice(list("abcdefg"), n), "size": size, "employees": employees}


def run(folder: Path, columns: dict[str, np.ndarray]):
    rows = "\n".join(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))
    (folder / "firms.csv").write_text(",".join(columns) + f"\n{rows}\n")
    tables: list[dict[str, Any]] = [
        {"name": "employees", "by": BY, "value": "employees", "rules": FEW, "protect": {"use": "table.quader"}},
        {"name": "firms", "by": BY, "rules": FEW, "protect": {"use": "table.quader"}},
    ]  # fmt: skip
    content = {"tarnkappe": 1, "title": "T", "data": {"file": "firms.csv"}, "tables": tables}
    return release(check(Document(content), folder), folder / "out")


def read(folder: Path) -> Reader:
    reader = Reader()
    reader.read(folder / "out/tables/employees.csv", BY, "employees")
    reader.read(folder / "out/tables/firms.csv", BY, "")
    for codes in {c[1] for c in (*reader.shown, *reader.hidden) if "size" in dict(c[1])}:
        low, high = CLASSES[dict(codes)["size"]]
        reader.equation({("employees", codes): 1.0, ("", codes): -high, ("below", codes): 1.0})
        reader.equation({("employees", codes): 1.0, ("", codes): -low, ("above", codes): -1.0})
    return reader


def whole_numbers(reader: Reader, wanted: set[Cell]) -> dict[Cell, tuple[float, float]]:
    """The least and the largest number of units of hidden cells, when all numbers of units are whole."""
    unknown = sorted({c for row in reader.rows for c in row if c not in reader.shown}, key=str)
    place = {c: i for i, c in enumerate(unknown)}
    entries = [(r, place[c], w) for r, row in enumerate(reader.rows) for c, w in row.items() if c in place]
    right = np.array(
        [-sum(w * reader.shown[c] for c, w in row.items() if c in reader.shown) for row in reader.rows]
    )
    r, c, w = zip(*entries, strict=True)
    matrix = coo_array((w, (r, c)), shape=(len(reader.rows), len(unknown))).tocsr()
    used = np.flatnonzero(np.diff(matrix.indptr))
    sums = LinearConstraint(matrix[used], right[used], right[used])
    whole = np.array([float(cell[0] == "") for cell in unknown])
    out = {}
    for cell in wanted & set(place):
        ends = []
        for sign in (1.0, -1.0):
            cost = np.zeros(len(unknown))
            cost[place[cell]] = sign
            found = milp(cost, constraints=sums, integrality=whole, bounds=Bounds(0, np.inf))
            assert found.status == 0, found.message
            ends.append(sign * found.fun)
        out[cell] = (ends[0], ends[1])
    return out


def few(columns: dict[str, np.ndarray]) -> set[Cell]:
    """Cells with one or two firms: their number must stay in doubt."""
    out = set()
    for b in set(columns["branch"]):
        for s in set(columns["size"]):
            if 0 < ((columns["branch"] == b) & (columns["size"] == s)).sum() < 3:
                out.add(("", frozenset({("branch", str(b)), ("size", str(s))})))
    return out


def attacked(folder: Path, seed: int) -> None:
    columns = firms(seed)
    run(folder, columns)
    found = whole_numbers(read(folder), few(columns))
    assert found
    assert [cell for cell, (low, high) in found.items() if high - low < 0.5] == []


@pytest.mark.parametrize("seed", [0, 3, 19])
def test_no_small_number_of_units_is_known(tmp_path, seed):
    """With seed 19 whole numbers told two numbers that sums and classes alone left open."""
    attacked(tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 40))
def test_no_small_number_of_units_is_known_in_more_files(tmp_path, seed):
    attacked(tmp_path, seed)
