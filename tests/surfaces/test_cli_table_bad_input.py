"""Bad tables through every door: a coded error in words, exit code 2 (3 for what cannot be protected), nothing written, no value told."""

from __future__ import annotations

import pytest
from command import command

MARK = 98765432
"""Stands in every value of the table, so that a message that quotes one is seen."""
HEAD = "region,sector,value,n,x1,x2"
CELLS = {
    ("Total", "Total"): (4 * MARK, 40, MARK, 7),
    ("N", "Total"): (3 * MARK, 30, MARK, 7),
    ("N1", "Total"): (2 * MARK, 20, MARK, 7),
    ("N2", "Total"): (MARK, 10, 9, 7),
    ("S", "Total"): (MARK, 10, 9, 7),
    ("Total", "a"): (4 * MARK, 40, MARK, 7),
    ("N", "a"): (3 * MARK, 30, MARK, 7),
    ("N1", "a"): (2 * MARK, 20, MARK, 7),
    ("N2", "a"): (MARK, 10, 9, 7),
    ("S", "a"): (MARK, 10, 9, 7),
}
HRC = "N\n@N1\n@N2\nS\n"
BY = ("--by", "region", "--by", "sector")
RULE = ("--rule", "rule.p-percent: {p: 10}")
COLUMNS = ("--count", "n", "--largest", "x1", "--largest", "x2")
PLAN = """tarnkappe: 1
title: Table
tables:
  - name: t
    file: t.csv
    by: [region, sector]
    hierarchies: {region: {file: region.hrc}}
    columns: {count: n, largest: [x1, x2]}
    rules: [{use: rule.p-percent, p: 10}]
    protect: table.quader
"""
RDA = """<SEPARATOR> ","
region
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERCODELIST> "region.hrc"
  <HIERLEADSTRING> "@"
sector
  <RECODEABLE>
value
  <NUMERIC>
n
  <FREQUENCY>
x1
  <MAXSCORE>
x2
  <MAXSCORE>
"""


def spelt(cells):
    return [",".join(map(str, (*codes, *said))) for codes, said in cells]


def faulty(codes, said=None, renamed=None):
    """The rows with one cell said otherwise, or named otherwise."""
    return spelt((renamed or c, said or s) if c == codes else (c, s) for c, s in CELLS.items())


BAD = {
    "a code missing from its hierarchy": (faulty(("S", "a"), renamed=("X", "a")), {"table.code-unknown", "hierarchy.code"}),
    "two totals": ([*spelt(CELLS.items()), spelt(CELLS.items())[0]], {"table.cell-twice"}),
    "a total by another name": (spelt((tuple("All" if p == "Total" else p for p in c), s) for c, s in CELLS.items()), {"table.total-missing", "table.code-unknown", "hierarchy.code"}),
    "sums that do not add up": (faulty(("N2", "a"), (MARK + 5, 10, 9, 7)), {"table.not-additive", "table.contradiction"}),
    "a part left out": (spelt((c, s) for c, s in CELLS.items() if c != ("N2", "a")), {"table.not-additive", "table.contradiction"}),
    "a cell that is no number": (faulty(("N2", "a"), ("nan", 10, 9, 7)), {"table.value-missing", "argus.wrong"}),
    "an infinite cell": (faulty(("N2", "a"), ("inf", 10, 9, 7)), {"data.not-finite", "argus.wrong"}),
    "a cell of words": (faulty(("N2", "a"), (f"x{MARK}", 10, 9, 7)), {"data.wrong-kind", "argus.wrong"}),
    "a negative count": (faulty(("N2", "a"), (MARK, -3, 9, 7)), {"table.count-negative"}),
    "a value without contributors": (faulty(("N2", "a"), (MARK, 0, 0, 0)), {"table.nobody-counted"}),
    "half a contributor": (faulty(("N2", "a"), (MARK, 2.5, 9, 7)), {"table.count-wrong"}),
    "more largest contributions than the count": (faulty(("N2", "a"), (MARK, 1, 9, 7)), {"table.more-than-counted"}),
    "contributions above the cell": (faulty(("N2", "a"), (MARK, 10, MARK, MARK)), {"table.contributions-exceed"}),
    "a cell twice": ([*spelt(CELLS.items()), spelt(CELLS.items())[-1]], {"table.cell-twice"}),
}  # fmt: skip
SEEN_BY_THE_AUDIT = (
    "a code missing from its hierarchy", "two totals", "a total by another name", "sums that do not add up", "an infinite cell",
    "a cell of words", "a cell twice",
)  # fmt: skip


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "region.hrc").write_text(HRC)
    (tmp_path / "t.rda").write_text(RDA)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def doors(path):
    named = () if path == "t.tab" else (*BY, "--hierarchy", "region=region.hrc", *COLUMNS)
    yield "table", "protect", path, *named, *RULE, "--out", "out"
    yield "table", "round", path, *named, "--out", "out"
    yield "table", "convert", path, "new.jj", *named
    yield "table", "convert", path, "new.tab", *named
    yield "inspect", path, *named
    if path == "t.csv":
        yield "run", "plan.yaml", "--out", "out"


def refused(capsys, place, words, codes):
    before = sorted(p.name for p in place.iterdir())
    for lang in ("en", "de"):
        said = command(capsys, *words, "--lang", lang)
        assert said.code == 2, (words, said.all)
        assert any(f"[{code}" in said.err for code in codes), (words, said.err)
        assert not [
            digits
            for digits in ("98765", "197530", "296296", "395061")
            if digits in said.all.replace(".", "")
        ]
    assert sorted(p.name for p in place.iterdir()) == before, words


