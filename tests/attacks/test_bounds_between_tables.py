"""Bounds that other tables give: a size class times an open number of firms, and one measure that is never above another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attacks.published_cells import Cell, Reader
from tarnkappe.errors import Refused
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.report.release import release

P = [{"use": "rule.p-percent", "p": 10}]
CLASSES = {"0-9": (0, 9), "10-49": (10, 49), "50-99": (50, 99), "100-249": (100, 249)}


def run(folder: Path, columns: dict[str, np.ndarray], tables: list[dict[str, Any]]):
    rows = "\n".join(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))
    (folder / "firms.csv").write_text(",".join(columns) + f"\n{rows}\n")
    accept = [
        {
            "what": "rules",
            "tables": ["firms"],
            "reason": "How many firms there are is in the public register.",
        }
    ]
    content = {
        "tarnkappe": 1, "title": "T", "data": {"file": "firms.csv"}, "tables": tables, "accept": accept if len(tables[-1]) < 4 else [],
    }  # fmt: skip
    return release(check(Document(content), folder), folder / "out")


def required(done, by: list[str]) -> dict[Cell, tuple[float, float]]:
    """The protected cells with the interval that they must have at least."""
    out = {}
    for entry in done.tables:
        pattern = entry.pattern
        for c in np.flatnonzero(pattern.primary):
            codes = [str(pattern.table.codes(j)[c]) for j in range(len(by))]
            cell = (
                entry.plan.described.value or "",
                frozenset((d, x) for d, x in zip(by, codes, strict=True) if x != "Total"),
            )
            value = pattern.table.value[c]
            out[cell] = (value - pattern.lower[c], value + pattern.upper[c])
    return out


def short(reader: Reader, needs: dict[Cell, tuple[float, float]]) -> list[Cell]:
    """Protected cells whose interval does not reach as far as it must."""
    found = reader.intervals(needs)
    return [
        c for c, (low, high) in needs.items()
        if found[c][0] > low + 1e-3 * max(1.0, abs(low)) or found[c][1] < high - 1e-3 * high
    ]  # fmt: skip


def sized(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    employees = np.minimum(np.round(np.exp(rng.normal(3, 1.2, 120))).astype(int), 249)
    size = np.array([next(k for k, (a, b) in CLASSES.items() if a <= e <= b) for e in employees])
    return {"branch": rng.choice(list("abcdefg"), 120), "size": size, "employees": employees}


def tables_by_size(**firms: Any) -> list[dict[str, Any]]:
    by = ["branch", "size"]
    return [
        {"name": "employees", "by": by, "value": "employees", "rules": P, "protect": {"use": "table.quader"}},
        {"name": "firms", "by": by, **firms},
    ]


def test_a_size_class_times_a_number_of_firms(tmp_path):
    """What is hidden of the number of firms is unknown to the reader; the class holds all the same."""
    done = 0
    by = ["branch", "size"]
    few = [{"use": "rule.minimum-frequency", "n": 3}]
    for seed in range(5):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            result = run(folder, sized(seed), tables_by_size(rules=few, protect={"use": "table.quader"}))
        except Refused:
            continue
        done += 1
        reader = Reader()
        reader.read(folder / "out/tables/employees.csv", by, "employees")
        reader.read(folder / "out/tables/firms.csv", by, "")
        for codes in {c[1] for c in (*reader.shown, *reader.hidden) if "size" in dict(c[1])}:
            low, high = CLASSES[dict(codes)["size"]]
            reader.equation({("employees", codes): 1.0, ("", codes): -high, ("below", codes): 1.0})
            reader.equation({("employees", codes): 1.0, ("", codes): -low, ("above", codes): -1.0})
        needs = {cell: ends for cell, ends in required(result, by).items() if cell[0]}
        assert not short(reader, needs)
    assert done >= 2, "where the number of firms may be hidden, the tables are made safe"


def test_classes_and_open_numbers_that_tell_too_much_are_refused(tmp_path):
    with pytest.raises(Refused, match=r"linked\.unprotectable"):
        run(tmp_path, sized(0), tables_by_size())


def test_a_measure_that_is_never_above_another(tmp_path):
    done = 0
    by = ["region", "branch"]
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = 110
        turnover = np.round(np.exp(rng.normal(6, 1.2, n))) + 10
        exports = np.where(rng.random(n) < 0.75, np.round(turnover * rng.uniform(0.88, 0.96, n)), 0)
        columns = {
            "region": rng.choice(list("NSOW"), n), "branch": rng.choice(list("abcdef"), n),
            "exports": exports.astype(int), "turnover": turnover.astype(int),
        }  # fmt: skip
        rules = [{"use": "rule.minimum-frequency", "n": 3}, *P]
        tables = [
            {"name": v, "by": by, "value": v, "rules": rules, "protect": {"use": "table.quader"}}
            for v in ("exports", "turnover")
        ]
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            result = run(folder, columns, tables)
        except Refused:
            continue
        done += 1
        reader = Reader()
        for v in ("exports", "turnover"):
            reader.read(folder / f"out/tables/{v}.csv", by, v)
        for codes in {c[1] for c in (*reader.shown, *reader.hidden)}:
            reader.equation({("turnover", codes): -1.0, ("exports", codes): 1.0, ("home", codes): 1.0})
        assert not short(reader, required(result, by))
    assert done >= 2
