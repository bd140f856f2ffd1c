"""Step 8: conditions, trial, release, documents, downloads and history."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import threading
import zipfile
from dataclasses import replace

import pytest
from nicegui import ui
from typer.testing import CliRunner

from studio.small_drafts import MARKER, lay, over, see, until
from tarnkappe.cli.app import app
from tarnkappe.language import Text
from tarnkappe.plan.run import run
from tarnkappe.report import release as report_release
from tarnkappe.studio.jobs import State
from tarnkappe.studio.tasks import release as tasks

pytestmark = pytest.mark.anyio
STRICT = [{"measure": "risk.k-anonymity", "at_least": 50}]
TIMES = {"started", "seconds", "outputs", "seal", "steps", "measures"}
"""Parts of the ledger that hold times, or digests of files that do."""


@pytest.fixture(autouse=True)
def plain_report(request, monkeypatch):
    """A report without its pictures, which cost seconds, wherever it is not what is tested."""
    if "whole_report" not in request.fixturenames:
        for module in (tasks, report_release):
            monkeypatch.setattr(module, "report_page", lambda run, lang: f"<p>{run.plan.title}</p>")


@pytest.fixture
def whole_report():
    """Asks for the report as it is."""


async def release(visitor, name=None):
    await visitor.open("/release")
    if name is not None:
        put(visitor, "release-name", name)
    visitor.user.find(marker="release").click()
    return await over(visitor.session, "release")


def put(visitor, marker, value):
    with visitor.user:
        visitor.user.find(marker=marker).elements.pop().set_value(value)


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# -- conditions ---------------------------------------------------------------------------------------------------


async def test_without_a_file_the_page_leads_to_opening_one(visitor):
    visitor.session.begin()
    await visitor.open("/release")
    await visitor.user.should_see("No file is open yet.")


async def test_a_condition_is_added_changed_removed_and_undone(visitor):
    lay(visitor.session)
    draft = visitor.session.draft
    await visitor.open("/release")
    await visitor.user.should_see("k-anonymity ≥ 3")
    visitor.user.find(marker="add-gate").click()
    await see(visitor, "Higher is better.")
    put(visitor, "gate-measure", "risk.uniques")
    await see(visitor, "Lower is better.")
    visitor.user.find(marker="save-gate").click()
    await see(visitor, "needs at_least, at_most or holds")
    put(visitor, "gate-at_most", 0.05)
    visitor.user.find(marker="save-gate").click()
    await see(visitor, "Unique records ≤ 0.05")
    assert draft.get("release_if", 1) == {"measure": "risk.uniques", "at_most": 0.05}
    visitor.user.find(marker="edit-gate-0").click()
    await see(visitor, "Higher is better.")
    put(visitor, "gate-at_least", 5)
    visitor.user.find(marker="save-gate").click()
    await see(visitor, "k-anonymity ≥ 5")
    visitor.user.find(marker="remove-gate-0").click()
    await see(visitor, "Unique records ≤ 0.05")
    assert [gate["measure"] for gate in draft.get("release_if")] == ["risk.uniques"]
    draft.undo()
    assert draft.get("release_if", 0, "at_least") == 5
    draft.undo()
    draft.undo()
    assert draft.get("release_if") == [{"measure": "risk.k-anonymity", "at_least": 3}]


async def test_parameters_of_a_condition_are_kept_when_its_bound_changes(visitor):
    lay(visitor.session, release_if=[{"measure": "risk.k-anonymity", "keys": ["sex"], "at_least": 3}])
    await visitor.open("/release")
    visitor.user.find(marker="edit-gate-0").click()
    await see(visitor, "Higher is better.")
    put(visitor, "gate-at_least", 7)
    visitor.user.find(marker="save-gate").click()
    await see(visitor, "k-anonymity ≥ 7")
    assert visitor.session.draft.get("release_if", 0) == {
        "measure": "risk.k-anonymity", "keys": ["sex"], "at_least": 7,
    }  # fmt: skip


async def test_a_condition_nobody_can_read_is_told_and_can_be_removed(visitor):
    lay(visitor.session, release_if=[{"measure": "risk.nothing"}])
    await visitor.open("/release")
    await see(visitor, "risk.nothing")
    visitor.user.find(marker="remove-gate-0").click()
    await see(visitor, "no condition of its own yet")
    assert visitor.session.draft.get("release_if") is None


# -- trial --------------------------------------------------------------------------------------------------------


async def test_a_trial_lights_the_conditions_and_writes_nothing(visitor):
    lay(visitor.session)
    await visitor.open("/release")
    await visitor.user.should_see("not tried")
    visitor.user.find(marker="try").click()
    await over(visitor.session, "release")
    await see(visitor, "The data may be released")
    await visitor.user.should_see("Every person is hidden among at least 30 records.")
    assert not (visitor.session.folder / "releases").exists()
    visitor.session.draft.put(Text("x", "x"), "title", value="Other")
    await visitor.open("/release")
    await see(visitor, "The plan has changed since")
    await visitor.user.should_see("not tried")


async def test_in_german(visitor):
    visitor.session.lang = "de"
    lay(visitor.session, release_if=STRICT)
    await visitor.open("/release")
    visitor.user.find(marker="try").click()
    await over(visitor.session, "release")
    await see(visitor, "Die Daten dürfen nicht freigegeben werden")
    await visitor.user.should_see("Was helfen würde")
    await visitor.user.should_see("nicht erfüllt")


async def test_the_documents_are_previewed_before_a_release(visitor):
    lay(visitor.session)
    await visitor.open("/release")
    visitor.user.find(marker="preview").click()
    await over(visitor.session, "release")
    await see(visitor, "As they would be released.")
    for name in ("about.html", "internal/report.html"):
        found = await visitor.user.http_client.get(f"/previews/{name}")
        assert found.status_code == 200
        assert "sandbox allow-scripts" in found.headers["content-security-policy"]
        assert "Patients" in found.text
    assert not (visitor.session.folder / "releases").exists()


async def test_a_refused_plan_has_no_document_for_recipients(visitor):
    lay(visitor.session, release_if=STRICT)
    await visitor.open("/release")
    visitor.user.find(marker="preview").click()
    await over(visitor.session, "release")
    await see(visitor, "recipients get nothing")
    assert (await visitor.user.http_client.get("/previews/about.html")).status_code == 404
    assert (await visitor.user.http_client.get("/previews/internal/report.html")).status_code == 200


async def test_a_goal_that_cannot_be_reached_is_explained_and_kept(visitor):
    step = {"use": "microdata.suppress-records", "below": 3, "budget": 0.01}
    lay(visitor.session, steps=[step])
    job = await release(visitor)
    assert job.trouble.code == "run.unattainable"
    await see(visitor, "Best reached")
    await visitor.user.should_see("put a coarser one before it")
    await visitor.user.should_see("To the steps")
    await see(visitor, "refused")


async def test_a_plan_that_is_wrong_says_where(visitor):
    lay(visitor.session, steps=[{"use": "microdata.mdav", "columns": ["nowhere"], "k": 3}])
    job = await release(visitor)
    assert job.trouble.code == "plan.wrong"
    await see(visitor, "nowhere")


async def test_tables_have_lights_of_their_own(visitor):
    table = {
        "name": "costs", "by": ["region", "sex"], "value": "cost",
        "rules": [{"use": "rule.minimum-frequency", "n": 3}],
    }  # fmt: skip
    gate = {"measure": "risk.table-audit", "holds": True}
    lay(visitor.session, steps=None, tables=[table], release_if=[gate])
    await visitor.open("/release")
    visitor.user.find(marker="try").click()
    job = await over(visitor.session, "release")
    await see(visitor, "The tables may be released")
    lights = job.result.lights
    assert [light.number for light in lights] == [0] + [None] * (len(lights) - 1)
    assert sum(light.says.en.startswith("table costs:") for light in lights) == 1
    assert all(light.held for light in lights)
    visitor.user.find(marker="edit-gate-0").click()
    await see(visitor, "It must hold.")
    visitor.user.find(marker="save-gate").click()
    assert visitor.session.draft.get("release_if") == [gate]


# -- release ------------------------------------------------------------------------------------------------------


async def test_the_release_is_that_of_the_command_line_to_the_byte(visitor, tmp_path, whole_report):
    lay(visitor.session)
    job = await release(visitor, "mine")
    assert job.trouble is None
    here, there = visitor.session.folder, tmp_path / "there"
    there.mkdir()
    shutil.copy(here / "patients.csv", there)
    shutil.copytree(here / ".tarnkappe", there / ".tarnkappe")
    (there / "plan.yaml").write_text(visitor.session.draft.text(), encoding="utf-8")
    told = CliRunner().invoke(
        app, ["run", str(there / "plan.yaml"), "--out", str(there / "out"), "--lang", "en", "--quiet"]
    )
    assert told.exit_code == 0, told.output
    ours, theirs = files(here / "releases" / "mine"), files(there / "out")
    assert ours.keys() == theirs.keys()
    ledgers = [json.loads(one.pop("internal/ledger.json")) for one in (ours, theirs)]
    reports = [one.pop("internal/report.html") for one in (ours, theirs)]
    assert ours == theirs
    for attack in (attack for one in ledgers for attack in one["attacks"]):
        del attack["seconds"]
    ours_ledger, theirs_ledger = ({k: v for k, v in one.items() if k not in TIMES} for one in ledgers)
    assert ours_ledger == theirs_ledger
    assert all(b"Patients" in report for report in reports)


async def test_names_are_checked_and_what_exists_is_replaced_only_when_asked(visitor):
    lay(visitor.session)
    await visitor.open("/release")
    put(visitor, "release-name", "..")
    visitor.user.find(marker="release").click()
    assert visitor.session.jobs.latest("release") is None
    await release(visitor, "../../mine")
    assert (visitor.session.folder / "releases" / "mine" / "certificate.json").is_file()
    first = visitor.session.jobs.latest("release")
    await visitor.open("/release")
    put(visitor, "release-name", "mine")
    visitor.user.find(marker="release").click()
    await see(visitor, "“mine” exists already")
    assert visitor.session.jobs.latest("release") is first
    visitor.user.find(marker="replace").click()
    job = await over(visitor.session, "release")
    assert job is not first
    assert job.trouble is None


async def test_a_refusal_says_what_would_help_and_enters_the_history(visitor):
    lay(visitor.session, release_if=STRICT)
    await release(visitor)
    await see(visitor, "The data must not be released")
    await visitor.user.should_see("Make more records look alike")
    await see(visitor, "refused")
    assert not (visitor.session.folder / "releases").exists()


async def test_a_release_is_cancelled_and_nothing_is_written(visitor, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def slow(plan, progress):
        begun.set()
        go_on.wait(20)
        return run(plan, progress)

    monkeypatch.setattr(tasks, "run_plan", slow)
    lay(visitor.session)
    await visitor.open("/release")
    visitor.user.find(marker="release").click()
    await asyncio.to_thread(begun.wait, 20)
    await visitor.open("/release")  # the tab was closed meanwhile
    await see(visitor, "Releasing")
    visitor.user.find("Cancel").click()
    await asyncio.sleep(0.1)
    go_on.set()
    job = await over(visitor.session, "release")
    assert job.state is State.CANCELLED
    await see(visitor, "Cancelled. Nothing was written.")
    assert not (visitor.session.folder / "releases").exists()
    assert not (visitor.session.folder / ".tarnkappe" / "refused").exists()


# -- documents and files ------------------------------------------------------------------------------------------


async def test_documents_are_for_the_own_session_alone(visit):
    async with visit() as owner, visit() as other:
        lay(owner.session)
        lay(other.session)
        await release(owner, "mine")
        paths = ["/releases/releases/mine/-/about.html", "/releases/releases/mine/-/internal/report.html"]
        for path in [*paths, "/downloads/release/releases/mine", "/downloads/internal/releases/mine"]:
            assert (await owner.user.http_client.get(path)).status_code == 200, path
            assert (await other.user.http_client.get(path)).status_code == 404, path
        shown = await owner.user.http_client.get(paths[0])
        policy = shown.headers.get_list("content-security-policy")
        assert len(policy) == 1
        assert policy[0].startswith("default-src 'none'")
        assert shown.headers["x-content-type-options"] == "nosniff"
        assert shown.headers["cache-control"] == "no-store"
        for theme, marked in (("dark", 'data-theme="dark"'), ('"x', 'data-theme=""x"')):
            themed = await owner.user.http_client.get(paths[0], params={"theme": theme})
            assert (f"<html {marked}" in themed.text) is (theme == "dark")
            assert themed.headers.get_list("content-security-policy") == policy


@pytest.mark.parametrize(
    "path",
    [
        "/releases/releases/mine/-/data.csv",
        "/releases/releases/mine/-/internal/ledger.json",
        "/releases/releases/mine/-/../../../patients.csv",
        "/releases/releases/mine/-/internal/..%2F..%2F..%2F..%2Fpatients.csv",
        "/releases/..%2F..%2Fetc/-/passwd",
        "/releases//etc/-/about.html",
        "/releases/./-/about.html",
        "/previews/..%2Fpatients.csv",
        "/previews/about.html",
        "/downloads/release/..%2F..",
        "/downloads/release/.",
        "/downloads/everything/releases/mine",
        "/downloads/internal/.tarnkappe",
    ],
)
async def test_no_path_from_the_browser_is_trusted(visitor, path):
    lay(visitor.session)
    home = visitor.session.folder / "releases" / "mine" / "internal"
    home.mkdir(parents=True)
    (home.parent / "certificate.json").write_text("{}")
    (home.parent / "data.csv").write_text("secret")
    assert (await visitor.user.http_client.get(path)).status_code == 404


async def test_downloads_keep_the_internal_part_apart(visitor):
    lay(visitor.session)
    await release(visitor, "mine")
    client = visitor.user.http_client
    outer, inner = [await client.get(f"/downloads/{form}/releases/mine") for form in ("release", "internal")]
    packed = zipfile.ZipFile(io.BytesIO(outer.content))
    assert set(packed.namelist()) == {
        f"mine/{name}" for name in ("about.html", "about.json", "certificate.json", "data.csv")
    }
    written = visitor.session.folder / "releases" / "mine" / "data.csv"
    assert packed.read("mine/data.csv") == written.read_bytes()
    names = zipfile.ZipFile(io.BytesIO(inner.content)).namelist()
    assert names
    assert all(name.startswith("mine/internal/") for name in names)
    assert 'filename="mine-internal.zip"' in inner.headers["content-disposition"]
    assert not list(visitor.session.home.glob(".*.zip"))


async def test_plan_and_secret_can_be_taken_away(visitor):
    lay(visitor.session)
    await release(visitor, "mine")
    await see(visitor, "Download the secret")
    visitor.user.find(marker="get-plan").click()
    plan = await visitor.user.download.next()
    assert plan.text == visitor.session.draft.text()
    visitor.user.find(marker="get-secret").click()
    secret = await visitor.user.download.next()
    assert secret.content == (visitor.session.folder / ".tarnkappe" / "secrets" / "patients").read_bytes()


async def test_another_file_does_not_show_the_release_of_the_one_before(visitor):
    lay(visitor.session)
    await release(visitor, "mine")
    await see(visitor, "Released as “mine”.")
    visitor.session.room = visitor.session.lobby()
    lay(visitor.session)
    await visitor.open("/release")
    await visitor.user.should_see("not tried")
    await visitor.user.should_not_see("Released as “mine”.")


async def test_a_release_is_verified_and_tampering_shows(visitor):
    lay(visitor.session)
    await release(visitor, "mine")
    await visitor.open("/release")
    visitor.user.find(marker="verify").click()
    await over(visitor.session, "verify")
    await see(visitor, "The release holds")
    data = visitor.session.folder / "releases" / "mine" / "data.csv"
    data.write_text(data.read_text() + "x\n")
    visitor.user.find(marker="verify").click()
    job = await over(visitor.session, "verify")
    assert job.trouble.code == "verify.failed"
    await see(visitor, "data.csv is as it was released")


async def test_in_a_project_the_folder_is_told(visitor, tmp_path):
    visitor.session.settings = replace(visitor.session.settings, project=tmp_path)
    visitor.session.in_project = True
    lay(visitor.session)
    await release(visitor, "mine")
    await see(visitor, str(tmp_path / "releases" / "mine"))
    await visitor.user.should_not_see("Download the release")
    assert (tmp_path / "releases" / "mine" / "data.csv").is_file()


# -- history ------------------------------------------------------------------------------------------------------


async def test_earlier_runs_are_opened_again(visitor):
    lay(visitor.session)
    await release(visitor, "mine")
    first = visitor.session.draft.get()
    visitor.session.draft.put(Text("stricter", "strenger"), "release_if", value=STRICT)
    await release(visitor, "other")
    await visitor.open("/release")
    await see(visitor, "releases/mine")
    await see(visitor, "refused")
    assert visitor.session.draft.get("release_if") == STRICT
    visitor.user.find(marker="reopen-releases/mine").click()
    await until(lambda: visitor.session.draft.get() == first)
    visitor.session.draft.undo()
    assert visitor.session.draft.get("release_if") == STRICT


async def test_a_refusal_is_opened_again_and_holds_no_value(visitor):
    lay(visitor.session, release_if=STRICT)
    await release(visitor)
    kept = list((visitor.session.folder / ".tarnkappe" / "refused").glob("*.json"))
    assert len(kept) == 1
    assert kept[0].stat().st_mode & 0o077 == 0
    assert MARKER not in kept[0].read_text()
    visitor.session.draft.put(Text("x", "x"), "release_if", value=None)
    await visitor.open("/release")
    await see(visitor, "refused")
    visitor.user.find(marker=f"reopen-{kept[0].stem}").click()
    await until(lambda: visitor.session.draft.get("release_if") == STRICT)


async def test_a_broken_history_is_told(visitor):
    lay(visitor.session)
    broken = visitor.session.folder / "old" / "internal"
    broken.mkdir(parents=True)
    (broken / "ledger.json").write_text("{")
    home = visitor.session.folder / ".tarnkappe" / "refused"
    home.mkdir(parents=True)
    (home / "x.json").write_text("{")
    await visitor.open("/release")
    await see(visitor, "old: the ledger cannot be read.")


async def test_the_frames_of_documents_are_sandboxed(visitor):
    lay(visitor.session)
    await release(visitor, "mine")
    await visitor.open("/release")
    await see(visitor, "For the office")
    with visitor.user:
        frames = [e for e in visitor.user.find(kind=ui.element).elements if e.tag == "iframe"]
    assert {frame.props["sandbox"] for frame in frames} == {"allow-scripts"}


# -- three colours ------------------------------------------------------------------------------------------------


async def test_a_file_that_nobody_described_is_not_released_by_two_clicks(visitor):
    lay(visitor.session)
    visitor.session.begin({"tarnkappe": 1, "title": "Bare", "data": {"file": "patients.csv"}})
    job = await release(visitor)
    assert job.state is State.FAILED
    assert job.trouble.code == "policy.keys-needed"
    await see(visitor, "no column has the role key")
    await see(visitor, "To the columns")
    assert not (visitor.session.folder / "releases").exists()


async def test_what_stands_out_is_signed_with_a_reason_before_it_is_released(visitor):
    lay(visitor.session, accept=None)
    job = await release(visitor)
    assert job.result.colour == "refused"
    assert not job.result.name
    await see(visitor, "What stands out")
    what = [one.what for one in job.result.standing]
    put(visitor, f"reason-{what[0]}", "ok")
    visitor.user.find(marker=f"sign-{what[0]}").click()
    assert visitor.session.draft.get("accept") is None, "that is no reason"
    for one in what:
        await visitor.open("/release")
        put(visitor, f"reason-{one}", "Made-up patients of whom nothing becomes known.")
        visitor.user.find(marker=f"sign-{one}").click()
        await until(
            lambda one=one: one in [a["what"] for a in visitor.session.draft.get("accept", default=[])]
        )
    job = await release(visitor)
    assert job.result.colour == "signed"
    assert job.result.name
    await see(visitor, "may be released, but something stands out")


async def test_conditions_of_the_default_policy_are_shown(visitor):
    lay(visitor.session, release_if=None)
    await visitor.open("/release")
    await see(visitor, "k-anonymity ≥ 3 (by the default policy)")
