"""A German file through all eight steps in a real browser; the release is that of `tarnkappe run` with the downloaded plan."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from tarnkappe.examples import make_persons
from tarnkappe.io.write import write

STEPS = ("Describe", "Hierarchies", "Risk", "Protect", "Compare", "Tables", "Release")


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


def saved(tab, button, folder):
    """What a button downloads."""
    with tab.expect_download() as coming:
        tab.get_by_role("button", name=button).or_(tab.get_by_role("link", name=button)).first.click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def test_a_german_file_goes_all_the_way_and_the_plan_gives_the_same_bytes(tab, live, german, tmp_path):
    tab.set_default_timeout(120_000)
    tab.goto("/open")
    tab.locator("input[type=file]").first.set_input_files(german)
    tab.get_by_text("decimal comma").wait_for()
    tab.get_by_text("400 records").wait_for()
    for title in STEPS:
        tab.get_by_role("navigation", name="Steps").get_by_role("link", name=title).click()
        tab.get_by_role("heading", name=title, level=1).wait_for()
        if title == "Describe":
            tab.get_by_role("button", name="Take over").first.click()
            tab.get_by_text("direct identifier?").first.wait_for(state="detached")
        if title == "Risk":
            tab.get_by_text("Somebody who knows").wait_for()
        if title == "Protect":
            tab.get_by_role("button", name="Propose a plan").click()
            tab.get_by_role("button", name="Take it over").click()
            tab.get_by_text("MDAV microaggregation").first.wait_for()
        if title == "Release":
            tab.get_by_role("button", name="Release", exact=True).last.click()
            tab.get_by_text("Released as").wait_for()
    plan = saved(tab, "Download the plan", tmp_path)
    packed = saved(tab, "Download the release", tmp_path)

    room = next((live.log.parent / "run").rglob("releases")).parent
    shutil.copytree(room / ".tarnkappe", tmp_path / ".tarnkappe")
    command = [
        sys.executable,
        "-m",
        "tarnkappe",
        "run",
        plan,
        "--out",
        tmp_path / "ours",
        "--quiet",
        "--lang",
        "en",
    ]
    subprocess.run(command, check=True, env={**os.environ, "LANG": "C.UTF-8"})
    with zipfile.ZipFile(packed) as release:
        theirs = {name.split("/", 1)[1]: release.read(name) for name in release.namelist()}
    ours = {
        str(file.relative_to(tmp_path / "ours")): file.read_bytes()
        for file in (tmp_path / "ours").rglob("*")
        if file.is_file() and "internal" not in file.parts
    }
    assert theirs.keys() == ours.keys()
    assert len(theirs) > 4
    differing = [name for name in theirs if theirs[name] != ours[name]]
    assert differing == []