@pytest.mark.parametrize("fault", BAD)
def test_cells(capsys, place, fault):
    rows, codes = BAD[fault]
    (place / "t.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    for words in doors("t.csv"):
        refused(capsys, place, words, codes)


@pytest.mark.parametrize("fault", BAD)
def test_tables_of_tau_argus(capsys, place, fault):
    rows, codes = BAD[fault]
    (place / "t.tab").write_text("\n".join(rows) + "\n")
    for words in doors("t.tab"):
        refused(capsys, place, words, codes)


@pytest.mark.parametrize("fault", [fault for fault in BAD if fault != "a cell that is no number"])
def test_rows_into_rows(capsys, place, fault):
    """A cell without a value is a suppressed one here; everything else is no table."""
    rows, codes = BAD[fault]
    (place / "t.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    words = ("table", "convert", "t.csv", "new.csv", *BY, "--hierarchy", "region=region.hrc", *COLUMNS)
    refused(capsys, place, words, codes)


def test_a_stated_tolerance_is_taken(capsys, place):
    rows, _ = BAD["sums that do not add up"]
    (place / "t.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    named = (*BY, "--hierarchy", "region=region.hrc", "--tolerance", "0.001")
    for words in (
        ("table", "protect", "t.csv", *named, *RULE, *COLUMNS, "--out", "protected"),
        ("table", "round", "t.csv", *named, "--out", "rounded"),
        ("table", "convert", "t.csv", "new.csv", *named),
        ("table", "audit", "t.csv", *named),
    ):
        assert command(capsys, *words).code == 0, words


@pytest.mark.parametrize("fault", SEEN_BY_THE_AUDIT)
def test_the_audit(capsys, place, fault):
    rows, codes = BAD[fault]
    (place / "t.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    words = ("table", "audit", "t.csv", *BY, "--hierarchy", "region=region.hrc", "--out", "found.json")
    refused(capsys, place, words, codes)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("region.csv", "code,parent\nTotal,\nAll,\nN,Total\nN1,N\nN2,N\nS,Total\n", "hierarchy.roots"),
        ("region.csv", "code,parent\nTotal,N\nN,Total\nN1,N\nN2,N\nS,Total\n", "hierarchy."),
        ("region.hrc", "N\n@N1\n@N2\nN\n", "hierarchy.duplicate-code"),
        ("region.hrc", "N\n@@N1\n", "hierarchy.file"),
        ("region.hrc", "", "file.empty"),
    ],
)
def test_hierarchies(capsys, place, name, content, code):
    (place / "t.csv").write_text("\n".join([HEAD, *spelt(CELLS.items())]) + "\n")
    (place / name).write_text(content)
    for command_words in (
        ("table", "protect", "t.csv", "--out", "out"),
        ("table", "audit", "t.csv"),
        ("table", "convert", "t.csv", "n.jj"),
        ("inspect", "t.csv"),
    ):
        refused(capsys, place, (*command_words, *BY, "--hierarchy", f"region={name}"), {code})


def test_what_cannot_be_protected_is_refused(capsys, place):
    """One cell must be suppressed and every partner must stay open."""
    (place / "t.csv").write_text("\n".join([HEAD, *spelt(CELLS.items())]) + "\n")
    marks = [f"{r},{s},{'suppress' if (r, s) == ('N1', 'a') else 'keep'}" for r, s in CELLS]
    (place / "keep.csv").write_text("\n".join(["region,sector,mark", *marks]) + "\n")
    (place / "plan.yaml").write_text(PLAN.replace("    protect:", "    marks: keep.csv\n    protect:"))
    (place / "bare.yaml").write_text((place / "plan.yaml").read_text().replace("p: 10", "p: 0.0001"))
    words = (*BY, "--hierarchy", "region=region.hrc", "--marks", "keep.csv", "--out", "out")
    for door in (("table", "protect", "t.csv", *words), ("run", "bare.yaml", "--out", "out")):
        for lang in ("en", "de"):
            said = command(capsys, *door, "--lang", lang)
            assert said.code == 3, said.all
            assert "[table.unprotectable]" in said.err
            assert "98765" not in said.all
            assert not (place / "out").exists()


def test_metadata_of_another_table(capsys, place):
    (place / "t.tab").write_text("Total,Total,1\n")
    for words in doors("t.tab"):
        refused(capsys, place, words, {"argus.wrong"})


def test_marks_that_say_nothing_sensible(capsys, place):
    (place / "t.csv").write_text("\n".join([HEAD, *spelt(CELLS.items())]) + "\n")
    for name, content, code in (
        ("m.csv", "region,sector,mark\nN1,a,hide\n", "table.mark-unknown"),
        ("m.csv", "region,sector,mark\nN9,a,keep\n", "table.code-unknown"),
        ("m.csv", "region,sector,mark\nN1,a,keep\nN1,a,keep\n", "table.cell-twice"),
        ("m.csv", f"region,sector,low\nN1,a,{9 * MARK}\n", "table.bounds-wrong"),
        ("m.csv", "region,sector,mark\nN1,a,zero\n", "table.bounds-wrong"),
        ("m.hst", "N1,a,hide\n", "argus.wrong"),
        ("m.hst", f"N1,a,pl,-{MARK},2\n", "argus.wrong"),
    ):
        (place / name).write_text(content)
        words = (
            "table",
            "protect",
            "t.csv",
            *BY,
            "--hierarchy",
            "region=region.hrc",
            "--marks",
            name,
            "--out",
            "out",
        )
        refused(capsys, place, words, {code})
