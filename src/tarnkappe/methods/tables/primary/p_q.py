"""The (p,q) prior-posterior rule."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from tarnkappe.kernels.dominance import Measure, prior_posterior
from tarnkappe.kernels.exact import written
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.contributed import SensitivityRule
from tarnkappe.spec import Maturity, Source, rule

_ORDER = Text(
    "p must be smaller than q: who knows every contribution to q percent beforehand learns nothing else",
    "p muss kleiner als q sein: wer jeden Beitrag vorher auf q Prozent kennt, erfährt sonst nichts",
)


@rule(
    "rule.p-q",
    title=Text("(p,q) rule", "(p,q)-Regel"),
    does=Text(
        "Cells from which one contributor could estimate another much better than before are confidential.",
        "Zellen, aus denen ein Beitragender einen anderen deutlich besser als zuvor schätzen könnte, sind vertraulich.",
    ),
    sources=(
        Source("wettig2002", "2.1.2.5; as a sensitivity measure 2.2.2"),
        Source("hundepool2012", "ch. 4, (p,q)-rule"),
    ),
    flags=Text(
        "Cells where the second largest contributor, who knows all others to q percent, finds the largest to within p percent.",
        "Zellen, in denen der zweitgrößte Beitragende, der alle anderen auf q Prozent kennt, den größten auf p Prozent findet.",
    ),
    does_not=(
        Text(
            "protect against more contributors who act together than coalition says",
            "schützt nicht vor mehr gemeinsam handelnden Beitragenden, als coalition nennt",
        ),
    ),
    example={"p": 17.6, "q": 50, "coalition": 2, "by": "contributor", "weighted": True},
    maturity=Maturity.REPLICATED,
    revision=3,
)
class PQ(SensitivityRule):
    """Mark cells from which the largest contribution can be estimated to within p percent by one who knew all to q percent.

    The attacker subtracts his own contribution and his estimates of the small ones, each at most q percent off. A cell is sensitive when
    p % of x₁ > q % of R, with R = X - x₁ - x₂; equality is not enough, and is judged exactly. The p % rule is the case q = 100. The
    required protection is (p/q) x₁ - R.
    """

    p: Annotated[float, Field(gt=0, lt=100)] = 10
    """Percent of the largest contribution by which it must at least be missed. | Prozent des größten Beitrags, um die er mindestens verfehlt werden muss."""
    q: Annotated[float, Field(gt=0, le=100)] = 100
    """Percent to which the attacker knows every other contribution beforehand. | Prozent, auf die der Angreifer jeden anderen Beitrag vorher kennt."""
    coalition: Annotated[int, Field(ge=0)] = 1
    """So many contributors, the largest after the first, act together; 0 is an outsider. | So viele Beitragende, die größten nach dem ersten, handeln gemeinsam; 0 ist ein Außenstehender."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.p >= self.q:
            raise ValueError(_ORDER)
        return self

    def weights_of(self) -> Measure:
        return prior_posterior(written(self.p), written(self.q), self.coalition)
