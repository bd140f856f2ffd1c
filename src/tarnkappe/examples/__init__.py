"""Example data that belongs to nobody: the same for a given seed everywhere, with any number of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from types import MappingProxyType

from tarnkappe.data.microdata import Microdata
from tarnkappe.examples.enterprises import make_enterprises
from tarnkappe.examples.municipal import make_municipal
from tarnkappe.examples.persons import make_persons
from tarnkappe.examples.turnover import pseudo_kse_turnover

__all__ = [
    "EXAMPLES", "READY_PLANS", "Maker", "make_enterprises", "make_municipal", "make_persons", "plan_text", "pseudo_kse_turnover",
]  # fmt: skip

Maker = Callable[..., Microdata]
"""(size, seed=1) -> data"""

EXAMPLES: Mapping[str, Maker] = MappingProxyType(
    {"persons": make_persons, "enterprises": make_enterprises, "municipal": make_municipal}
)

READY_PLANS: Mapping[str, str] = MappingProxyType(
    {"persons": "persons", "enterprises": "enterprises", "zew-mip": "enterprises"}
)
"""Finished plans, to be run and changed, and the example each is for; `zew-mip` is the recipe of the ZEW (Gottschalk 2002, section 5.1)."""


def plan_text(name: str) -> str:
    """A finished plan as it stands in its file."""
    return files(__package__).joinpath(f"plans/{name}.yaml").read_text("utf-8")
