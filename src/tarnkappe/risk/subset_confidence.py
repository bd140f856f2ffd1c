"""How surely a sensitive value follows from some of the keys, whichever they are."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.risk.alpha_k import harmful_share
from tarnkappe.risk.profiles import OnSensitive, Score, Told
from tarnkappe.risk.subset_anonymity import key_sets
from tarnkappe.spec import Finding, Goal, Source, measure
from tarnkappe.spec.fields import Values


@measure(
    "risk.subset-confidence",
    title=Text("Certainty from every few keys", "Sicherheit aus je wenigen Schlüsseln"),
    does=Text(
        "Gives the largest share of one sensitive value among the records that fit a person on any few of the keys.",
        "Gibt den größten Anteil eines sensiblen Werts unter den Datensätzen an, die auf je wenigen Schlüsseln zu einer Person passen.",
    ),
    sources=(Source("mohammed2009", "the L and C of LKC-privacy"),),
    reads=Text(
        "Somebody's sensitive value follows from a few keys with a certainty of {value}.",
        "Ein sensibler Wert folgt bei jemandem aus wenigen Schlüsseln mit einer Sicherheit von {value}.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data and the true values of some keys, at most as many as `subsets` says.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte einiger Schlüssel, höchstens so vieler, wie "
        "`subsets` sagt.",
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
        "keys": ["sex", "year", "region"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "subsets": 1, "values": {"diagnosis": ["cancer"]},
    },
)  # fmt: skip
class SubsetConfidence(OnSensitive):
    """The largest share of one sensitive value among the records that fit a person on any so many of the keys.

    Sets of exactly `subsets` keys are enough: the records that fit fewer keys are a union of such classes, in which no share can be
    larger. It is the C of LKC-privacy; its K is `risk.subset-anonymity`. Values named under `values` are the only
    ones that count in their column. Keys count as in `risk.k-anonymity`, with all its policies; suppressed sensitive values tell
    nothing, missing ones are a value of their own or tell nothing, as `unknown` says.
    """

    subsets: Annotated[int, Field(ge=1)] = 2
    """The attacker knows any so many of the keys. | Der Angreifer kennt beliebige so viele der Schlüssel."""
    values: Values = Field(default_factory=dict)
    """Values of a column that nobody may learn; without them, all. | Werte einer Spalte, die niemand erfahren darf; ohne sie alle."""

    def score(self, data: Microdata, told: Told) -> Score:
        return harmful_share(data, told, self.values)

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        keys = after.keys(self.keys)
        worst, share, per_record = keys, -1.0, np.full(len(after), np.nan)
        for some in key_sets(keys, self.subsets):
            found = self._on(after, some)
            if found.per_record is not None:
                per_record = np.fmax(per_record, found.per_record)
            if found.value > share:
                worst, share = some, found.value
        whole = self._on(after, worst)
        doubt = self.doubt(after)
        return Finding(
            value=share,
            baseline=None if before is None else self.measure(before).value,
            trusted=not doubt,
            because=doubt,
            details={**whole.details, "keys": keys, "riskiest": worst},
            per_record=per_record,
        )

    def _on(self, data: Microdata, keys: tuple[str, ...]) -> Finding:
        return OnSensitive.measure(self.model_copy(update={"keys": keys}), data)
