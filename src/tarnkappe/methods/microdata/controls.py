"""Ways to choose the directions of controlled noise."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tarnkappe.spec import Declared

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


class BestOf(BaseModel):
    """The best of many draws."""

    model_config = Declared.model_config

    by: Literal["best-of"]
    """Best of many draws. | Beste von vielen Ziehungen."""
    alpha: Alpha = 0.5
    """Weight of means against standard deviations. | Gewicht der Mittelwerte gegenüber den Standardabweichungen."""
    runs: Annotated[int, Field(ge=2, le=1_000_000)] = 100
    """Number of draws. | Anzahl der Ziehungen."""


Control = Annotated[AllColumns | OneColumn | Exchange | BestOf, Field(discriminator="by")]
