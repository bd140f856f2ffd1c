"""A small file and its plan, laid into the room of a session."""

from __future__ import annotations

import asyncio
import copy

ROWS = 120
CONTENT = {
    "tarnkappe": 1,
    "title": "Patients",
    "data": {
        "file": "patients.csv",
        "roles": {"identifier": ["name"], "key": ["sex", "region", "year"], "sensitive": ["illness"], "numeric": ["cost"]},
        "hierarchies": {"year": {"bands": 10}},
    },
    "release": {"formats": ["csv"]},
    "seed": {"secret": "patients"},
    "steps": [
        {"use": "microdata.drop", "columns": ["year"]},
        {"use": "microdata.mdav", "columns": ["cost"], "k": 3},
    ],
    "release_if": [{"measure": "risk.k-anonymity", "at_least": 3}],
    "accept": [
        {"what": f"risk.{name}", "reason": "Made-up patients of whom nothing can become known."}
        for name in ("l-diversity", "interval-disclosure", "further-keys", "linkage", "row-order")
    ],
}  # fmt: skip
MARKER = "Zwiesel"
"""Stands in one record only."""


def csv(rows: int = ROWS) -> str:
    lines = ["name;sex;region;year;illness;cost"]
    for i in range(rows):
        region = "NSOW"[i % 4]
        illness = MARKER if i == 7 else ("flu", "gout", "cold")[i % 3]
        lines.append(
            f"p{i:05d}x;{'fm'[i % 2]};{region};{1900 + i};{illness};{(i * 37) % 101 + 0.5:.2f}".replace(
                ".", ","
            )
        )
    return "\n".join(lines) + "\n"


def lay(session, **changes):
    """Put the file into the room and begin its plan; a part that is None is left out."""
    (session.folder / "patients.csv").write_text(csv(), encoding="utf-8")
    content = {**copy.deepcopy(CONTENT), **changes}
    session.begin({name: part for name, part in content.items() if part is not None})


async def over(session, kind):
    """Wait for the end of the last job of a kind."""
    for _ in range(1200):
        job = session.jobs.latest(kind)
        if job is not None and job.state.over:
            await asyncio.sleep(0.35)
            return job
        await asyncio.sleep(0.05)
    raise AssertionError(kind)


async def see(visitor, words, retries=100):
    await visitor.user.should_see(words, retries=retries)


async def until(holds):
    """Wait until something holds."""
    for _ in range(200):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError
