"""Statistical disclosure control: share data in which nobody can be recognised.

    import tarnkappe as tk

    firms = tk.read("firms.parquet", roles={"key": ["region", "nace"], "numeric": ["turnover"]})
    safe = tk.catalogue["microdata.mdav"](columns=("turnover",), k=3).apply(firms, tk.stream())
    sums = tk.tabulate(firms, by=["region", "nace"], value="turnover")
    done = tk.protect(sums, rules=[tk.rule.PPercent(p=10)], method=tk.table.Quader())
    found = tk.correct.model("release", "turnover ~ employees + C(region)")

Names are loaded when first used; importing the package computes nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tarnkappe import correct
    from tarnkappe.data.hierarchy import Hierarchy
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.data.table import Table
    from tarnkappe.data.table_set import TableSet
    from tarnkappe.data.tabulate import tabulate
    from tarnkappe.errors import InputWrong, Refused, TarnkappeError
    from tarnkappe.examples import EXAMPLES
    from tarnkappe.io.frames import to_frame
    from tarnkappe.plan.attack_data import attacks
    from tarnkappe.plan.check import check_file
    from tarnkappe.plan.compare import compare
    from tarnkappe.plan.open import read
    from tarnkappe.plan.plateau import plateau
    from tarnkappe.plan.propose import propose
    from tarnkappe.plan.protect import Protected, ProtectedSet, protect
    from tarnkappe.plan.risk_map import map_plans
    from tarnkappe.plan.run import run
    from tarnkappe.randomness import stream
    from tarnkappe.report.release import release
    from tarnkappe.report.verify import verify
    from tarnkappe.spec import Finding, catalogue
    from tarnkappe.spec.families import rule, table
    from tarnkappe.vocab import Kind, Missing, Role, Suppressed

_WHERE = {
    "EXAMPLES": "examples",
    "Finding": "spec",
    "Hierarchy": "data.hierarchy",
    "InputWrong": "errors",
    "Kind": "vocab",
    "Microdata": "data.microdata",
    "Missing": "vocab",
    "Protected": "plan.protect",
    "ProtectedSet": "plan.protect",
    "Refused": "errors",
    "Role": "vocab",
    "Suppressed": "vocab",
    "Table": "data.table",
    "TableSet": "data.table_set",
    "TarnkappeError": "errors",
    "attacks": "plan.attack_data",
    "catalogue": "spec",
    "check_file": "plan.check",
    "compare": "plan.compare",
    "map_plans": "plan.risk_map",
    "plateau": "plan.plateau",
    "propose": "plan.propose",
    "protect": "plan.protect",
    "read": "plan.open",
    "release": "report.release",
    "rule": "spec.families",
    "run": "plan.run",
    "stream": "randomness",
    "table": "spec.families",
    "tabulate": "data.tabulate",
    "to_frame": "io.frames",
    "verify": "report.verify",
}

__all__ = [
    "EXAMPLES", "Finding", "Hierarchy", "InputWrong", "Kind", "Microdata", "Missing", "Protected", "ProtectedSet", "Refused", "Role",
    "Suppressed", "Table", "TableSet", "TarnkappeError", "attacks", "catalogue", "check_file", "compare", "correct", "map_plans", "plateau", "propose", "protect", "read", "release",
    "rule", "run", "stream", "table", "tabulate", "to_frame", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("tarnkappe")
    if name == "correct":
        return import_module("tarnkappe.correct")
    if name not in _WHERE:
        raise AttributeError(f"module 'tarnkappe' has no attribute {name!r}")
    return getattr(import_module(f"tarnkappe.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
