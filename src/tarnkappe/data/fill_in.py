"""What an attacker fills in before he counts: suppressed cells that other cells of the release tell.

The region that is suppressed for one member of a household stands in the record of another, a suppressed land follows from an open
county, and what is suppressed in one period stands in the next. Only what is released is looked at, so that the files alone give the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tarnkappe.data.column import OBSERVED, Bools, Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.telling import Relation, Shown, relations

NOWHERE = -1


def filled_in(data: Microdata) -> Mapping[str, Column]:
    """The columns in which suppressed cells can be filled in, with these cells observed; nothing where there are none."""
    targets = [n for n in data.names if data.column(n).suppressed.any()]
    known = relations(data, targets) if targets else ()
    new: dict[str, Column] = {}
    more = bool(known)
    while more:
        more = False
        for relation in known:
            found = sources(Shown(data), relation)
            cells = found != NOWHERE
            if cells.any():
                more = True
                new[relation.tells] = _filled(data.column(relation.tells), cells, found)
                data = data.with_columns({relation.tells: new[relation.tells]})
    return new


def sources(shown: Shown, relation: Relation) -> Ints:
    """For every suppressed cell that a relation tells a record that shows it, and NOWHERE for all other cells.

    Where the records of a unit show different values, nothing is told.
    """
    there = shown.observed(relation.by)
    groups, values = shown.groups(relation.by, counted=relation.counted), shown.codes(relation.tells)[0]
    hidden = there & shown.data.column(relation.tells).suppressed
    telling = np.flatnonzero(there & (values >= 0))
    out = np.full(len(values), NOWHERE)
    if not len(telling) or not hidden.any():
        return out
    first = np.full(int(groups.max()) + 1, NOWHERE)
    first[groups[telling[::-1]]] = telling[::-1]
    differ = np.zeros(len(first), dtype=np.bool_)
    differ[groups[telling][values[telling] != values[first[groups[telling]]]]] = True
    first[differ] = NOWHERE
    out[hidden] = first[groups[hidden]]
    return out


def showing(shown: Shown, relation: Relation, cells: Bools) -> Bools:
    """The records that show what a relation tells of some records."""
    there = shown.observed(relation.by)
    groups = shown.groups(relation.by, counted=relation.counted)
    asked = np.zeros(int(groups.max(initial=0)) + 1, dtype=np.bool_)
    asked[groups[cells & there]] = True
    return np.asarray(there & asked[np.maximum(groups, 0)] & (shown.codes(relation.tells)[0] >= 0))


def told(data: Microdata, names: Sequence[str]) -> int:
    """How many suppressed cells of some columns can be filled in."""
    found = filled_in(data)
    return sum(
        int(np.count_nonzero(data.column(n).suppressed & found[n].observed)) for n in names if n in found
    )


def _filled(column: Column, cells: Bools, source: Ints) -> Column:
    values = column.values.copy()
    values[cells] = values[source[cells]]
    assert column.state is not None
    return replace(column, values=values, state=np.where(cells, OBSERVED, column.state))
