"""l-diversity: how many sensitive values the records have that could be a person's."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.profiles import Apply, OnSensitive, Score, Told, flagged
from tarnkappe.spec import Goal, Json, Maturity, Source, measure
from tarnkappe.spec.fields import Values

SHOWN = (2, 3, 4, 5)
"""The details give the least c for these l."""
_ALL_HARMLESS = Text(
    "All sensitive values that occur are named as harmless, so nothing was judged.",
    "Alle vorkommenden sensiblen Werte sind als harmlos benannt; es wurde also nichts beurteilt.",
)


@measure(
    "risk.l-diversity",
    title=Text("l-diversity", "l-Diversität"),
    does=Text(
        "Counts, for every person, how many sensitive values the released records have that could be that person's; l is the smallest.",
        "Zählt zu jeder Person, wie viele sensible Werte die Datensätze haben, die ihre sein könnten; l ist die kleinste Anzahl.",
    ),
    sources=(
        Source("machanavajjhala2007", "section 4: entropy, recursive and positive-disclosure recursive l-diversity"),
        Source("dav2025", "section 4.3"),
    ),
    reads=Text(
        "Everybody's sensitive value is hidden among at least {value} values.",
        "Der sensible Wert jeder Person ist unter mindestens {value} Werten verborgen.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data and the true values of all keys, and may rule out some sensitive values.",
        "Der Angreifer weiß, dass die Person in den Daten ist, kennt die wahren Werte aller Schlüssel und kann einzelne sensible Werte "
        "ausschließen.",
    ),
    goal=Goal.HIGH,
    bounds=(1, math.inf),
    alone=True,
    does_not=(
        Text(
            "see that different values mean nearly the same: three mental disorders are three values; see risk.t-closeness",
            "erkennen, dass verschiedene Werte fast dasselbe bedeuten: drei psychische Störungen sind drei Werte; siehe risk.t-closeness",
        ),
        Text(
            "see, with kind: distinct, how unequal the frequencies are",
            "bei kind: distinct sehen, wie ungleich die Häufigkeiten sind",
        ),
    ),
    maturity=Maturity.REPLICATED,
    revision=2,
    words={
        "c_above": Text("holds for c above, by l:", "gilt für c über, nach l:"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "kind": "recursive", "c": 4, "harmless": {"diagnosis": ["none"]},
    },
)  # fmt: skip
class LDiversity(OnSensitive):
    """The least number of sensitive values among the records that could be one person's.

    `distinct` counts the values that occur. `entropy` is exp(H), the number of equally frequent values that would be as mixed;
    98, 1 and 1 records count as 1.1 values, not as 3. `recursive` is the largest l for which the most frequent value occurs less than
    c times as often as all values from the l-th on together. Values named under `harmless` may be learnt: only the most frequent of the
    others is held against the rest (positive-disclosure recursive l-diversity), and classes without any other are left aside.

    Keys count as in `risk.k-anonymity`, with all its policies: where missing or suppressed keys fit several classes, the
    sensitive values of all of them count. A suppressed sensitive value tells nothing and hides nobody else's; a missing one is a value of
    its own or tells nothing, as `unknown` says. The values of one unit over its periods are no variety: nobody has more values than there are units
    that could be meant. Several columns are judged each on its own and the worst counts.

    The details give, for every column, the value, the records that have it and, for `recursive`, the number that c must exceed
    for l = 2, 3, 4, 5; none where it cannot be reached.
    """

    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    """How values are counted. | Wie Werte gezählt werden."""
    c: Annotated[float, Field(gt=0)] = 3.0
    """For recursive: the most frequent value must occur less than so many times as often as the rare ones together. | Für recursive: Der
    häufigste Wert muss weniger als so oft vorkommen wie die seltenen zusammen."""
    harmless: Values = Field(default_factory=dict)
    """For recursive: values of a column that may be learnt. | Für recursive: Werte einer Spalte, die bekannt werden dürfen."""

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        harmful = self._harmful(data, told)
        if self.kind == "recursive":
            return lambda shown: scores.largest_l(*shown, harmful, self.c)
        if self.kind == "entropy":
            return lambda shown: scores.exponential_entropy(shown.starts, shown.counts)
        return lambda shown: np.where(np.diff(shown.starts) > 0, np.diff(shown.starts), np.nan)

    def among_units(self, scores: Floats, units: Ints) -> Floats:
        return np.where(np.isnan(scores), scores, np.minimum(scores, units))

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        if self.kind != "recursive":
            return {}
        from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415

        harmful = self._harmful(data, told)

        def least(variety: int) -> float:
            return float(np.fmax.reduce(apply(lambda shown: scores.least_c(*shown, harmful, variety))))

        return {"c_above": {str(variety): least(variety) for variety in SHOWN}}

    def doubt(self, data: Microdata) -> Text:
        return super().doubt(data) or (_ALL_HARMLESS if self._all_harmless(data) else NOTHING)

    def _all_harmless(self, data: Microdata) -> bool:
        judged = self.kind == "recursive"
        return judged and not any(
            self._harmful(data, self.told(data, name)).any() for name in self.named(data)
        )

    def _harmful(self, data: Microdata, told: Told) -> Bools:
        return ~flagged(data, told, self.harmless.get(told.name, ()))
