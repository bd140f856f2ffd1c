"""Small data and plans for the tests of the spine."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document, parse, to_yaml
from tarnkappe.plan.model import Plan

SECRET = "8c41d7f0b95e2a63d01f7be84ac95362fe17b04d93c86a5e20f4d1b97a63c58e"
VARIABLE = "TARNKAPPE_SECRET_SURVEY"
SIGNED: list[dict[str, Any]] = [
    {"what": f"risk.{name}", "reason": "Made-up people of whom nothing can become known."}
    for name in (
        "l-diversity",
        "interval-disclosure",
        "further-keys",
        "linkage",
        "weight-leakage",
        "row-order",
    )
]
"""Findings that stand out in ninety made-up people, signed: the tests of the spine are about other things than the default policy."""
ANYTHING: list[dict[str, Any]] = [
    *SIGNED,
    *({"what": what, "reason": SIGNED[0]["reason"]} for what in ("risk.k-anonymity", "keys")),
]
"""For plans that neither name keys nor reach the k of the default policy."""
PLAN: dict[str, Any] = {
    "tarnkappe": 1,
    "title": "A file for science",
    "data": {
        "file": "people.csv",
        "roles": {
            "identifier": ["name", "number"],
            "key": ["region", "sex", "age"],
            "numeric": ["income", "wealth"],
            "household": "household",
            "owner": "owner",
        },
        "hierarchies": {"age": {"bands": [10, 20]}},
    },
    "release": {"formats": ["csv"]},
    "seed": {"secret": "survey"},
    "steps": [
        {"use": "microdata.generalise", "columns": {"age": 1}},
        {"use": "microdata.suppress-records", "below": 3, "budget": 0.9},
        {"use": "microdata.mdav", "columns": ["income", "wealth"], "k": 3},
    ],
    "release_if": [{"measure": "risk.k-anonymity", "at_least": 3}],
    "accept": SIGNED,
}
FIRST = ("Ada", "Bela", "Carl", "Dora", "Emil", "Frida", "Georg", "Hanna", "Ilse", "Jan")
FAMILY = ("Ahrens", "Boehm", "Conrad", "Doering", "Eder", "Fuchs", "Gross", "Haas", "Imhof", "Jung")


def people(n: int = 90, seed: int = 1) -> dict[str, list[str]]:
    """Columns as text; no name and no number twice up to 1000 persons."""
    rng = np.random.default_rng(seed)
    return {
        "name": [f"{FIRST[i % 10]} {FAMILY[i // 10 % 10]} {i // 100 or ''}".strip() for i in range(n)],
        "number": [str(730_000_000 + 7919 * i) for i in range(n)],
        "region": rng.choice(["north", "south"], n).tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "age": rng.integers(20, 60, n).astype(str).tolist(),
        "income": np.round(np.exp(8 + 0.5 * rng.normal(size=n)), 2).astype(str).tolist(),
        "wealth": rng.integers(0, 10**6, n).astype(str).tolist(),
        "household": [f"H{i // 2:04d}" for i in range(n)],
        "owner": [f"O{i // 3:04d}" for i in range(n)],
        "note": rng.choice(["calm", "fair", "storm"], n).tolist(),
    }


def as_csv(columns: dict[str, list[str]]) -> str:
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(row) for row in rows)]) + "\n"


def changed(**parts: Any) -> dict[str, Any]:
    """The plan with some parts replaced; None takes a part away."""
    plan = copy.deepcopy(PLAN) | parts
    return {name: part for name, part in plan.items() if part is not None}


def with_data(**parts: Any) -> dict[str, Any]:
    plan = changed()
    plan["data"] = {k: v for k, v in {**plan["data"], **parts}.items() if v is not None}
    return plan


def lay_out(folder: Path, plan: dict[str, Any] | None = None, data: str | None = None) -> Path:
    """Write data and plan into a folder; the path of the plan."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "people.csv").write_text(as_csv(people()) if data is None else data, encoding="utf-8")
    path = folder / "plan.yaml"
    path.write_text(to_yaml(changed() if plan is None else plan), encoding="utf-8")
    return path


def checked(folder: Path, plan: dict[str, Any] | None = None, data: str | None = None) -> Plan:
    lay_out(folder, plan, data)
    return check(document(changed() if plan is None else plan), folder)


def document(content: dict[str, Any]) -> Document:
    return parse(to_yaml(content), "plan.yaml")


def everything_in(folder: Path) -> list[str]:
    """All files and folders below, hidden ones too."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))
