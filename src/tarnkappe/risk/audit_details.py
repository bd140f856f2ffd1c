"""What the audit of a table tells: counts, the narrowest interval, and proofs by published sums that a person can check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tarnkappe.attack.circles import Circles
from tarnkappe.attack.hidden import Hidden
from tarnkappe.attack.insiders import Breach
from tarnkappe.attack.intervals import Intervals, Proof
from tarnkappe.attack.naming import named_breaches
from tarnkappe.attack.telling import MOST_INSIDE, MOST_PROOFS, Teller
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import Relations
from tarnkappe.data.table import Table


def counted(pattern: Pattern, found: Intervals, disclosed: Bools, narrow: Bools) -> Iterator[tuple[str, Any]]:
    """How many cells are what, and how they were proven."""
    secondary = pattern.suppressed & ~pattern.primary
    yield "suppressed", {"primary": int(pattern.primary.sum()), "secondary": int(secondary.sum())}
    yield "disclosed", int(disclosed.sum())
    yield "too_narrow", int(narrow.sum())
    proofs = np.bincount(found.proof[pattern.hidden], minlength=max(Proof) + 1)
    yield "proven_by", {proof.name.lower(): int(proofs[proof]) for proof in Proof if proof is not Proof.OPEN}
    yield "programs_solved", found.solved
    if found.relaxed is not None and found.relaxed.any():
        yield "relaxed", int(found.relaxed.sum())
    zeros = disclosed & np.isin(pattern.status, (Status.ROUNDED, Status.PERTURBED)) & (_shown(pattern) == 0)
    if zeros.any():
        yield "unsafe_zeros", [pattern.table.spelt(int(c)) for c in np.flatnonzero(zeros)[:MOST_PROOFS]]
    width = relative_width(pattern, found)
    if np.isfinite(width).any():
        cell = int(np.nanargmin(width))
        yield "narrowest", {"cell": pattern.table.spelt(cell), "width": float(width[cell])}


def relative_width(pattern: Pattern, found: Intervals) -> Floats:
    """Proven width of the intervals as a share of the value; NaN for open cells, zeros and where nothing was asked for."""
    size = np.abs(pattern.table.value)
    asked = pattern.needs & (size > 0)
    width = np.where(asked, found.high - found.low, np.nan)
    return np.asarray(width / np.where(size > 0, size, 1.0))


def leaks(
    pattern: Pattern, relations: Relations, system: Hidden, found: Intervals, cells: Bools
) -> list[dict[str, Any]]:
    """The cells that leak, each with the published sums that tell too much, named by codes."""
    teller = _teller(pattern.table, relations, system)
    short = found.high - pattern.table.value < np.maximum(pattern.upper, pattern.span - pattern.lower)
    return [
        {"cell": pattern.table.spelt(int(c)), "proof": Proof(found.proof[c]).name.lower(), **teller.of(int(c), upward=bool(short[c]))}
        for c in np.flatnonzero(cells)[:MOST_PROOFS]
    ]  # fmt: skip


def inside(
    pattern: Pattern,
    found: tuple[Breach, ...],
    who: Circles,
    seen: Callable[[Breach], tuple[Relations, Hidden]],
) -> list[dict[str, Any]]:
    """Cells of which insiders see too much and who these are, the first of them with the sums that tell it.

    `seen` is the table as they see it.
    """
    table, out = pattern.table, named_breaches(found, who, pattern.table.spelt)
    for told, breach in zip(out[:MOST_INSIDE], found, strict=False):
        short = breach.up < pattern.upper[breach.cell]
        told.update(_teller(table, *seen(breach)).of(breach.cell, upward=bool(short)))
    return out


def _teller(table: Table, relations: Relations, system: Hidden) -> Teller:
    return Teller(relations, system, table.spelt, [h.name for h in table.dimensions])


def _shown(pattern: Pattern) -> Floats:
    return pattern.table.value if pattern.shown is None else pattern.shown
