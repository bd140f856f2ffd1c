"""Two tables merge the branches differently: what one merges, the difference of both must not tell."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.report.release import release

RULES = [{"use": "rule.minimum-frequency", "n": 3}]
ONE, OTHER = {"F": "FG", "G": "FG"}, {"G": "GH", "H": "GH"}


def merged(name: str, groups: dict[str, str], by: list[str]) -> dict[str, Any]:
    how = {"use": "table.recode", "dimension": "branch", "groups": groups, "rules": RULES}
    return {"name": name, "by": by, "value": "turnover", "rules": RULES, "protect": how}


def published(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"out/tables/{name}.csv").open() as lines:
        return list(csv.DictReader(lines))


def known(folder: Path, by: list[str]) -> list[float]:
    """How wide the interval of the firm in branch G is, in every region: all cells of both tables are sums over region and branch."""
    leaves: dict[tuple[str, ...], int] = {}
    rows, right = [], []
    tables = [(published(folder, n), g) for n, g in (("one", ONE), ("other", OTHER))]
    codes = sorted({c for rows_, g in tables for r in rows_ for c in [r["branch"]] if len(c) == 1})
    regions = sorted({r.get("region", "") for rows_, _ in tables for r in rows_} - {"Total"})
    for b in sorted({*codes, "F", "G", "H"}):
        for r in regions:
            leaves[(r, b)] = len(leaves)
    for cells, groups in tables:
        for row in cells:
            if row["value"]:
                parts = np.zeros(len(leaves))
                for (r, b), at in leaves.items():
                    fits = row["branch"] in ("Total", groups.get(b, b))
                    parts[at] = fits and row.get("region", "") in ("Total", r)
                rows.append(parts)
                right.append(float(row["value"]))
    out = []
    for r in regions:
        cost = np.zeros(len(leaves))
        cost[leaves[(r, "G")]] = 1.0
        ends = [linprog(s * cost, A_eq=np.array(rows), b_eq=right, bounds=(0, None)) for s in (1, -1)]
        assert all(found.status == 0 for found in ends)
        out.append(-ends[1].fun - ends[0].fun)
    return out


@pytest.mark.parametrize("by", [["branch"], ["region", "branch"]], ids=["flat", "crossed"])
@pytest.mark.parametrize("seed", range(3))
def test_the_difference_of_two_merges_is_not_told(tmp_path, seed, by):
    rng = np.random.default_rng(seed)
    branch, region = rng.choice(list("ABCDEFH"), 300), rng.choice(["N", "S"], 300)
    lines = [f"{r},{b},{int(rng.lognormal(6, 1))}" for r, b in zip(region, branch, strict=True)]
    lines += ["N,G,6820", "S,G,4711"]
    (tmp_path / "firms.csv").write_text("region,branch,turnover\n" + "\n".join(lines) + "\n")
    tables = [merged("one", ONE, by), merged("other", OTHER, by)]
    content = {"tarnkappe": 1, "title": "T", "data": {"file": "firms.csv"}, "tables": tables}
    done = release(check(Document(content), tmp_path), tmp_path / "out")
    assert done.released
    assert min(known(tmp_path, by)) > 1000
    shown = [row for name in ("one", "other") for row in published(tmp_path, name) if row["value"]]
    assert len(shown) >= 8, "most cells are shown all the same"


def test_what_is_merged_alike_needs_nothing_hidden(tmp_path):
    rng = np.random.default_rng(1)
    lines = [f"{b},{int(rng.lognormal(6, 1))}" for b in [*rng.choice(list("ABCDEFH"), 120), "G"]]
    (tmp_path / "firms.csv").write_text("branch,turnover\n" + "\n".join(lines) + "\n")
    tables = [merged(name, ONE, ["branch"]) for name in ("one", "other")]
    content = {"tarnkappe": 1, "title": "T", "data": {"file": "firms.csv"}, "tables": tables}
    release(check(Document(content), tmp_path), tmp_path / "out")
    assert all(row["value"] for name in ("one", "other") for row in published(tmp_path, name))
