"""table convert: every format to every other, with what is decided about the cells."""

from __future__ import annotations

from itertools import permutations

import pytest
from command import command

CELLS = """region,sector,value,n,x1,x2,status,mark,required_low,required_high,cost
Total,Total,1000,40,200,100,open,keep,,,9
N,Total,400,15,200,60,open,,,,8
N1,Total,300,10,200,60,open,,,,8
N2,Total,100,5,40,30,open,,,,8
S,Total,600,25,100,90,open,,,,7
Total,a,300,4,200,60,open,,,,6
N,a,250,3,200,50,secondary,,,,5
N1,a,250,3,200,50,primary,,12.5,25,4
N2,a,0,0,,,open,zero,,,1
S,a,50,1,50,,primary,,2,4,3
Total,b,700,36,90,80,open,,,,2
N,b,150,12,60,30,secondary,,,,2
N1,b,50,7,20,10,secondary,,,,2
N2,b,100,5,40,30,open,,,,1
S,b,550,24,90,80,secondary,,,,1
"""
HRC = "N\n@N1\n@N2\nS\n"
SECTOR = "a\nb\n"
DATA = ("--count", "n", "--largest", "x1", "--largest", "x2")
READ_BACK = ("--count", "count", "--largest", "largest_1", "--largest", "largest_2")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(CELLS)
    (tmp_path / "region.hrc").write_text(HRC)
    (tmp_path / "sector.hrc").write_text(SECTOR)
    return tmp_path


BY = (
    "--by",
    "region",
    "--by",
    "sector",
    "--hierarchy",
    "region=region.hrc",
    "--hierarchy",
    "sector=sector.hrc",
)


def convert(capsys, source, target, *words):
    said = command(capsys, "table", "convert", source, target, "--lang", "en", *words)
    assert said.code == 0, said.err
    return said


def rows(path):
    """The cells of a CSV by their codes, whatever order they stand in."""
    head, *lines = path.read_text().splitlines()
    names = head.split(",")
    cells = [dict(zip(names, line.split(","), strict=True)) for line in lines]
    return {(cell["region"], cell["sector"]): cell for cell in cells}


@pytest.mark.parametrize(("first", "second"), [*permutations(["tab", "jj", "parquet"], 2)])
def test_round_trips_keep_statuses_protection_and_costs(capsys, folder, first, second):
    convert(capsys, "t.csv", f"one.{first}", *BY, *(DATA if first != "parquet" else ()))
    by = () if first == "tab" else BY
    data = DATA if first == "parquet" else ()
    convert(capsys, f"one.{first}", f"two.{second}", *by, *data)
    convert(capsys, f"two.{second}", "end.csv", *(() if second == "tab" else BY))
    before, after = rows(folder / "t.csv"), rows(folder / "end.csv")
    assert before.keys() == after.keys()
    for codes, cell in before.items():
        for name in ("value", "status", "cost", "required_low", "required_high"):
            told = after[codes][name] or "0"
            assert float_or(told) == float_or(cell[name] or "0"), (codes, name)
        assert (cell["mark"] == "keep") == (after[codes]["mark"] == "keep"), codes


def float_or(text):
    try:
        return float(text)
    except ValueError:
        return text


def test_contributors_go_to_tau_argus_and_back(capsys, folder):
    convert(capsys, "t.csv", "t.tab", *BY, *DATA)
    assert {path.name for path in folder.iterdir()} >= {"t.tab", "t.rda", "t_region.hrc"}
    assert (folder / "t_region.hrc").read_text() == HRC
    assert "<HIERCODELIST>" in (folder / "t.rda").read_text()
    convert(capsys, "t.tab", "back.csv")
    cell = rows(folder / "back.csv")["N1", "a"]
    assert (cell["count"], cell["largest_1"], cell["largest_2"]) == ("3", "200", "50")
    said = command(capsys, "table", "audit", folder / "t.tab")
    assert "15 cells, 6 suppressed" in said.out


def test_what_a_format_cannot_hold_is_told(capsys, folder):
    """Whose the contributions are: files of cells tell it, τ-ARGUS tables do not, JJ files tell nothing of contributors."""
    lines = CELLS.splitlines()
    head = lines[0].replace("x2,", "x2,w1,w2,")
    told = [",".join([*(f := line.split(","))[:6], "A", "B", *f[6:]]) for line in lines[1:]]
    (folder / "w.csv").write_text("\n".join([head, *told]) + "\n")
    data = (*DATA, "--who", "w1", "--who", "w2")
    assert "do not tell whose" in convert(capsys, "w.csv", "w.tab", *BY, *data).out
    assert "JJ files hold no contributors" in convert(capsys, "w.csv", "w.jj", *BY, *data).out
    assert "left out" not in convert(capsys, "t.csv", "t.tab", *BY, *DATA).out
    (folder / "keep.csv").write_text("region,sector,mark\nTotal,b,keep\n")
    assert "left out" not in convert(capsys, "w.csv", "m.csv", *BY, *data, "--marks", "keep.csv").out
    cell = rows(folder / "m.csv")["N1", "a"]
    other = rows(folder / "m.csv")["S", "b"]
    assert (cell["who_1"], cell["who_2"]) == (other["who_1"], other["who_2"])
    assert cell["who_1"] != cell["who_2"]


