"""Rules that a result must keep, as a plan declares them (DAV 2025, step 11)."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from tarnkappe.language import Text
from tarnkappe.plan.part import Names, Part, Words


class ConsistencyDescription(Part):
    """One rule: a range, a dependency, allowed combinations, or agreement with an earlier release."""

    column: Words | None = None
    """The column of a range or a dependency. | Die Spalte eines Wertebereichs oder einer Abhängigkeit."""
    at_least: float | None = None
    """Smallest possible value. | Kleinster möglicher Wert."""
    at_most: float | None = None
    """Largest possible value. | Größter möglicher Wert."""
    follows: Words | None = None
    """The column from which it follows, as the town from the postcode. | Die Spalte, aus der sie folgt, wie der Ort aus der
    Postleitzahl."""
    combinations: Names = ()
    """Columns whose combinations must occur in the original. | Spalten, deren Kombinationen im Original vorkommen müssen."""
    release: Words | None = None
    """Folder of an earlier release with which it must agree, in the folder of the plan or below. | Ordner einer früheren Freigabe, zu der
    sie passen muss, im Ordner des Plans oder darunter."""
    by: Names = ()
    """Columns of the strata that are compared, such as the year. | Spalten der verglichenen Schichten, etwa das Jahr."""
    columns: Names = ()
    """Columns whose means are compared; counts always are. | Spalten, deren Mittelwerte verglichen werden; Anzahlen immer."""
    within: Annotated[float, Field(gt=0)] = 0.05
    """Largest relative difference. | Größte relative Abweichung."""
    hard: bool = True
    """If it is broken, nothing is released; otherwise the report says so. | Ist sie verletzt, wird nichts freigegeben; sonst steht es im
    Bericht."""
    because: Words | None = None
    """Why the rule holds. | Warum die Regel gilt."""

    @property
    def kind(self) -> str:
        """Which of the four kinds it is; empty if none or several."""
        kinds = {
            "range": self.column is not None and (self.at_least, self.at_most) != (None, None),
            "follows": self.column is not None and self.follows is not None,
            "combinations": bool(self.combinations),
            "release": self.release is not None,
        }
        meant = [name for name, given in kinds.items() if given]
        return meant[0] if len(meant) == 1 else ""

    @property
    def named(self) -> tuple[str, ...]:
        """The columns it names."""
        single = (name for name in (self.column, self.follows) if name)
        return (*single, *self.combinations, *self.by, *self.columns)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if not self.kind:
            raise ValueError(
                Text(
                    "needs exactly one of: column with at_least or at_most, column with follows, combinations, release",
                    "braucht genau eines von: column mit at_least oder at_most, column mit follows, combinations, release",
                )
            )
        alone = (self.kind == "release", not (self.by or self.columns or "within" in self.model_fields_set))
        if not any(alone):
            raise ValueError(
                Text("by, columns and within go with release", "by, columns und within gehören zu release")
            )
        if self.kind == "combinations" and (len(self.combinations) < 2 or self.column):
            raise ValueError(Text("takes at least two columns", "nimmt mindestens zwei Spalten"))
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(Text("at_least is above at_most", "at_least liegt über at_most"))
        return self
