"""tarnkappe table …: audit, protect, round, convert."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from command import command

CELLS = """region,sector,value,n,x1,x2
Total,Total,1000,40,200,100
N,Total,400,15,200,60
S,Total,600,25,100,90
Total,a,300,4,200,60
N,a,250,2,200,50
S,a,50,2,30,20
Total,b,700,36,90,80
N,b,150,13,60,30
S,b,550,23,90,80
"""
BY = ("--by", "region", "--by", "sector")
FULL = (*BY, "--count", "n", "--largest", "x1", "--largest", "x2")
P_PERCENT = ("--rule", "rule.p-percent: {p: 10}")


@pytest.fixture
def cells(tmp_path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(CELLS)
    return path


@pytest.fixture
def released(capsys, cells, tmp_path) -> Path:
    out = tmp_path / "out"
    assert command(capsys, "table", "protect", cells, *FULL, *P_PERCENT, "--out", out, "--quiet").code == 0
    return out / "tables" / "t.csv"


def test_protect_releases_a_table_that_audit_and_verify_accept(capsys, released):
    text = released.read_text()
    assert "N,a,,suppressed" in text
    assert "250" not in text
    said = command(capsys, "table", "audit", released, *BY)
    assert said.code == 0
    assert "0 of them disclosed exactly" in said.out
    held = command(capsys, "verify", released.parent.parent)
    assert held.code == 0
    assert "tables/t.csv: no protected cell can be computed" in held.out


def test_a_leak_is_refused_with_its_proof_and_without_values(capsys, released, tmp_path):
    leak = tmp_path / "leak.csv"
    leak.write_text(released.read_text().replace("N,b,,suppressed", "N,b,150,published"))
    said = command(capsys, "table", "audit", leak, *BY, "--out", tmp_path / "found.json", "--lang", "de")
    assert said.code == 3
    assert "N × a ← N × Total (sector)" in said.out
    assert "[table.disclosed]" in said.err
    assert "250" not in said.all
    told = json.loads((tmp_path / "found.json").read_text())
    assert told["disclosed"] == 3
    assert {p["proof"] for p in told["proofs"]} == {"subtraction"}


@pytest.mark.parametrize(("required", "code"), [(3, 0), (11, 3)])
def test_less_protection_than_the_file_requires_is_refused_and_named(capsys, tmp_path, required, code):
    """N1 is 10 and lies between 0 and 70."""
    (tmp_path / "region.hrc").write_text("North\n@N1\n@N2\nSouth\n")
    (tmp_path / "t.rda").write_text(
        '<SEPARATOR> ";"\n<SAFE> "S"\n<UNSAFE> "U"\nregion\n  <RECODEABLE>\n  <TOTCODE> "Total"\n  <HIERARCHICAL>\n'
        '  <HIERCODELIST> "region.hrc"\n  <HIERLEADSTRING> "@"\nvalue\n  <NUMERIC>\nfreq\n  <FREQUENCY>\nstatus\n  <STATUS>\n'
        "lower\n  <NUMERIC> <LOWERPL>\nupper\n  <NUMERIC> <UPPERPL>\n"
    )
    rows = (
        "Total;100;50;S",
        "North;70;40;S",
        f"N1;10;2;U;{required};{required}",
        "N2;60;38;M",
        "South;30;10;S",
    )
    (tmp_path / "t.tab").write_text("".join(r + ("\n" if r.count(";") > 3 else ";0;0\n") for r in rows))
    found = tmp_path / "found.json"
    said = command(capsys, "table", "audit", tmp_path / "t.tab", "--out", found, "--lang", "en")
    assert said.code == code, said.all
    assert ("✗ N1" in said.out) == ("[table.too-narrow]" in said.err) == (code == 3)
    assert [c["cell"] for c in json.loads(found.read_text())["cells"] if c["too_narrow"]] == ["N1"] * (
        code == 3
    )


@pytest.mark.parametrize("sign", ["", "x", ".", "*"])
def test_tables_of_other_programs_show_suppression_by_signs(capsys, tmp_path, sign):
    path = tmp_path / "f.csv"
    path.write_text(f"c,v\nT,10\na,{sign}\nb,{sign}\nx,4\n")
    said = command(
        capsys,
        "table",
        "audit",
        path,
        "--by",
        "c",
        "--value",
        "v",
        "--hierarchy",
        "c={total: T}",
        "--out",
        tmp_path / "i.csv",
    )
    assert said.code == 0
    assert (tmp_path / "i.csv").read_text().splitlines()[1].startswith("a,0.0,6.0")


def test_the_status_hides_values_that_are_still_there(capsys, tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("c,v,flag\nTotal,10,V\na,6,D\nb,4,V\n")
    words = ("table", "audit", path, "--by", "c", "--value", "v", "--status", "flag", "--hidden", "D")
    assert command(capsys, *words).code == 3


def test_hierarchies_from_digits_and_files(capsys, tmp_path):
    (tmp_path / "c.hrc").write_text("A\n@A1\n@A2\nB\n@B1\n@B2\n")
    path = tmp_path / "f.csv"
    path.write_text("c,value\nTotal,10\nA,6\nB,4\nA1,\nA2,\nB1,\nB2,3\n")
    for tree in ("c={digits: [1, 2]}", f"c={tmp_path / 'c.hrc'}"):
        said = command(capsys, "table", "audit", path, "--by", "c", "--hierarchy", tree)
        assert said.code == 3
        assert "B1 ← B (c)" in said.out
        assert "A1 ←" not in said.out


@pytest.mark.parametrize(
    ("rows", "words", "code"),
    [
        ("c,value\nT,1\na,1\n", (), "table.total-missing"),
        ("c,value\nTotal,9\na,1\nb,2\n", (), "table.contradiction"),
        ("c,value\nTotal,9\na,9\na,9\n", (), "table.cell-twice"),
        ("c,value\nTotal,9\na,many\n", (), "data.wrong-kind"),
        ("c,value\nTotal,9\na,\n", ("--hierarchy", "d={total: T}"), "table.dimension-unknown"),
        ("c,value\nTotal,9\na,\n", ("--hierarchy", "c"), "table.option"),
        ("c,value\nTotal,9\na,\n", ("--hierarchy", "c={digits: no}"), "plan.parameter"),
        ("c,value\nTotal,9\na,\n", ("--value", "v"), "data.column-missing"),
        ("c,value\nTotal,9\na,\n", ("--by", "c"), "table.dimension-twice"),
    ],
)
def test_bad_input_is_told_with_exit_code_2(capsys, tmp_path, rows, words, code):
    path = tmp_path / "f.csv"
    path.write_text(rows)
    said = command(capsys, "table", "audit", path, "--by", "c", *words)
    assert said.code == 2, said.all
    assert code in said.err


def test_no_dimension_no_audit(capsys, cells):
    assert "table.no-dimension" in command(capsys, "table", "audit", cells).err


def test_round_and_its_audit(capsys, cells, tmp_path):
    out = tmp_path / "out"
    assert command(capsys, "table", "round", cells, *BY, "--base", "100", "--out", out, "--quiet").code == 0
    text = (out / "tables" / "t.csv").read_text()
    assert "S,a,100,rounded" in text
    assert "table.not-exact" in command(capsys, "table", "audit", out / "tables" / "t.csv", *BY).err
    assert command(capsys, "verify", out).code == 0


def test_convert_there_and_back(capsys, cells, tmp_path):
    jj, listed, parquet, again = (tmp_path / n for n in ("t.jj", "c.csv", "t.parquet", "again.csv"))
    assert command(capsys, "table", "convert", cells, jj, *BY).code == 0
    assert command(capsys, "table", "audit", jj).code == 0
    assert command(capsys, "table", "convert", jj, listed).code == 0
    assert len(listed.read_text().splitlines()) == 10
    assert command(capsys, "table", "convert", cells, parquet, *BY).code == 0
    assert command(capsys, "table", "convert", parquet, again, *BY).code == 0
    assert again.read_text().splitlines()[1] == "Total,Total,1000,40,200,100"
    assert command(capsys, "table", "convert", cells, jj, *BY).code == 2
    assert command(capsys, "table", "convert", cells, tmp_path / "t.docx", *BY).code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--rule", "rule.none"),
        ("--rule", "[1"),
        ("--method", "rule.p-percent"),
        ("--method", "table.quader: 3"),
    ],
)
def test_wrong_rules_and_methods_write_nothing(capsys, cells, tmp_path, words):
    said = command(capsys, "table", "protect", cells, *FULL, *words, "--out", tmp_path / "out")
    assert said.code == 2, said.all
    assert not (tmp_path / "out").exists()


def test_protect_takes_signs_owners_and_a_status_from_columns(capsys, tmp_path):
    """Contributions of 9 and -4 make 5; one owner stands behind both."""
    path = tmp_path / "signed.csv"
    path.write_text(
        "d,value,n,x1,x2,size,owners,o1,flag\n"
        "Total,1005,22,90,80,1013,21,90,\na,5,2,9,-4,13,1,5,\nb,500,10,90,80,500,10,90,u\nc,500,10,80,70,500,10,80,\n"
    )
    named = ("--by", "d", "--count", "n", "--largest", "x1", "--largest", "x2", "--size", "size")
    named = (*named, "--owner-count", "owners", "--owner-largest", "o1", "--status", "flag")
    out = ("--out", tmp_path / "out", "--quiet")
    said = command(capsys, "table", "protect", path, *named, "--rule", "rule.minimum-frequency", *out)
    assert said.code == 0, said.all
    internal = (tmp_path / "out/internal/tables/signed.csv").read_text()
    assert "a,5,2,primary,minimum frequency rule" in internal
    assert "b,500,10,primary,marked as sensitive in the file" in internal


def test_the_files_of_a_command_may_lie_anywhere(capsys, tmp_path):
    """Who gives a command names the files himself; only plans stay within their folder."""
    for name in ("data", "trees", "marks", "plans"):
        (tmp_path / name).mkdir()
    (tmp_path / "data/t.csv").write_text("region,value\nTotal,60\nA,30\nA1,10\nA2,20\nB,30\nB1,12\nB2,18\n")
    (tmp_path / "trees/r.hrc").write_text("A\n@A1\n@A2\nB\n@B1\n@B2\n")
    (tmp_path / "marks/m.csv").write_text("region,mark\nA1,suppress\n")
    named = f"region={tmp_path / 'trees/r.hrc'}"
    common = (tmp_path / "data/t.csv", "--by", "region")
    done = command(
        capsys,
        "table",
        "protect",
        *common,
        "--hierarchy",
        named,
        "--marks",
        tmp_path / "marks/m.csv",
        "--out",
        tmp_path / "o",
        "--quiet",
    )
    assert done.code == 0, done.all
    inline = command(
        capsys, "table", "protect", *common, "--hierarchy", "region={file: ../trees/r.hrc}", "--published", tmp_path / "o",
        "--marks", tmp_path / "marks/m.csv", "--out", tmp_path / "plans/o", "--quiet",
    )  # fmt: skip
    assert inline.code == 0, inline.all
    audited = command(
        capsys,
        "table",
        "audit",
        tmp_path / "o/tables/t.csv",
        "--by",
        "region",
        "--hierarchy",
        "region={file: ../../trees/r.hrc}",
    )
    assert audited.code == 0, audited.all
    assert (
        str(tmp_path)
        not in (tmp_path / "o/certificate.json").read_text() + (tmp_path / "o/about.json").read_text()
    )


def test_the_pattern_of_the_last_period_does_not_grow(capsys, cells, tmp_path):
    hidden = []
    for year in range(3):
        last = ("--last", tmp_path / f"out{year - 1}") if year else ()
        done = command(
            capsys,
            "table",
            "protect",
            cells,
            *FULL,
            *P_PERCENT,
            *last,
            "--out",
            tmp_path / f"out{year}",
            "--quiet",
        )
        assert done.code == 0, done.all
        hidden.append((tmp_path / f"out{year}/tables/t.csv").read_text().count("suppressed"))
    assert len(set(hidden)) == 1
    gone = command(
        capsys, "table", "protect", cells, *FULL, *P_PERCENT, "--last", "none.csv", "--out", tmp_path / "o"
    )
    assert (gone.code, "[file.missing]" in gone.err) == (2, True)


def test_the_mode_of_the_macro_warns_everywhere(capsys, tmp_path):
    (tmp_path / "c.csv").write_text("area,value\ncity,19\nK1,9\nQ11,2\nQ12,7\nK2,10\nQ21,10\n")
    (tmp_path / "p.yaml").write_text(
        "tarnkappe: 1\ntitle: T\ntables:\n  - name: c\n    file: c.csv\n    by: [area]\n"
        "    hierarchies: {area: {tree: {K1: [Q11, Q12], K2: [Q21]}, total: city}}\n"
        "    protect: {use: table.range-mask, mode: compat}\n"
    )
    words = "a reader who knows the macro"
    assert words in command(capsys, "check", tmp_path / "p.yaml", "--lang", "en").err
    assert (
        "Wer das Makro kennt".lower()
        in command(capsys, "check", tmp_path / "p.yaml", "--lang", "de").err.lower()
    )
    ran = command(capsys, "run", tmp_path / "p.yaml", "--out", tmp_path / "o", "--quiet", "--lang", "en")
    assert (ran.code, words in ran.err) == (0, True)
    assert words in (tmp_path / "o/internal/report.html").read_text()
    assert words in (tmp_path / "o/internal/ledger.json").read_text()
    assert (
        words not in (tmp_path / "o/about.html").read_text() + (tmp_path / "o/certificate.json").read_text()
    )
    short = command(
        capsys, "table", "protect", tmp_path / "c.csv", "--by", "area", "--hierarchy", "area={tree: {K1: [Q11, Q12], K2: [Q21]}, total: city}",
        "--method", "table.range-mask: {mode: compat}", "--out", tmp_path / "o2", "--quiet", "--lang", "en",
    )  # fmt: skip
    assert words in short.err
    (tmp_path / "p.yaml").write_text((tmp_path / "p.yaml").read_text().replace("compat", "safe"))
    assert command(capsys, "check", tmp_path / "p.yaml").err == ""


PASSPORTS = """area,passport,value
city,Total,1255
city,foreign,1045
city,swiss,210
north,Total,5
north,foreign,5
west,Total,1000
west,foreign,998
west,swiss,2
east,Total,250
east,foreign,42
east,swiss,208
"""


def test_shares_in_per_cent_are_released(capsys, tmp_path):
    """Specification of Schenker 11: N = 5, all foreign, k = 3 gives 40 to 100 %; near the end as >= 99 %; exact ones as usual."""
    (tmp_path / "p.csv").write_text(PASSPORTS)
    done = command(
        capsys, "table", "protect", tmp_path / "p.csv", "--by", "area", "--by", "passport", "--hierarchy",
        "area={order: [north, west, east], total: city}", "--method",
        "table.share-mask: {dimension: passport, yes: [foreign], decimals: 0}", "--out", tmp_path / "o", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.all
    with (tmp_path / "o/tables/p.csv").open(encoding="utf-8") as file:
        rows = {(row["area"], row["passport"]): row for row in csv.DictReader(file)}
    north = rows["north", "foreign"]
    assert (north["share"], float(north["share_low"]), float(north["share_high"])) == (">= 40 %", 40, 100)
    assert rows["west", "foreign"]["share"] == ">= 99 %"
    assert rows["west", "swiss"]["share"] == "<= 1 %"
    assert rows["city", "foreign"]["share"] == "83 %"
    assert rows["city", "Total"]["share"] == ""
    assert command(capsys, "verify", tmp_path / "o").code == 0


def test_the_steps_of_masking_are_told_to_the_office(capsys, tmp_path):
    (tmp_path / "c.csv").write_text("area,value\ncity,19\nK1,9\nQ11,2\nQ12,7\nK2,10\nQ21,10\n")
    done = command(
        capsys, "table", "protect", tmp_path / "c.csv", "--by", "area", "--hierarchy", "area={tree: {K1: [Q11, Q12], K2: [Q21]}, total: city}",
        "--method", "table.range-mask: {show_steps: true}", "--out", tmp_path / "o", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.all
    with (tmp_path / "o/internal/tables/c.csv").open(encoding="utf-8") as file:
        rows = {row["area"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    assert [rows["Q12"][step] for step in ("step_1", "step_2a")] == ["7", "6-8"]
    assert "step" not in (tmp_path / "o/tables/c.csv").read_text()


def test_protect_computes_missing_totals_and_knows_what_an_attacker_knows(capsys, tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("c,d,value,status\na,x,100,primary\na,y,80,\nb,x,90,\nb,y,7,\n")
    words = ("--by", "c", "--by", "d", "--method", "table.quader: {levels: percent, insiders: none}")
    said = command(capsys, "table", "protect", path, *words, "--out", tmp_path / "out", "--lang", "en")
    assert said.code == 0
    assert "has no sums along c, d" in said.out
    said = command(capsys, "table", "protect", path, *words, "--out", tmp_path / "two", "--prior", "10")
    assert said.code == 3
    assert not (tmp_path / "two").exists()


def test_cells_without_any_bound_have_no_width(capsys, tmp_path):
    (tmp_path / "t.csv").write_text("code;value\nTotal;100\na;x\nb;x\nc;70\n")
    said = command(capsys, "table", "audit", tmp_path / "t.csv", "--by", "code", "--signed")
    assert said.code == 0
    assert said.out.startswith("4 cells, 2 suppressed, 0 of them disclosed exactly.")
