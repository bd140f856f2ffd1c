"""Plans side by side: the draft, variants that were kept, and a grid of values, each tried and measured; nothing is released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tarnkappe.language import Text
from tarnkappe.plan.document import Document
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.risk_map import RiskMap, map_variants
from tarnkappe.plan.variants import Variant, distinct, unfolded
from tarnkappe.studio.desk import Desk

_GRID = Text("values to try", "Werte zum Probieren")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be compared."""

    current: Mapping[str, Any]
    """The plan of the draft."""
    called: str = field(compare=False)
    """What it is called on the map, in the language of the page; another language asks for the same map."""
    kept: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Variants with their names."""
    grid: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    """Path in the plan -> values."""
    risk: str | None = None
    utility: str | None = None

    @property
    def plans(self) -> int:
        """How many plans are tried."""
        count = 1
        for _, values in self.grid:
            count *= len(values)
        return 1 + len(self.kept) + (count if self.grid else 0)


@dataclass(frozen=True, slots=True)
class Mapped:
    """The map, and the plan behind every point."""

    found: RiskMap
    plans: tuple[Mapping[str, Any], ...]


def draw_map(desk: Desk, progress: Progress, folder: Path, wanted: Wanted) -> Mapped:
    """Try every plan and measure it."""
    del desk  # what was tried before is kept beside the plan, so the data is read only where something is new
    variants = distinct(list(_variants(folder, wanted)))
    found = map_variants(variants, risk=wanted.risk, utility=wanted.utility, progress=progress)
    return Mapped(found, tuple(dict(variant.document.content) for variant in variants))


def _variants(folder: Path, wanted: Wanted) -> Iterator[Variant]:
    named: Sequence[tuple[str, Mapping[str, Any]]] = ((wanted.called, wanted.current), *wanted.kept)
    for name, content in named:
        yield Variant(name, Document(dict(content), name=name), folder)
    if wanted.grid:
        grid = {path: list(values) for path, values in wanted.grid}
        base = Document(dict(wanted.current), name=wanted.called)
        yield from unfolded(base, folder, grid, _GRID.en)
