"""Any measure of risk, stratum by stratum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors import InputWrong
from tarnkappe.errors.data import EmptyData
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, catalogue, measure
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.parameters import fit

MOST_SHOWN = 20
_UNKNOWN = Text(
    "of names no measure of risk that looks at one file", "of nennt kein Risikomaß, das eine einzelne Datei betrachtet"
)  # fmt: skip
_ITSELF = Text("strata cannot be divided once more", "Schichten lassen sich nicht noch einmal teilen")
_PARAMETERS = Text("its parameters do not fit: {why}", "seine Parameter passen nicht: {why}")
_ONE_LIMIT = Text("give at_least or at_most", "at_least oder at_most angeben")
_DOUBTFUL = Text(
    "In {count} strata the measure gives no value that can be trusted; their records count as exposed.",
    "In {count} Schichten gibt das Maß keinen verlässlichen Wert; ihre Datensätze zählen als gefährdet.",
)


@measure(
    "risk.by-stratum",
    title=Text("Risk by stratum", "Risiko je Schicht"),
    does=Text(
        "Takes a measure of risk in every stratum on its own and counts the persons in strata where it misses a limit.",
        "Nimmt ein Risikomaß in jeder Schicht für sich und zählt die Personen in Schichten, in denen es eine Grenze verfehlt.",
    ),
    sources=(
        Source("gottschalk2002", "section 3: risk by size and industry (spec G-R11, G-R12)"),
        Source("hoehne2010", "section 1.1: units that are easily found in their part of the population"),
    ),
    reads=Text(
        "A share of {value} of the persons lives in strata where the limit is missed.",
        "Ein Anteil von {value} der Personen gehört zu Schichten, in denen die Grenze verfehlt wird.",
    ),
    knows=Text(
        "What the measure says that is taken, and the stratum of the person.",
        "Was das genommene Maß sagt, und die Schicht der Person.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "name the strata: the office finds them by the figures of the records",
            "die Schichten nennen: Das Haus findet sie an den Angaben zu den Datensätzen",
        ),
        Text(
            "take measures that compare two files",
            "Maße nehmen, die zwei Dateien vergleichen",
        ),
    ),
    words={
        "strata_exposed": Text("strata that miss the limit", "Schichten, die die Grenze verfehlen"),
        "strata_unsure": Text("strata without a value that can be trusted", "Schichten ohne verlässlichen Wert"),
    },
    example={"of": "risk.k-anonymity", "parameters": {"keys": ["sex"]}, "within": ["region"], "at_least": 3.0, "at_most": 1000.0},
)  # fmt: skip
class ByStratum(Measure):
    """The share of persons in strata where a measure is below `at_least` or above `at_most`.

    Missing and suppressed values of the strata are strata of their own. A stratum in which the measure has no value that can be trusted
    counts as exposed: what is not known to be safe is not safe. Per record: the value of the stratum.
    """

    of: Annotated[str, Field(min_length=1)]
    """Measure of risk. | Risikomaß."""
    within: Columns
    """Columns whose combinations are the strata. | Spalten, deren Kombinationen die Schichten sind."""
    parameters: Mapping[str, Any] = {}
    """Its parameters. | Seine Parameter."""
    at_least: float | None = None
    """Smallest value a stratum may have. | Kleinster Wert, den eine Schicht haben darf."""
    at_most: float | None = None
    """Largest value a stratum may have. | Größter Wert, den eine Schicht haben darf."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        cls = catalogue[self.of] if self.of in catalogue else None  # noqa: SIM401 - no mapping
        if cls is None or not issubclass(cls, Measure) or cls.compares or not cls.id.startswith("risk."):
            raise ValueError(_UNKNOWN)
        if cls.id == self.id:
            raise ValueError(_ITSELF)
        misfits = fit(cls, self.parameters)[1]
        if misfits:
            raise ValueError(_PARAMETERS.filled(why=misfits[0].says))
        if self.at_least is None and self.at_most is None:
            raise ValueError(_ONE_LIMIT)
        return self

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        del before
        if len(after) == 0:
            raise EmptyData
        taken = catalogue[self.of].model_validate(self.parameters)
        assert isinstance(taken, Measure)
        strata = strata_of(after, self.within)
        found = _taken(taken, [after.take(records) for records in strata.blocks()])
        values = np.array([one.value for one in found], dtype=np.float64)
        unsure = np.array([not one.trusted or math.isnan(one.value) for one in found])
        exposed = unsure | self._missed(values)
        doubt = _DOUBTFUL.filled(count=int(unsure.sum())) if unsure.any() else NOTHING
        share = float(strata.sizes[exposed].sum() / len(after))
        details: dict[str, Json] = {
            "measure": self.of, "within": self.within, "strata": len(strata), "strata_exposed": int(exposed.sum()),
            "strata_unsure": int(unsure.sum()), "worst_strata": self._worst(strata.sizes, values, taken.goal),
        }  # fmt: skip
        return Finding(share, trusted=not doubt, because=doubt, details=details, per_record=values[strata.of])

    def _missed(self, values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return np.asarray((values < low) | (values > high))

    def _worst(
        self, sizes: np.ndarray[Any, Any], values: np.ndarray[Any, Any], goal: Goal
    ) -> list[dict[str, Json]]:
        """Strata by their number in the order of the file: their names could be values of a record."""
        order = np.argsort(values if goal is Goal.HIGH else -values, kind="stable")[:MOST_SHOWN]
        return [{"stratum": int(s) + 1, "records": int(sizes[s]), "value": float(values[s])} for s in order]


def _taken(measure: Measure, parts: list[Microdata]) -> list[Finding]:
    """The findings of all strata; where the measure does not fit one of them it has no value, where it fits none it is wrong."""
    found, problems = [], []
    for part in parts:
        try:
            found.append(measure.measure(part))
        except InputWrong as problem:
            problems.append(problem)
            found.append(Finding(math.nan, trusted=False, because=problem.what))
    if len(problems) == len(parts):
        raise problems[0]
    return found
