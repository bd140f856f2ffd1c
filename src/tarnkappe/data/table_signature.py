"""What a register keeps of a published table: its codes, which cells were suppressed and how much protection they needed, no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_pairs
from tarnkappe.data.pattern import Pattern, Status

_EXACT = (Status.OPEN, Status.PRIMARY, Status.SECONDARY)


@dataclass(frozen=True, slots=True)
class TableSignature:
    """A table of a release: how it is made of the data, and its pattern."""

    name: str
    measure: str
    value: str | None
    """The column that is added up; None: records are counted."""
    weighted: bool
    original: bool
    """Made of the data as it was read; else of the result of steps, which the register cannot repeat."""
    trees: Mapping[str, Mapping[str, str]]
    """Dimension -> code -> code above it, empty for the total."""
    suppressed: tuple[tuple[str, ...], ...]
    """The codes of every suppressed cell."""
    primary: tuple[bool, ...]
    """Of every suppressed cell, whether a rule asked for it."""
    changed: bool
    """Values were rounded, got noise or were shown as ranges."""
    required: tuple[tuple[float, float, float], ...] = ()
    """Of every suppressed cell how far below and above its value the interval had to reach and how wide it had to be, as shares of its size."""

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        return {name: _tree(name, codes) for name, codes in self.trees.items()}


def table_signature(pattern: Pattern, value: str | None, size: Floats, *, original: bool) -> TableSignature:
    """What the register keeps of a table; `size` is that of every cell: required protections are kept as shares of it."""
    table = pattern.table
    hidden = np.flatnonzero(pattern.suppressed)
    required = (need[hidden] / size[hidden] for need in (pattern.lower, pattern.upper, pattern.span))
    codes = [table.codes(j)[hidden] for j in range(len(table.dimensions))]
    return TableSignature(
        name=table.name, measure=table.measure, value=value, weighted=table.weighted, original=original,
        trees={h.name: _codes(h) for h in table.dimensions},
        suppressed=tuple(tuple(map(str, cell)) for cell in zip(*codes, strict=True)),
        primary=tuple(map(bool, pattern.primary[hidden])),
        changed=not np.isin(pattern.status, _EXACT).all(),
        required=tuple(zip(*(need.tolist() for need in required), strict=True)),
    )  # fmt: skip


def _codes(tree: Hierarchy) -> dict[str, str]:
    above = [str(tree.codes[p]) if p >= 0 else "" for p in tree.parent]
    return dict(zip(map(str, tree.codes), above, strict=True))


def _tree(name: str, codes: Mapping[str, str]) -> Hierarchy:
    return from_pairs(name, list(codes), [above or None for above in codes.values()])
