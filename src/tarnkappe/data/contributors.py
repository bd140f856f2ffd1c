"""Who stands behind records: a real unit, and those of one owner are one contributor.

Parts that a step has split off, copies that it has made, the years of a panel and the rows of one identifier are no contributors of their
own. Which records are one unit's is told by the roles unit and owner, by an identifier that repeats, or by the step that made them; rows count where
nothing says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.kernels.classes import classes
from tarnkappe.vocab import Role

MOSTLY = 0.5
"""An identifier beside one that tells all records apart names units if more than this share of the records repeat it: else namesakes."""


def contributor_codes(data: Microdata, unit: Sequence[str] = ()) -> Ints:
    """A number from 0 for the contributor of every record: its owner, or where none is known the unit that stands behind it.

    `unit` names columns that tell units where roles do not.
    """
    alone = np.unique(real_units(data, unit), return_inverse=True)[1].astype(np.int64)
    owner = data.role(Role.OWNER)
    if not owner:
        return alone
    codes, count = data.column(owner[0]).true_codes()
    return np.where(codes >= 0, codes, count + alone)


def real_units(data: Microdata, unit: Sequence[str] = ()) -> Ints:
    """The unit behind every record, whoever owns it, by the number of its first record: equal in all data that came from one file."""
    found = data.behind if data.behind is not None else _named_units(data)
    if not unit:
        return data.rows if found is None else found
    named, count = units_of(data, unit)
    return _firsts(named if found is None else _joined(found, named, count), data.rows)


def units_counted(data: Microdata) -> Ints | None:
    """The unit of every record, from 0, where classes of records are counted by units: three years of one firm hide nobody. None where records count.

    Units are those of the role unit; in a panel also owners, and identifiers that repeat. Artificial units that a step has made are
    units by their names, or where they have none each of their records.
    """
    panel = bool(data.role(Role.PERIOD)) and several_records(data)
    if not data.role(Role.UNIT) and not panel:
        return None
    codes = contributor_codes(data)
    made = data.rows < 0
    if made.any():
        own, _ = units_of(data, data.role(Role.UNIT), beneath=True)
        codes = np.where(made, int(codes.max(initial=-1)) + 1 + own, codes)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def units_shown(data: Microdata) -> bool:
    """Whether the columns of the data alone tell the units by which classes are counted, as files of a release must."""
    known, shown = units_counted(data), units_counted(replace(data, behind=None, rows=np.arange(len(data))))
    if known is None or shown is None:
        return known is None
    many, others = (int(units.max(initial=-1)) + 1 for units in (known, shown))
    return many == others == len(np.unique(known * others + shown))


def several_records(data: Microdata) -> bool:
    """Whether one contributor can have several records, by what roles and steps tell."""
    return bool(data.role(Role.OWNER)) or units_repeat(data)


def units_repeat(data: Microdata) -> bool:
    """Whether one unit can have several records, whoever owns it."""
    return data.behind is not None or naming_units(data) != ()


def with_units_known(data: Microdata) -> Microdata:
    """With the unit behind every record written down: names may be dropped and records be made after that."""
    if data.behind is not None:
        return data
    found = _named_units(data)
    return data if found is None else replace(data, behind=found)


def still_known(before: Microdata, after: Microdata) -> Microdata:
    """The data after a step, with what was known before it of who stands behind records; owners whose column is gone stay contributors."""
    owners_gone = bool(before.role(Role.OWNER)) and not after.role(Role.OWNER)
    if not owners_gone and (after.behind is not None or before.behind is None):
        return after
    who = _firsts(contributor_codes(before), before.rows) if owners_gone else before.behind
    assert who is not None, "something was known"
    order = np.argsort(before.rows, kind="stable")
    place = np.minimum(np.searchsorted(before.rows[order], after.rows), max(len(order) - 1, 0))
    there = before.rows[order[place]] == after.rows if len(order) else np.zeros(len(after), dtype=np.bool_)
    return replace(
        after,
        behind=np.where(there, who[order[place]], after.rows) if len(order) else after.rows,
    )


def contributors(data: Microdata, records: Bools) -> int:
    """How many contributors stand behind some records."""
    if not several_records(data):
        return int(np.count_nonzero(records))
    return len(np.unique(contributor_codes(data)[records]))


def contributors_by(data: Microdata, records: Bools, stratum: Ints) -> Ints:
    """How many contributors stand behind some records, in every stratum that has any of them."""
    of = stratum[records].astype(np.int64)
    if several_records(data):
        who = contributor_codes(data)[records]
        radix = int(who.max(initial=0)) + 1
        of = np.unique(of * radix + who) // radix
    counts = np.bincount(of)
    return counts[counts > 0]


def naming_units(data: Microdata) -> tuple[str, ...]:
    """The column with the role unit, or the identifiers whose repetition tells that records are one unit's; none where each record is its own.

    In a panel the one that never stands twice in a period, and of several the one with the fewest units. Elsewhere all that repeat, taken
    together; beside an identifier that tells all records apart only those that most records repeat: two persons may have one name.
    """
    if unit := data.role(Role.UNIT):
        return unit
    counted = {name: data.column(name).true_codes() for name in data.role(Role.IDENTIFIER)}
    repeated = {name: share for name, (codes, _) in counted.items() if (share := _repeated(codes)) > 0}
    if not repeated:
        return ()
    period = data.role(Role.PERIOD)
    if period:
        when = data.column(period[0]).true_codes()
        series = [name for name in repeated if not _repeated(_pairs(counted[name], when))]
        if series:
            return (min(series, key=lambda name: len(np.unique(counted[name][0]))),)
    telling_apart = any(len(data) and _repeated(c) == 0 and bool((c >= 0).all()) for c, _ in counted.values())
    return tuple(name for name, share in repeated.items() if not telling_apart or share > MOSTLY)


def _named_units(data: Microdata) -> Ints | None:
    """The units that names tell; None where they tell of none with several records."""
    naming = naming_units(data)
    if not naming:
        return None
    columns = [data.column(name) for name in naming]
    found = classes(column.true_codes() for column in columns)
    nameless = np.all([column.missing for column in columns], axis=0)
    ids = np.where(nameless, len(found.sizes) + np.arange(len(data)), found.ids)
    return _firsts(np.unique(ids, return_inverse=True)[1], data.rows)


def _repeated(codes: Ints) -> float:
    """The share of the records whose code, where there is one, stands in another record too."""
    shown = codes[codes >= 0]
    if not len(shown):
        return 0.0
    often = np.bincount(shown)
    return float(np.count_nonzero(often[shown] > 1)) / len(codes)


def _pairs(name: tuple[Ints, int], when: tuple[Ints, int]) -> Ints:
    """The code of name and period together; below 0 where either is missing."""
    (a, _), (b, _) = name, when
    together = classes([name, when]).ids.astype(np.int64)
    return np.where((a >= 0) & (b >= 0), together, -1)


def _joined(behind: Ints, named: Ints, count: int) -> Ints:
    """Records are one unit's if they have the same unit behind them or the same name, over any number of others."""
    own = np.unique(behind, return_inverse=True)[1]
    size = count + len(behind)
    edges = coo_array((np.ones(len(own)), (named, count + own)), shape=(size, size))
    return connected_components(edges, directed=False)[1][named].astype(np.int64)


def _firsts(codes: Ints, rows: Ints) -> Ints:
    """The number of the first record of every unit, for each of its records."""
    if not len(codes):
        return rows
    first = np.full(int(codes.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, codes, rows)
    out: Ints = first[codes]
    return out
