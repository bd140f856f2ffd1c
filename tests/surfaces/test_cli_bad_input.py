"""Bad input of every kind: exit code 2, a sentence that says what and where, and nothing written."""

from __future__ import annotations

import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, changed, everything_in, lay_out, people, with_data
from surfaces.command import command

GOOD = as_csv(people())
HEADER = GOOD.split("\n", 1)[0]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, SECRET)
    return tmp_path


def refused(capsys, place, *, code="", lang="en"):
    """Run the plan of this place; it must be refused with the code, and leave nothing."""
    was = {name: (place / name).read_bytes() for name in everything_in(place) if (place / name).is_file()}
    said = command(capsys, "run", "plan.yaml", "--out", "new/out", "--lang", lang)
    assert said.code == 2, said.err
    assert said.out == ""
    assert f"[{code}" in said.err, said.err
    assert "Traceback" not in said.err
    now = {name: (place / name).read_bytes() for name in everything_in(place) if (place / name).is_file()}
    assert now == was
    assert not (place / "new").exists()
    return said.err


BAD_DATA = {
    "empty file": (b"", "file.empty"),
    "blank file": (b"\n\n  \n", "file.empty"),
    "header only": (HEADER.encode(), "data.empty"),
    "header only with line end": (HEADER.encode() + b"\n", "data.empty"),
    "wrong encoding": (GOOD.replace("Ada", "Käthe", 1).encode("latin-1") + b"\x81\n", "file.encoding"),
    "UTF-16 without a mark": (GOOD.encode("utf-16-le"), "file."),
    "too few fields": ((GOOD + "a,b\n").encode(), "file.ragged"),
    "too many fields": ((GOOD + "x," * 30 + "\n").encode(), "file.ragged"),
    "an open quote": ((GOOD + '"a,b\n').encode(), "file."),
    "duplicate names": (GOOD.replace("note", "region", 1).encode(), "data.duplicate-column"),
    "a column without a name": (GOOD.replace(",note", ",", 1).encode(), "file.names-missing"),
    "another separator": (GOOD.replace(",", ";").replace(";", ",", 3).encode(), ""),
    "a binary file": (bytes(range(256)) * 20, "file."),
    "a text where numbers should be": (GOOD.replace(people()["income"][3], "much", 1).encode(), "plan.wrong"),
}


@pytest.mark.parametrize("fault", BAD_DATA, ids=str)
@pytest.mark.parametrize("lang", ["en", "de"])
def test_bad_data(capsys, place, fault, lang):
    content, code = BAD_DATA[fault]
    lay_out(place)
    (place / "people.csv").write_bytes(content)
    refused(capsys, place, code=code, lang=lang)


@pytest.mark.parametrize(
    "fault",
    [f for f in BAD_DATA if f not in ("a text where numbers should be", "another separator")],
    ids=str,
)
def test_bad_data_for_the_other_commands(capsys, place, fault):
    (place / "bad.csv").write_bytes(BAD_DATA[fault][0])
    (place / "good.csv").write_text(GOOD)
    for words in (
        ("inspect", "bad.csv", "--plan", "plan.yaml"),
        ("compare", "good.csv", "bad.csv"),
        ("compare", "bad.csv", "good.csv"),
    ):
        said = command(capsys, *words)
        assert said.code == 2, (words, said.all)
        assert said.out == ""
    assert everything_in(place) == ["bad.csv", "good.csv"]


def test_a_missing_data_file(capsys, place):
    lay_out(place)
    (place / "people.csv").rename(place / "peopel.csv")
    assert "'peopel.csv'" in refused(capsys, place, code="plan.wrong")


def test_a_missing_plan(capsys, place):
    lay_out(place)
    said = command(capsys, "run", "plan.yml", "--out", "out", "--lang", "en")
    assert said.code == 2
    assert "plan.yaml" in said.err


@pytest.mark.parametrize("given", ["a.doc", "a.json", "noending", "a.csv.gz"])
def test_an_unknown_ending(capsys, place, given):
    (place / given).write_text(GOOD)
    said = command(capsys, "inspect", given, "--lang", "en")
    assert said.code == 2
    assert "file.format-unknown" in said.err


@pytest.mark.parametrize("ending", ["parquet", "arrow", "xlsx", "sav", "dta", "sas7bdat"])
def test_a_file_that_is_not_what_its_name_says(capsys, place, ending):
    (place / f"a.{ending}").write_text(GOOD)
    said = command(capsys, "inspect", f"a.{ending}", "--lang", "en")
    assert said.code == 2, said.err
    assert "Ada Ahrens" not in said.all


# -- plans --------------------------------------------------------------------------------------------------------------

STEPS = {
    "unknown step": ([{"use": "microdata.mdva", "columns": ["income"]}], "Did you mean 'microdata.mdav'?"),
    "misspelt parameter": ([{"use": "microdata.mdav", "columns": ["income"], "kay": 3}], "steps[1].kay"),
    "unknown column": ([{"use": "microdata.mdav", "columns": ["incom"]}], "Did you mean 'income'?"),
    "text column": ([{"use": "microdata.mdav", "columns": ["region"]}], "region"),
    "no hierarchy": ([{"use": "microdata.generalise", "columns": {"region": 1}}], "region"),
    "no such level": ([{"use": "microdata.generalise", "columns": {"age": 9}}], "age"),
    "no such record": ([{"use": "microdata.suppress-records", "records": [999]}], "between 1 and 90"),
    "dropped before": (
        [{"use": "microdata.drop", "columns": ["income"]}, {"use": "microdata.mdav", "columns": ["income"]}],
        "income",
    ),
}


