"""One score for the analyses that the data is meant for, with the weights the user sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import original
from tarnkappe.errors import InputWrong
from tarnkappe.errors.models import PartUnfit
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, catalogue, measure
from tarnkappe.spec.parameters import fit
from tarnkappe.utility.comparing import joined

_UNKNOWN = Text(
    "use names no measure that compares two files", "use nennt kein Maß, das zwei Dateien vergleicht"
)
_ITSELF = Text("a score cannot be part of itself", "eine Gesamtnote kann nicht Teil ihrer selbst sein")
_WORST = Text(
    "worst is required: this measure has no largest value",
    "worst muss angegeben werden: Dieses Maß hat keinen größten Wert",
)
_PARAMETERS = Text("its parameters do not fit: {why}", "seine Parameter passen nicht: {why}")
_NO_VALUE = Text("Part {number} ({id}) has no value: {why}", "Teil {number} ({id}) hat keinen Wert: {why}")


class Analysis(BaseModel):
    """One measure and how much it counts."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    use: Annotated[str, Field(min_length=1)]
    weight: Annotated[float, Field(gt=0)] = 1.0
    worst: Annotated[float, Field(gt=0)] | None = None
    parameters: Mapping[str, Any] = {}

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.use not in catalogue:
            raise ValueError(_UNKNOWN)
        cls = catalogue[self.use]
        if not issubclass(cls, Measure) or not cls.compares:
            raise ValueError(_UNKNOWN)
        if cls.id == "utility.score":
            raise ValueError(_ITSELF)
        if self.worst is None and not math.isfinite(cls.bounds[1]):
            raise ValueError(_WORST)
        misfits = fit(cls, self.parameters)[1]
        if misfits:
            raise ValueError(_PARAMETERS.filled(why=misfits[0].says))
        return self

    def made(self) -> Measure:
        """The measure with its parameters."""
        cls = catalogue[self.use]
        found = cls.model_validate(self.parameters)
        assert isinstance(found, Measure)
        return found

    def kept(self, value: float) -> float:
        """What is kept, from 0 to 1: 1 less the loss as a part of the worst one; as it is where large values are good."""
        cls = self.made()
        size = abs(value) if cls.goal is Goal.NEAR_ZERO else max(value, 0.0)
        part = min(size / self.scale(), 1.0)
        return part if cls.goal is Goal.HIGH else 1 - part

    def scale(self) -> float:
        """The value at which nothing is left; where large values are good, the one at which all is kept."""
        return self.worst if self.worst is not None else self.made().bounds[1]


@measure(
    "utility.score",
    title=Text("Score of the intended analyses", "Gesamtnote der beabsichtigten Auswertungen"),
    compares=True,
    does=Text(
        "Puts measures of the intended analyses together to one number, with weights that the user sets.",
        "Fasst Maße für die beabsichtigten Auswertungen zu einer Zahl zusammen, mit Gewichten, die man selbst setzt.",
    ),
    sources=(
        Source("dav2025", "sections 6.2, 6.5 and 6.6: known use beats general measures"),
        Source("gottschalk2002", "utility is measured by results of analyses (specification, part 3)"),
    ),
    reads=Text(
        "Of what the intended analyses need, {value} is kept.",
        "Von dem, was die beabsichtigten Auswertungen brauchen, bleiben {value} erhalten.",
    ),
    knows=Text(
        "What the measures compare that it is made of.",
        "Was die Maße vergleichen, aus denen sie besteht.",
    ),
    goal=Goal.HIGH,
    bounds=(0, 1),
    does_not=(
        Text(
            "know which analyses matter: that is what the weights are for",
            "wissen, auf welche Auswertungen es ankommt: Dafür sind die Gewichte da",
        ),
        Text(
            "leave out a part that has no value: then there is no score, and the reason is told",
            "einen Teil ohne Wert übergehen: Dann gibt es keine Gesamtnote, und der Grund wird genannt",
        ),
    ),
    words={
        "analyses": Text("analyses", "Auswertungen"),
    },
    example={
        "analyses": [
            {"use": "utility.contingency", "weight": 2.0, "parameters": {"columns": ["sex", "region"]}},
            {"use": "utility.moments", "weight": 1.0, "worst": 0.1, "parameters": {"columns": ["income"]}},
        ],
    },
)  # fmt: skip
class Score(Measure):
    """The weighted mean of what is kept for every analysis.

    For every part: kept = 1 - min(1, value/worst), where `worst` is the value at which the data is worth nothing any more for that analysis; if it is not
    given, it is the largest possible value of the measure; a value below 0 counts as 0, or without its sign where values should be near 0. Where large values are good, kept = value/worst. The score is the mean with the
    weights. A part without a value that can be trusted leaves no score: nothing is left out silently.
    """

    analyses: Annotated[tuple[Analysis, ...], Field(min_length=1)]
    """Measures (use, parameters) with their weights and the value at which nothing is left (worst). | Maße (use, parameters) mit ihren Gewichten (weight)
    und dem Wert, bei dem nichts mehr übrig ist (worst)."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        told, missing, total, weight = [], NOTHING, 0.0, 0.0
        for number, part in enumerate(self.analyses, 1):
            found = _measured(part, number, after, before)
            if math.isnan(found.value) or not found.trusted:
                missing = joined(missing, _NO_VALUE.filled(number=number, id=part.use, why=found.because))
            kept = part.kept(found.value)
            told.append(_told(part, found, kept))
            total, weight = total + part.weight * kept, weight + part.weight
        value = math.nan if missing else min(max(total / weight, 0.0), 1.0)
        return Finding(value, trusted=not missing, because=missing, details={"analyses": told})


def _measured(part: Analysis, number: int, after: Microdata, before: Microdata) -> Finding:
    try:
        return part.made().measure(after, before=before)
    except InputWrong as problem:
        raise PartUnfit(number=number, id=part.use, why=problem.what) from problem


def _told(part: Analysis, found: Finding, kept: float) -> dict[str, Json]:
    return {
        "measure": part.use,
        "weight": part.weight,
        "value": found.value,
        "worst": part.scale(),
        "kept": kept,
        "because": found.because,
    }
