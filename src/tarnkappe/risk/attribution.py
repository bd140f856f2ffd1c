"""Which key drives the risk: what each adds to the chance of being found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.kernels.key_sets import Ints, Parts, Policy, counted, sampled
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.counting import OnKeys, checked, stored
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.microdata import Microdata

EXACT = 10
"""Up to so many keys every set of them is counted."""
_COUNTED = Text(
    "Counted over all {sets} sets of keys: there is no error.",
    "Über alle {sets} Schlüsselmengen ausgezählt: Es gibt keinen Fehler.",
)
_SAMPLED = Text(
    "Estimated from {orders} random orders of the keys; the standard errors stand beside the contributions.",
    "Aus {orders} zufälligen Reihenfolgen der Schlüssel geschätzt; die Standardfehler stehen bei den Beiträgen.",
)


@measure(
    "risk.attribution",
    title=Text("Keys that drive the risk", "Schlüssel, die das Risiko treiben"),
    does=Text(
        "Shares out the chance of being found among the keys and names those that drive it.",
        "Teilt die Wahrscheinlichkeit, gefunden zu werden, auf die Schlüssel auf und nennt die treibenden.",
    ),
    sources=(
        Source("shapley1953", "the value of a player in a game"),
        Source("castro2009", "section 3: estimate from sampled orders"),
        Source("dav2025", "section 2.4: the average risk of a prosecutor"),
        Source("gottschalk2002", "risk by the number of overlap variables; spec G-R14"),
    ),
    reads=Text(
        "The key that contributes most adds {value} to the chance of being found.",
        "Der Schlüssel mit dem größten Beitrag erhöht die Wahrscheinlichkeit, gefunden zu werden, um {value}.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data and some of the keys; each order in which he could have learnt them counts alike.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt einige Schlüssel; jede Reihenfolge, in der er sie erfahren haben "
        "kann, zählt gleich.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "say which value of a key is rare: see risk.rare-combinations",
            "sagen, welche Ausprägung eines Schlüssels selten ist: siehe risk.rare-combinations",
        ),
        Text(
            "tell keys apart that say the same, such as postcode and town: they share what they add",
            "Schlüssel unterscheiden, die dasselbe sagen, wie Postleitzahl und Ort: Sie teilen sich ihren Beitrag",
        ),
    ),
    words={
        "adds": Text("adds to the risk", "trägt zum Risiko bei"),
        "risk_by_number_of_keys": Text("mean risk by number of known keys", "mittleres Risiko nach Zahl der bekannten Schlüssel"),
        "risk_with_key_alone": Text("risk with this key alone", "Risiko mit diesem Schlüssel allein"),
        "risk_without_key": Text("risk without this key", "Risiko ohne diesen Schlüssel"),
        "risk_without_keys": Text("risk without any key", "Risiko ohne jeden Schlüssel"),
        "standard_error": Text("standard error", "Standardfehler"),
        "whole_risk": Text("risk with all keys", "Risiko mit allen Schlüsseln"),
    },
    example={
        "keys": ["sex", "year", "region"], "missing": "wildcard", "suppressed": "category", "summary": "share-at-risk",
        "threshold": 0.2, "permutations": 50,
    },
)  # fmt: skip
class Attribution(OnKeys):
    """What each key adds to the chance of being found, and what leaving it out would change.

    The risk of a set of keys is the chance of a prosecutor who knows these keys: the average of 1/f over the records, or the share of
    records whose 1/f lies above `threshold`, where f counts the records that fit. A key adds what the risk rises by when it becomes known
    after others. The mean over all orders of the keys is its Shapley value; the values of all keys add up to the risk of all keys together,
    less the risk of somebody who knows none.

    With up to 10 keys every set is counted. With more, `permutations` random orders are taken, always the same ones for the same number
    of keys, and the standard errors are stated. The details also give, for every key, the risk without it (leave one out) and the risk
    with it alone; and the mean risk over all sets of 0, 1, 2, … keys: how many an attacker must know before he finds somebody. Keys count as in `risk.k-anonymity`, with all its policies.
    """

    summary: Literal["average", "share-at-risk"] = "average"
    """The number that is shared out: the average risk, or the share of records above the threshold. | Welche Zahl aufgeteilt wird: das
    mittlere Risiko (average) oder der Anteil der Datensätze über der Schwelle (share-at-risk)."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """A record is at risk above this. | Darüber gilt ein Datensatz als gefährdet."""
    permutations: Annotated[int, Field(ge=2)] = 200
    """Orders of the keys that are taken where there are more than 10. | Zahl der Reihenfolgen, die bei mehr als 10 Schlüsseln gezogen
    werden."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        names = checked(after, self.keys, self.missing)
        parts = self._parts(after, names)
        doubt = self.doubt(after) or doubt_of(after, names)
        exact = len(names) <= EXACT
        because = (
            _COUNTED.filled(sets=1 << len(names)) if exact else _SAMPLED.filled(orders=self.permutations)
        )
        return Finding(
            value=float(parts.shapley.max()),
            baseline=None if before is None else float(self._parts(before, before.keys(names)).shapley.max()),
            trusted=doubt == NOTHING,
            because=doubt or because,
            details={**self.policy(after), **self._details(names, parts, len(after))},
        )

    def _parts(self, data: Microdata, names: tuple[str, ...]) -> Parts:
        keys, policy = list(stored(data, names)), Policy(self.missing, self.suppressed, self._score)
        if len(names) <= EXACT:
            return counted(keys, policy)
        drawn = np.random.default_rng(
            (len(names), self.permutations)
        )  # fixed, so that a measure is repeatable
        return sampled(
            keys, policy, [drawn.permutation(len(names)).tolist() for _ in range(self.permutations)]
        )

    def _score(self, fitting: Ints, records: Ints) -> float:
        risk = 1 / fitting
        told = risk if self.summary == "average" else risk > self.threshold
        return float((records * told).sum() / records.sum())

    def _details(self, names: tuple[str, ...], parts: Parts, records: int) -> dict[str, Json]:
        def by_key(figures: Json) -> dict[str, float]:
            return dict(zip(names, map(float, figures), strict=True))

        return {
            "records": records,
            "summary": self.summary,
            "threshold": self.threshold,
            "whole_risk": parts.whole,
            "risk_without_keys": parts.nothing,
            "adds": by_key(parts.shapley),
            "standard_error": by_key(parts.error),
            "risk_without_key": by_key(parts.without),
            "risk_with_key_alone": by_key(parts.alone),
            "risk_by_number_of_keys": {str(count): float(risk) for count, risk in enumerate(parts.by_count)},
        }
