"""β-likeness: how much more likely the keys make a sensitive value."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.risk.profiles import OnSensitive, Score, Told
from tarnkappe.spec import Goal, Source, measure


@measure(
    "risk.beta-likeness",
    title=Text("β-likeness", "β-Ähnlichkeit"),
    does=Text(
        "Gives the largest relative gain in the likelihood of a sensitive value that the keys bring an attacker.",
        "Gibt an, um wie viel die Schlüssel einen sensiblen Wert für einen Angreifer höchstens wahrscheinlicher machen.",
    ),
    sources=(Source("caokarras2012", "basic and enhanced β-likeness"),),
    reads=Text(
        "The keys raise the likelihood of a sensitive value by up to {value} times its share in the file.",
        "Die Schlüssel erhöhen die Wahrscheinlichkeit eines sensiblen Werts um bis zum {value}-fachen seines Anteils in der Datei.",
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
            "count what becomes less likely: see risk.delta-disclosure",
            "zählen, was unwahrscheinlicher wird: siehe risk.delta-disclosure",
        ),
        Text(
            "see that different values mean nearly the same",
            "erkennen, dass verschiedene Werte fast dasselbe bedeuten",
        ),
    ),
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "kind": "enhanced",
    },
)  # fmt: skip
class BetaLikeness(OnSensitive):
    """The largest (p - q)/q over classes and sensitive values that are more frequent in the class (p) than in the file (q).

    Unlike t-closeness it does not let a rare value hide behind frequent ones: from 1 % to 5 % is a gain of 4. `basic` is
    that gain. `enhanced` also forbids a gain above -ln q, whatever β is; where one occurs, the value is infinite and no gate lets it pass.

    Keys count as in `risk.k-anonymity`, with all its policies; suppressed sensitive values tell nothing, missing ones are a value
    of their own or tell nothing, as `unknown` says.
    """

    kind: Literal["basic", "enhanced"] = "basic"
    """With or without a limit of its own for every value. | Mit oder ohne eigene Grenze für jeden Wert."""

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        del data
        most = -np.log(told.shares) if self.kind == "enhanced" else np.full(len(told.shares), np.inf)
        return lambda shown: scores.largest_gain(*shown, told.shares, most)
