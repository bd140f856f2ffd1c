"""Names that fill pages and plans full of nonsense: short messages with a code, exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from surfaces.command import command

NOISY = """
import logging, os, sys, warnings
from tarnkappe.cli import app, main

def noisy(*words, **named):
    warnings.warn("a value of the data")
    logging.getLogger("some.library").warning("a value of the data")
    os.write(2, b"thread panicked at a value of the data\\n")
    from tarnkappe.errors.data import EmptyData
    raise EmptyData

app.app = noisy
sys.argv = ["tarnkappe", "check"]
main()
"""

LONG = "x" * 5000


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", f"{LONG}.csv"],
        ["check", f"{LONG}.yaml"],
        ["verify", LONG],
        ["verify", ".", "--key", LONG],
        ["history", LONG],
        ["compare", f"{LONG}.csv", f"{LONG}.csv"],
        ["inspect", "data.csv", "--plan", f"{LONG}.yaml"],
        ["run", "plan.yaml", "--out", LONG],
        ["check", "plan.yaml"],
        ["studio", LONG],
    ],
    ids=lambda words: " ".join(word[:9] for word in words),
)
def test_names_of_five_thousand_signs(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("a,b\n" + "1,x\n2,y\n" * 20)
    (tmp_path / "plan.yaml").write_text(f"tarnkappe: 1\ntitle: t\ndata: {{file: {LONG}.csv}}\n")
    said = command(capsys, *words)
    assert said.code == 2
    assert "run.unexpected" not in said.err
    assert len(said.all) < 2500, "a message, not the name"


@pytest.mark.parametrize(
    ("plan", "count"),
    [
        ("".join(f"unknown_{i}: 1\n" for i in range(3000)), 3000),
        ("steps:\n" + "".join(f"- use: microdata.nothing{i}\n" for i in range(300)), 300),
        (f"{LONG[:1000]}: 1\n", 1),
    ],
)
def test_plans_full_of_what_nobody_knows(plan, count, tmp_path, capsys):
    (tmp_path / "data.csv").write_text("a\n1\n")
    (tmp_path / "plan.yaml").write_text(f"tarnkappe: 1\ntitle: t\ndata: {{file: data.csv}}\n{plan}")
    said = command(capsys, "check", tmp_path / "plan.yaml", "--lang", "de")
    assert said.code == 2
    assert f"({count})" in said.err, "how many there are"
    assert said.err.count("\n") < 60
    assert len(said.err) < 15_000
    assert (f"… und {count - 50} weitere" in said.err) is (count > 50)


@pytest.mark.parametrize("debug", [False, True])
def test_nobody_but_us_writes_on_the_screen(debug):
    told = {"TARNKAPPE_DEBUG": "1"} if debug else {}
    said = subprocess.run(
        [sys.executable, "-c", NOISY], capture_output=True, text=True, check=False,
        env={**{k: v for k, v in os.environ.items() if k != "TARNKAPPE_DEBUG"}, **told},
    )  # fmt: skip
    assert said.returncode == 2
    assert "[data.empty]" in said.stderr
    assert said.stdout == ""
    assert ("a value of the data" in said.stderr) is debug
