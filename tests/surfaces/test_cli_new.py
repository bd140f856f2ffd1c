"""`tarnkappe new`: from answers, or from questions in a terminal, to a commented plan that is sound and runs."""

from __future__ import annotations

import re

import pytest

from plans.workshop import as_csv, people
from surfaces.command import command
from tarnkappe.examples import EXAMPLES
from tarnkappe.io.write import write
from tarnkappe.plan.check import check_file
from tarnkappe.plan.document import load, to_yaml
from tarnkappe.plan.frame import standard_frame
from tarnkappe.testing.telling import assert_silent

ANSWERS = {
    "data": "persons.csv",
    "title": "Insured persons 2026",
    "roles": {"education": "other"},
    "process": {
        "need": {"why": "diagnoses", "basis": ["GDPR Art. 6(4)"]},
        "audience": {"profile": "public", "who": "everybody"},
        "scenarios": [
            {"attack": "publicity", "because": "public", "attacker": "journalist"},
            {"attack": "mass", "because": "no register", "excluded": True, "attacker": "marketer"},
        ],
        "use": {"granularity": {"postcode": 2}, "dispensable": ["marital_status"]},
    },
}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    with (tmp_path / "persons.csv").open("wb") as file:
        write(EXAMPLES["persons"](600), file, "csv")
    return tmp_path


@pytest.fixture
def said(monkeypatch):
    """Answer questions by their words; what is not listed is left open. Returns what was asked."""
    asked = []

    def answering(**answers):
        def reply(prompt=""):
            asked.append(prompt)
            return next((a for words, a in answers.items() if words.replace("_", " ") in prompt), "")

        monkeypatch.setattr("tarnkappe.cli.interview.out.input", lambda prompt, **_: reply(prompt))
        return asked

    return answering


def answers(place, **parts):
    (place / "answers.yaml").write_text(to_yaml(ANSWERS | parts))
    return place / "answers.yaml"


def test_answers_become_a_sound_plan_that_keeps_what_users_need(capsys, place):
    done = command(capsys, "new", "--answers", answers(place), "--out", "plan.yaml", "--lang", "en")
    assert done.code == 0
    plan = check_file(place / "plan.yaml")
    assert plan.title == "Insured persons 2026"
    assert plan.release.kind == "public-use"
    assert [a.value for a in plan.release.attackers] == ["journalist"]
    assert "education" not in plan.having("key")
    generalise = next(s for s in plan.steps if s.id == "microdata.generalise")
    assert generalise.columns.get("postcode", 9) >= 2
    dropped = next(s for s in plan.steps if s.id == "microdata.drop").columns
    assert "marital_status" in dropped
    assert "postcode" not in dropped
    assert plan.process.use.granularity["postcode"].least == 2
    assert {"column": "income", "at_least": 0} in plan.source["consistency"]
    assert "Still open" in done.out
    assert "no legal advice" in done.out


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_plan_is_commented_in_the_language_asked_for(capsys, place, lang):
    command(capsys, "new", "--answers", answers(place), "--lang", lang)
    text = (place / "plan.yaml").read_text()
    assert standard_frame().notice.text.in_(lang)[:30] in text
    comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    assert len(comments) > 15
    assert max(map(len, comments)) <= 110
    assert ("Schritt 1" if lang == "de" else "Step 1") in text
    for part in ("process", "data", "release", "seed", "steps", "release_if"):
        assert re.search(rf"^# .*\n{part}:", text, re.MULTILINE)


def test_the_plan_runs(capsys, place):
    command(capsys, "new", "--answers", answers(place), "--lang", "en")
    refused = command(capsys, "run", "plan.yaml", "--out", "out", "--quiet", "--lang", "en")
    assert refused.code == 3
    assert refused.err.count("Next: ") == refused.err.count("✗") == 1, "every reason with the next change"
    with (place / "plan.yaml").open("a") as plan:
        plan.write(
            "accept:\n  - {what: risk.further-keys, reason: Made-up persons of whom nothing becomes known}\n"
        )
    done = command(capsys, "run", "plan.yaml", "--out", "out", "--quiet")
    assert done.code == 0, done.all
    assert (place / "out/internal/report.html").is_file()


def test_an_existing_plan_is_replaced_only_if_asked(capsys, place):
    (place / "plan.yaml").write_text("mine")
    done = command(capsys, "new", "--answers", answers(place))
    assert done.code == 2
    assert (place / "plan.yaml").read_text() == "mine"
    assert command(capsys, "new", "--answers", answers(place), "--replace").code == 0
    assert (place / "plan.yaml").read_text() != "mine"
    assert not [p for p in place.iterdir() if p.name.startswith(".plan")]


def test_the_data_may_lie_elsewhere(capsys, place):
    (place / "inner").mkdir()
    done = command(capsys, "new", "persons.csv", "--answers", answers(place), "--out", "inner/plan.yaml")
    assert done.code == 0
    assert command(capsys, "check", "inner/plan.yaml").code == 0
    done = command(capsys, "new", "gone.csv", "--answers", answers(place))
    assert "file.missing" in done.err


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"titel": "x"}, "Did you mean 'title'"),
        ({"roles": {"income": "secret"}}, "must be one of"),
        ({"process": {"review": "soon"}}, "must be a date"),
    ],
)
def test_answers_that_do_not_fit_are_told_with_their_line(capsys, place, parts, says):
    done = command(capsys, "new", "--answers", answers(place, **parts), "--lang", "en")
    assert done.code == 2
    assert says in done.err
    assert "line " in done.err
    assert not (place / "plan.yaml").exists()