@pytest.mark.parametrize("fault", STEPS, ids=str)
def test_bad_steps(capsys, place, fault):
    steps, words = STEPS[fault]
    lay_out(place, changed(steps=steps))
    assert words in refused(capsys, place)


MEASURES = {
    "unknown name in a formula": (
        {"use": "utility.regression", "formula": "income ~ agee"},
        "Did you mean 'age'?",
    ),
    "no formula": ({"use": "utility.regression", "formula": "income = age"}, "measures[1].formula"),
    "unknown column": ({"use": "utility.moments", "columns": ["incom"]}, "Did you mean 'income'?"),
    "no number": ({"use": "utility.correlations", "columns": ["income", "region"]}, "region"),
    "no such analysis": (
        {"use": "utility.score", "analyses": [{"use": "utility.nothing"}]},
        "names no measure",
    ),
}


@pytest.mark.parametrize("fault", MEASURES, ids=str)
def test_bad_measures(capsys, place, fault):
    measure, words = MEASURES[fault]
    lay_out(place, changed(measures=[measure]))
    assert words in refused(capsys, place)


@pytest.mark.parametrize(
    "roles", [{"key": ["age"], "numeric": ["region"]}, {"key": ["age"], "weight": "sex"}]
)
def test_a_role_that_does_not_fit_the_column(capsys, place, roles):
    lay_out(place, with_data(roles=roles))
    said = refused(capsys, place, code="plan.wrong")
    assert "line " in said
    assert "holds category" in said


def test_a_path_that_climbs_out(capsys, place):
    (place / "inner").mkdir()
    lay_out(place / "inner", with_data(file="../people.csv"))
    (place / "people.csv").write_text(GOOD)
    said = command(capsys, "run", "inner/plan.yaml", "--out", "out", "--lang", "en")
    assert said.code == 2
    assert "leads out" in said.err
    assert not (place / "out").exists()


CYCLE = "code,parent,label\nTotal,,\nnorth,south,N\nsouth,north,S\n"
HIERARCHIES = {
    "a cycle": ("h.csv", CYCLE),
    "a missing code": ("h.csv", "code,parent,label\nTotal,,\nnorth,Total,N\n"),
    "two roots": ("h.csv", "code,parent,label\nTotal,,\nnorth,Total,N\nsouth,,S\n"),
    "an unknown parent": ("h.csv", "code,parent,label\nTotal,,\nnorth,Total,N\nsouth,West,S\n"),
    "an empty file": ("h.csv", ""),
    "a level left out": ("h.hrc", "north\n@@south\n"),
    "nonsense": ("h.hrc", "\x00\x01"),
}


@pytest.mark.parametrize("fault", HIERARCHIES, ids=str)
def test_bad_hierarchies(capsys, place, fault):
    name, text = HIERARCHIES[fault]
    plan = with_data(hierarchies={"region": {"file": name}})
    lay_out(place, plan | {"steps": [{"use": "microdata.generalise", "columns": {"region": 0}}]})
    (place / name).write_text(text)
    refused(capsys, place)


@pytest.mark.parametrize(
    "described",
    [{"digits": [2, 1]}, {"bands": -5}, {"bands": 5, "digits": [1]}, {}, {"tree": {"a": ["b", "b"]}}],
)
def test_bad_descriptions_of_hierarchies(capsys, place, described):
    lay_out(place, with_data(hierarchies={"age": described}))
    refused(capsys, place, code="plan.wrong")


def test_a_yaml_bomb(capsys, place):
    lay_out(place)
    names = "abcdefghi"
    bomb = [f"{names[0]}: &{names[0]} [x, x, x, x, x, x, x, x, x]"]
    bomb += [f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip(names, names[1:], strict=False)]
    (place / "plan.yaml").write_text("\n".join(bomb))
    assert "too large" in refused(capsys, place, code="plan.yaml")


@pytest.mark.parametrize(
    "text",
    ["", "just text", "[1, 2]", "a: [", "tarnkappe: 1\ntarnkappe: 1", "!!python/object:os.system {}", "\x00"],
)
def test_files_that_are_no_plan(capsys, place, text):
    lay_out(place)
    (place / "plan.yaml").write_text(text)
    refused(capsys, place, code="plan.")


@pytest.mark.parametrize(("secret", "code"), [("weak", "secret.weak"), ("", "secret.weak")])
def test_bad_secrets(capsys, place, monkeypatch, secret, code):
    monkeypatch.setenv(VARIABLE, secret)
    lay_out(place)
    refused(capsys, place, code=code)


def test_a_secret_others_can_read(capsys, place, monkeypatch):
    monkeypatch.delenv(VARIABLE)
    lay_out(place)
    file = place / ".tarnkappe" / "secrets" / "survey"
    file.parent.mkdir(parents=True)
    file.write_text(SECRET)
    file.chmod(0o644)
    assert "chmod 600" in refused(capsys, place, code="secret.readable-by-others")


# -- destinations -------------------------------------------------------------------------------------------------------


def test_the_folder_exists(capsys, place):
    lay_out(place)
    (place / "out").mkdir()
    for words in ((), ("--replace",)):
        said = command(capsys, "run", "plan.yaml", "--out", "out", "-q", *words)
        assert said.code == 2
    assert list((place / "out").iterdir()) == []


@pytest.mark.parametrize("out", ["people.csv", "people.csv/below", ".", "..", "x" * 300, "a/../people.csv"])
def test_destinations_that_cannot_be(capsys, place, out):
    lay_out(place)
    was = everything_in(place)
    said = command(capsys, "run", "plan.yaml", "--out", out, "-q", "--replace")
    assert said.code == 2, said.err
    assert everything_in(place) == was
