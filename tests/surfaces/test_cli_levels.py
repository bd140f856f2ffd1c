"""The layout of the macro's input (Schenker 2019, L159-168): one row per node, a column of codes per level, 0 for the total."""

from __future__ import annotations

import csv

import pytest
from command import command

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.io.level_columns import LevelColumns, joined

SEED = """Name;Kreis;Quartier;Wert
Ganze Stadt;0;0;28
Kreis 1;1;0;9
Q 11;1;1;2
Q 12;1;2;7
Kreis 2;2;0;2
Q 21;2;1;2
Q 22;2;2;0
Kreis 3;3;0;17
Q 31;3;1;17
"""
LEVELS = ("--levels", "Quartier*Kreis", "--value", "Wert")
MASK = ("--method", "table.range-mask: {lower: 1, upper: 3, pick: max, draw: nothing}")


@pytest.fixture
def city(tmp_path):
    (tmp_path / "kleineStadt.csv").write_text(SEED)
    return tmp_path


def rows(path):
    with path.open(encoding="utf-8") as file:
        return {row["Quartier"]: row for row in csv.DictReader(file)}


def shown(row):
    return row["value"] if row["status"] == "published" else f"{row['low']}-{row['high']}"


PRINTED = {
    "Total": "28", "K1": "9", "Q11": "1-3", "Q12": "6-8", "K2": "1-3", "Q21": "1-3", "Q22": "0", "K3": "16-18", "Q31": "16-18",
}  # fmt: skip


def test_the_printed_example_from_the_file_of_the_macro(capsys, city):
    """SV-01: input as printed, all nine rows as printed."""
    done = command(
        capsys, "table", "protect", city / "kleineStadt.csv", *LEVELS, *MASK, "--out", city / "o", "--quiet"
    )
    assert done.code == 0, done.all
    assert {code: shown(row) for code, row in rows(city / "o/tables/kleineStadt.csv").items()} == PRINTED
    assert command(capsys, "verify", city / "o").code == 0


def test_the_same_in_a_plan(capsys, city):
    (city / "p.yaml").write_text(
        "tarnkappe: 1\ntitle: T\ntables:\n  - name: small\n    file: kleineStadt.csv\n    by: [area]\n    value: Wert\n"
        "    hierarchies: {area: {columns: Quartier*Kreis, total: Stadt}}\n    protect: {use: table.range-mask, draw: nothing}\n"
    )
    done = command(capsys, "run", city / "p.yaml", "--out", city / "o", "--quiet")
    assert done.code == 0, done.all
    text = (city / "o/tables/small.csv").read_text()
    assert "Stadt" in text
    assert "Q31" in text


def test_inspect_reads_it_too(capsys, city):
    said = command(capsys, "inspect", city / "kleineStadt.csv", *LEVELS, "--lang", "en")
    assert (said.code, "kleineStadt: protect" in said.out) == (0, True)
    assert "table.range-mask" in said.out


def test_audit_and_convert_read_it_too(capsys, city):
    hidden = SEED.replace("Q 11;1;1;2", "Q 11;1;1;").replace("Q 12;1;2;7", "Q 12;1;2;")
    (city / "h.csv").write_text(hidden)
    assert command(capsys, "table", "audit", city / "h.csv", *LEVELS).code == 0
    (city / "l.csv").write_text(SEED.replace("Q 11;1;1;2", "Q 11;1;1;"))
    assert command(capsys, "table", "audit", city / "l.csv", *LEVELS).code == 3
    done = command(capsys, "table", "convert", city / "kleineStadt.csv", city / "t.tab", *LEVELS)
    assert done.code == 0, done.all
    assert any("@Q11" in file.read_text() for file in city.glob("*.hrc"))


def test_crossed_with_another_dimension(capsys, tmp_path):
    (tmp_path / "x.csv").write_text(
        "k,q,sex,n\n0,0,Total,40\n1,0,Total,25\n1,1,Total,14\n1,2,Total,11\n2,0,Total,15\n2,1,Total,15\n"
        "0,0,f,20\n1,0,f,13\n1,1,f,8\n1,2,f,5\n2,0,f,7\n2,1,f,7\n0,0,m,20\n1,0,m,12\n1,1,m,6\n1,2,m,6\n2,0,m,8\n2,1,m,8\n"
    )
    done = command(
        capsys, "table", "protect", tmp_path / "x.csv", "--levels", "area=q*k", "--by", "sex", "--value", "n", "--count", "n",
        "--rule", "rule.minimum-frequency: {n: 3}", "--out", tmp_path / "o", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.all
    assert (tmp_path / "o/tables/x.csv").read_text().splitlines()[0] == "sex,area,value,status"


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        (SEED.replace("1;1;2\n", "0;1;2\n"), LEVELS, "hierarchy.level-columns"),
        (SEED.replace("1;1;2\n", "1;;2\n"), LEVELS, "hierarchy.level-columns"),
        (SEED, ("--levels", "Kreis*Quartier", "--value", "Wert"), "hierarchy.level-columns"),
        (SEED, ("--levels", "Quartier*", "--value", "Wert"), "table.option"),
        (SEED, ("--levels", "=Quartier", "--value", "Wert"), "table.option"),
        (SEED, ("--levels", "Quarter*Kreis", "--value", "Wert"), "data.column-missing"),
        (SEED.replace(";17\nQ 31", ";18\nQ 31"), LEVELS, "table.not-additive"),
    ],
)
def test_what_does_not_fit_is_told(capsys, tmp_path, text, words, code):
    (tmp_path / "t.csv").write_text(text)
    said = command(capsys, "table", "protect", tmp_path / "t.csv", *words, *MASK, "--out", tmp_path / "o")
    assert (said.code, f"[{code}]" in said.err) == (2, True), said.err


@pytest.mark.parametrize(
    ("levels", "codes"),
    [
        (
            (("DE1", "0"), ("DE1", "DE11"), ("DE2", "0"), ("DE2", "DE21")),
            ["all", "DE1", "DE11", "DE2", "DE21"],
        ),
        ((("1", "0"), ("1", "1"), ("2", "0"), ("2", "1")), ["all", "K1", "Q11", "K2", "Q21"]),
        ((("1", "11"), ("11", "1")), ["all", "kreis 1", "quartier 1.11", "kreis 11", "quartier 11.1"]),
    ],
)
def test_codes_of_nodes(levels, codes):
    cells = Microdata(
        {name: Column.texts_of([row[i] for row in levels]) for i, name in enumerate(("kreis", "quartier"))}
    )
    _, tree = joined(cells, LevelColumns("area", ("quartier", "kreis"), "0", "all"))
    assert list(tree.codes) == codes
    assert tree.level_names == ("total", "kreis", "quartier")