def test_a_sparse_table_gets_its_codes_back_from_a_jj_file(capsys, folder):
    sparse = "\n".join(line for line in CELLS.splitlines() if not line.startswith("N2,a"))
    (folder / "s.csv").write_text(sparse + "\n")
    convert(capsys, "s.csv", "s.jj", *BY)
    convert(capsys, "s.jj", "s2.csv", *BY)
    before, after = rows(folder / "s.csv"), rows(folder / "s2.csv")
    assert after.keys() - before.keys() == {("N2", "a")}
    assert (after["N2", "a"]["value"], after["N2", "a"]["mark"]) == ("0", "zero")
    for codes, cell in before.items():
        assert (after[codes]["value"], after[codes]["status"]) == (cell["value"], cell["status"])


def test_history_out_and_in(capsys, folder):
    convert(capsys, "t.csv", "t.hst", *BY)
    text = (folder / "t.hst").read_text()
    assert "N1;a;u\nN1;a;pl;12.5;25.0\n" in text
    plain = "\n".join(",".join(line.split(",")[:6]) for line in CELLS.splitlines())
    (folder / "plain.csv").write_text(plain + "\n")
    convert(capsys, "plain.csv", "marked.tab", *BY, "--marks", "t.hst")
    assert '"N1";"a";250' in (folder / "marked.tab").read_text()
    statuses = [line.split(";")[4] for line in (folder / "marked.tab").read_text().splitlines()]
    assert (statuses.count("U"), statuses.count("M")) == (2, 4)


def test_bounds_that_tau_argus_cannot_hold_are_told(capsys, folder):
    text = CELLS.replace("cost\n", "cost,prior_high\n").replace("9\nN,Total", "9,2000\nN,Total")
    lines = text.splitlines()
    wide = [lines[0], lines[1], *(line + "," for line in lines[2:])]
    (folder / "b.csv").write_text("\n".join(wide) + "\n")
    assert "1 cells are left out" in convert(capsys, "b.csv", "b.tab", *BY).out
    convert(capsys, "b.csv", "b.jj", *BY)
    convert(capsys, "b.jj", "b2.csv", *BY)
    assert rows(folder / "b2.csv")["Total", "Total"]["prior_high"] == "2000"
    assert rows(folder / "b2.csv")["N", "a"]["prior_high"] == ""


def test_a_german_file(capsys, folder):
    text = "Gebiet;Wert\nSumme;3,5\nSüd;1,5\nNord;2,0\nOst;.\n".replace("Ost;.\n", "")
    (folder / "g.csv").write_bytes(text.encode("cp1252"))
    words = (
        "--by",
        "Gebiet",
        "--value",
        "Wert",
        "--hierarchy",
        "Gebiet={total: Summe}",
        "--encoding",
        "cp1252",
        "--separator",
        ";",
        "--decimal",
        ",",
    )
    convert(capsys, "g.csv", "g.tab", *words)
    assert '"Süd";1.5;' in (folder / "g.tab").read_text(encoding="utf-8")
    assert (
        command(
            capsys,
            "table",
            "protect",
            folder / "g.csv",
            *words,
            "--out",
            folder / "rel",
            "--quiet",
            "--method",
            "table.perturb",
        ).code
        == 0
    )
    assert "\nSüd," in (folder / "rel/tables/g.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "target", "words", "code"),
    [
        ("t.csv", "t.xyz", BY, "file.format-unknown"),
        ("t.csv", "region.hrc", BY, "file.format-unknown"),
        ("t.csv", "new.tab", (), "table.no-dimension"),
        ("t.csv", "new.jj", (), "table.no-dimension"),
        ("none.csv", "new.tab", BY, "file.missing"),
        ("none.tab", "new.csv", (), "file.missing"),
        ("t.csv", "new.tab", (*BY, "--status", "stat"), "data.column-missing"),
        ("t.csv", "new.tab", (*BY, "--marks", "none.hst"), "file.missing"),
    ],
)
def test_what_cannot_be_converted_writes_nothing(capsys, folder, source, target, words, code):
    before = sorted(path.name for path in folder.iterdir())
    said = command(capsys, "table", "convert", source, target, *words)
    assert said.code == 2
    assert f"[{code}]" in said.err
    assert sorted(path.name for path in folder.iterdir()) == before


def test_no_file_is_overwritten(capsys, folder):
    (folder / "new.rda").write_text("mine")
    said = command(capsys, "table", "convert", "t.csv", "new.tab", *BY)
    assert (said.code, "file.exists" in said.err or "[release" in said.err) == (2, True)
    assert (folder / "new.rda").read_text() == "mine"
    assert not (folder / "new.tab").exists()


def test_a_published_table_has_no_values_to_convert(capsys, folder):
    (folder / "p.csv").write_text(
        "region,sector,value,status\nTotal,Total,3,published\nN,Total,,suppressed\nS,Total,,suppressed\n"
    )
    said = command(capsys, "table", "convert", "p.csv", "p.jj", *BY[:4])
    assert (said.code, "[table.value-missing]" in said.err) == (2, True)
