"""tarnkappe simulate: plans applied again and again, as a table, as data and as box plots."""

import json
from xml.etree import ElementTree

import altair
import numpy as np
import pytest

from correct.releasing import made
from correct.scenarios import firms
from surfaces.command import command
from tarnkappe.correct import simulate
from tarnkappe.io.write import write
from tarnkappe.report.simulation_chart import box_plots
from tarnkappe.spec import catalogue

PLAN = """
tarnkappe: 1
title: Firms
data: {file: firms.csv, roles: {numeric: [e, w, y]}}
release: {kind: scientific-use, formats: [csv]}
steps:
  - use: microdata.factor-noise
    columns: [e]
    shared: nothing
  - use: microdata.noise
    columns: [w]
    variance_ratio: 0.3
"""


@pytest.fixture
def plan(tmp_path):
    with (tmp_path / "firms.csv").open("wb") as file:
        write(made(**firms(np.random.default_rng(1), 300)), file, "csv")
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return path


def asked(capsys, plan, *words):
    return command(capsys, "simulate", plan, "--model", "y ~ e + w", "--replications", "4", *words)


def test_table_in_both_languages(capsys, plan):
    english, german = (asked(capsys, plan, "--lang", lang) for lang in ("en", "de"))
    assert english.code == german.code == 0
    assert "Var(e)" in english.out
    assert "over 4 replications" in " ".join(english.out.split())
    assert "wie freigegeben" in " ".join(german.out.split())


def test_every_step_alone(capsys, plan):
    found = json.loads(asked(capsys, plan, "--each", "--json", "--quiet", "--lang", "en").out)
    assert list(found) == ["plan", "plan 1: Multiplicative noise", "plan 2: Additive noise"]
    alone = {row["name"]: row for row in found["plan 2: Additive noise"]["rows"] if row["what"] == "estimate"}
    assert alone["w"]["masked"]["bias"] < 0


@pytest.mark.parametrize("form", [".svg", ".png", ".json"])
def test_files(capsys, plan, tmp_path, form):
    out = tmp_path / f"boxes{form}"
    assert asked(capsys, plan, "--quiet", "--out", out).code == 0
    data = out.read_bytes()
    assert data[:4] == b"\x89PNG" if form == ".png" else len(data) > 500
    if form == ".svg":
        ElementTree.fromstring(data)
    assert asked(capsys, plan, "--quiet", "--out", out).code == 2  # never overwritten


def test_bad_input(capsys, plan, tmp_path):
    assert asked(capsys, plan, "--out", tmp_path / "boxes.doc").code == 2
    assert asked(capsys, plan, "--replications", "1").code == 2
    assert command(capsys, "simulate", plan, "--model", "y ~ nothing").code == 2
    assert command(capsys, "simulate", tmp_path / "none.yaml", "--model", "y ~ e").code == 2


def test_moments_in_place_of_a_model(capsys, plan, tmp_path):
    words = (
        "simulate",
        plan,
        "--moments",
        "e",
        "--moments",
        "w",
        "--without-largest",
        "5",
        "--replications",
        "3",
    )
    german = command(capsys, *words, "--lang", "de")
    assert german.code == 0
    assert "Exzess" in " ".join(german.out.split())
    found = json.loads(command(capsys, *words, "--json", "--quiet").out)["plan"]["moments"]
    assert {(r["column"], r["left_out"]) for r in found} == {("e", 0), ("e", 5), ("w", 0), ("w", 5)}
    assert command(capsys, *words, "--out", tmp_path / "all.json", "--quiet").code == 0
    assert command(capsys, *words, "--out", tmp_path / "all.svg").code == 2
    assert command(capsys, *words, "--model", "y ~ e").code == 2
    assert command(capsys, "simulate", plan).code == 2
    assert asked(capsys, plan, "--without-largest", "5").code == 2
    assert command(capsys, "simulate", plan, "--moments", "none").code == 2


def test_boxes_are_in_standard_errors_of_the_original():
    data = made(**firms(np.random.default_rng(3), 200))
    step = catalogue["microdata.factor-noise"](columns=("e",), shared="nothing")
    found = simulate(data, [step], "y ~ e", 5)
    spec = box_plots({"one": found, "two": found}, "en")
    altair.Chart.from_dict(spec)
    rows = spec["data"]["values"]
    assert [row["name"] for row in rows[:4:2]] == [
        "constant · one",
        "constant · two",
    ]  # methods below each other
    row = next(r for r in rows if r["name"] == "e · one" and r["kind"] == "corrected")
    assert row["median"] == pytest.approx(
        (found["e"].corrected.median - found["e"].original) / found["e"].error
    )
