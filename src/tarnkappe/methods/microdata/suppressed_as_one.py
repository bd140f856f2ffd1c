"""Cells that are suppressed as one: what members of a household, other periods of a unit or another column would tell goes with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.data.column import Bools
from tarnkappe.data.fill_in import NOWHERE, showing, sources
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.telling import UNITS, Relation, Shown, lasting, relations
from tarnkappe.language import Text, listed
from tarnkappe.vocab import Role

KEPT = (
    Role.HOUSEHOLD, Role.UNIT, Role.IDENTIFIER, Role.OWNER, Role.WEIGHT, Role.PERIOD, Role.STRATUM
)  # fmt: skip
"""Columns with these roles are not emptied: where one of them tells a suppressed value, all records that it ties together lose that value."""


def as_one(data: Microdata, names: Sequence[str], kept: Sequence[str] = ()) -> Microdata:
    """With more cells suppressed, so that no suppressed cell of these columns can be filled in from what is shown.

    Columns that must stay as they are come under `kept`. What once told a value is taken to be known, also where the cells that are
    left would no longer show it.
    """
    stays = kept_columns(data, names, kept)
    watched, known = list(names), dict[Relation, None]()
    more = True
    while more:
        more = False
        known |= dict.fromkeys(relations(data, [n for n in watched if data.column(n).suppressed.any()]))
        for relation in known:
            name, cells = _giving(data, relation, stays)
            if cells.any():
                more = True
                watched += [] if name in watched else [name]
                data = data.with_columns({name: data.column(name).suppress(cells)})
    return data


def kept_columns(data: Microdata, names: Sequence[str], kept: Sequence[str] = ()) -> set[str]:
    """Columns that are not emptied though they tell others: those under `kept` and those that order the records, but for those that are treated."""
    return {*kept, *(name for role in KEPT for name in data.role(role))} - set(names)


def told_by_order(data: Microdata, names: Sequence[str]) -> set[str]:
    """Those of some columns that a weight, a period or stratum, or the number of members of a household tells: to suppress few cells of them is in vain."""
    units = {name for role in UNITS for name in data.role(role)}
    stays = kept_columns(data, names)
    return {
        r.tells for r in relations(data, names) if set(r.by) <= stays and (r.counted or not set(r.by) & units)
    }


def in_whole_units(data: Microdata, names: Sequence[str]) -> Microdata:
    """With the cells of these columns suppressed that other records of the same household or unit would tell."""
    for relation in lasting(data, [n for n in names if data.column(n).suppressed.any()]):
        _, cells = _giving(data, relation, set(relation.by))
        data = data.with_columns({relation.tells: data.column(relation.tells).suppress(cells)})
    return data


def with_units(data: Microdata, records: Bools) -> Bools:
    """Some records and all of the same household or unit: the only ones that may lose cells with them."""
    out = records
    for name in (name for role in UNITS for name in data.role(role)):
        ids = data.columns[name].codes()[0]
        out = out | (np.isin(ids, ids[records]) & (ids >= 0))
    return out


def _giving(data: Microdata, relation: Relation, stays: set[str]) -> tuple[str, Bools]:
    """The column and its cells by which suppressed cells are told: the last column that may go, else the values that are shown."""
    shown = Shown(data)
    told = sources(shown, relation) != NOWHERE
    free = [name for name in relation.by if name not in stays]
    return (free[-1], told) if free else (relation.tells, showing(shown, relation, told))


def gone_with(before: Microdata, after: Microdata, names: Sequence[str]) -> tuple[str, ...]:
    """Further columns that lost cells because they tell those of some."""
    return tuple(n for n in after.names if n not in names and after.column(n) is not before.column(n))


def also_suppressed(before: Microdata, after: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """What the office is told of further columns that lost cells."""
    if more := gone_with(before, after, names):
        cells = sum(
            int(np.count_nonzero(after.column(n).suppressed & ~before.column(n).suppressed)) for n in more
        )
        yield Text(
            "Cells of further columns were suppressed because they tell suppressed ones: {names}, {count} cells.",
            "Zellen weiterer Spalten wurden unterdrückt, weil sie unterdrückte verraten: {names}, {count} Zellen.",
        ).filled(names=listed(more), count=cells)
