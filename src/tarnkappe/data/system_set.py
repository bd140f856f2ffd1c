"""Published tables that share cells as one system: what an attacker has before him who reads all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints, Strings
from tarnkappe.data.relations import joined
from tarnkappe.data.system import System
from tarnkappe.data.table import TOLERANCE
from tarnkappe.data.table_set import Laid, Stock, grouped, stock, without_loops
from tarnkappe.errors.linked import SharedValuesDiffer
from tarnkappe.language import listed


def laid(system: System, measure: str) -> Laid:
    """Where the cells of a published table lie."""
    assert system.nodes is not None
    return Laid(measure, system.trees, system.nodes)


def system_groups(systems: Sequence[System], measures: Sequence[str]) -> list[list[int]]:
    """Which published tables hang together by shared cells."""
    parts = [laid(s, m) for s, m in zip(systems, measures, strict=True)]
    return grouped(stock(parts)) if parts else []


def linked_system(
    systems: Sequence[System], measures: Sequence[str], tolerance: float = TOLERANCE
) -> tuple[System, tuple[Ints, ...]]:
    """One system over the physical cells, and for every table the numbers of its cells.

    A cell that one table hides and another shows, or does not list, is known: its bounds are its value.
    """
    found = stock([laid(s, m) for s, m in zip(systems, measures, strict=True)])
    labels = _labels(systems, found)
    value = _known(systems, found, labels, tolerance)
    known = ~np.isnan(value)
    torn = known & _anywhere(found, [s.suppressed for s in systems])
    hidden = torn | (~known & _anywhere(found, [s.hidden for s in systems]))
    low = -_least(found, [-s.low for s in systems])
    high = _least(found, [s.high for s in systems])
    low, high = np.where(torn, value, low), np.where(torn, value, high)
    parts, before = [], 0
    for system, cells in zip(systems, found.numbers, strict=True):
        part = without_loops(system.relations.renumbered(cells, len(found)))
        parts.append(replace(part, along=np.where(part.along >= 0, part.along + before, -1)))
        before += len(system.dimensions)
    relations = joined(parts, len(found))
    given = [np.ones(len(s), np.bool_) if s.given is None else s.given for s in systems]
    return System(
        listed([s.name for s in systems]), labels, relations, np.zeros(len(relations)), value, hidden, low, high,
        -_least(found, [-s.lower for s in systems]), -_least(found, [-s.upper for s in systems]),
        tuple(name for s in systems for name in s.dimensions), _anywhere(found, given),
        span=-_least(found, [np.zeros(len(s)) if s.span is None else -s.span for s in systems]),
        truth=_truth(systems, found),
    ), found.numbers  # fmt: skip


def _labels(systems: Sequence[System], found: Stock) -> Strings:
    out: Strings = np.full(len(found), "", dtype=object)
    for system, cells in reversed(list(zip(systems, found.numbers, strict=True))):
        out[cells] = f"{system.name}: " + system.labels
    return out


def _known(systems: Sequence[System], found: Stock, labels: Strings, tolerance: float) -> Floats:
    """The value of every cell that some table shows; 0 where a table that could have it does not list it."""
    value = np.where(found.empty, 0.0, np.nan)
    for system, cells in zip(systems, found.numbers, strict=True):
        shown = ~np.isnan(system.value)
        there = ~np.isnan(value[cells]) & shown
        slack = max(tolerance, TOLERANCE) * np.maximum(np.abs(value[cells]), 1.0)
        off = cells[there & (np.abs(value[cells] - system.value) > slack)]
        if len(off):
            named = listed([str(label) for label in labels[off[:20]]])
            raise SharedValuesDiffer(names=listed([s.name for s in systems]), count=len(off), cells=named)
        value[cells[shown]] = system.value[shown]
    return value


def _truth(systems: Sequence[System], found: Stock) -> Floats:
    """The values of suppressed cells where a file tells them."""
    out = np.full(len(found), np.nan)
    for system, cells in zip(systems, found.numbers, strict=True):
        truth = system.value if system.truth is None else system.truth
        told = system.suppressed & ~np.isnan(truth)
        out[cells[told]] = truth[told]
    return out


def _anywhere(found: Stock, parts: Sequence[Bools]) -> Bools:
    out = np.zeros(len(found), dtype=np.bool_)
    for part, cells in zip(parts, found.numbers, strict=True):
        out[cells[part]] = True
    return out


def _least(found: Stock, parts: Sequence[Floats]) -> Floats:
    out = np.full(len(found), np.inf)
    for part, cells in zip(parts, found.numbers, strict=True):
        np.minimum.at(out, cells, part)
    return out
