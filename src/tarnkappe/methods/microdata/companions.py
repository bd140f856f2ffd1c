"""Columns that tell what was changed at random: a finer one, a coarser one, or which cells of others are empty.

A land that was changed follows from its county; a county that was changed shows by its land that it was; whether somebody works or is retired
follows from which of wage and pension is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.telling import SURE_OF_COLUMNS, UNITS, agreement, function_of
from tarnkappe.errors.exchange import CompanionOpen, GapsTell
from tarnkappe.kernels.classes import classes
from tarnkappe.vocab import Role

_ELSEWHERE = (*UNITS, Role.OWNER, Role.WEIGHT)
"""Numbers of units are named in the step itself, and weights have a measure of their own."""


@dataclass(frozen=True)
class Treated:
    """Columns that are changed as one, what their values do not cross, and the blocks in which they stay."""

    columns: tuple[str, ...]
    within: tuple[str, ...]
    blocks: Mapping[str, Ints]
    """Column to the block of every record's value."""
    units: tuple[str, ...] = ()
    """Columns whose records are changed alike."""


def refuse_companions(data: Microdata, treated: Treated) -> None:
    """Raise where a column that stays as it is tells one that is changed, or shows who was."""
    for name in treated.columns:
        for other in _open(data, treated):
            if _tells(data, treated, name, other):
                raise CompanionOpen(name=name, other=other)
        if names := _gaps_telling(data, treated, name):
            raise GapsTell(name=name, others=", ".join(repr(n) for n in names))


def _open(data: Microdata, treated: Treated) -> Iterator[str]:
    """Columns that are left as they are, or changed by draws of their own."""
    apart = {
        *treated.columns,
        *treated.within,
        *treated.units,
        *(n for role in _ELSEWHERE for n in data.role(role)),
    }
    return (name for name in data.names if name not in apart)


def _tells(data: Microdata, treated: Treated, name: str, other: str) -> bool:
    if function_of(data, (other,), name):
        return True
    return function_of(data, (name,), other) and not _stays(data, treated, name, other)


def _stays(data: Microdata, treated: Treated, name: str, other: str) -> bool:
    """Whether a coarser column cannot contradict: what is changed stays in a block, or a stratum, that has one value of it."""
    kept = [(ids, int(ids.max(initial=0)) + 1) for n, ids in treated.blocks.items() if n == name]
    kept += [data.column(n).codes() for n in treated.within]
    if not kept:
        return False
    groups = classes(kept).ids.astype(np.int64)
    both = data.column(name).observed & data.column(other).observed
    return agreement(groups, data.column(other).codes()[0], both)[0] == 1


def _gaps_telling(data: Microdata, treated: Treated, name: str) -> Sequence[str]:
    """The other columns of which it tells the value, which of their cells are missing; none where it does not."""
    others = [n for n in _open(data, treated) if 0 < np.count_nonzero(data.column(n).missing) < len(data)]
    if not others:
        return ()
    found = classes((data.column(n).missing.astype(np.int64), 2) for n in others).ids.astype(np.int64)
    share, sure = agreement(found, data.column(name).codes()[0], data.column(name).observed)
    return others if share == 1 and sure >= SURE_OF_COLUMNS else ()
