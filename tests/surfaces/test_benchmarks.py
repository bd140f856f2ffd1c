"""Benchmarks tell a ratio only where both ran in one run, warmed alike and equally often."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(p for p in FOLDER.glob("*.py") if p.stem not in ("runner", "peers", "__main__"))
PEERS = {"theirs", "beside", "dense", "peer", "numpy", "sample"}
"""What scripts call the cost of somebody else."""


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import runner

    yield runner
    sys.modules.pop("runner")


def test_seconds_that_were_not_measured_give_no_ratio(runner):
    ours = runner.Cost(0.1, 200.0, {"k": 3.0}, 0.1)
    measured = runner._cells(runner.row("a", 10, ours, "peer", runner.Cost(1.0, 100.0, {"k": 3.0}, 1.0)))
    quoted = runner._cells(runner.row("a", 10, ours, "peer", runner.Told(128.0, "quoted")))
    ratio = runner.HEADER.index("ratio")
    assert measured[ratio] == "10.0×"
    assert quoted[ratio] == "–"
    assert quoted[runner.HEADER.index("peer s")] == "128 (quoted)"
    assert len(quoted) == len(measured) == len(runner.HEADER)


def test_a_task_is_warmed_before_it_is_timed(runner, monkeypatch, capsys):
    done = []

    def task(size):
        done.append(("made", size))
        yield
        done.append(("timed", size))
        yield {"k": 1.0}

    monkeypatch.setattr(sys, "argv", ["x", "--task", "task", "1000", "--warm", "10"])
    assert runner.child({"task": task})
    assert done == [("made", "10"), ("timed", "10"), ("made", "1000"), ("timed", "1000")]
    assert '"answer": {"k": 1.0}' in capsys.readouterr().out


@pytest.mark.parametrize("name", ["anonymity", "legal_criteria", "sdcmicro"])
def test_without_its_data_a_benchmark_is_left_out_and_the_others_go_on(name):
    bare = {key: value for key, value in os.environ.items() if key != "TARNKAPPE_ADULT"}
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py"], env=bare, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "data: " in done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_peers_are_warmed_and_run_as_often_as_we_are(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        peers = [call for call in ast.walk(function) if _is_cost(call) and _of_a_peer(call, function)]
        assert all(_keyword(call, "warm") for call in peers), f"{script.name}: a peer is not warmed"
        often = {_keyword(call, "runs") for call in peers}
        ours = {
            _keyword(call, "runs")
            for call in ast.walk(function)
            if _is_cost(call) and _task(call) in ("tarnkappe", "name")
        }
        assert not peers or not ours or often == ours, f"{script.name}: one of two runs more often"


def _is_cost(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cost"


def _of_a_peer(call, function):
    if _keyword(call, "python"):
        return True
    for made in (node for node in ast.walk(function) if isinstance(node, ast.Assign)):
        names = {n.id for target in made.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        if names & PEERS and any(part is call for part in ast.walk(made.value)):
            return True
    return False


def _task(call):
    return getattr(call.args[1], "value", getattr(call.args[1], "id", None))


def _keyword(call, name):
    return next((ast.unparse(k.value) for k in call.keywords if k.arg == name), None)


def test_the_page_tells_no_ratio_from_quoted_seconds():
    """Tables that quote have no column of ratios, and no factor stands in a sentence about quoted seconds."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head = block.splitlines()[0]
        if "quoted" in head or "extrapolated" in head:
            assert "ratio" not in head
            assert "factor" not in head
            assert not re.search(r"\d×", block), head
    for sentence in re.split(r"(?<=[.:;])\s", text):
        if re.search(r"\bquoted\b|\bpublished\b", sentence):
            assert not re.search(r"\d×|\d times", sentence), sentence
    assert "1,454" not in text
