"""Individual risk: how surely each record of a weighted sample is found in its population."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.populations import Summary, figures, household_risk, normal_interval, spread
from tarnkappe.risk.posterior_risk import KNOWS, NOT_MODELLED, OnPosterior
from tarnkappe.spec import Finding, Goal, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.risk.populations import Sample

_ESTIMATED = Text(
    "The risk of a record is the mean of 1/(persons that fit) under a negative binomial distribution: only the average has an "
    "interval, of 95%.",
    "Das Risiko eines Datensatzes ist der Erwartungswert von 1/(passende Personen) unter einer negativen Binomialverteilung: Nur das "
    "Mittel hat ein Intervall, von 95 %.",
)


@measure(
    "risk.individual",
    title=Text("Individual risk", "Individuelles Risiko"),
    does=Text(
        "Estimates for every record of a sample the chance that it is assigned to the right person of the population.",
        "Schätzt zu jedem Datensatz einer Stichprobe die Wahrscheinlichkeit, dass er der richtigen Person der Grundgesamtheit "
        "zugeordnet wird.",
    ),
    sources=(
        Source("benedettifranconi1998", "individual risk with sampling weights"),
        Source("franconipolettini2004", "closed form of the risk as a hypergeometric function; household risk"),
        Source("hundepool2012", "individual risk of microdata"),
    ),
    reads=Text(
        "By the chosen summary, the individual risk is {value}.",
        "Das individuelle Risiko beträgt in der gewählten Zusammenfassung {value}.",
    ),
    knows=KNOWS,
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        NOT_MODELLED,
        Text(
            "protect somebody of whom it is known that he is in the sample: see risk.reidentification",
            "jemanden schützen, von dem bekannt ist, dass er in der Stichprobe ist: siehe risk.reidentification",
        ),
    ),
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "within": ["region"], "population": 5000,
        "mode": "sdcmicro", "by": "households", "summary": "average", "threshold": 0.2,
    },
)  # fmt: skip
class Individual(OnPosterior):
    """The posterior mean of 1/F for every record, and one number for the file.

    F, the persons of the population that share the keys of f records, is negative binomial given f; the chance p to be drawn is
    estimated by f over the sum of the weights of the class, or is the same for all where the size of the population is given. The
    mean of 1/F is p^f/f times a hypergeometric function; it is computed exactly for all f. With p = 1 it is 1/f.

    With `by: households` the risk of a record is the chance that at least one member of the household is found, as one member
    found gives the others away.
    """

    by: Literal["records", "households"] = "records"
    """Whose risk: that of the record, or that somebody of the household is found. | Wessen Risiko: das des Datensatzes (records) oder dass
    jemand aus dem Haushalt gefunden wird (households)."""
    summary: Summary = Summary.HIGHEST
    """The number that is told: the highest risk, the average, or the share of records above the threshold. | Welche Zahl genannt wird: das
    höchste Risiko (highest), das mittlere (average) oder der Anteil der Datensätze über der Schwelle (share-at-risk)."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """A record is at risk above this. | Darüber gilt ein Datensatz als gefährdet."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sample, own = self.risks(after)
        risk = self._of(after, own)
        told = figures(risk, self.threshold)
        doubt = self.doubt_about(after)
        low, high = self._interval(sample, risk, told[Summary.AVERAGE.value])
        return Finding(
            value=told[self.summary.value],
            low=low,
            high=high,
            baseline=None if before is None else figures(self._of(before, self.risks(before)[1]), self.threshold)[self.summary.value],
            trusted=doubt == NOTHING,
            because=doubt or _ESTIMATED,
            details={
                **self.policy(after), "population": self.population, "mode": self.mode, "by": self.by, "threshold": self.threshold,
                **told, "summary": self.summary.value, "expected_hits": float(risk.sum()),
                **self.strata(after, risk, self.threshold),
            },
            per_record=risk,
        )  # fmt: skip

    def _of(self, data: Microdata, own: Floats) -> Floats:
        return household_risk(data, own) if self.by == "households" else own

    def _interval(self, sample: Sample, risk: Floats, average: float) -> tuple[float | None, float | None]:
        """That of the average over records; single risks are means already and have none, households overlap in their classes."""
        if self.summary is not Summary.AVERAGE or self.by == "households":
            return None, None
        return normal_interval(average, spread(sample, risk) / len(risk) ** 2, 1.0)
