"""What methods have in common that turn categories into numbers, let another step treat them, and turn them back (Höhne 2010, 2.2.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.masking import StepUnfit
from tarnkappe.kernels.classes import classes
from tarnkappe.language import Text
from tarnkappe.spec import Claim, Method

FEW = 3
"""Fewer new combinations are not told."""
_NEW = Text(
    "{count} combinations of {names} are new: nobody in the file had them before.",
    "{count} Kombinationen von {names} sind neu: Niemand in der Datei hatte sie vorher.",
)


class Around(Protocol):
    """A method around another step."""

    @property
    def columns(self) -> Collection[str]:
        """The columns that are turned into numbers."""

    def first(self) -> Method:
        """The step."""


def _others_kept(m: Around, before: Microdata, after: Microdata) -> bool:
    """The same records and columns with the same roles; those that neither is turned nor treated by the step, cell by cell."""
    if not np.array_equal(before.rows, after.rows) or before.names != after.names:
        return False
    treated = {*m.columns, *m.first().treated_columns()}
    return before.roles == after.roles and all(
        same_cells(before.columns[n], after.columns[n]) for n in before.names if n not in treated
    )


def _states_kept(m: Around, before: Microdata, after: Microdata) -> bool:
    pairs = [(before.columns[name], after.columns[name]) for name in m.columns]
    return all(
        np.array_equal(was.missing, now.missing) and not np.any(was.suppressed & ~now.suppressed)
        for was, now in pairs
    )


def not_given_back(m: Around, before: Microdata, after: Microdata) -> bool:
    """Among the cells that are shown before and after, one at least is another one, where they are not all equal."""
    for name in m.columns:
        was, now = before.columns[name], after.columns[name]
        both = was.observed & now.observed
        x, y = was.texts()[both], now.texts()[both]
        if np.any(x != x[:1]) and np.array_equal(x, y):
            return False
    return True


OTHERS_KEPT = Claim(
    Text(
        "all columns that the step does not treat, cell by cell",
        "alle Spalten, die der Schritt nicht behandelt, Zelle für Zelle",
    ),
    _others_kept,
)
STATES_KEPT = Claim(Text("missing and suppressed cells", "fehlende und unterdrückte Zellen"), _states_kept)


def refuse_moved(who: str, step: Method, before: Microdata, done: Microdata) -> None:
    """The step must leave records and columns where they are: what it made is turned back cell by cell."""
    if not np.array_equal(done.rows, before.rows) or done.names != before.names:
        why = Text(
            "records or columns are gone, new or moved",
            "Datensätze oder Spalten fehlen, sind neu oder stehen anders",
        )
        raise StepUnfit(who=who, step=step.id, why=why)


def new_combinations(
    names: Collection[str], was: Sequence[Ints], now: Sequence[Ints], there: Bools, shown: Bools
) -> Iterator[Text]:
    """How many combinations that are shown no record had.

    Parameters
    ----------
    names
        The columns.
    was, now
        For each of them a number for every value, the same before and after.
    there, shown
        Records that had values in all of them, and records that show values in all of them.
    """
    found = classes(
        (both := np.concatenate([x[there], y[shown]]), int(both.max(initial=-1)) + 1)
        for x, y in zip(was, now, strict=True)
    )
    known = np.unique(found.ids[: np.count_nonzero(there)])
    count = int(np.count_nonzero(~np.isin(np.unique(found.ids), known)))
    if count >= FEW:
        yield _NEW.filled(count=count, names=", ".join(names))


def per_cent_same(same: Bools, both: Bools) -> int:
    """Per cent of the values shown before and after that are the same, rounded down."""
    return 100 * int(np.count_nonzero(same & both)) // max(int(np.count_nonzero(both)), 1)
