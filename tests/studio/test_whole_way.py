"""A German file through all eight steps in a real browser, by keyboard alone; the release is that of `tarnkappe run` with the plan."""

from __future__ import annotations

import io
import shutil
import zipfile

import pytest

from studio.by_keyboard import Eye, Keyboard
from surfaces.command import command
from tarnkappe.examples import make_persons
from tarnkappe.io.write import write


@pytest.fixture
def german(tmp_path):
    """Persons with semicolons between the columns and a comma before the decimals."""
    data, plain = make_persons(400), io.BytesIO()
    write(data, plain, "csv")
    rows = [
        line.split(",") for line in plain.getvalue().decode().replace(", ", " ").replace('"', "").splitlines()
    ]
    amount = rows[0].index("claims_amount")
    lines = [";".join(v.replace(".", ",") if i == amount else v for i, v in enumerate(row)) for row in rows]
    file = tmp_path / "persons.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def saved(keys, button, folder):
    """What a button downloads."""
    with keys.tab.expect_download() as coming:
        keys.use(button)
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def opens_and_closes(keys, eye, button):
    """A dialog takes the focus, keeps it, is closed by Escape and gives the focus back."""
    tab = keys.tab
    keys.use(button)
    dialog = tab.get_by_role("dialog")
    dialog.wait_for()
    tab.wait_for_function("!!document.activeElement.closest('[role=dialog]')")  # once it has faded in
    eye.look_at_dialog(button)
    for _ in range(12):
        keys.press("Tab")
        at = "document.activeElement"  # the body, while the focus is in the frame of the browser
        assert tab.evaluate(f"{at} === document.body || !!{at}.closest('[role=dialog]')"), keys.at()
    keys.press("Escape")
    dialog.wait_for(state="detached")
    tab.wait_for_function("document.activeElement !== document.body")
    assert any(word.startswith(button) for word in keys.at()["name"].split(" / "))


def describe(keys):
    keys.use("Take over")
    keys.tab.get_by_text("direct identifier?").first.wait_for(state="detached")


def group(keys):
    """Two categories together, without dragging; and back again."""
    tab = keys.tab
    keys.use("sex")
    keys.use("Group by hand")
    tab.locator(".tk-code-chip").first.wait_for()
    keys.use("f", "Space")
    keys.use("m", "Space")
    keys.use("Group the 2 chosen", back=True)
    tab.get_by_label("Name of the group").wait_for()
    keys.press("Control+z")
    tab.get_by_label("Name of the group").wait_for(state="detached")


def protect(keys):
    """The plan of the advisor; two of its steps change places, and back."""
    tab = keys.tab
    keys.use("Propose a plan")
    tab.get_by_role("button", name="Take it over").wait_for()
    keys.use("Take it over")
    tab.get_by_role("button", name="Take it over").wait_for(state="detached")
    tab.get_by_text("MDAV microaggregation").first.wait_for()
    keys.to("Undo", back=True)
    titles = tab.locator(".tk-step-list .tk-step-title")
    first, second = (title[3:] for title in titles.all_inner_texts()[:2])
    keys.use("2. ")
    keys.use("Move up")
    titles.first.filter(has_text=f"1. {second}").wait_for()
    keys.press("Control+z")
    titles.first.filter(has_text=f"1. {first}").wait_for()


def release(keys):
    keys.use("outbox")
    keys.tab.get_by_text("Released as").wait_for()


def test_a_german_file_goes_all_the_way_by_keyboard_and_the_plan_gives_the_same_bytes(
    tab, live, german, tmp_path, capsys
):
    keys, eye = Keyboard(tab), Eye(tab)
    tab.goto("/open")
    tab.get_by_text("Drop a file here").wait_for()
    eye.look("nothing open")
    keys.to("Choose a file")
    tab.locator("input[type=file]").first.set_input_files(german)
    tab.get_by_text("decimal comma").wait_for()
    tab.get_by_text("400 records ×").wait_for()
    eye.look("Open")
    opens_and_closes(keys, eye, "Plan")
    for title, do in {
        "Describe": describe, "Hierarchies": group, "Risk": None, "Protect": protect, "Compare": None, "Tables": None,
        "Release": release,
    }.items():  # fmt: skip
        keys.turn_to(title)
        if title == "Risk":
            tab.get_by_text("Somebody who knows").wait_for()
        if title == "Protect":
            opens_and_closes(keys, eye, "Add a method")
        if do:
            do(keys)
        if title == "Compare":
            opens_and_closes(keys, eye, "Keep this plan")
        eye.look(title)
    packed = saved(keys, "Download the release", tmp_path)
    plan = saved(keys, "Download the plan", tmp_path)
    assert released_by_the_command(live, plan, tmp_path, capsys) == unpacked(packed)
    others_find_nothing(tab, live)


def released_by_the_command(live, plan, folder, capsys):
    """The files that `tarnkappe run` makes of the plan, with the secret of the studio."""
    room = next((live.log.parent / "run").rglob("releases")).parent
    shutil.copytree(room / ".tarnkappe", folder / ".tarnkappe")
    said = command(capsys, "run", plan, "--out", folder / "ours", "--quiet", "--lang", "en")
    assert (said.code, said.all) == (0, "")
    files = [file for file in (folder / "ours").rglob("*") if file.is_file() and "internal" not in file.parts]
    assert len(files) > 4
    return {str(file.relative_to(folder / "ours")): file.read_bytes() for file in files}


def unpacked(packed):
    with zipfile.ZipFile(packed) as release:
        return {name.split("/", 1)[1]: release.read(name) for name in release.namelist()}


# -- somebody else at the same studio ------------------------------------------------------------------------------

LISTEN = """([port, id]) => new Promise(done => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id=${id}`);
  socket.onopen = () => done("open"); socket.onerror = () => done("refused");
})"""


def others_find_nothing(tab, live):
    """Another browser tries every address of the release, the files and the tab: there is nothing."""
    hers, tab_id = tab.context.request, tab.evaluate("window.clientId")
    ways = [
        link.get_attribute("href")
        for link in tab.locator("a[href*='/releases/'], a[href*='/downloads/']").all()
    ]
    name = next(way for way in ways if way.startswith("/releases/")).split("/releases/", 1)[1].split("/-/")[0]
    ways += [f"/releases/{name}/-/internal/report.html", f"/downloads/internal/{name}"]
    assert {hers.get(way).status for way in ways} == {200}
    assert hers.get("/api/files").json()
    context = tab.context.browser.new_context(base_url=live.address)
    other, his = context.new_page(), context.request
    other.goto("/release")
    assert {his.get(way).status for way in ways} == {404}
    assert his.get("/api/files").json() == []
    assert his.get("/api/runs").json() == []
    assert his.delete("/api/files/persons.csv").status == 404
    assert his.post(f"/_nicegui/client/{tab_id}/upload/5", multipart={"file": "x"}).status == 404
    port, own = live.address.rsplit(":", 1)[1], other.evaluate("window.clientId")
    for asked in (tab_id, f"{own}&client_id={tab_id}", f"{tab_id}&client_id={own}"):
        assert other.evaluate(LISTEN, [port, asked]) == "refused"
    assert tab.evaluate(LISTEN, [port, tab_id]) == "open"
    assert other.get_by_text("persons").count() == 0
    context.close()
