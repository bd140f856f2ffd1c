"""Long attacks say how far they are; where nobody waits, nothing is said."""

from __future__ import annotations

import numpy as np
import pytest
from command import command

from tarnkappe.attack.progress import heard_by, say
from tarnkappe.errors.release import Cancelled
from tarnkappe.language import Text

DONE = Text("{n} done", "{n} erledigt")


def cells(path):
    """Many cells with one contributor each, so that insiders have to be looked at."""
    rng = np.random.default_rng(1)
    value = rng.integers(1, 50, (6, 6))
    count = rng.integers(1, 6, (6, 6))
    lines = ["r,c,value,n"]
    for i in range(7):
        for j in range(7):
            part = (slice(None) if i == 6 else i, slice(None) if j == 6 else j)
            names = ("Total" if i == 6 else f"r{i}", "Total" if j == 6 else f"c{j}")
            lines.append(f"{names[0]},{names[1]},{value[part].sum()},{count[part].sum()}")
    path.write_text("\n".join(lines) + "\n")
    return path


BY = ("--by", "r", "--by", "c")


@pytest.fixture
def talkative(monkeypatch):
    monkeypatch.setattr("tarnkappe.attack.progress.EVERY", 0.0)


def test_protect_and_audit_show_progress(capsys, tmp_path, talkative):
    out = tmp_path / "out"
    said = command(
        capsys, "table", "protect", cells(tmp_path / "t.csv"), *BY, "--count", "n",
        "--rule", "rule.minimum-frequency: {n: 3}", "--out", out, "--lang", "en",
    )  # fmt: skip
    assert said.code == 0, said.all
    assert "linear programs solved" in said.err
    assert "insiders: " in said.err
    said = command(capsys, "table", "audit", out / "tables" / "t.csv", *BY)
    assert said.code == 0
    assert "linear programs solved" in said.err
    assert "linear programs" not in said.out


def test_quick_work_says_nothing(capsys, tmp_path):
    heard = []
    with heard_by(heard.append):
        say(DONE, n=1)
    assert heard == []
    say(DONE, n=1)  # nobody listens


def test_who_listens_may_stop_the_work(talkative):
    def stop(text):
        raise Cancelled

    with pytest.raises(Cancelled), heard_by(stop):
        say(DONE, n=1)
