"""tarnkappe map: the table, the page, the picture and the data for programs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from xml.etree import ElementTree

import altair
import pytest

from plans.workshop import PLAN, SECRET, VARIABLE, as_csv, changed, lay_out, people
from surfaces.command import command
from tarnkappe.examples import EXAMPLES
from tarnkappe.io.write import write
from tarnkappe.language import Text
from tarnkappe.plan.document import to_yaml
from tarnkappe.plan.risk_map import Bound, RiskMap, map_plans
from tarnkappe.plan.trial import Trial
from tarnkappe.report.drawing import VARIABLES, draw
from tarnkappe.report.map_chart import kind_of, risk_map
from tarnkappe.report.map_page import as_json, map_page, rows
from tarnkappe.spec import Finding, catalogue


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    return lay_out(tmp_path)


def point(name, risk, utility, *closed):
    return Trial(name, "plan.yaml", risk=Finding(risk), utility=Finding(utility), closed=closed)


def example(risk="risk.k-anonymity", utility="utility.moments"):
    """Two on the front, one beaten, one refused, one failed, two at the same place."""
    trials = (
        point("safe", 8, 0.3),
        point("useful", 3, 0.1),
        point("beaten", 4, 0.4),
        point("twin", 4, 0.4),
        point("refused <b>", 2, 0.05, Text("k ≥ 3: found 2", "k ≥ 3: gefunden 2")),
        Trial("failed", failed=Text("cannot reach its goal", "erreicht das Ziel nicht")),
    )
    bounds = (Bound("risk", 3, Text("k ≥ 3", "k ≥ 3")), Bound("utility", 0.35, Text("≤ 0.35", "≤ 0,35")))
    return RiskMap(catalogue[risk](), catalogue[utility](), point("original", 1, 0), trials, bounds)


# -- the picture --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("key", [False, True])
def test_the_specification_is_valid_and_the_drawing_safe(lang, key):
    spec = risk_map(example(), lang, key=key)
    altair.LayerChart.from_dict(spec)
    picture = draw(spec, lang, "says")
    root = ElementTree.fromstring(picture)
    assert {e.tag for e in root.iter()} <= {"svg", "g", "path", "line", "rect", "text", "title"}
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', picture)) <= {
        *VARIABLES.values(),
        "none",
        "transparent",
    }
    texts = [e.text for e in root.iter("text")]
    assert {"safe", "useful", "beaten, twin", "refused <b>", "k ≥ 3"} <= set(texts)
    assert ("original" if lang == "en" else "Original") in texts
    titles = [e.text for e in root.iter("title")]
    assert len(titles) == 6
    assert any(title.startswith("safe\n") and ("0.3" if lang == "en" else "0,3") in title for title in titles)


def places(found):
    """Where the points of a map stand on the paper, by name."""
    root = ElementTree.fromstring(draw(risk_map(found, "en"), "en", "x"))
    marks = [(e, e.find("title")) for e in root.iter("path") if e.find("title") is not None]
    at = (re.match(r"translate\(([-\d.]+),([-\d.]+)\)", e.get("transform")) for e, _ in marks)
    return {t.text.split("\n")[0]: tuple(map(float, m.groups())) for (_, t), m in zip(marks, at, strict=True)}


def test_safer_is_lower_and_more_useful_is_further_right_whatever_is_measured():
    at = places(example())  # large k is good, small loss is good
    assert at["safe"][1] > at["useful"][1] > at["original"][1]
    assert at["original"][0] > at["useful"][0] > at["safe"][0]
    trials = (point("a", 0.1, 0.5), point("b", 0.4, 0.9))
    other = RiskMap(
        catalogue["risk.uniques"](),
        catalogue["utility.confidence-overlap"](),
        point("original", 1, 1),
        trials,
    )
    at = places(other)  # small risk is good, large overlap is good
    assert at["a"][1] > at["b"][1] > at["original"][1]
    assert at["original"][0] > at["b"][0] > at["a"][0]


def test_many_or_long_names_become_the_numbers_of_the_table():
    found = example()
    long = replace(
        found, trials=(replace(found.trials[0], name="a name that is rather long"), *found.trials[1:])
    )
    texts = [e.text for e in ElementTree.fromstring(draw(risk_map(long, "en"), "en", "x")).iter("text")]
    assert {"1", "2", "3, 4", "5"} <= set(texts)
    assert rows(long)[0].number == 1


def test_one_point_alone_and_values_without_a_place():
    found = replace(example(), trials=(point("one", 1, 0), point("inf", float("inf"), 0)), bounds=())
    draw(risk_map(found, "de"), "de", "x")
    assert kind_of(found, found.trials[1]) == "failed"


# -- the page -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_page_tells_every_plan(lang):
    page = map_page(example(), "title <i>", lang)
    assert "title &lt;i&gt;" in page
    assert "refused &lt;b&gt;" in page
    for words in (
        "cannot reach its goal",
        "erreicht das Ziel nicht",
        "auf der Front",
        "on the front",
        "gefunden 2",
    ):
        assert words in page
    assert page.count("<tr>") == 1 + 1 + 6
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "Internal." in page


def test_the_data_for_programs():
    found = json.loads(as_json(example(), "t"))
    assert found["risk"]["id"] == "risk.k-anonymity"
    assert found["front"] == ["safe", "useful"]
    assert [p["state"] for p in found["plans"]] == [
        "front",
        "front",
        "released",
        "released",
        "refused",
        "failed",
    ]
    assert found["plans"][5]["failed"]["de"] == "erreicht das Ziel nicht"
    assert found["original"]["risk"]["value"] == 1
    assert found["notice"]["en"].startswith("Internal")


# -- the command --------------------------------------------------------------------------------------------------


def test_the_command_on_a_grid(plan, tmp_path, capsys):
    out = tmp_path / "map.html"
    said = command(capsys, "map", plan, "--vary", "steps.3.k=3,5,9", "--out", out, "--lang", "de")
    assert said.code == 0, said.err
    assert "k = 9" in said.out
    assert "In beidem übertrifft kein anderer Plan" in said.out
    assert "Schritt" in said.err
    page = out.read_text()
    assert "Risiko-Nutzen-Karte" in page
    data = people()
    for value in (*data["name"], *data["number"], *data["income"], *data["household"]):
        assert value not in page
    again = command(capsys, "map", plan, "--vary", "steps.3.k=3,5,9", "--out", out)
    assert again.code == 2
    assert "release.file-exists" in again.err


def test_a_grid_file_and_every_form(plan, tmp_path, capsys):
    grid = tmp_path / "grid.yaml"
    grid.write_text(to_yaml({"plan": "plan.yaml", "vary": {"steps.3.k": [3, 5]}}))
    for form, begins in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".json", b"{")):
        out = tmp_path / f"map{form}"
        assert command(capsys, "map", grid, "--out", out, "--quiet").code == 0
        assert out.read_bytes().startswith(begins)
    said = command(capsys, "map", grid, "--json", "--quiet")
    assert [p["changed"] for p in json.loads(said.out)["plans"]] == [{"steps.3.k": 3}, {"steps.3.k": 5}]
    assert all(p["cached"] for p in json.loads(said.out)["plans"])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--risk", "risk.nobody"), "plan.unknown"),
        (("--risk", "utility.moments"), "map.measure"),
        (("--vary", "steps.9.k=3"), "map.grid"),
        (("--vary", "steps.3.k"), "map.grid"),
        (("--out", "map.pdf"), "file.format"),
    ],
)
def test_errors_have_codes(plan, capsys, words, code):
    said = command(capsys, "map", plan, *words, "--lang", "de")
    assert said.code == 2
    assert code.split(".")[0] in said.err.splitlines()[-2 if "→" in said.err.splitlines()[-1] else -1]
    assert code in said.err or code == "file.format"


def test_plans_on_different_data(plan, tmp_path, capsys):
    other = lay_out(tmp_path / "other", data=as_csv(people(seed=5)))
    said = command(capsys, "map", plan, other)
    assert said.code == 2
    assert "map.different-data" in said.err


def test_a_plan_that_cannot_reach_its_goal_is_in_the_table(plan, tmp_path, capsys):
    steps = [{"use": "microdata.suppress-records", "below": 80, "budget": 0.01}, *PLAN["steps"][2:]]
    strict = tmp_path / "strict.yaml"
    strict.write_text(to_yaml(changed(steps=steps)))
    said = command(capsys, "map", plan, strict, "--quiet", "--json")
    assert said.code == 0
    assert [p["state"] for p in json.loads(said.out)["plans"]] == ["front", "failed"]


@pytest.mark.parametrize(("name", "step"), [("persons", 4), ("enterprises", 5)])
def test_the_examples(name, step, tmp_path):
    with (tmp_path / f"{name}.csv").open("wb") as file:
        write(EXAMPLES[name](3000), file, "csv")
    plan = tmp_path / f"{name}.yaml"
    plan.write_bytes(files("tarnkappe.examples").joinpath(f"plans/{name}.yaml").read_bytes())
    found = map_plans(plan, vary={f"steps.{step}.k": [3, 20]})
    assert found.utility.id == "utility.score"
    assert len(found.utility.analyses) == 3
    weak, strong = found.trials
    assert weak.released
    assert weak.utility.value > strong.utility.value
    assert found.original.utility.value == 1
    assert found.original.risk.value > weak.risk.value


def test_plans_of_tables_are_compared(capsys, tmp_path):
    (tmp_path / "t.csv").write_text(
        "region,sector,value,n\nTotal,Total,1000,40\nN,Total,400,15\nS,Total,600,25\nTotal,a,300,4\nN,a,250,2\nS,a,50,2\n"
        "Total,b,700,36\nN,b,150,13\nS,b,550,23\n"
    )
    (tmp_path / "p.yaml").write_text(
        "tarnkappe: 1\ntitle: T\ntables:\n  - name: t\n    file: t.csv\n    by: [region, sector]\n    columns: {count: n}\n"
        "    rules: [{use: rule.minimum-frequency, n: 3}]\n    protect: {use: table.quader}\n"
    )
    vary = ("--vary", "tables.1.protect.cost=value,constant")
    said = command(capsys, "map", tmp_path / "p.yaml", *vary, "--lang", "en")
    assert said.code == 0, said.all
    assert "fewest cells" in said.out
    told = json.loads(command(capsys, "map", tmp_path / "p.yaml", *vary, "--json", "--quiet").out)
    assert [t["plan"] for t in told["tables"]] == ["cost = value", "cost = constant"]
    assert {"cells", "primary", "secondary", "value", "respondents", "cpu", "held"} <= set(told["tables"][0])
    done = command(capsys, "map", tmp_path / "p.yaml", *vary, "--quiet", "--out", tmp_path / "m.csv")
    assert (done.code, (tmp_path / "m.csv").read_text().startswith("plan,table,method")) == (0, True)
    wrong = command(capsys, "map", tmp_path / "p.yaml", "--out", tmp_path / "m.svg")
    assert (wrong.code, ".json, .csv" in wrong.err) == (2, True)
    german = command(capsys, "map", tmp_path / "p.yaml", *vary, "--lang", "de")
    assert "wenigste Zellen" in german.out
