"""The (n,k) dominance rule."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tarnkappe.kernels.dominance import Measure, dominance
from tarnkappe.kernels.exact import written
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.contributed import SensitivityRule
from tarnkappe.spec import Maturity, Source, rule


@rule(
    "rule.dominance",
    title=Text("(n,k) dominance rule", "(n,k)-Dominanzregel"),
    does=Text(
        "Cells that a few contributors dominate are confidential.",
        "Zellen, die von wenigen Beitragenden beherrscht werden, sind vertraulich.",
    ),
    sources=(
        Source("wettig2002", "2.1.2.1 to 2.1.2.3; as a sensitivity measure 2.2.2"),
        Source("hundepool2012", "ch. 4, (n,k)-rule"),
    ),
    flags=Text(
        "Cells whose n largest contributions are more than k percent of the value.",
        "Zellen, deren n größte Beiträge mehr als k Prozent des Wertes sind.",
    ),
    does_not=(
        Text(
            "protect against more than n - 1 contributors who act together",
            "schützt nicht vor mehr als n - 1 Beitragenden, die gemeinsam handeln",
        ),
        Text(
            "with n = 1, protect the largest contributor from the second largest",
            "schützt mit n = 1 den größten Beitragenden nicht vor dem zweitgrößten",
        ),
    ),
    example={"n": 2, "k": 70, "by": "contributor", "weighted": True},
    maturity=Maturity.REPLICATED,
    revision=3,
)
class Dominance(SensitivityRule):
    """Mark cells that their n largest contributors dominate.

    A cell is sensitive when x₁ + … + xₙ > k % of X; equality is not enough, and is judged exactly. With (1,85) an outsider who takes a
    published value for the largest contribution is wrong by at least 17.6 %. Use (2,k) where every attacker knows his own
    contribution, (n,k) against n - 1 known ones. The required protection is the normed sensitivity
    (100/k) (x₁ + … + xₙ) - X.
    """

    n: Annotated[int, Field(ge=1)] = 1
    """How many of the largest contributions count together. | Wie viele der größten Beiträge zusammen zählen."""
    k: Annotated[float, Field(gt=0, lt=100)] = 85
    """Percent of the value that they may make up. | Prozent des Wertes, die sie ausmachen dürfen."""

    def weights_of(self) -> Measure:
        return dominance(self.n, written(self.k))
