"""Killed at any moment, a run leaves the old release or the new one, and nothing else."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, changed, lay_out, people
from surfaces.command import command
from tarnkappe.io.staging import MARK, Staging
from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release
from tarnkappe.report.verify import verify

TESTS = Path(__file__).parents[1]
MARKER = "ZZMARKERZZ"
COMMAND = [sys.executable, "-c", "from tarnkappe.cli import main; main()"]


def marked_plan(folder, **parts):
    """Data whose last column is full of a marker and is dropped by the plan."""
    columns = people()
    columns["note"] = [f"{MARKER}{i % 5}" for i in range(90)]
    drop = {"use": "microdata.drop", "columns": ["note"]}
    plan = changed(**parts)
    plan["steps"] = [drop, *plan["steps"]]
    return lay_out(folder, plan, as_csv(columns))


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def settled(folder, expected):
    """Wait a few seconds for the janitor; then only what is expected may be there."""
    for _ in range(400):
        found = sorted(p.name for p in folder.iterdir())
        if found == sorted(expected):
            return found
        time.sleep(0.02)
    return found


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Folders for input, output and temporary files; what is in them is looked at after every kill."""
    for name in ("one", "two", "parent", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)
    return tmp_path


def nothing_else(places):
    assert list((places / "tmp").iterdir()) == []
    for name in ("one", "two"):
        assert sorted(p.name for p in (places / name).iterdir()) in (["people.csv", "plan.yaml"], [])
    for path in (places / "parent").rglob("*"):
        if path.is_file():
            assert MARKER.encode() not in path.read_bytes(), path


