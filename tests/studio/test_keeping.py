"""Plans and figures of a project folder: kept without loss, and renewed when a file is written again."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from studio.small_drafts import CONTENT, csv, lay, see, until
from tarnkappe.errors.studio import PlanNameWrong, PlanNotKept
from tarnkappe.language import Text
from tarnkappe.plan.document import to_yaml
from tarnkappe.studio.jobs import State
from tarnkappe.studio.keeping import Keeping
from tarnkappe.studio.kept_variants import keep, kept
from tarnkappe.studio.opening import from_project, start
from tarnkappe.studio.stamps import named

anyio = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "patients.csv").write_text(csv(), encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(to_yaml(CONTENT), encoding="utf-8")
    return tmp_path


@pytest.fixture
async def at_home(visitor, folder, monkeypatch):
    """A visitor with a project folder, whose plan is open."""
    session = visitor.session
    monkeypatch.setattr(session, "settings", replace(session.settings, project=folder))
    monkeypatch.setattr(session, "keeping", Keeping(folder))
    start(session, from_project(session, "mine.yaml"))
    for _ in range(2400):  # the first file waits until everything is loaded
        if session.draft.get("title") == "Patients":
            break
        await asyncio.sleep(0.05)
    return visitor


def test_a_plan_goes_back_to_its_file_unless_another_program_has_changed_it(folder):
    keeping = Keeping(folder)
    keeping.opened("mine.yaml")
    assert keeping.keep("mine.yaml", "a: 1\n") == "saved"
    assert keeping.keep("mine.yaml", "a: 1\n") == "same"
    assert keeping.keep("mine.yaml", "a: 2\n") == "saved"
    (folder / "mine.yaml").write_text("theirs\n")
    assert keeping.keep("mine.yaml", "a: 3\n") == "changed"
    assert (folder / "mine.yaml").read_text() == "theirs\n"
    assert keeping.keep("mine.yaml", "a: 3\n", replace=True) == "saved"
    assert (folder / "mine.yaml").read_text() == "a: 3\n"
    assert sorted(file.name for file in folder.iterdir()) == ["mine.yaml", "patients.csv"]


def test_a_plan_that_the_studio_has_not_seen_is_not_replaced_unasked(folder):
    keeping = Keeping(folder)
    keeping.opened("below/mine.csv")
    assert keeping.name == "mine.yaml"
    assert keeping.keep("mine.yaml", "a: 1\n") == "exists"
    assert keeping.keep("new.yaml", "a: 1\n") == "saved"
    assert keeping.name == "new.yaml"


@pytest.mark.parametrize("name", ["", "x", "x.csv", "../x.yaml", "a/x.yaml", ".x.yaml", "/etc/x.yaml"])
def test_a_plan_is_kept_in_the_folder_under_a_plain_name_only(folder, name):
    with pytest.raises(PlanNameWrong):
        Keeping(folder).keep(name, "a: 1\n")
    with pytest.raises(PlanNameWrong):
        Keeping(None).keep("x.yaml", "a: 1\n")


def test_a_folder_that_cannot_be_written_to_is_told(folder, monkeypatch):
    monkeypatch.setattr("pathlib.Path.write_text", lambda *_, **__: (_ for _ in ()).throw(OSError))
    with pytest.raises(PlanNotKept):
        Keeping(folder).keep("new.yaml", "a: 1\n")


@anyio
async def test_the_plan_is_saved_from_its_dialog_and_a_foreign_change_is_asked_about(at_home, folder):
    user, session = at_home.user, at_home.session
    await at_home.open("/risk")
    session.draft.put(Text("x", "x"), "title", value="Changed")
    user.find(marker="tool-description").click()
    await see(at_home, "File in the project folder")
    user.find(marker="save-plan").click()
    await see(at_home, "Saved as mine.yaml.")
    assert "title: Changed" in (folder / "mine.yaml").read_text()
    (folder / "mine.yaml").write_text("theirs\n")
    user.find(marker="save-plan").click()
    await see(at_home, "mine.yaml was changed by another program")
    assert (folder / "mine.yaml").read_text() == "theirs\n"
    user.find(marker="replace-plan").click()
    await see(at_home, "Saved as mine.yaml.")
    assert "title: Changed" in (folder / "mine.yaml").read_text()


@anyio
async def test_without_a_project_folder_a_plan_is_downloaded_only(visitor):
    lay(visitor.session)
    await visitor.open("/describe")
    visitor.user.find(marker="tool-description").click()
    await see(visitor, "Download plan")
    await visitor.user.should_not_see(marker="save-plan")


@anyio
async def test_figures_are_renewed_when_the_file_is_written_again(at_home, folder):
    session = at_home.session
    await at_home.open("/open")
    await see(at_home, "120 records")
    job = next(iter(session.jobs))
    await until(lambda: job.state is State.DONE)
    assert not session.renew()
    (folder / "patients.csv").write_text(csv(90), encoding="utf-8")
    await at_home.open("/open")
    await see(at_home, "90 records")
    assert session.jobs.get(job.id) is None


def test_files_are_found_wherever_a_plan_names_them():
    content = {
        "data": {"file": "a", "hierarchies": {"x": {"file": "b"}}},
        "tables": [{"file": "c", "metadata": "d"}, {"by": ["file"]}],
        "process": {"frame": "e"},
    }
    assert list(named(content)) == ["a", "b", "c", "d", "e"]


@anyio
async def test_variants_of_a_project_outlive_the_session_and_those_of_another_file_stay_apart(
    at_home, visit, folder
):
    plan = {"tarnkappe": 1, "title": "ä", "steps": [{"use": "microdata.drop", "columns": ["012", "yes"]}]}
    keep(at_home.session, [("first", plan), ("second", {**plan, "title": "x"})])
    async with visit() as later:
        later.session.settings = replace(later.session.settings, project=folder)
        later.session.in_project = True
        later.session.begin({"data": {"file": "patients.csv"}, "steps": plan["steps"]})
        assert kept(later.session) == [("first", plan), ("second", {**plan, "title": "x"})]
        await later.open("/compare")
        await see(later, "second")
        later.session.begin({"data": {"file": "other.csv"}})
        assert kept(later.session) == []
    assert (folder / ".tarnkappe" / "variants").stat().st_mode & 0o077 == 0
    (file,) = (folder / ".tarnkappe" / "variants").iterdir()
    file.write_text("variants: 3")
    assert kept(at_home.session) == []
    keep(at_home.session, [])
    assert not file.exists()
