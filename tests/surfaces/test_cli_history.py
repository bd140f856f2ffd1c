"""`tarnkappe history`: what was run in a project folder, released or refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from plans.workshop import SECRET, VARIABLE, changed, checked
from surfaces.command import command
from tarnkappe.errors.release import Cancelled, GateClosed
from tarnkappe.language import Text
from tarnkappe.plan.variants import variants
from tarnkappe.report import refusals
from tarnkappe.report.history import history
from tarnkappe.report.past_plans import past_plans
from tarnkappe.report.release import release


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Three releases, made once; every test has a copy of its own."""
    folder = tmp_path_factory.mktemp("released")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, SECRET)
        release(checked(folder), folder / "first")
        release(checked(folder), folder / "years/2026/second")
        release(checked(folder, changed(title="Another")), folder / "third")
    return folder


@pytest.fixture
def project(released, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv("COLUMNS", "160")
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_all_releases_are_listed_oldest_first_with_their_figures(project, capsys):
    runs = history(project).runs
    assert runs[0].folder == "first"
    assert {one.folder for one in runs} == {"first", "years/2026/second", "third"}
    assert len({one.plan for one in runs}) == 2, "equal plans have equal fingerprints"
    one = runs[0]
    assert one.sealed
    assert (one.held, one.gates) == (one.gates, one.gates)
    assert one.figures["risk.k-anonymity"] >= 3
    said = command(capsys, "history", project, "--lang", "en")
    assert said.code == 0
    assert one.plan[:8] in said.out
    assert "Releases below" in said.out


def test_history_for_programs(project, capsys):
    told = json.loads(command(capsys, "history", project, "--json").out)
    assert {one["title"] for one in told} == {"A file for science", "Another"}
    assert all(one["gates"]["held"] == one["gates"]["all"] for one in told)


def test_an_edited_or_broken_ledger_shows(project, capsys):
    first, third = (project / name / "internal/ledger.json" for name in ("first", "third"))
    first.write_text(first.read_text().replace('"repeatable": true', '"repeatable": false'))
    third.write_text("{}")
    found = history(project)
    assert [one.sealed for one in found.runs if one.folder == "first"] == [False]
    assert found.unreadable == ("third",)
    said = command(capsys, "history", project, "--lang", "en").out
    assert "first: the ledger was edited since" in " ".join(said.split())
    assert "third: the ledger cannot be read" in said


# -- refused runs ---------------------------------------------------------------------------------------------------


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """A plan whose goal cannot be reached, run twice, and one that is released."""
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv("COLUMNS", "160")
    hard = checked(tmp_path, changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 10_000}]))
    for _ in range(2):
        with pytest.raises(GateClosed):
            release(hard, tmp_path / "out")
    release(checked(tmp_path), tmp_path / "out")
    return tmp_path


def test_refused_runs_are_listed_with_what_was_reached_and_why(refused, capsys):
    found = history(refused)
    assert len(found.runs) == 1
    assert len(found.refused) == 2
    one = found.refused[0]
    assert one.plan == found.refused[1].plan != found.runs[0].plan
    assert one.gates - one.held == 1
    assert one.figures["risk.k-anonymity"] == found.runs[0].figures["risk.k-anonymity"]
    assert "10,000" in one.says.en
    assert "10.000" in one.says.de
    said = command(capsys, "history", refused, "--lang", "de")
    assert said.code == 0
    assert "verweigerte Läufe: 2" in said.out
    assert "k-Anonymität ≥ 10.000" in said.out
    told = json.loads(command(capsys, "history", refused, "--json").out)
    assert sorted("refused" in run for run in told) == [False, True, True]


def test_the_record_of_a_refusal_holds_no_value_of_a_record_and_is_for_the_office(refused):
    files = sorted((refused / ".tarnkappe/refused").glob("*.json"))
    assert len(files) == 2
    assert files[0].stat().st_mode & 0o077 == 0
    assert (refused / ".tarnkappe/refused").stat().st_mode & 0o077 == 0
    assert (refused / ".tarnkappe/.gitignore").read_text() == "*\n"
    text = files[0].read_text()
    assert SECRET not in text
    names = (refused / "people.csv").read_text().splitlines()[1:]
    assert not [row for row in names if row.split(",")[0] in text]


def test_a_refusal_counts_even_where_it_cannot_be_noted(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    hard = checked(tmp_path, changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 10_000}]))
    (tmp_path / ".tarnkappe").write_text("in the way")
    with pytest.raises(GateClosed):
        release(hard, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert history(tmp_path).refused == ()


def test_only_so_many_refusals_are_kept_and_broken_ones_are_passed_over(refused, monkeypatch):
    monkeypatch.setattr(refusals, "KEPT", 2)
    first = min((refused / ".tarnkappe/refused").glob("*.json"))
    refusals.keep(checked(refused), Text("too bad", "schade"))
    assert not first.exists()
    found = history(refused).refused
    assert found[-1].says.de == "schade"
    assert found[-1].records is None
    (refused / ".tarnkappe/refused/00.json").write_text("{")
    (refused / ".tarnkappe/refused/01.json").write_text("{}")
    assert history(refused).refused == found


def test_a_cancelled_run_is_no_refusal(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    plan = checked(tmp_path)

    def cancelled(*_):
        raise Cancelled

    monkeypatch.setattr("tarnkappe.report.release.run_plan", cancelled)
    with pytest.raises(Cancelled):
        release(plan, tmp_path / "out")
    assert history(tmp_path).refused == ()


def test_a_plan_is_compared_with_the_plans_of_earlier_runs(refused, capsys):
    """The plan of the file is the last that was run; the refused one differs in its condition and is tried once."""
    said = command(capsys, "map", refused / "plan.yaml", "--history", "--json", "--lang", "en")
    assert said.code == 0, said.err
    names = [plan["name"] for plan in json.loads(said.out)["plans"]]
    assert names[0] == "plan"
    assert len(names) == 2
    assert names[1].startswith("refused 20")
    alone = command(capsys, "map", refused / "plan.yaml", "--json", "--lang", "en")
    assert [plan["name"] for plan in json.loads(alone.out)["plans"]] == ["plan"]


def test_runs_on_other_data_are_not_compared(refused):
    (given,) = variants([refused / "plan.yaml"])
    assert len(list(past_plans([given], "no"))) == 1
    content = {**given.document.content, "data": {**given.document.content["data"], "file": "other.csv"}}
    other = replace(given, document=replace(given.document, content=content))
    assert list(past_plans([other], "no")) == []


def test_an_empty_folder_has_no_history_and_a_missing_one_is_told(tmp_path, capsys):
    said = command(capsys, "history", tmp_path, "--lang", "de")
    assert said.code == 0
    assert ": 0, " in said.out
    assert command(capsys, "history", tmp_path / "gone").code == 2
