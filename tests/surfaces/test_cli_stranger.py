"""tarnkappe attack RELEASE as a user meets it: from a plan to a release, attacked with its public files alone."""

import json
import shutil

import numpy as np
import pytest

from surfaces.command import command

PLAN = """
tarnkappe: 1
title: {title}
data:
  file: people.csv
  roles: {{key: [region, sex], numeric: [income]}}
release: {{kind: internal, formats: [csv], shuffle_rows: {shuffle}}}
steps:
  - {{use: microdata.noise, columns: [income], variance_ratio: {ratio}}}
accept:
  - {{what: risk.further-keys, reason: Only our own staff work with this test file.}}
  - {{what: risk.linkage, reason: Only our own staff work with this test file.}}
  - {{what: roles, columns: [number], reason: The number was drawn for this test alone.}}
"""


@pytest.fixture
def releases(tmp_path, monkeypatch, capsys):
    """Two releases of one file with noise of their own; a random number in both tells whose record is whose."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    rng = np.random.default_rng(4)
    rows = [
        f"n{i:03d},{'north' if i % 2 else 'south'},{'f' if i % 3 else 'm'},{round(float(x))}"
        for i, x in enumerate(rng.lognormal(8, 0.6, 150))
    ]
    (tmp_path / "people.csv").write_text("\n".join(["number,region,sex,income", *rows]), encoding="utf-8")
    for name, ratio in (("one", 0.001), ("two", 0.002)):
        (tmp_path / f"{name}.yaml").write_text(PLAN.format(title=name, shuffle="true", ratio=ratio), "utf-8")
        said = command(capsys, "run", f"{name}.yaml", "--out", name)
        assert said.code == 0, said.all
    return tmp_path


def attack(capsys, *words):
    return command(capsys, "attack", "one", *words)


def test_it_needs_the_public_files_only(releases, capsys):
    shutil.rmtree(releases / "one" / "internal")
    said = attack(capsys)
    assert said.code == 0
    words = " ".join(said.out.split())
    assert "has the public files of the release and nothing else" in words
    assert "Nothing was found." in words


def test_another_release_averages_the_noise_and_the_original_scores(releases, capsys):
    said = attack(
        capsys, "--earlier", "two", "--original", "people.csv", "--id", "number", "--json", "--quiet"
    )
    told = json.loads(said.out)
    found = next(a for a in told["attacks"] if a["id"] == "attack.shown-elsewhere")
    assert told["scored"]
    assert found["tried"] > 100
    assert found["right"] > found["by_chance"]
    assert found["verdict"] in ("stands-out", "refused")
    assert found["helps"]["en"] and found["helps"]["de"]
    assert all("number" not in way["en"] or "income" in way["en"] for way in found["how"])


def test_german_page_and_bad_words(releases, capsys):
    assert attack(capsys, "--lang", "de", "--out", "page.html").code == 0
    page = (releases / "page.html").read_text("utf-8")
    assert "Was ein Fremder versucht hat" in page and "What a stranger tried" in page
    assert attack(capsys, "--out", "page.html").code == 2
    assert attack(capsys, "--out", "page.txt").code == 2
    assert "attack.unknown" in attack(capsys, "--only", "attack.nothing").err
    one = command(capsys, "attack", "people.csv")
    assert one.code == 2
    assert "[attack.one-file]" in one.err
    assert command(capsys, "attack", "nowhere").code == 2


def test_every_run_tells_the_office_what_was_tried(releases):
    ledger = json.loads((releases / "one" / "internal" / "ledger.json").read_text("utf-8"))
    assert {entry["id"] for entry in ledger["attacks"]} >= {"attack.averages-out", "attack.shown-elsewhere"}
    assert "What a stranger tried" in (releases / "one" / "internal" / "report.html").read_text("utf-8")
    certificate = json.loads((releases / "one" / "certificate.json").read_text("utf-8"))
    assert any("no attack of a stranger" in gate["says"]["en"] for gate in certificate["gates"])
