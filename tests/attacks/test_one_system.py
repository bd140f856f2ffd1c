"""Tables of one source are read together: measures that add up, dimensions that follow from each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attacks.published_cells import Reader, exactly
from tarnkappe.errors import Refused
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.report.release import release

RULES = [{"use": "rule.minimum-frequency", "n": 3}, {"use": "rule.p-percent", "p": 10}]
GROUPS = {"a": "X", "b": "X", "c": "Y", "d": "Y", "e": "Z", "f": "Z"}
AREAS = {"a": "P", "b": "Q", "c": "Q", "d": "R", "e": "R", "f": "P"}


def firms(folder: Path, seed: int, n: int = 110) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    branch = rng.choice(list("abcdef"), n, p=[0.3, 0.25, 0.2, 0.12, 0.08, 0.05])
    domestic = np.round(np.exp(rng.normal(6, 1.2, n)))
    foreign = np.where(rng.random(n) < 0.6, np.round(domestic * rng.beta(1, 3, n)), 0)
    columns = {
        "region": rng.choice(list("NSOW"), n, p=[0.4, 0.3, 0.2, 0.1]), "branch": branch,
        "group": np.array([GROUPS[b] for b in branch]), "area": np.array([AREAS[b] for b in branch]),
        "domestic": domestic, "foreign": foreign, "turnover": domestic + foreign,
    }  # fmt: skip
    rows = zip(*(c.astype(int) if c.dtype.kind == "f" else c for c in columns.values()), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (folder / "firms.csv").write_text(",".join(columns) + "\n" + text + "\n")
    return columns


def table(name: str, by: list[str], value: str | None = "turnover", **parts: Any) -> dict[str, Any]:
    said: dict[str, Any] = {
        "name": name,
        "by": by,
        "rules": RULES,
        "protect": {"use": "table.quader"},
        **parts,
    }
    return said | ({"value": value} if value else {})


def run(folder: Path, tables: list[dict[str, Any]], **parts: Any):
    content = {"tarnkappe": 1, "title": "T", "data": {"file": "firms.csv"}, "tables": tables, **parts}
    return release(check(Document(content), folder), folder / "out")


def read(folder: Path, tables: list[dict[str, Any]]) -> Reader:
    reader = Reader()
    for said in tables:
        reader.read(folder / f"out/tables/{said['name']}.csv", said["by"], said.get("value", ""))
    return reader


@pytest.mark.parametrize("seed", range(4))
def test_measures_that_add_up(tmp_path, seed):
    firms(tmp_path, seed)
    tables = [table(v, ["region", "branch"], v) for v in ("domestic", "foreign", "turnover")]
    run(tmp_path, tables)
    reader = read(tmp_path, tables)
    assert reader.hidden
    assert not exactly(reader.intervals(reader.hidden))
    for codes in {c[1] for c in (*reader.shown, *reader.hidden)}:
        reader.equation({("turnover", codes): -1.0, ("domestic", codes): 1.0, ("foreign", codes): 1.0})
    assert not exactly(reader.intervals(reader.hidden))


@pytest.mark.parametrize("seed", range(3))
def test_a_measure_that_no_table_shows(tmp_path, seed):
    """Turnover less domestic turnover is what goes abroad: of one exporter in a cell nobody may learn it."""
    columns = firms(tmp_path, seed)
    tables = [table(v, ["region", "branch"], v) for v in ("domestic", "turnover")]
    run(tmp_path, tables)
    reader = read(tmp_path, tables)
    few = set()
    for r in "NSOW":
        for b in "abcdef":
            cell = (columns["region"] == r) & (columns["branch"] == b)
            foreign = np.sort(columns["foreign"][cell])[::-1]
            codes = frozenset({("region", r), ("branch", b)})
            reader.equation({("turnover", codes): -1.0, ("domestic", codes): 1.0, ("foreign", codes): 1.0})
            if 0 < cell.sum() < 3 or (foreign[:1].sum() > 0 and foreign[2:].sum() < 0.1 * foreign[0]):
                few.add(("foreign", codes))
    assert few
    assert not exactly(reader.intervals(few))


@pytest.mark.parametrize("seed", range(4))
def test_a_dimension_that_follows_from_another(tmp_path, seed):
    firms(tmp_path, seed)
    tables = [table("fine", ["region", "branch"]), table("coarse", ["region", "group"])]
    run(tmp_path, tables)
    reader = read(tmp_path, tables)
    _grouped(reader, "group", GROUPS)
    assert reader.hidden
    assert not exactly(reader.intervals(reader.hidden))


def test_two_groupings_without_their_common_codes(tmp_path):
    """Neither table has branches, and the groupings cut across each other."""
    done = 0
    for seed in range(5):
        firms(tmp_path, seed)
        tables = [table("one", ["region", "group"]), table("two", ["region", "area"])]
        try:
            run(tmp_path, tables)
        except Refused:
            continue
        done += 1
        reader = read(tmp_path, tables)
        cells = {c[1] for c in (*reader.shown, *reader.hidden)}
        for name, of in (("group", GROUPS), ("area", AREAS)):
            for codes in cells:
                said = dict(codes)
                if name in said:
                    rest = codes - {(name, said[name])}
                    parts = [("turnover", rest | {("branch", b)}) for b, g in of.items() if g == said[name]]
                    reader.equation({("turnover", codes): -1.0} | dict.fromkeys(parts, 1.0))
        assert not exactly(reader.intervals(reader.hidden))
        _cleared(tmp_path)
    assert done >= 3


def test_measures_and_groupings_at_once(tmp_path):
    for seed in range(3):
        firms(tmp_path, seed)
        tables = [
            table("turnover", ["region", "branch"], "turnover"), table("domestic", ["region", "group"], "domestic"),
            table("foreign", ["region", "group"], "foreign"),
        ]  # fmt: skip
        run(tmp_path, tables)
        reader = read(tmp_path, tables)
        for codes in {c[1] for c in (*reader.shown, *reader.hidden)}:
            if "branch" not in dict(codes):
                reader.equation(
                    {("turnover", codes): -1.0, ("domestic", codes): 1.0, ("foreign", codes): 1.0}
                )
        _grouped(reader, "group", GROUPS)
        assert not exactly(reader.intervals(reader.hidden))
        _cleared(tmp_path)


def _grouped(reader: Reader, name: str, of: dict[str, str]) -> None:
    cells = {*reader.shown, *reader.hidden}
    for measure, codes in cells:
        said = dict(codes)
        if name in said:
            rest = codes - {(name, said[name])}
            parts = [(measure, rest | {("branch", b)}) for b, g in of.items() if g == said[name]]
            parts = [p for p in parts if p in cells]
            if parts:
                reader.equation({(measure, codes): -1.0} | dict.fromkeys(parts, 1.0))


def _cleared(folder: Path) -> None:
    for file in sorted(folder.rglob("*"), reverse=True):
        if file.is_file():
            file.unlink()
        else:
            file.rmdir()
