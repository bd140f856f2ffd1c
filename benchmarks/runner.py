"""What every benchmark shares: each tool in a process of its own, one table, one Markdown file.

Only the standard library: the same file is imported by the interpreters of the peers.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE / ".peers"
RESULTS = HERE / "results"

WARM = "--warm"

Task = Callable[..., Iterator[dict[str, float] | None]]
"""Up to its first `yield` it imports and warms up; from there to the second, the answer, it is timed."""


@dataclass(frozen=True)
class Cost:
    """What one tool took for one task."""

    seconds: float
    peak_mb: float
    answer: dict[str, float]
    """What it found; tools are compared on what both of them tell."""
    cpu: float = 0.0
    """Seconds of the processor: on a busy machine they say more than those of the clock."""


@dataclass(frozen=True)
class Told:
    """Seconds that were not measured here and now: quoted from another day or machine, or extrapolated from a part. They give no ratio."""

    seconds: float
    how: str
    """*quoted* or *extrapolated*."""


@dataclass(frozen=True)
class Row:
    """One line of the table; `theirs` is None where the peer was not run."""

    capability: str
    size: int
    ours: Cost
    peer: str
    theirs: Cost | Told | None


HEADER = ("capability", "size", "ours s", "peer", "peer s", "ratio", "CPU s ours/peer", "peak MB ours/peer")


def python_of(peer: str) -> str | None:
    """The interpreter of a peer, or None with a printed note when it is not installed."""
    found = PEERS / peer / ("Scripts" if os.name == "nt" else "bin") / "python"
    if found.exists():
        return str(found)
    print(f"  {peer} is not installed: python benchmarks/peers.py install {peer}")
    return None


def cost(
    script: str,
    task: str,
    *args: object,
    python: str = sys.executable,
    runs: int = 1,
    warm: Sequence[object] | None = None,
) -> Cost:
    """The fastest of some runs, each in a fresh process, so that peak memory belongs to the tool alone.

    With `warm` the process first does the whole task with these smaller arguments: lazy imports and compiled code are loaded then, whoever's they are.
    """
    return min((_run(script, task, args, python, warm) for _ in range(runs)), key=lambda c: c.seconds)


def _run(script: str, task: str, args: Sequence[object], python: str, warm: Sequence[object] | None) -> Cost:
    small = [] if warm is None else [WARM, *map(str, warm)]
    command = [python, script, "--task", task, *map(str, args), *small]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{task} failed:\n{done.stderr[-2000:]}")
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def child(tasks: dict[str, Task]) -> bool:
    """Do the task that was asked for and print its cost; False in the main process, asked for none."""
    if sys.argv[1:2] != ["--task"]:
        return False
    task, given, small = tasks[sys.argv[2]], sys.argv[3:], None
    if WARM in given:
        at = given.index(WARM)
        given, small = given[:at], given[at + 1 :]
    if small is not None:
        for _ in task(*small):
            pass
    running = task(*given)
    next(running)
    start, cpu = time.perf_counter(), time.process_time()
    answer = next(running)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(json.dumps({"seconds": seconds, "peak_mb": _peak_mb(), "answer": answer, "cpu": cpu}))
    return True


def _peak_mb() -> float:
    """Peak resident memory. Under Linux a child starts at its parent's peak: the main process stays small."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def row(capability: str, size: int, ours: Cost, peer: str, theirs: Cost | Told | None) -> Row:
    """A row, if both tools found the same: a fast wrong answer is no benchmark."""
    ran = isinstance(theirs, Cost)
    shared = ours.answer.keys() & theirs.answer.keys() if ran else set()
    if ran and (not shared or any(ours.answer[k] != theirs.answer[k] for k in shared)):
        raise RuntimeError(f"{capability}, {size}: {peer} found {theirs.answer}, we found {ours.answer}")
    return Row(capability, size, ours, peer, theirs)


def report(name: str, rows: Sequence[Row], notes: Sequence[str] = ()) -> None:
    """Print the table and write it to results/NAME.md."""
    lines = [_line(HEADER), _line(["---"] * len(HEADER)), *(_line(_cells(r)) for r in rows)]
    text = "\n".join([*lines, "", *(f"- {note}" for note in notes)])
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cells(r: Row) -> list[str]:
    ours = [r.capability, f"{r.size:,}", f"{r.ours.seconds:.3f}", r.peer]
    if r.theirs is None:
        return [*ours, "–", "–", f"{r.ours.cpu:.3f} / –", f"{r.ours.peak_mb:,.0f} / –"]
    if isinstance(r.theirs, Told):
        told = f"{r.theirs.seconds:g} ({r.theirs.how})"
        return [*ours, told, "–", f"{r.ours.cpu:.3f} / –", f"{r.ours.peak_mb:,.0f} / –"]
    ratio = r.theirs.seconds / r.ours.seconds
    return [
        *ours,
        f"{r.theirs.seconds:.3f}",
        f"{ratio:.1f}×",
        f"{r.ours.cpu:.3f} / {r.theirs.cpu:.3f}",
        f"{r.ours.peak_mb:,.0f} / {r.theirs.peak_mb:,.0f}",
    ]
