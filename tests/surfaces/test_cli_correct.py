"""tarnkappe correct as a receiver meets it: a real release, words in both languages, JSON, exit codes, and silence on failure."""

import json
import shutil

import numpy as np
import pytest

import tarnkappe as tk
from plans.workshop import SECRET, VARIABLE
from surfaces.command import command
from tarnkappe.plan.document import to_yaml

N = 600
PLAN = {
    "tarnkappe": 1,
    "title": "Firms",
    "data": {
        "file": "firms.csv",
        "roles": {"identifier": ["name"], "key": ["k"], "numeric": ["e", "t", "i"], "weight": "p"},
    },
    "release": {"formats": ["csv", "parquet"]},
    "seed": {"secret": "survey"},
    "steps": [
        {"use": "microdata.drop", "columns": ["name"]},
        {"use": "microdata.top-bottom-code", "columns": ["i"], "upper": {"share": 0.1}},
        {"use": "microdata.pram", "columns": ["k"], "alpha": 0.2},
        {
            "use": "microdata.factor-noise",
            "columns": ["e", "t"],
            "factors": {"law": "uniform"},
            "shared": "factor",
        },
        {"use": "microdata.mdav", "columns": ["z"], "k": 3},
    ],
}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("correct")
    g = np.random.default_rng(1)
    e, k = np.exp(g.normal(3, 0.7, N)), g.choice(["a", "b", "c"], N)
    rows = zip(
        (f"Firm {i} GmbH" for i in range(N)), k, e, 50 + 20 * e + g.normal(0, 60, N), 2 + 0.1 * e + g.normal(0, 1, N),
        g.normal(0, 1, N), np.ones(N), strict=True,
    )  # fmt: skip
    lines = ["name,k,e,t,i,z,p", *(",".join(map(str, row)) for row in rows)]
    (folder / "firms.csv").write_text("\n".join(lines) + "\n")
    (folder / "plan.yaml").write_text(to_yaml(PLAN))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, SECRET)
        tk.release(tk.check_file(folder / "plan.yaml"), folder / "out")
    shutil.rmtree(folder / "out" / "internal")
    return folder / "out"


@pytest.fixture
def say(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: command(capsys, "correct", *words)


def test_a_model(say, release):
    said = say(release, "--model", "t ~ e + k", "--lang", "en")
    assert (said.code, said.err) == (0, "")
    for words in ("Model t ~ e + k", "k[b]", "600 records", "(Hwang)", "(PRAM)", "--weight p"):
        assert words in said.out
    german = say(release, "--model", "t ~ e + k", "--lang", "de").out
    for words in (
        "Modell t ~ e + k",
        "Standardfehler",
        "600 Datensätze",
        "Zufallsfaktoren",
        "Freigabe hat Gewichte",
    ):
        assert words in german


def test_all_at_once_as_json(say, release):
    said = say(
        release,
        "--model",
        "i ~ e",
        "--frequencies",
        "k",
        "--moments",
        "e",
        "--moments",
        "t",
        "--population",
        "--json",
    )
    assert said.code == 0
    one, two, three = json.loads(said.out)
    assert [f["name"] for f in one["figures"]] == ["constant", "e"]
    assert one["spread"] == pytest.approx(1, rel=0.2)
    assert sum(f["estimate"] for f in two["figures"]) == pytest.approx(1)
    assert [f["name"] for f in three["figures"]][-1] == "correlation(e, t)"
    assert set(one["estimator"]) == {"en", "de"}


def test_csv_and_parquet_say_the_same(say, release, tmp_path):
    shutil.copytree(release, tmp_path / "text")
    (tmp_path / "text" / "data.parquet").unlink()
    both = [say(folder, "--model", "t ~ e + k", "--json").out for folder in (release, tmp_path / "text")]
    one, two = (json.loads(text)[0]["figures"] for text in both)
    for a, b in zip(one, two, strict=True):
        assert a["estimate"] == pytest.approx(b["estimate"])


def test_python_says_the_same(say, release):
    found = tk.correct.model(release, "t ~ e", weight="p")
    shown = json.loads(say(release, "--model", "t ~ e", "--weight", "p", "--json").out)[0]
    assert shown == json.loads(json.dumps(found.as_json()))


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("--model", "t ~ wages"), 2, "data.column-missing"),
        (("--model", "t = e"), 2, "correct.formula"),
        ((), 2, "correct.option"),
        (("--model", "t ~ e", "--level", "2"), 2, "correct.option"),
        (("--model", "t ~ e", "--bootstrap", "3"), 2, "correct.option"),
        (("--model", "z ~ e"), 3, "correct.no-correction"),
        (("--model", "i ~ k"), 3, "correct.no-correction"),
        (("--model", "t ~ e", "--moments", "z"), 3, "correct.no-correction"),
        (("--frequencies", "e"), 2, "data.wrong-kind"),
        (("--model", "k ~ e"), 2, "correct.outcome"),
        (("--model", "t ~ e", "--combine", "imputed"), 2, "correct.option"),
    ],
    ids=lambda w: " ".join(w) if isinstance(w, tuple) else None,
)
def test_failures_show_no_number(say, release, words, code, error):
    said = say(release, *words)
    assert said.code == code
    assert said.out == ""
    assert f"[{error}]" in said.err


def test_a_release_that_does_not_tell_what_is_needed(say, release, tmp_path):
    """The law of the factors is taken out of about.json: the error says what is missing, and no number is shown."""
    shutil.copytree(release, tmp_path / "silent")
    about = tmp_path / "silent" / "about.json"
    told = json.loads(about.read_text(encoding="utf-8"))
    for step in told["corrections"]:
        step["facts"].pop("factor", None)
    about.write_text(json.dumps(told), encoding="utf-8")
    said = say(tmp_path / "silent", "--model", "t ~ e")
    assert (said.code, said.out) == (2, "")
    assert "[correct.not-told]" in said.err
    assert "'e'" in said.err or "'t'" in said.err


def test_several_releases(say, release):
    assert "[correct.option]" in say(release, release, "--model", "t ~ e").err
    said = say(release, release, "--model", "t ~ e", "--combine", "imputed", "--lang", "de")
    assert said.code == 0
    assert "2 mehrfach imputierte Dateien (Rubin)" in said.out


def test_no_release(say, tmp_path):
    said = say(tmp_path / "nothing", "--model", "y ~ x", "--lang", "de")
    assert (said.code, said.out) == (2, "")
    assert "[correct.no-about]" in said.err
    assert "keine Freigabe" in said.err
