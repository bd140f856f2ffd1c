"""Example data that belongs to nobody: the same for a given seed everywhere, with any number of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tarnkappe.data.microdata import Microdata
from tarnkappe.examples.enterprises import make_enterprises
from tarnkappe.examples.municipal import make_municipal
from tarnkappe.examples.persons import make_persons
from tarnkappe.examples.turnover import pseudo_kse_turnover

__all__ = ["EXAMPLES", "Maker", "make_enterprises", "make_municipal", "make_persons", "pseudo_kse_turnover"]

Maker = Callable[..., Microdata]
"""(size, seed=1) -> data"""

EXAMPLES: Mapping[str, Maker] = MappingProxyType(
    {"persons": make_persons, "enterprises": make_enterprises, "municipal": make_municipal}
)
