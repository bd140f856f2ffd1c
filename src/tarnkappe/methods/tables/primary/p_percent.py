"""The p % rule."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from tarnkappe.kernels.dominance import Measure, prior_posterior
from tarnkappe.kernels.exact import written
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.contributed import SensitivityRule
from tarnkappe.spec import Maturity, Source, rule


@rule(
    "rule.p-percent",
    title=Text("p % rule", "p-%-Regel"),
    does=Text(
        "Cells from which one contributor could estimate another too closely are confidential.",
        "Zellen, aus denen ein Beitragender einen anderen zu genau schätzen könnte, sind vertraulich.",
    ),
    sources=(
        Source("wettig2002", "2.1.2.4; as a sensitivity measure 2.2.2"),
        Source("hundepool2012", "ch. 4, p%-rule"),
    ),
    flags=Text(
        "Cells where the second largest contributor can estimate the largest to within p percent.",
        "Zellen, in denen der zweitgrößte Beitragende den größten auf p Prozent genau schätzen kann.",
    ),
    does_not=(
        Text(
            "protect against more contributors who act together than coalition says",
            "schützt nicht vor mehr gemeinsam handelnden Beitragenden, als coalition nennt",
        ),
        Text(
            "reckon with attackers who can estimate the small contributions too: that is the (p,q) rule",
            "rechnet nicht mit Angreifern, die auch die kleinen Beiträge schätzen können: dafür die (p,q)-Regel",
        ),
    ),
    example={"p": 17.6, "coalition": 2, "by": "contributor", "weighted": True},
    maturity=Maturity.REPLICATED,
    revision=3,
)
class PPercent(SensitivityRule):
    """Mark cells from which the largest contribution can be estimated to within p percent.

    The attacker is the second largest contributor: he subtracts his own contribution from the value, and what is then left above
    the largest contribution, R = X - x₁ - x₂, is his error. A cell is sensitive when R < p % of x₁; equality is not enough, and is
    judged exactly. 17.6 corresponds to the (1,85) dominance rule, and marks fewer cells than (2,85). The required protection is
    p % of x₁ minus R.
    """

    p: Annotated[float, Field(gt=0, le=100)] = 10
    """Percent of the largest contribution by which it must at least be missed. | Prozent des größten Beitrags, um die er mindestens verfehlt werden muss."""
    coalition: Annotated[int, Field(ge=0)] = 1
    """So many contributors, the largest after the first, act together; 0 is an outsider. | So viele Beitragende, die größten nach dem ersten, handeln gemeinsam; 0 ist ein Außenstehender."""

    def weights_of(self) -> Measure:
        return prior_posterior(written(self.p), Fraction(100), self.coalition)
