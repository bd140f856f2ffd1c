"""(α,k)-anonymity: no sensitive value may dominate a class."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ValueUnknown
from tarnkappe.language import Text
from tarnkappe.risk.profiles import OnSensitive, Score, Told, flagged
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.spec.fields import Values


@measure(
    "risk.alpha-k",
    title=Text("(α,k)-anonymity", "(α,k)-Anonymität"),
    does=Text(
        "Gives the largest share of one sensitive value among the released records that could be a person's, in groups of at least k.",
        "Gibt den größten Anteil eines sensiblen Werts unter den Datensätzen an, die zu einer Person gehören können, in Gruppen ab k.",
    ),
    sources=(Source("wong2006", "(α, k)-anonymity"),),
    reads=Text(
        "Somebody's sensitive value can be guessed with a certainty of {value}.",
        "Ein sensibler Wert lässt sich bei jemandem mit einer Sicherheit von {value} erraten.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and nothing else.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel, sonst nichts.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "compare with what everybody knows already: a value that is frequent in the whole file is frequent in its classes",
            "mit dem vergleichen, was ohnehin jeder weiß: Ein in der ganzen Datei häufiger Wert ist auch in ihren Klassen häufig",
        ),
    ),
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "k": 3, "values": {"diagnosis": ["cancer"]},
    },
)  # fmt: skip
class AlphaK(OnSensitive):
    """The largest share α of one sensitive value in a class; a class of fewer than k records counts as fully disclosed.

    With `at_most: 0.5` as a gate and `k: 5`, a release needs classes of five and no value in more than half of one. Values
    named under `values` are the only ones that count in their column. Keys count as in `risk.k-anonymity`, with all its
    policies; suppressed sensitive values tell nothing, missing ones are a value of their own or tell nothing, as `unknown` says.
    The details give α without the condition on k for every column, and k.
    """

    k: Annotated[int, Field(ge=1)] = 2
    """Smallest class that is allowed. | Kleinste erlaubte Klasse."""
    values: Values = Field(default_factory=dict)
    """Values of a column that nobody may learn; without them, all. | Werte einer Spalte, die niemand erfahren darf; ohne sie alle."""

    def score(self, data: Microdata, told: Told) -> Score:
        return harmful_share(data, told, self.values)

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        return self.with_sizes(super().measure(after, before=before), after, before)

    def with_sizes(self, found: Finding, after: Microdata, before: Microdata | None) -> Finding:
        """The finding with small classes counted as disclosed."""
        counts = self.counts(after)
        small = counts < self.k
        share = found.per_record
        return Finding(
            value=1.0 if small.any() else found.value,
            baseline=1.0 if before is not None and (self.counts(before) < self.k).any() else found.baseline,
            trusted=found.trusted,
            because=found.because,
            details={**found.details, "k": int(counts.min()), "records_below_k": int(small.sum())},
            per_record=None if share is None else np.where(small, 1.0, share),
        )


def harmful_share(data: Microdata, told: Told, values: Values) -> Score:
    """The share of the most frequent value, among those named where some are named for the column."""
    from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415 - numba is loaded when first used

    harmful: Bools = np.ones(len(told.shares), dtype=np.bool_)
    if told.name in values:
        harmful = flagged(data, told, values[told.name])
        if not harmful.any():
            raise ValueUnknown(name=told.name, count=len(values[told.name]), first=1)
    return lambda shown: scores.largest_share(*shown, harmful)
