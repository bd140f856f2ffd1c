"""table protect: one respondent behind a sum and its only part is one insider, and refusals name what stands in the way."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from command import command

REGIONS = {"A": ("A1", "A2"), "B": ("B1", "B2"), "C": ("C1", "C2")}
ABOVE = {part: (part, whole, "Total") for whole, parts in REGIONS.items() for part in parts}
ASKED = (
    "--by", "region", "--by", "sector", "--hierarchy", "region=region.hrc", "--count", "n", "--largest", "one",
    "--largest", "two", "--rule", "rule.p-percent: {p: 15}", "--rule", "rule.minimum-frequency: {n: 3}", "--quiet",
)  # fmt: skip


@pytest.fixture
def cells(tmp_path, monkeypatch):
    """Contributions by cell; alone in A × X is who is alone in A1 × X."""
    monkeypatch.chdir(tmp_path)
    tree = "".join(f"{whole}\n" + "".join(f"@{part}\n" for part in parts) for whole, parts in REGIONS.items())
    (tmp_path / "region.hrc").write_text(tree)
    draw = np.random.default_rng(2)
    out: dict[tuple[str, str], list[int]] = {}
    for part, above in ABOVE.items():
        for sector in "XYZ":
            many = {"A1X": 1, "A2X": 0}.get(part + sector, int(draw.integers(2, 6)))
            given = draw.integers(100, 1000, many).tolist()
            for region in above if many else ():
                for column in (sector, "Total"):
                    out.setdefault((region, column), []).extend(given)
    return out


def written(path, cells):
    lines = ["region,sector,value,n,one,two"]
    for (region, sector), given in cells.items():
        one, two = sorted([*given, 0, 0], reverse=True)[:2]
        lines.append(f"{region},{sector},{sum(given)},{len(given)},{one},{two}")
    path.write_text("\n".join(lines) + "\n")
    return path


def hidden(folder, name):
    with (folder / "tables" / f"{name}.csv").open() as file:
        return {(row["region"], row["sector"]) for row in csv.DictReader(file) if not row["value"]}


def test_sums_that_the_file_lacks_change_nothing(capsys, tmp_path, cells):
    whole = written(tmp_path / "whole.csv", cells)
    less = written(tmp_path / "less.csv", {key: given for key, given in cells.items() if key[0] != "Total"})
    for path in (whole, less):
        done = command(capsys, "table", "protect", path, *ASKED, "--out", tmp_path / path.stem)
        assert done.code == 0, done.all
    assert ("A", "X") in hidden(tmp_path / "whole", "whole")
    assert hidden(tmp_path / "less", "less") == hidden(tmp_path / "whole", "whole")


def test_nobody_inside_is_blamed_where_nobody_inside_attacks(capsys, tmp_path, cells):
    path = written(tmp_path / "whole.csv", cells)
    asked = ("--insiders", "none", "--prior", "100", "--lang", "en", "--out", tmp_path / "out")
    largest = ("--method", "table.quader: {range_base: largest, span: 150}")
    refused = command(capsys, "table", "protect", path, *ASKED, *asked, *largest)
    assert refused.code == 3, refused.all
    assert "table.unprotectable" in refused.all
    assert "Against outsiders" not in refused.all
    assert "(range_base: largest)" in refused.all


def test_a_reason_that_is_too_short_is_not_called_empty(capsys, tmp_path, cells):
    written(tmp_path / "whole.csv", cells)
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "tarnkappe: 1\ntitle: T\ntables:\n  - {name: t, file: whole.csv, by: [region, sector], unlinked: other, protect: table.quader}\n"
    )
    for lang, says in (("en", "needs at least 10 characters"), ("de", "braucht mindestens 10 Zeichen")):
        said = command(capsys, "check", plan, "--lang", lang)
        assert said.code == 2
        assert f"unlinked: {says}" in " ".join(said.all.split())
