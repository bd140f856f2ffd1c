"""Homogeneity: classes in which nearly everybody has the same sensitive value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.language import Text
from tarnkappe.risk.profiles import Apply, Score, Told, flagged
from tarnkappe.risk.weakness import KNOWS_KEYS, Certainty, Weakness
from tarnkappe.spec import Finding, Goal, Json, Maturity, Source, measure
from tarnkappe.spec.fields import Values
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

_NO_KEYS = Text(
    "No column has the role key, and none is named: the whole file is one class.",
    "Keine Spalte hat die Rolle key, und keine ist genannt: Die ganze Datei ist eine Klasse.",
)


@measure(
    "risk.homogeneity",
    title=Text("Homogeneity", "Homogenität"),
    does=Text(
        "Finds the persons among whose possible records nearly all have the same sensitive value: who finds the class knows the value.",
        "Findet die Personen, deren mögliche Datensätze fast alle denselben sensiblen Wert haben: Wer die Klasse findet, kennt den Wert.",
    ),
    sources=(
        Source("machanavajjhala2007", "section 2: homogeneity attack"),
        Source("dav2025", "section 4.2: weaknesses of k-anonymity, homogeneity"),
        Source("gottschalk2002", "section 3: where all respondents share a value, participation alone discloses it (G-R09)"),
    ),
    reads=Text(
        "Of a share of {value} of all persons a sensitive value can be told from the keys.",
        "Bei einem Anteil von {value} aller Personen verraten die Schlüssel einen sensiblen Wert.",
    ),
    knows=KNOWS_KEYS,
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "compare with what everybody knows: where nine of ten have a value, most classes are homogeneous; name it under harmless",
            "mit dem vergleichen, was ohnehin jeder weiß: Haben neun von zehn einen Wert, sind die meisten Klassen homogen; nennen "
            "Sie ihn unter harmless",
        ),
        Text(
            "see that different values mean nearly the same: see risk.similarity",
            "erkennen, dass verschiedene Werte fast dasselbe bedeuten: siehe risk.similarity",
        ),
    ),
    maturity=Maturity.REPLICATED,
    revision=2,
    words={
        "whole_file": Text("without any key: the whole file as one class", "ohne jeden Schlüssel: die ganze Datei als eine Klasse"),
        "largest_share": Text("largest share of a value", "größter Anteil eines Werts"),
        "homogeneous": Text("participation alone tells it", "die Teilnahme allein verrät ihn"),
        "classes_certain": Text("classes with a single value", "Klassen mit einem einzigen Wert"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "certainty": 0.5, "harmless": {"diagnosis": ["none"]},
    },
)  # fmt: skip
class Homogeneity(Weakness):
    """The share of persons in classes whose most frequent sensitive value reaches a share of `certainty`.

    `certainty: 1` counts only classes in which the value is certain; the details give both. Values named under `harmless` may be
    learnt. Somebody alone in a class is exposed whatever the value is, and so is a unit that is alone in
    it with several records. Keys count as in `risk.k-anonymity`, with all its
    policies; suppressed sensitive values tell nothing, missing ones are a value of their own or tell nothing, as `unknown` says.
    Per record: the largest share of a value among the records that could be that person's.

    Where nearly all records of the file share a value, no key is needed: whoever knows that a person took part knows the value. The details tell
    that for the whole file (`whole_file`); where there are no keys at all, it is the value: everybody is exposed, or nobody.
    """

    needs_roles = needs(sensitive=Role.SENSITIVE)

    certainty: Certainty = 0.8
    """A class is homogeneous if a value has this share in it. | Ab diesem Anteil eines Werts gilt eine Klasse als homogen."""
    harmless: Values = Field(default_factory=dict)
    """Values of a column that may be learnt. | Werte einer Spalte, die bekannt werden dürfen."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        whole = self._whole(after)
        if self.keys or after.role(Role.KEY):
            found = super().measure(after, before=before)
            return replace(found, details={**found.details, "whole_file": whole})
        if not len(after):
            raise EmptyData
        exposed = any(told["homogeneous"] for told in whole.values())
        was = None if before is None else self._whole(before)
        return Finding(
            value=float(exposed),
            baseline=None if was is None else float(any(told["homogeneous"] for told in was.values())),
            because=_NO_KEYS,
            details={"keys": (), "records": len(after), "whole_file": whole},
            per_record=np.full(len(after), max(told["largest_share"] for told in whole.values())),
        )

    def _whole(self, data: Microdata) -> dict[str, dict[str, Json]]:
        """For every sensitive column the largest share of a value that may not be learnt, and whether that is too much."""
        out: dict[str, dict[str, Json]] = {}
        for name in self.named(data) if len(data) else ():
            told = self.told(data, name)
            harmful = ~flagged(data, told, self.harmless.get(name, ()))
            largest = float(told.shares[harmful].max(initial=0.0))
            exposed = bool(self.exposed(np.array([largest]))[0])
            out[name] = {"largest_share": largest, "homogeneous": exposed}
        return out

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        harmful = ~flagged(data, told, self.harmless.get(told.name, ()))
        return lambda shown: scores.largest_share(*shown, harmful)

    def among_units(self, scores: Floats, units: Ints) -> Floats:
        return np.where((units == 1) & (scores > 0), 1.0, scores)

    def exposed(self, score: Floats) -> Bools:
        return np.asarray(score >= self.certainty - 1e-12)

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        return {"classes_certain": int(np.sum(apply(self.score(data, told)) == 1))}
