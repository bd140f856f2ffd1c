"""Background knowledge: what is left when an attacker can rule out sensitive values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.language import Text
from tarnkappe.risk.profiles import Apply, Score, Told
from tarnkappe.risk.weakness import Certainty, Weakness
from tarnkappe.spec import Goal, Json, Maturity, Source, measure
from tarnkappe.spec.fields import Spelt

Odds = Mapping[str, Mapping[Spelt, Annotated[float, Field(ge=0, le=1e6)]]]
"""Column -> value -> how much likelier the value is for the person than for others."""
MOST = 5
"""More values than this are shown together."""


@measure(
    "risk.background-knowledge",
    title=Text("Background knowledge", "Hintergrundwissen"),
    does=Text(
        "Finds the persons whose sensitive value becomes known to an attacker who can rule out some values for them.",
        "Findet die Personen, deren sensibler Wert einem Angreifer bekannt wird, der einige Werte bei ihnen ausschließen kann.",
    ),
    sources=(
        Source("machanavajjhala2007", "section 2: background knowledge attack"),
        Source("dav2025", "section 4.2: weaknesses of k-anonymity, background knowledge"),
    ),
    reads=Text(
        "Of a share of {value} of all persons a sensitive value is known to somebody who can rule out a few others.",
        "Bei einem Anteil von {value} aller Personen kennt einen sensiblen Wert, wer einige andere ausschließen kann.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and so many values the person cannot have.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel und so viele Werte, die die "
        "Person nicht haben kann.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "know which knowledge attackers have: it assumes the worst that so many values can do",
            "wissen, welches Wissen Angreifer haben: Es nimmt das Schlimmste an, was mit so vielen Werten möglich ist",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "classes_by_values": Text("classes by number of values to rule out", "Klassen nach Zahl der auszuschließenden Werte"),
        "values_to_rule_out": Text("values to rule out until one is left", "auszuschließende Werte, bis einer bleibt"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "certainty": 0.5, "excluded": 2, "odds": {"diagnosis": {"cancer": 0.1}},
    },
)  # fmt: skip
class BackgroundKnowledge(Weakness):
    """The share of persons whose value is known with `certainty` once `excluded` other values are ruled out.

    In a class with the counts r₁ ≥ r₂ ≥ … the worst is r₁ / (r₁ + r₍ₑ₊₂₎ + …) for e values ruled out. `odds` weighs values
    by what is known of the person, as "heart disease is a tenth as likely here"; then `excluded: 0` gives the plain posterior. The
    details tell how many persons need how many values ruled out until only one is left. Keys count as in `risk.k-anonymity`, with all its
    policies. Per record: the certainty about the likeliest value.
    """

    certainty: Certainty = 0.8
    """From this certainty on, a value counts as known. | Ab dieser Sicherheit gilt ein Wert als bekannt."""
    excluded: Annotated[int, Field(ge=0, le=20)] = 1
    """So many values the attacker can rule out. | So viele Werte kann der Angreifer ausschließen."""
    odds: Odds = Field(default_factory=dict)
    """How much likelier values are for the person than for others: column, value, factor. | Um welchen Faktor Werte bei der Person
    wahrscheinlicher sind als bei anderen: Spalte, Wert, Faktor."""

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import weakness_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        odds = self._odds(data, told)
        return lambda shown: scores.posterior(*shown, odds, self.excluded)

    def exposed(self, score: Floats) -> Bools:
        return np.asarray(score >= self.certainty - 1e-12)

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        del data, told
        needed = apply(lambda shown: np.where(np.diff(shown.starts) > 0, np.diff(shown.starts) - 1.0, np.nan))
        least = np.nanmin(needed) if np.isfinite(needed).any() else None
        return {
            "values_to_rule_out": None if least is None else int(least),
            "classes_by_values": {str(n): int(np.sum(needed == n)) for n in range(MOST + 1)},
        }

    def _odds(self, data: Microdata, told: Told) -> Floats:
        given = self.odds.get(told.name, {})
        spelt = [given.get(text, 1.0) for text in canonical(data.column(told.name))]
        return np.array([*spelt, 1.0])[told.kinds]
