"""Means that rest on enough values besides zeros: else the size of a group times its mean is somebody's value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.tellable import CONTRIBUTORS
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.joined_groups import Members, joined_groups
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.language import Text
from tarnkappe.spec import Claim
from tarnkappe.spec.conditions import where

if TYPE_CHECKING:
    from tarnkappe.methods.microdata.averaging import Grouping

OTHER_THAN_ZERO = Text(
    "a column of a stratum or set of records with the same gaps, not counting zeros,",
    "eine Spalte einer Schicht oder Menge mit gleichen Lücken, ohne Nullen gezählt,",
)


class Resting(NamedTuple):
    """Groups whose means rest on enough values besides zeros."""

    labels: Ints
    """The group of every record; -1 where it has none."""
    few: Bools
    """Records × columns: where nobody but one or two of the block has another value than zero, so that no mean hides it."""


def resting(members: Members, labels: Ints, *, in_line: bool = False) -> Resting:
    """Groups joined with near ones until every mean rests on enough values, or on zeros alone."""
    none = np.zeros(members.other.shape, dtype=np.bool_)
    if members.other.all():
        return Resting(labels, none)
    joined = joined_groups(members, labels, CONTRIBUTORS, in_line=in_line)
    if not joined.few.any():
        return Resting(joined.labels, none)
    return Resting(joined.labels, (labels >= 0)[:, None] & joined.few[joined.labels])


def without_few(column: Column, few: Bools) -> Column:
    """A column without the cells of groups in which one or two have another value than zero."""
    return column.suppress(few) if few.any() else column


def on_enough(m: Grouping, before: Microdata, after: Microdata) -> bool:
    """Records that show the same combination had, in every column of numbers, zeros only or other values of three contributors or more."""
    aligned = before.aligned_to(after)
    who, _ = m.contributors(aligned)

    def enough(names: tuple[str, ...]) -> bool:
        found = classes([after.column(n).codes() for n in (*m.within, *names)])
        numbers = (n for n in names if before.column(n).kind.is_number)
        return all(
            _enough(found.ids, aligned.column(n).numbers(), after.column(n).observed, who) for n in numbers
        )

    return all(on_cores(enough, m.sets(), len(after)))


def _enough(group: Ints, was: Floats, shown: Bools, who: Ints) -> bool:
    at = np.flatnonzero(shown & (was != 0))
    if len(at) == np.count_nonzero(shown):
        return True
    pairs = classes([(group[at], int(group.max(initial=0)) + 1), (who[at], int(who.max(initial=0)) + 1)])
    one = np.zeros(len(pairs.sizes), dtype=np.int64)
    one[pairs.ids] = group[at]
    people = np.bincount(one)
    return not np.any((people > 0) & (people < CONTRIBUTORS))


REST_ON_ENOUGH = Claim(
    Text(
        "every mean of a group rests on values other than zero of at least three contributors, or on zeros alone: the size of the group times its mean is nobody's value",
        "jeder Mittelwert einer Gruppe beruht auf Werten ungleich null von mindestens drei Beitragenden oder nur auf Nullen: Gruppengröße mal Mittelwert ist niemandes Wert",
    ),
    on_enough,
    when=where("aggregate", "mean"),
)
