"""inspect on a table: the score with reasons, the recommendation, the office's own decision rules."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from command import command
from test_cli_table import CELLS, FULL

STANDARD = files("tarnkappe.plan").joinpath("need.yaml").read_text("utf-8")
COUNTS = "area,sex,n\nTotal,Total,1300\nTotal,f,640\nTotal,m,660\nA,Total,700\nA,f,340\nA,m,360\nB,Total,600\nB,f,300\nB,m,300\n"
COUNTED = ("--by", "area", "--by", "sex", "--value", "n", "--count", "n")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(CELLS)
    (tmp_path / "c.csv").write_text(COUNTS)
    return tmp_path


def test_values_with_large_contributions_are_protected(capsys, folder):
    said = command(capsys, "inspect", folder / "t.csv", *FULL, "--fact", "attribute=personal", "--lang", "en")
    assert said.code == 0
    assert "t: protect" in said.out
    assert "! a rule of dominance marks cells" in said.out
    assert "--rule 'rule.p-percent: {p: 10}'" in said.out
    assert "--method 'table.quader'" in said.out
    german = command(capsys, "inspect", folder / "t.csv", *FULL, "--lang", "de").out
    assert "t: schützen" in german
    assert "das Merkmal ist ein gewöhnliches" in german


def test_what_is_recommended_can_be_done(capsys, folder):
    said = command(capsys, "inspect", folder / "t.csv", *FULL, "--lang", "en").out
    advised = [line.strip().split(" ", 1) for line in said.splitlines() if line.startswith("  --")]
    words = [word for option, thing in advised for word in (option, thing.strip("'"))]
    assert (
        command(
            capsys, "table", "protect", folder / "t.csv", *FULL, *words, "--out", folder / "o", "--quiet"
        ).code
        == 0
    )


@pytest.mark.parametrize("largest", [(), ("--largest", "one")])
def test_what_is_recommended_without_largest_contributions_can_be_done(capsys, tmp_path, largest):
    rows = [
        "X,A,30.5,1,30.5",
        "X,B,20,9,4",
        "Y,A,30,6,7",
        "Y,B,20,4,8",
        "X,Total,50.5,10,30.5",
        "Y,Total,50,10,8",
    ]
    rows += ["Total,A,60.5,7,30.5", "Total,B,40,13,8", "Total,Total,100.5,20,30.5"]
    (tmp_path / "t.csv").write_text("\n".join(["r,s,value,n,one", *rows]) + "\n")
    table = (tmp_path / "t.csv", "--by", "r", "--by", "s", "--count", "n", *largest)
    said = command(capsys, "inspect", *table, "--lang", "en").out
    advised = [line.strip().split(" ", 1) for line in said.splitlines() if line.startswith("  --")]
    words = [word for option, thing in advised for word in (option, thing.strip("'"))]
    assert "--rule" in words
    done = command(capsys, "table", "protect", *table, *words, "--out", tmp_path / "o", "--quiet")
    assert done.code == 0, done.all
    assert "X,A,,suppressed" in (tmp_path / "o" / "tables" / "t.csv").read_text()


def test_large_counts_are_published(capsys, folder):
    said = command(capsys, "inspect", folder / "c.csv", *COUNTED, "--fact", "area=area", "--json")
    (told,) = json.loads(said.out)
    assert (told["verdict"], told["score"], told["rule"], told["method"]) == ("publish", 1, None, None)
    assert {p["feature"] for p in told["points"]} >= {"attribute", "smallest cell", "smallest area"}
    assert not [name for name in told["facts"] if name.startswith("smallest")]
    assert "300" not in said.out


def test_counts_are_found_where_the_values_are_counts(capsys, folder):
    told = ("inspect", folder / "c.csv", "--by", "area", "--by", "sex", "--value", "n", "--lang", "en")
    said = command(capsys, *told)
    assert (said.code, "c: publish" in said.out) == (0, True)
    (folder / "c.csv").write_text(
        COUNTS.replace("Total,Total,1300", "Total,Total,1001")
        .replace("Total,m,660", "Total,m,361")
        .replace("B,Total,600", "B,Total,301")
        .replace("B,m,300", "B,m,1")
    )
    said = command(capsys, *told)
    assert (said.code, "c: protect" in said.out) == (0, True)
    assert "table.range-mask" in said.out


def test_five_foreigners_of_five_need_no_option(capsys, tmp_path):
    """Specification 13, the example of the slides: values are whole counts and nobody says so."""
    (tmp_path / "sh.csv").write_text(
        "area,p,value\ncity,Total,105\ncity,f,45\ncity,s,60\nA,Total,5\nA,f,5\nB,Total,100\nB,f,40\nB,s,60\n"
    )
    said = command(
        capsys, "inspect", tmp_path / "sh.csv", "--by", "area", "--by", "p", "--hierarchy", "area={tree: [A, B], total: city}",
        "--fact", "attribute=personal", "--fact", "share=p", "--fact", "share_of=[f]", "--fact", "area=area", "--lang", "en",
    )  # fmt: skip
    assert "in some area all, or all but a few, have a sensitive attribute" in said.out
    assert "table.share-mask" in said.out
    assert said.code == 0


def test_values_without_contributors_cannot_be_judged(capsys, folder):
    (folder / "v.csv").write_text("region,value\nTotal,1000.5\nN,400\nS,600.5\n")
    said = command(capsys, "inspect", folder / "v.csv", "--by", "region", "--lang", "en")
    assert said.code == 3
    assert "v: cannot be judged" in said.out
    assert "--count" in said.out
    assert "--largest" in said.out
    assert "[need.not-judged]" in said.err
    assert "No protection is needed" not in said.all
    told = command(capsys, "inspect", folder / "v.csv", "--by", "region", "--json")
    assert (told.code, json.loads(told.out)[0]["verdict"], len(json.loads(told.out)[0]["missing"])) == (
        3,
        "unknown",
        2,
    )
    german = command(capsys, "inspect", folder / "v.csv", "--by", "region", "--lang", "de")
    assert "v: nicht zu beurteilen" in german.out


def test_a_column_of_contributors_is_found_by_its_name(capsys, folder):
    """Two contributors somewhere: the table must be protected although nobody names the column."""
    said = command(capsys, "inspect", folder / "t.csv", "--by", "region", "--by", "sector", "--lang", "en")
    assert (said.code, "t: protect" in said.out) == (0, True)


def test_a_plan_with_tables(capsys, folder):
    (folder / "plan.yaml").write_text(
        "tarnkappe: 1\ntitle: Two\ntables:\n"
        "  - {name: values, file: t.csv, by: [region, sector], columns: {count: n, largest: [x1, x2]}, rules: [{use: rule.p-percent, p: 10}]}\n"
        "  - {name: counts, file: c.csv, by: [area, sex], columns: {value: n, count: n}}\n"
    )
    told = json.loads(command(capsys, "inspect", folder / "plan.yaml", "--json", "--fact", "area=area").out)
    assert [(t["table"], t["verdict"]) for t in told] == [("values", "mask"), ("counts", "publish")]
    wrong = command(capsys, "inspect", folder / "plan.yaml", "--fact", "area=nowhere")
    assert (wrong.code, "[table.dimension-unknown]" in wrong.err) == (2, True)


def test_the_office_edits_the_decision_tree(capsys, folder):
    own = folder / "own.yaml"
    own.write_text(
        STANDARD.replace(
            'points: 1, says: {en: "the attribute is an ordinary one"',
            'points: 9, says: {en: "the attribute is an ordinary one"',
        )
    )
    (told,) = json.loads(command(capsys, "inspect", folder / "c.csv", *COUNTED, "--tree", own, "--json").out)
    assert (told["verdict"], told["score"]) == ("expert", 9)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (STANDARD.replace("tarnkappe_need: 1", "tarnkappe_need: 2"), "need.wrong"),
        (STANDARD.replace("smallest_cell:", "smallest_sell:"), "need.wrong"),
        ("- a\n- b\n", "need.wrong"),
        ("a: [", "plan.yaml"),
    ],
)
def test_bad_trees(capsys, folder, text, code):
    (folder / "own.yaml").write_text(text)
    said = command(
        capsys, "inspect", folder / "c.csv", *COUNTED, "--tree", folder / "own.yaml", "--lang", "de"
    )
    assert said.code == 2
    assert said.err.startswith(f"[{code}")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--fact", "attribute"), "table.option"),
        (("--fact", "attribute=secret"), "step.parameter"),
        (("--fact", "colour=red"), "step.parameter"),
        (("--fact", "years=["), "table.option"),
        (("--fact", "area=nowhere"), "table.dimension-unknown"),
        (("--tree", "none.yaml"), "file.missing"),
    ],
)
def test_bad_facts(capsys, folder, words, code):
    said = command(capsys, "inspect", folder / "c.csv", *COUNTED, *words)
    assert said.code == 2
    assert f"[{code}" in said.err or code == "step.parameter", said.err


def test_a_plan_without_tables(capsys, folder):
    (folder / "d.csv").write_text("a,b\n1,2\n3,4\n")
    (folder / "plan.yaml").write_text("tarnkappe: 1\ntitle: none\ndata: {file: d.csv}\n")
    said = command(capsys, "inspect", folder / "plan.yaml")
    assert said.code == 2


def test_methods_stand_by_their_ratings(capsys, folder):
    said = command(capsys, "inspect", folder / "t.csv", *FULL, "--prefer", "information", "--lang", "en").out
    order = said[said.index("Methods by their ratings") :]
    assert "(information)" in order
    assert order.index("table.quader") < order.index("table.round-random")
    (told,) = json.loads(command(capsys, "inspect", folder / "t.csv", *FULL, "--json").out)
    assert told["methods"][-1]["method"] == ["table.round-conventional"]
    wrong = command(capsys, "inspect", folder / "t.csv", *FULL, "--prefer", "speed")
    assert (wrong.code, "[need.criterion-unknown]" in wrong.err) == (2, True)
    assert "Methods by" not in command(capsys, "inspect", folder / "c.csv", *COUNTED, "--lang", "en").out


def test_the_rating_matrix(capsys):
    said = command(capsys, "methods", "--ratings", "--lang", "en")
    assert "cell suppression: table.quader" in said.out
    matrix = json.loads(command(capsys, "methods", "--ratings", "--json").out)
    assert (len(matrix["criteria"]), len(matrix["methods"])) == (5, 6)
