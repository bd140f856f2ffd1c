"""Say which empty cells were missing and which were suppressed."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Column, Strings, state_column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NameTaken
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Reach, Source, method

STATES: Strings = np.array(["observed", "missing", "suppressed"], dtype=object)


def _told(m: TellStates, before: Microdata, after: Microdata) -> bool:
    return all(
        np.array_equal(after.column(state_column(name)).texts(), STATES[_states(before.column(name))])
        for name in m.ambiguous(before)
    )


def _nothing_else(m: TellStates, before: Microdata, after: Microdata) -> bool:
    del m
    return all(after.columns[name] is column for name, column in before.columns.items())


@method(
    "microdata.tell-states",
    family=Family.NAMES,
    leaves=Leaves.VALUES,
    title=Text("Missing or suppressed", "Fehlend oder unterdrückt"),
    does=Text(
        "Where a column has both missing and suppressed values, a further column says which is which.",
        "Wo eine Spalte sowohl fehlende als auch unterdrückte Werte hat, sagt eine weitere Spalte, was was ist.",
    ),
    sources=(Source("dav2025", "3.2.2, suppressed values are marked"),),
    preserves=(
        Claim(Text("every column that was there", "jede vorhandene Spalte"), _nothing_else),
        Claim(
            Text(
                "the difference between missing and suppressed",
                "der Unterschied zwischen fehlend und unterdrückt",
            ),
            _told,
        ),
    ),
    protects=(),
    does_not=(
        Text(
            "protect: that a cell was suppressed is told, never what was in it",
            "schützen: gesagt wird, dass eine Zelle unterdrückt ist, nie, was darin stand",
        ),
    ),
    example={},
)
class TellStates(Method):
    """Add a column with observed, missing or suppressed for every column that has both kinds of empty cells.

    File formats know only one kind of empty cell. A column whose empty cells are all of one kind needs no further column;
    which kind it is stands in the documentation of the release.

    Zero, negative, constant and tied values are observed ones.
    """

    def reach(self, data: Microdata) -> Reach:
        return Reach(new=tuple(state_column(name) for name in self.ambiguous(data)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        taken = [n for n in self.ambiguous(data) if state_column(n) in data.columns]
        if taken:
            raise NameTaken(name=state_column(taken[0]), who=self.id, parameter="name")
        told = {
            state_column(name): Column.coded(
                _states(data.column(name)), STATES, label=f"{name}: observed/missing/suppressed"
            )
            for name in self.ambiguous(data)
        }
        return data.with_columns(told)

    @staticmethod
    def ambiguous(data: Microdata) -> list[str]:
        """Columns with missing and suppressed cells."""
        return [n for n, c in data.columns.items() if c.missing.any() and c.suppressed.any()]


def _states(column: Column) -> np.ndarray:
    return np.zeros(len(column), dtype=np.uint8) if column.state is None else column.state
