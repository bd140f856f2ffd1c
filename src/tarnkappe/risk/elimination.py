"""Elimination: who knows a few members of a class knows the others, and values that are not there are ruled out."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.risk.profiles import Apply, Score, Told
from tarnkappe.risk.weakness import Weakness
from tarnkappe.spec import Goal, Json, Maturity, Source, measure


@measure(
    "risk.elimination",
    title=Text("Elimination", "Elimination"),
    does=Text(
        "Finds the classes in which somebody who identifies a few persons knows the sensitive value of all others.",
        "Findet die Klassen, in denen den sensiblen Wert aller anderen kennt, wer einige wenige Personen identifiziert.",
    ),
    sources=(
        Source("dav2025", "section 4.3: weaknesses of distinct and entropy l-diversity"),
        Source("machanavajjhala2007", "section 4: what is left when values are eliminated; negative disclosure"),
    ),
    reads=Text(
        "A share of {value} of all persons is in a class whose sensitive values are known to somebody who identifies a few of its members.",
        "Ein Anteil von {value} aller Personen ist in einer Klasse, deren sensible Werte kennt, wer wenige ihrer Mitglieder identifiziert.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and the sensitive values of so many others.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel und die sensiblen Werte so "
        "vieler anderer.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "say how hard it is to identify the few",
            "sagen, wie schwer es ist, die wenigen zu identifizieren",
        ),
        Text(
            "count a value that is ruled out as disclosed: the details tell how much is ruled out",
            "einen ausgeschlossenen Wert als aufgedeckt zählen: Die Einzelheiten sagen, wie viel ausgeschlossen ist",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "persons_to_identify": Text("persons to identify until the rest is known", "zu identifizierende Personen, bis der Rest bekannt ist"),
        "ruled_out": Text("share of the file whose value is ruled out", "Anteil der Datei, dessen Wert ausgeschlossen ist"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "identified": 3,
    },
)  # fmt: skip
class Elimination(Weakness):
    """The share of persons in classes where at most `identified` persons stand between an attacker and everybody's value.

    In a class of n persons whose most frequent value has r₁, whoever identifies the n − r₁ others knows that all who are left have that value:
    98 of 100 with one value are exposed by two persons. The details also tell what is ruled out (negative disclosure): the share
    of the whole file that has a value which a class does not have, on average over the classes and at most. Keys count as in
    `risk.k-anonymity`, with all its policies. Per record: 1/(1 + persons to identify), so 1 where nobody needs to be.
    """

    identified: Annotated[int, Field(ge=0)] = 2
    """So many persons of a class the attacker can identify. | So viele Personen einer Klasse kann der Angreifer identifizieren."""

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import weakness_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        del data, told
        return lambda shown: 1 / (1 + scores.to_identify(shown.starts, shown.counts))

    def exposed(self, score: Floats) -> Bools:
        return np.asarray(score >= (1 - 1e-12) / (1 + self.identified))

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        from tarnkappe.kernels import weakness_scores as scores  # noqa: PLC0415

        needed = apply(lambda shown: scores.to_identify(shown.starts, shown.counts))
        absent = apply(lambda shown: scores.ruled_out(shown.starts, shown.values, told.shares))
        del data
        if not np.isfinite(needed).any():
            return {"persons_to_identify": None, "ruled_out": {"average": None, "highest": None}}
        ruled = {"average": float(np.nanmean(absent)), "highest": float(np.nanmax(absent))}
        return {"persons_to_identify": int(np.nanmin(needed)), "ruled_out": ruled}