class Victims:
    """The program of `killing`, and its children one after the other."""

    def __init__(self, places):
        marked_plan(places / "one")
        marked_plan(places / "two", title="The second edition")
        self.out = places / "parent" / "out"
        self.phase = places / "phase"
        self.phase.write_bytes(b"\0")
        given = [
            str(places / "one" / "plan.yaml"),
            str(places / "two" / "plan.yaml"),
            str(self.out),
            str(self.phase),
        ]
        self.program = subprocess.Popen(
            [sys.executable, "-m", "plans.killing", *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lasts = float(self.program.stdout.readline())
        self.versions = [files(self.out.with_name(f"known-{i}")) for i in (0, 1)]
        assert self.versions[0] != self.versions[1]

    def kill_one(self, how, after, in_phase):
        """Kill after so many seconds; or so many after the last phase has begun, at the earliest in its first round."""
        self.phase.write_bytes(b"\0")
        self.program.stdin.write(f"{how}\n")
        self.program.stdin.flush()
        child = int(self.program.stdout.readline())
        while in_phase and self.phase.read_bytes() != b"\1":
            pass
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
        assert self.program.stdout.readline() == "dead\n"
        return self.phase.read_bytes() == b"\1"

    def close(self):
        self.program.stdin.close()
        self.program.wait()
        self.program.stdout.close()


@pytest.fixture
def victims(places):
    victims = Victims(places)
    yield victims
    victims.close()


def test_killed_at_random_moments(places, victims):
    draw = random.Random(2026)
    for how, kills in (("nameless", 14), ("named", 5)):
        kill_and_look(places, victims, how, kills, draw)
    nothing_else(places)
    verify(victims.out)


def kill_and_look(places, victims, how, kills, draw):
    """Kill so many, and more until some died in the last phase and both versions were met."""
    in_the_last_phase, seen, killed = 0, set(), 0
    while killed < kills or in_the_last_phase < 3 or len(seen) < 2:
        killed += 1
        assert killed < 60 * kills, (
            "no kill hit the moment when folders change places, or only one version was met"
        )
        aimed = killed % 2 == 0
        moment = draw.uniform(0, victims.lasts / 10) if aimed else draw.uniform(0, 4 * victims.lasts)
        in_the_last_phase += victims.kill_one(how, moment, aimed)
        assert settled(places / "parent", ["known-0", "known-1", "out"]) == ["known-0", "known-1", "out"]
        seen.add(victims.versions.index(files(victims.out)))


def cli(places, *arguments, **how):
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": places} | how
    return subprocess.Popen([*COMMAND, *arguments], **how)


def test_the_command_itself_killed_at_random_moments(places):
    """Early or late in the work, and while the documents are written: as far as its words tell."""
    plan, out = marked_plan(places / "one"), places / "parent" / "out"
    release(check_file(plan), out)
    old, draw = files(out), random.Random(7)
    for words in (f"[{draw.randrange(1, 12)}/", "] writing the documents"):
        victim = cli(places, "run", "one/plan.yaml", "--out", str(out), "--replace", "--lang", "en")
        assert any(words in line for line in victim.stderr), f"it never came to {words}"
        time.sleep(draw.uniform(0, 1))
        victim.kill()
        victim.communicate()
        assert settled(places / "parent", ["out"]) == ["out"]
        now = files(out)
        if now["internal/ledger.json"] == old["internal/ledger.json"]:
            assert now == old
        verify(out)
        assert now["data.csv"] == old["data.csv"], "the same plan and secret"
        old = now
        nothing_else(places)


def test_killed_together_with_the_janitor_the_next_run_sweeps(places):
    """As when the whole machine dies."""
    out = places / "parent" / "new" / "out"
    program = textwrap.dedent("""
        import sys, time
        from pathlib import Path
        from tarnkappe.io import staging
        staging._nameless = lambda folder, mode: None
        with staging.Staging(Path(sys.argv[1])) as folder:
            with folder.file("data.csv") as file:
                file.write(b"ZZMARKERZZ")
            print(folder._janitor.pid, flush=True)
            time.sleep(60)
    """)
    victim = subprocess.Popen([sys.executable, "-c", program, str(out)], stdout=subprocess.PIPE, text=True)
    janitor = int(victim.stdout.readline())
    os.kill(janitor, signal.SIGKILL)
    victim.kill()
    victim.communicate()
    assert any(p.is_file() for p in out.parent.rglob("*")), "something must be left for this test"
    with Staging(out) as folder:
        with folder.file(MARK) as file:
            file.write(b"{}")
        folder.commit()
    assert [p.name for p in out.parent.iterdir()] == ["out"]


def test_killed_early_also_takes_the_new_parents_away(places):
    out = places / "parent" / "a" / "b" / "out"
    program = textwrap.dedent("""
        import sys, time
        from pathlib import Path
        from tarnkappe.io.staging import Staging
        with Staging(Path(sys.argv[1])) as folder:
            print("in", flush=True)
            time.sleep(60)
    """)
    victim = subprocess.Popen([sys.executable, "-c", program, str(out)], stdout=subprocess.PIPE, text=True)
    victim.stdout.readline()
    assert out.parent.is_dir()
    victim.kill()
    victim.communicate()
    assert settled(places / "parent", []) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop(places, number):
    """Cancelled in words, with the exit code of a refusal, and nothing written."""
    marked_plan(places / "one")
    victim = cli(
        places, "run", "one/plan.yaml", "--out", str(places / "parent" / "new" / "out"), "--lang", "en"
    )
    for line in victim.stderr:
        if "writing data" in line:
            break
    victim.send_signal(number)
    _, said = victim.communicate(timeout=30)
    assert victim.returncode == 3
    assert "[run.cancelled] Cancelled. Nothing was written." in said
    assert settled(places / "parent", []) == []
    nothing_else(places)


@pytest.fixture
def little_room():
    """A limit on the size of files stands in for a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    @contextmanager
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited


@pytest.mark.parametrize("there", [False, True])
def test_no_room_on_the_disk(places, there, little_room, capsys):
    plan, out = marked_plan(places / "one"), places / "parent" / "out"
    release(check_file(plan), out if there else places / "elsewhere")  # what must be compiled, is
    was = files(places / "parent")
    with little_room():
        said = command(capsys, "run", plan, "--out", out, "--replace", "--quiet", "--lang", "en")
    assert said.code == 2, said.err
    assert "[release.no-room]" in said.err
    assert files(places / "parent") == was
    assert settled(places / "parent", ["out"] if there else []) == (["out"] if there else [])
    nothing_else(places)


def test_a_release_is_known_by_its_certificate():
    assert MARK == "certificate.json"
