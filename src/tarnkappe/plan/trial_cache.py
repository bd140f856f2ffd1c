"""Trials that were made before: kept beside the plan under the hash of everything they depend on, aggregates only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tarnkappe.io.paths import inside
from tarnkappe.language import Text
from tarnkappe.plan.files import data_path, hash_of, named_files, path_of
from tarnkappe.plan.ledger import parameters
from tarnkappe.plan.model import Asked, Plan
from tarnkappe.plan.trial import Trial
from tarnkappe.randomness import look_up
from tarnkappe.spec import Finding, plain

FOLDER = Path(".tarnkappe") / "trials"
_FORMAT = 1


class Cache:
    """Trials by plan; every file is hashed once, however many plans name it."""

    def __init__(self) -> None:
        self._hash = cache(hash_of)

    def data_of(self, plan: Plan) -> str:
        """The hash of the data file of a plan."""
        assert plan.data is not None, "plans without data are refused before"
        return self._hash(data_path(plan.folder, plan.data))

    def key(self, plan: Plan, *asked: Asked) -> str:
        """Everything the result depends on: the plan, its files, its secret, the measures and this version."""
        depends = {
            "format": _FORMAT,
            "tarnkappe": version("tarnkappe"),
            "plan": {name: part for name, part in plan.source.items() if name not in ("title", "measures")},
            "files": {
                name: self._hash(path_of(plan, plan.folder, place, name)) for place, name in named_files(plan)
            },
            "register": self._register(plan),
            "secret": look_up(plan.secret, plan.folder).fingerprint if plan.secret else "",
            "measures": [(a.measure.id, a.measure.revision, parameters(a.measure)) for a in asked],
        }
        return hashlib.sha256(json.dumps(plain(depends), sort_keys=True).encode()).hexdigest()

    def _register(self, plan: Plan) -> str:
        """The register of releases; it grows with every release."""
        if plan.register is None:
            return ""
        file = inside(plan.folder, plan.register.file)
        return self._hash(file) if file.is_file() else ""


def kept(folder: Path, key: str) -> Trial | None:
    """A trial made before; a file that cannot be read is none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        held = json.loads((folder / FOLDER / f"{key}.json").read_text("utf-8"))
        return Trial(
            name="", plan=held["plan"], risk=_finding(held["risk"]), utility=_finding(held["utility"]),
            closed=tuple(Text(**said) for said in held["closed"]), seconds=held["seconds"], cached=True,
        )  # fmt: skip
    return None


def keep(folder: Path, key: str, trial: Trial) -> None:
    """Keep a trial; where nothing can be written, it is simply made again."""
    assert trial.risk is not None, "only what was measured is kept"
    assert trial.utility is not None, "only what was measured is kept"
    content = {
        "plan": trial.plan,
        "risk": trial.risk.as_json(),
        "utility": trial.utility.as_json(),
        "closed": plain(trial.closed),
        "seconds": trial.seconds,
    }
    with suppress(OSError):
        home = folder / FOLDER
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep_out(home.parent)
        partial = home / f".{key}.tmp"
        partial.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
        partial.replace(home / f"{key}.json")


def keep_out(folder: Path) -> None:
    """The folder holds secrets and figures of originals: it belongs into no repository."""
    file = folder / ".gitignore"
    if not file.exists():
        file.write_text("*\n")


def _finding(held: Mapping[str, Any]) -> Finding:
    because = Text(**held["because"]) if held["because"] else Text("", "")
    value = float("nan") if held["value"] is None else held["value"]
    return Finding(value, held["low"], held["high"], held["baseline"], held["trusted"], because)


def named(trial: Trial, name: str, changed: Mapping[str, Any]) -> Trial:
    """A trial under the name it has on this map."""
    return replace(trial, name=name, changed=dict(changed))
