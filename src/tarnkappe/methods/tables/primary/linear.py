"""Any upper linear sensitivity measure."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from tarnkappe.kernels.dominance import Measure
from tarnkappe.kernels.exact import written
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.contributed import SensitivityRule
from tarnkappe.spec import Maturity, Source, rule

_RISES = Text(
    "weights must not increase, and none may lie below tail",
    "die Gewichte dürfen nicht steigen, und keines darf unter tail liegen",
)
_NEVER = Text("the first of the weights must be above 0", "das erste der Gewichte muss über 0 liegen")


@rule(
    "rule.linear",
    title=Text("linear sensitivity measure", "lineares Sensitivitätsmaß"),
    does=Text(
        "Cells whose large contributions outweigh the small ones are confidential.",
        "Zellen, deren große Beiträge die kleinen überwiegen, sind vertraulich.",
    ),
    sources=(Source("wettig2002", "2.2.2, definition of an upper linear sensitivity measure"),),
    flags=Text(
        "Cells with w₁x₁ + w₂x₂ + … > 0, contributions in descending order.",
        "Zellen mit w₁x₁ + w₂x₂ + … > 0, Beiträge in absteigender Reihenfolge.",
    ),
    does_not=(
        Text(
            "say which attacker the weights stand for: that is for the office to decide",
            "sagt nicht, für welchen Angreifer die Gewichte stehen: das entscheidet die Behörde",
        ),
    ),
    example={"weights": (0.2, 0.1, -0.25), "tail": -0.5, "by": "contributor", "weighted": True},
    maturity=Maturity.REPLICATED,
    revision=3,
)
class Linear(SensitivityRule):
    """Mark cells by weights of one's own.

    `weights` are those of the largest contributions, in order; all others have the weight `tail`. Weights do not increase, so joining two
    cells that are not sensitive never gives a sensitive one. The (n,k), p % and (p,q) rules are of this kind. The required protection is the
    normed sensitivity, the sum divided by the size of `tail`.
    """

    weights: Annotated[tuple[float, ...], Field(min_length=1)]
    """Weights of the largest contributions, not increasing. | Gewichte der größten Beiträge, nicht steigend."""
    tail: Annotated[float, Field(lt=0)] = -1
    """Weight of all other contributions. | Gewicht aller übrigen Beiträge."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if any(a < b for a, b in pairwise((*self.weights, self.tail))):
            raise ValueError(_RISES)
        if self.weights[0] <= 0:
            raise ValueError(_NEVER)
        return self

    def weights_of(self) -> Measure:
        return Measure(tuple(written(w) for w in self.weights), written(self.tail))
