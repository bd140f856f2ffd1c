"""Ways to choose the directions of controlled noise."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from tarnkappe.language import Text
from tarnkappe.spec import Declared, Measure, catalogue

First = Literal["random", "down"]
Alpha = Annotated[float, Field(ge=0, le=1)]


class AllColumns(BaseModel):
    """Unit after unit, from large to small, the direction that keeps all columns nearest to the truth."""

    model_config = Declared.model_config

    by: Literal["all-columns"] = "all-columns"
    """Multi-dimensional ranking. | Mehrdimensionales Ranking."""
    alpha: Alpha = 1.0
    """Weight of means against standard deviations. | Gewicht der Mittelwerte gegenüber den Standardabweichungen."""
    first: First = "random"
    """Direction of the largest unit. | Richtung der größten Einheit."""


class OneColumn(BaseModel):
    """Unit after unit, from large to small, against the error so far of one column."""

    model_config = Declared.model_config

    by: Literal["one-column"]
    """One-dimensional ranking. | Eindimensionales Ranking."""
    column: str | None = None
    """The column; without it, the one most correlated with the others. | Die Spalte; ohne Angabe die mit den anderen am
    stärksten korrelierte."""
    first: First = "random"
    """Direction of the largest unit. | Richtung der größten Einheit."""


class Exchange(BaseModel):
    """As many units up as down, exchanged in pairs until nothing gets better."""

    model_config = Declared.model_config

    by: Literal["exchange"]
    """Optimisation. | Optimierung."""
    alpha: Alpha = 0.5
    """Weight of means against standard deviations. | Gewicht der Mittelwerte gegenüber den Standardabweichungen."""
    rounds: Annotated[int, Field(ge=1, le=10_000)] = 3
    """Exchanges that are tried, per unit. | Versuchte Vertauschungen je Einheit."""


DEFAULT_ALPHA = 0.5


class BestOf(BaseModel):
    """The best of many draws."""

    model_config = Declared.model_config

    by: Literal["best-of"]
    """Best of many draws. | Beste von vielen Ziehungen."""
    alpha: Alpha = DEFAULT_ALPHA
    """Weight of means against standard deviations. | Gewicht der Mittelwerte gegenüber den Standardabweichungen."""
    runs: Annotated[int, Field(ge=2, le=1_000_000)] = 100
    """Number of draws. | Anzahl der Ziehungen."""
    criterion: str = ""
    """Id of any measure that compares with the original, such as utility.correlations: the draw it finds best is kept; without it, the errors of
    means and standard deviations decide. | Kennung eines beliebigen Maßes, das mit dem Original vergleicht, etwa utility.correlations: die
    danach beste Ziehung bleibt; ohne Angabe entscheiden die Fehler von Mittelwerten und Standardabweichungen."""

    @model_validator(mode="after")
    def _known_measure(self) -> Self:
        if self.criterion and not (
            self.criterion in catalogue and issubclass(catalogue[self.criterion], Measure)
        ):
            raise ValueError(
                Text("criterion must be the id of a measure", "criterion muss die Kennung eines Maßes sein")
            )
        if self.criterion and self.alpha != DEFAULT_ALPHA:
            raise ValueError(
                Text("alpha does not go with a criterion", "alpha gehört nicht zu einem Kriterium")
            )
        return self


Control = Annotated[AllColumns | OneColumn | Exchange | BestOf, Field(discriminator="by")]
