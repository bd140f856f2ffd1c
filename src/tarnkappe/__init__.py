"""Statistical disclosure control: share data in which nobody can be recognised.

    import tarnkappe as tk

    firms = tk.read("firms.parquet", roles={"key": ["region", "nace"], "numeric": ["turnover"]})
    safe = tk.catalogue["microdata.mdav"](columns=("turnover",), k=3).apply(firms, tk.stream("my-secret"))

Names are loaded when first used; importing the package computes nothing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tarnkappe.data.hierarchy import Hierarchy
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.errors import InputWrong, Refused, TarnkappeError
    from tarnkappe.examples import EXAMPLES
    from tarnkappe.io.frames import to_frame
    from tarnkappe.plan.check import check_file
    from tarnkappe.plan.compare import compare
    from tarnkappe.plan.open import read
    from tarnkappe.plan.propose import propose
    from tarnkappe.plan.run import run
    from tarnkappe.randomness import stream
    from tarnkappe.report.release import release
    from tarnkappe.report.verify import verify
    from tarnkappe.spec import Finding, catalogue
    from tarnkappe.vocab import Kind, Missing, Role, Suppressed

_WHERE = {
    "EXAMPLES": "examples",
    "Finding": "spec",
    "Hierarchy": "data.hierarchy",
    "InputWrong": "errors",
    "Kind": "vocab",
    "Microdata": "data.microdata",
    "Missing": "vocab",
    "Refused": "errors",
    "Role": "vocab",
    "Suppressed": "vocab",
    "TarnkappeError": "errors",
    "catalogue": "spec",
    "check_file": "plan.check",
    "compare": "plan.compare",
    "propose": "plan.propose",
    "read": "plan.open",
    "release": "report.release",
    "run": "plan.run",
    "stream": "randomness",
    "to_frame": "io.frames",
    "verify": "report.verify",
}

__all__ = [
    "EXAMPLES", "Finding", "Hierarchy", "InputWrong", "Kind", "Microdata", "Missing", "Refused", "Role", "Suppressed",
    "TarnkappeError", "catalogue", "check_file", "compare", "propose", "read", "release", "run", "stream",
    "to_frame", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("tarnkappe")
    if name not in _WHERE:
        raise AttributeError(f"module 'tarnkappe' has no attribute {name!r}")
    return getattr(import_module(f"tarnkappe.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
