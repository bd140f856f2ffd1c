"""δ-disclosure privacy: how much the keys change the likelihood of a sensitive value, either way."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.risk.profiles import Apply, OnSensitive, Score, Told
from tarnkappe.spec import Goal, Json, Source, measure


@measure(
    "risk.delta-disclosure",
    title=Text("δ-disclosure privacy", "δ-Disclosure-Privacy"),
    does=Text(
        "Gives the largest change of the likelihood of a sensitive value, up or down, that the keys bring an attacker.",
        "Gibt an, wie stark die Schlüssel die Wahrscheinlichkeit eines sensiblen Werts höchstens verändern, nach oben oder unten.",
    ),
    sources=(Source("brickellshmatikov2008", "δ-disclosure privacy"),),
    reads=Text(
        "The logarithm of the likelihood of a sensitive value changes by up to {value}.",
        "Der Logarithmus der Wahrscheinlichkeit eines sensiblen Werts ändert sich um bis zu {value}.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and the distribution in the whole file.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel und die Verteilung in der "
        "ganzen Datei.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    alone=True,
    does_not=(
        Text(
            "count, with absent: ignore, that a value which is not in the class is ruled out for its members",
            "bei absent: ignore zählen, dass ein in der Klasse fehlender Wert für ihre Mitglieder ausgeschlossen ist",
        ),
        Text(
            "see that different values mean nearly the same",
            "erkennen, dass verschiedene Werte fast dasselbe bedeuten",
        ),
    ),
    words={
        "classes_without_some_value": Text("classes in which a value is missing", "Klassen, in denen ein Wert nicht vorkommt"),
    },
    example={
        "keys": ["sex"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "absent": "disclosed",
    },
)  # fmt: skip
class DeltaDisclosure(OnSensitive):
    """The largest |ln(p/q)| over classes and sensitive values, p their share in the class and q in the whole release.

    The definition takes all values, so that one value which is not in a class makes δ infinite (`absent: disclosed`). As hardly a
    file has every value in every class, only values that occur are compared by default, as in other programs; the
    details then say in how many classes something is ruled out.

    Keys count as in `risk.k-anonymity`, with all its policies; suppressed sensitive values tell nothing, missing ones are a value
    of their own or tell nothing, as `unknown` says.
    """

    absent: Literal["ignore", "disclosed"] = "ignore"
    """What a value that is not in a class counts: nothing, or as disclosed. | Was ein Wert zählt, den es in einer Klasse nicht gibt: nichts
    (ignore) oder als aufgedeckt (disclosed)."""

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        del data
        needed = len(told.shares) if self.absent == "disclosed" else 0
        return lambda shown: scores.largest_log_ratio(*shown, told.shares, needed)

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        del data
        kinds = apply(lambda shown: np.diff(shown.starts).astype(np.float64))
        return {"classes_without_some_value": int(np.sum((kinds > 0) & (kinds < len(told.shares))))}
