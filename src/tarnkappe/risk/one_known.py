"""What attacks with one known true value share."""

from __future__ import annotations

from tarnkappe.errors.risk import KnownNotAttacked
from tarnkappe.language import Text, listed
from tarnkappe.risk.values_learnt import OnValues, Sides, Useful

NOT_FOUND = Text(
    "say whether the attacker can find the record: it assumes so",
    "sagen, ob der Angreifer den Datensatz finden kann: Davon geht es aus",
)


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
