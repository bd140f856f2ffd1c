"""Global risk: how many records of a sample an attacker assigns rightly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.populations import LEVEL, household_risk, normal_interval, spread
from tarnkappe.risk.posterior_risk import KNOWS, NOT_MODELLED, OnPosterior
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.microdata import Microdata

_ESTIMATED = Text(
    "The interval of 95% covers what is not known of the population when the chances to be drawn are right; these are estimated.",
    "Das Intervall von 95 % deckt, was von der Grundgesamtheit nicht bekannt ist, wenn die Auswahlwahrscheinlichkeiten stimmen; diese sind "
    "geschätzt.",
)


@measure(
    "risk.expected-hits",
    title=Text("Expected re-identifications", "Erwartete Re-Identifikationen"),
    does=Text(
        "Estimates how many records of a sample an attacker would assign to the right person (global risk).",
        "Schätzt, wie viele Datensätze einer Stichprobe ein Angreifer der richtigen Person zuordnen würde (globales Risiko).",
    ),
    sources=(
        Source("benedettifranconi1998", "individual risk with sampling weights"),
        Source("franconipolettini2004", "global risk: the sum of the individual risks; household risk"),
        Source("templ2015", "expected number of re-identifications in sdcMicro"),
    ),
    reads=Text(
        "An attacker would find about {value} persons.", "Ein Angreifer würde etwa {value} Personen finden."
    ),
    knows=KNOWS,
    goal=Goal.LOW,
    bounds=(0, math.inf),
    alone=True,
    does_not=(
        NOT_MODELLED,
        Text(
            "say whose records would be found: see risk.individual",
            "sagen, wessen Datensätze gefunden würden: siehe risk.individual",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "by_household": Text("by household", "je Haushalt"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "within": ["region"], "population": 5000,
        "mode": "sdcmicro",
    },
)  # fmt: skip
class ExpectedHits(OnPosterior):
    """The sum of the individual risks of all records; see `risk.individual`.

    The details give it as a share of the records, by stratum where `within` names any, and for households: the sum over all records
    of the chance that somebody of the household is found. The variance of the sum is not larger than Σ f r (1 - f r) over the classes,
    because 1/F is at most 1/f; the interval uses that.
    """

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sample, risk = self.risks(after)
        total = float(risk.sum())
        low, high = normal_interval(total, spread(sample, risk), float(len(after)))
        home = household_risk(after, risk)
        doubt = self.doubt_about(after)
        return Finding(
            value=total,
            low=low,
            high=high,
            baseline=None if before is None else float(self.risks(before)[1].sum()),
            trusted=doubt == NOTHING,
            because=doubt or _ESTIMATED,
            details={
                **self.policy(after), "population": self.population, "mode": self.mode, "level": LEVEL, "share": total / len(after),
                "by_household": float(home.sum()) if after.role(Role.HOUSEHOLD) else None, **self.strata(after, risk, 0.1),
            },
            per_record=risk,
        )  # fmt: skip
