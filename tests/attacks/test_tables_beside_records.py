"""Tables beside the records they are made of: whoever adds up the released records has the cells that the table hides."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attacks.published_cells import Reader, exactly
from tarnkappe.errors import Refused
from tarnkappe.errors.unsafe_tables import InTheRecords
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.report.release import release

RULES = [{"use": "rule.minimum-frequency", "n": 3}, {"use": "rule.p-percent", "p": 10}]
REASON = "The cells belong to made-up firms of whom nothing can become known."
ACCEPT = [
    {"what": what, "reason": REASON}
    for what in ("keys", "risk.interval-disclosure", "risk.linkage", "risk.further-keys", "risk.row-order")
]


def firms(folder: Path, seed: int = 1, n: int = 300, *, even: bool = False) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    regions = np.array([0.45, 0.3, 0.2, 0.05])
    branches = np.array([0.3, 0.25, 0.2, 0.12, 0.07, 0.03, 0.02, 0.01])
    if even:
        regions, branches = np.full(4, 0.25), np.array([0.25, 0.25, 0.25, 0.25, 0, 0, 0, 0])
    columns = {
        "name": np.array([f"firm {i}" for i in range(n)]),
        "region": rng.choice(list("NSOW"), n, p=regions),
        "branch": rng.choice(list("abcdefgh"), n, p=branches),
        "turnover": np.round(np.exp(rng.normal(6, 1.5, n))) + 1,
    }
    rows = zip(*(c.astype(int) if c.dtype.kind == "f" else c for c in columns.values()), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (folder / "firms.csv").write_text(",".join(columns) + "\n" + text + "\n")
    return columns


def run(folder: Path, steps: list[dict[str, Any]], tables: list[dict[str, Any]]):
    content = {
        "tarnkappe": 1, "title": "T", "data": {"file": "firms.csv", "roles": {"numeric": ["turnover"]}},
        "release": {"formats": ["csv"]}, "steps": steps, "tables": tables, "accept": ACCEPT,
    }  # fmt: skip
    return release(check(Document(content), folder), folder / "out")


def table(name: str = "t", by: tuple[str, ...] = ("region", "branch"), **parts: Any) -> dict[str, Any]:
    return {
        "name": name, "by": list(by), "value": "turnover", "rules": RULES, "protect": {"use": "table.quader"}, **parts
    }  # fmt: skip


DROP = {"use": "microdata.drop", "columns": ["name"]}
WITHIN = {"use": "microdata.mdav", "columns": ["turnover"], "k": 3, "within": ["region", "branch"]}


@pytest.mark.parametrize("source", ["result", "original"])
@pytest.mark.parametrize("value", ["turnover", None])
def test_records_that_add_up_to_the_table_are_refused(tmp_path, source, value):
    firms(tmp_path)
    said = table() | {"from": source}
    said = said if value else {k: v for k, v in said.items() if k != "value"}
    with pytest.raises(InTheRecords):
        run(tmp_path, [DROP], [said])
    assert not (tmp_path / "out").exists()


def test_steps_that_keep_the_sums_of_cells_are_refused(tmp_path):
    firms(tmp_path)
    keep = [{"use": "microdata.mdav", "columns": ["turnover"], "k": 3, "within": ["region"]}]
    few = {"use": "rule.minimum-frequency", "n": 25}
    with pytest.raises(InTheRecords):
        run(tmp_path, [DROP, *keep], [table(by=("region",), rules=[few], **{"from": "original"})])


def test_a_table_beside_records_without_its_value_is_released(tmp_path):
    firms(tmp_path)
    away = {"use": "microdata.drop", "columns": ["name", "turnover"]}
    done = run(tmp_path, [away], [table(**{"from": "original"}, rules=[{"use": "rule.p-percent", "p": 10}])])
    assert done.released, [g.says.en for g in done.gates if not g.held]


@pytest.mark.parametrize("seed", range(3))
def test_a_table_beside_records_that_show_one_dimension_only(tmp_path, seed):
    """The sums by region are known from the records: they are no partners of hidden cells."""
    columns = firms(tmp_path, seed)
    away = {"use": "microdata.drop", "columns": ["name", "branch"]}
    try:
        run(tmp_path, [away], [table(**{"from": "original"})])
    except Refused as refused:
        assert refused.code in ("table.in-the-records", "table.unprotectable", "linked.unprotectable")
        return
    reader = Reader()
    reader.read(tmp_path / "out/tables/t.csv", ["region", "branch"], "turnover")
    with (tmp_path / "out/data.csv").open() as lines:
        records = list(csv.DictReader(lines))
    for region in set(columns["region"]):
        known = sum(float(r["turnover"]) for r in records if r["region"] == region)
        cell = ("turnover", frozenset({("region", region)}))
        reader.shown[cell] = known
        reader.hidden.discard(cell)
    assert reader.hidden
    assert not exactly(reader.intervals(reader.hidden))


def sums(file: Path, columns: list[str]) -> dict[tuple[str, ...], float]:
    out: dict[tuple[str, ...], float] = {}
    with file.open() as lines:
        for row in csv.DictReader(lines):
            key = tuple(row[c] for c in columns)
            out[key] = out.get(key, 0.0) + float(row["turnover"] or 0)
    return out


def shown(file: Path) -> dict[tuple[str, ...], float]:
    with file.open() as lines:
        return {(r["region"], r["branch"]): float(r["value"]) for r in csv.DictReader(lines) if r["value"]}


CUT = {"use": "microdata.cut-off", "column": "turnover", "upper": 6000}


@pytest.mark.parametrize("seed", range(3))
def test_what_the_records_lack_is_not_told_by_a_table(tmp_path, seed):
    """Giants are left out of the records; the table less the sums of the records would be their turnover."""
    columns = firms(tmp_path, seed, even=True)
    try:
        run(tmp_path, [DROP, CUT, WITHIN], [table(**{"from": "original"})])
    except Refused as refused:
        assert refused.code in ("linked.told-together", "table.in-the-records", "linked.unprotectable")
        return
    told, known = shown(tmp_path / "out/tables/t.csv"), sums(tmp_path / "out/data.csv", ["region", "branch"])
    for cell, value in told.items():
        giants = (
            (columns["turnover"] > 6000) & (columns["region"] == cell[0]) & (columns["branch"] == cell[1])
        )
        if giants.sum() in (1, 2):
            assert abs(value - known.get(cell, 0.0) - columns["turnover"][giants].sum()) > 1


@pytest.mark.parametrize("seed", range(3))
def test_original_and_result_side_by_side(tmp_path, seed):
    """Two tables, before and after giants were cut off."""
    columns = firms(tmp_path, seed, even=True)
    both = [table("a", rules=RULES[1:], **{"from": "original"}), table("b", rules=RULES[1:])]
    try:
        run(tmp_path, [DROP, CUT, WITHIN], both)
    except Refused as refused:
        assert refused.code in ("linked.told-together", "table.in-the-records", "linked.unprotectable")
        return
    before, after = shown(tmp_path / "out/tables/a.csv"), shown(tmp_path / "out/tables/b.csv")
    for cell in before.keys() & after.keys():
        giants = (
            (columns["turnover"] > 6000) & (columns["region"] == cell[0]) & (columns["branch"] == cell[1])
        )
        assert giants.sum() not in (1, 2)


TOP = {"use": "microdata.top-bottom-code", "columns": ["turnover"], "upper": {"share": 0.05}}
ROUND = {"use": "microdata.round", "columns": ["turnover"], "base": 10}
NOISE = {"use": "microdata.noise", "columns": ["turnover"], "variance_ratio": 0.1}


@pytest.mark.parametrize("step", [TOP, ROUND])
def test_values_of_which_most_were_left_as_they_are_or_rounded_add_up_to_true_cells(tmp_path, step):
    firms(tmp_path)
    with pytest.raises(InTheRecords):
        run(tmp_path, [DROP, step], [table()])


def test_of_masked_values_beside_their_records_no_more_is_said_than_holds(tmp_path):
    firms(tmp_path)
    done = run(tmp_path, [DROP, NOISE], [table()])
    (said,) = [gate.says.en for gate in done.gates if gate.says.en.startswith("table t:")]
    assert "the records beside it add up to the masked values" in said
