"""`tarnkappe history`: what was released from a project folder."""

from __future__ import annotations

import json

import pytest

from plans.workshop import SECRET, VARIABLE, changed, checked
from surfaces.command import command
from tarnkappe.report.history import history
from tarnkappe.report.release import release


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv("COLUMNS", "160")
    release(checked(tmp_path), tmp_path / "first")
    release(checked(tmp_path), tmp_path / "years/2026/second")
    release(checked(tmp_path, changed(title="Another")), tmp_path / "third")
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


def test_an_empty_folder_has_no_history_and_a_missing_one_is_told(tmp_path, capsys):
    said = command(capsys, "history", tmp_path, "--lang", "de")
    assert said.code == 0
    assert ": 0." in said.out
    assert command(capsys, "history", tmp_path / "gone").code == 2
