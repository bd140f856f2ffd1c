"""What attacks with one known true value share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools
from tarnkappe.errors.risk import KnownNotAttacked
from tarnkappe.kernels.proportions import share_of
from tarnkappe.language import Text, listed
from tarnkappe.risk.values_learnt import OnValues, Sides, Useful, counted

NOT_FOUND = Text(
    "say whether the attacker can find the record: it assumes so",
    "sagen, ob der Angreifer den Datensatz finden kann: Davon geht es aus",
)


class Attack(NamedTuple):
    """The attacker who knows one column: what he learns, what he would have without that knowledge, and what there is to learn."""

    known: int
    hit: Bools
    naive: Bools
    there: Bools
    ways: Mapping[str, float] = MappingProxyType({})
    """The share learnt by each way, where several were tried."""

    def share(self, sides: Sides) -> float:
        return share_of(*counted(self.hit, self.there), sides.weights)

    def baseline(self, sides: Sides) -> float:
        return share_of(*counted(self.naive, self.there), sides.weights)


def worst(attacks: Sequence[Attack], sides: Sides) -> Attack:
    """The known column with which most is learnt; the first of equal ones."""
    return max(attacks, key=lambda a: np.nan_to_num(a.share(sides), nan=-1.0))


class OneKnown(OnValues):
    """An attacker who knows one true value of a record and wants the others."""

    known: tuple[str, ...] = ()
    """Columns of which the attacker knows one; without them, any of the columns. | Spalten, von denen der Angreifer eine kennt; ohne
    Angabe jede der Spalten."""
    f: Useful = 0.05
    """Relative error up to which a value is useful. | Relativer Fehler, bis zu dem ein Wert brauchbar ist."""

    def known_among(self, sides: Sides) -> list[int]:
        """Positions of the columns that may be known."""
        strange = [name for name in self.known if name not in sides.names]
        if strange:
            raise KnownNotAttacked(name=listed(strange))
        return [j for j, name in enumerate(sides.names) if not self.known or name in self.known]