@pytest.mark.parametrize(
    "parts",
    [
        {"roles": {"gone": "key"}},
        {"process": {"use": {"dispensable": ["gone"]}}},
        {"process": {"use": {"granularity": {"postcode": 99}}}},
        {"process": {"use": {"granularity": {"sex": 1}}}},
    ],
)
def test_answers_about_columns_that_cannot_be_are_refused(capsys, place, parts):
    done = command(capsys, "new", "--answers", answers(place, **parts))
    assert done.code == 2
    assert not (place / "plan.yaml").exists()


def test_questions_are_asked_and_answers_land_in_the_plan(capsys, place, said):
    asked = said(
        Title="By hand", Why_must="health", Legal_basis="GDPR Art. 6(4); § 75", Other_roles="education=other",
        Who_receives="7", The_target="everybody", Planned="means; models", postcode="2",
        Columns_to="marital_status", How_often="yearly", Who_approves="A. Example", Date_of="2030-01-01", **{"Why?": "they can"},
    )  # fmt: skip
    done = command(capsys, "new", "persons.csv", "--lang", "en")
    assert done.code == 0, done.all
    plan = check_file(place / "plan.yaml")
    assert plan.title == "By hand"
    assert plan.process.need.basis == ("GDPR Art. 6(4)", "§ 75")
    assert plan.process.audience.profile == "public"
    assert plan.process.use.granularity["postcode"].least == 2
    assert plan.process.use.analyses == ("means", "models")
    assert plan.process.use.dispensable == ("marital_status",)
    excluded = {s.attack: s.excluded for s in plan.process.scenarios}
    assert excluded["colleague"], "nobody is a colleague of the public"
    assert not excluded["mass"]
    assert plan.process.approvals[0].who == "A. Example"
    assert not any("agreed" in question for question in asked), "with the public nothing is agreed"
    assert "Step 5 of 12" in done.out


def test_without_answers_everything_stays_open_and_the_plan_is_sound(capsys, place, said):
    said()
    assert command(capsys, "new", "persons.csv", "--lang", "de").code == 0
    plan = check_file(place / "plan.yaml")
    assert plan.process is None
    assert "# Noch offen" in (place / "plan.yaml").read_text()


def test_an_answer_that_does_not_fit_is_asked_again(capsys, place, monkeypatch):
    replies = {"Who receives": iter(["99", "1"]), "Other roles": iter(["nobody=key", "sex=other"]),
               "Columns to": iter(["gone", ""]), "expected?": iter(["perhaps", *"ynynyn"]), "postcode": iter(["0", "x", "1"])}  # fmt: skip

    def reply(prompt, **_):
        return next((next(it, "") for words, it in replies.items() if words in prompt), "")

    monkeypatch.setattr("tarnkappe.cli.interview.out.input", reply)
    done = command(capsys, "new", "persons.csv", "--lang", "en")
    assert done.code == 0, done.all
    plan = check_file(place / "plan.yaml")
    assert plan.process.audience.profile == "same-team"
    assert "sex" not in plan.having("key")
    for hint in (
        "a number of the list",
        "write column=role",
        "no column 'gone'",
        "answer y or n",
        "number of a level",
    ):
        assert hint in done.out


def test_the_data_is_asked_for_and_an_end_of_input_is_told(capsys, place, said, monkeypatch):
    said(Data_file="persons.csv")
    assert command(capsys, "new", "--lang", "en").code == 0
    monkeypatch.undo()
    monkeypatch.chdir(place)

    def ended(*_, **__):
        raise EOFError

    monkeypatch.setattr("tarnkappe.cli.interview.out.input", ended)
    done = command(capsys, "new", "persons.csv", "--out", "other.yaml", "--lang", "en")
    assert done.code == 2
    assert "process.answer-missing" in done.err


def test_columns_that_say_the_same_are_named_and_no_value_is(capsys, place):
    columns = people(120)
    columns["town"] = [f"ZZMARKERZZ {r}" for r in columns["region"]]
    columns["monthly"] = [str(float(x) / 12) for x in columns["income"]]
    columns["name"] = [f"ZZMARKERZZ {name}" for name in columns["name"]]
    (place / "people.csv").write_text(as_csv(columns))
    (place / "a.yaml").write_text("title: x\n")
    done = command(capsys, "new", "people.csv", "--answers", "a.yaml", "--lang", "en")
    assert done.code == 0, done.all
    assert "region and town say the same" in done.out
    assert "income and monthly are correlated with 1.000" in done.out
    assert_silent(done.all, "new")
    assert_silent((place / "plan.yaml").read_text(), "the plan")
    assert {"column": "town", "follows": "region"} in load(place / "plan.yaml").content["consistency"]
